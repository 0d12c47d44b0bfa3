"""Lambda entry of the migrations: invoked by a deployment before its functions take traffic."""

from dataclasses import asdict
from typing import Any

from shared.db import direct_database_url
from shared.migrate import migrate
from shared.runtime.sandbox import run
from shared.settings import settings


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Bring the schema up to date; says which version it stands at and which files were applied."""
    return asdict(run(migrate(direct_database_url(settings()))))
