"""The peers: what is installed, how the adapter is run, and where its jobs stand."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """`table` is locked while a worker comes up; `unfinished` counts what is left; `empty` takes everything away."""

    name: str
    packages: tuple[str, ...]  # by name and version, as pip or npm reads them; none for web4ai itself
    adapter: str
    table: str
    unfinished: str
    empty: str
    tuning: str = ""
    bulk: int = 10_000  # jobs at once
    default_drained: int = (
        10_000  # jobs by which the default worker is measured, for at most the harness's limit
    )
    python_minor: int = 11  # of Python 3, at the least

    @property
    def node(self) -> bool:
        """Whether it runs on Node.js."""
        return self.adapter.endswith(".mjs")


PEERS = (
    Peer(
        "web4ai",
        (),
        "web4ai.py",
        "jobs",
        "SELECT count(*) FROM jobs WHERE status IN (1, 2)",
        "TRUNCATE jobs, job_dependencies, job_attempts",
        "four connections",
    ),
    Peer(
        "pgqueuer",
        ("pgqueuer==1.6.0", "asyncpg"),
        "pgqueuer_peer.py",
        "pgqueuer",
        "SELECT count(*) FROM pgqueuer",
        "TRUNCATE pgqueuer, pgqueuer_log",
        "batch 500, pool of 4",
    ),
    Peer(
        "graphile-worker",
        ("graphile-worker@0.18.0", "pg"),
        "graphile_worker.mjs",
        "graphile_worker._private_jobs",
        "SELECT count(*) FROM graphile_worker._private_jobs",
        "TRUNCATE graphile_worker._private_jobs",
        "24 at a time, local queue of 500",
    ),
    Peer(
        "procrastinate",
        ("procrastinate==3.10.0",),
        "procrastinate_peer.py",
        "procrastinate_jobs",
        "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')",
        "TRUNCATE procrastinate_jobs, procrastinate_events, procrastinate_periodic_defers",
        "10 at a time",
    ),
    Peer(
        "pg-boss",
        ("pg-boss@12.38.0",),
        "pg_boss.mjs",
        "pgboss.job",
        "SELECT count(*) FROM pgboss.job WHERE state < 'completed'",
        "TRUNCATE pgboss.job",
        "two workers, bursts of 1,000, NOTIFY",
    ),
    Peer(
        "oban",
        ("oban==0.7.0",),
        "oban_peer.py",
        "oban_jobs",
        "SELECT count(*) FROM oban_jobs WHERE state IN ('available', 'executing', 'scheduled', 'retryable')",
        "TRUNCATE oban_jobs",
        "100 at a time",
        python_minor=12,
    ),
    Peer(
        "chancy",
        ("chancy==0.26.0", "psycopg[binary]"),
        "chancy_peer.py",
        "chancy_jobs",
        "SELECT count(*) FROM chancy_jobs WHERE state IN ('pending', 'running', 'retrying')",
        "TRUNCATE chancy_jobs",
        "1,000 at a time, polled eagerly",
    ),
    Peer(
        "absurd",
        ("absurd-sdk==0.5.1", "absurdctl==0.5.1"),
        "absurd_peer.py",
        "absurd.t_default",
        "SELECT count(*) FROM absurd.t_default WHERE state IN ('pending', 'running', 'sleeping')",
        "TRUNCATE absurd.t_default, absurd.r_default",
        "100 at a time",
        bulk=1_000,
    ),
    Peer(
        "dbos",
        ("dbos==3.4.0",),
        "dbos_peer.py",
        "dbos.workflow_status",
        "SELECT count(*) FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING', 'DELAYED')",
        "TRUNCATE dbos.workflow_status CASCADE",
        "8 at a time, polled every 10 ms",
        bulk=1_000,
    ),
)
