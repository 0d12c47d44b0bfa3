"""PgBouncer in transaction mode before a server: what stands between functions and PostgreSQL in the cloud does the same."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGTERM
from socket import create_connection, socket
from time import monotonic, sleep
from urllib.parse import urlsplit

from emulator.pg_data import child_options
from emulator.unprivileged import server_user

# The session used last is handed out first, so clients do share them; the pool is as large as the most that a test has at once
# in transactions.
_INI = """
[databases]
* = host=127.0.0.1 port={target} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = 30
max_client_conn = 1000
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"""


def pooling() -> bool:
    """Whether WEB4AI_TEST_PGBOUNCER asks for it."""
    return os.environ.get("WEB4AI_TEST_PGBOUNCER") == "1"


@contextmanager
def pooled(url: str, folder: Path) -> Iterator[str]:
    """The URL through a pooler of one's own on a free loopback port; its files stand in `folder`."""
    command = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
    target = urlsplit(url)
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder.mkdir(mode=0o700)
    values = {"target": target.port, "user": target.username, "password": target.password}
    ini, users = folder / "pgbouncer.ini", folder / "users.txt"
    ini.write_text(_INI.format(port=port, folder=folder, **values))
    users.write_text(f'"{target.username}" "{target.password}"\n')
    user = server_user()
    for path in (folder, ini, users):
        user.own(path)
    process = subprocess.Popen([command, "-q", str(ini)], **child_options(folder, user, SIGTERM))
    try:
        _wait(process, port)
        yield url.replace(f":{target.port}/", f":{port}/")
    finally:
        process.terminate()
        process.wait(10)


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    ends = monotonic() + 10
    while monotonic() < ends and process.poll() is None:
        try:
            create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            sleep(0.02)
        else:
            return
    raise RuntimeError("pgbouncer did not start: is Debian's package of that name installed?")
