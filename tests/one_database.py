"""One database for a file of tests, emptied before each of them: that costs milliseconds, a fresh one a tenth of a second.

For a `conftest.py`, whose tests then find it as `database`:

    from tests.one_database import database, file_database
"""

from collections.abc import Iterator

import pytest

from tests.conftest import Server

# Every row but those that migrations brought, in any order: foreign keys are triggers, which replicas do not fire.
_EMPTY = """
DO $$
DECLARE
    name regclass;
BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR name IN
        SELECT format('%I.%I', schemaname, tablename)::regclass FROM pg_tables
         WHERE schemaname = 'public'
           AND tablename NOT IN ('schema_migrations', 'job_type_settings', 'quota_limits', 'beats')
    LOOP
        EXECUTE format('DELETE FROM %s', name);
    END LOOP;
END
$$
"""


@pytest.fixture(scope="module")
def file_database(postgres_server: Server) -> Iterator[str]:
    """The name of a migrated database that the tests of a file share."""
    with postgres_server.fresh() as name:
        yield name


@pytest.fixture
def database(file_database: str, postgres_server: Server) -> str:
    """The URL of the file's database, without a row."""
    postgres_server.within(file_database, _EMPTY)
    return postgres_server.test_url(file_database)
