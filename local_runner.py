"""web4ai on one machine: `python local_runner.py --help`."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - said before an import fails on it
    sys.exit("web4ai needs Python 3.11 or later")

try:
    from emulator.cli.main import main
except KeyboardInterrupt:
    sys.exit(130)
except ModuleNotFoundError as missing:
    sys.exit(
        f"the package {missing.name!r} is not installed: run `make demo` once, then use .venv/bin/python local_runner.py"
    )

if __name__ == "__main__":
    sys.exit(main())
