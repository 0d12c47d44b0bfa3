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
    python: str = ">=3.11"

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
        "two connections",
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
)
