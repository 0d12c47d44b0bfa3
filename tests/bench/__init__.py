"""web4ai beside its peers, run by hand: `python -m tests.bench --help`. Pytest collects nothing here."""
