# Everything a person runs by hand. `make help` lists it.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
# The suites that have to hold on every PostgreSQL and behind a pooler.
ENGINE := $(addprefix tests/db/,jobs runtime faults alerts quota)

.DEFAULT_GOAL := help
.PHONY: help demo up test test-all lint format lock openapi schema clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## onboard the sample place, end to end, and name the page it made
	@$(PY) local_runner.py demo

up: $(VENV)/.installed ## run the whole system on this machine until Ctrl-C
	@$(PY) local_runner.py up

test: $(VENV)/.installed-dev ## the tests, under ten minutes on two cores; needs nothing else
	@$(PY) -m pytest -m "not slow" -n auto --dist loadfile

test-all: $(VENV)/.installed-dev ## the slow proofs too; needs Debian's postgresql-15 and pgbouncer (see .ci/run)
	@$(PY) -m pytest -m slow -n auto --dist loadfile
	@WEB4AI_TEST_PG_BIN=$${WEB4AI_TEST_PG_BIN:-/usr/lib/postgresql/15/bin} $(PY) -m pytest -m "not slow" -n auto --dist loadfile $(ENGINE)
	@WEB4AI_TEST_PGBOUNCER=1 $(PY) -m pytest -m "not slow" -n auto --dist loadfile $(ENGINE)

lint: $(VENV)/.installed-dev ## format, rules, types, and which package may import which
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -c "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"

format: $(VENV)/.installed-dev ## format the code
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

lock: $(VENV)/.installed-dev ## pin again what pyproject.toml asks for, hashes included
	@$(PY) -m tools.lock

openapi: $(VENV)/.installed-dev ## write openapi.json anew
	@$(PY) -m tools.openapi

schema: $(VENV)/.installed-dev ## write migrations/schema.sql anew
	@$(PY) -m tests.db.schema_dump

clean: ## remove what was installed and what runs left; your .local data too
	rm -rf $(VENV) .local .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "web4ai needs Python 3.11 or later; say which with: make PYTHON=python3.11 demo" >&2; exit 1; }
	@echo "making a virtual environment in $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV) \
		|| { rm -rf $(VENV); echo "on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# pip is quiet but for errors; the two files hold every package's version and hashes.
$(VENV)/.installed: requirements.txt | $(VENV)/bin/python
	@echo "installing the packages of requirements.txt (once)" >&2
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt | $(VENV)/bin/python
	@echo "installing the packages of requirements-dev.txt (once)" >&2
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.txt
	@touch $@ $(VENV)/.installed
