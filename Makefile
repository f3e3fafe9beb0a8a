# Two commands are enough: `make demo` to see it, `make test` to trust it.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
.DEFAULT_GOAL := help
.PHONY: help demo serve test test-services test-browser test-next-django cases check house words format screenshots clean

help:  ## What can be made here
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

# The stamp's name carries the requirements' checksum: a changed pin installs again, nothing else does.
RUN_STAMP := .venv/.run-$(shell cat requirements-web.txt requirements.txt | cksum | cut -d' ' -f1)
DEV_STAMP := .venv/.dev-$(shell cat requirements-web.txt requirements.txt requirements-figures.txt requirements-dev.txt requirements-cff.txt | cksum | cut -d' ' -f1)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Variorum needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv

$(RUN_STAMP): .venv/bin/python
	@echo "Installing what requirements.txt names; the first time takes some minutes ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(DEV_STAMP): .venv/bin/python
	@echo "Installing what requirements-dev.txt names; the first time takes some minutes ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-cff.txt
	-$(BIN)/python -m tests.evaluation.tei_schema
	@echo "Making what the tests keep: their bytecode, tables and characters ..."
	-@$(PYTEST) -q --ignore tests/browser -k "test_choice or test_A04" -m "not services and not long" > /dev/null
	@touch $@

demo: $(RUN_STAMP)  ## Try it: sample studies, web and worker on port 8000 (VARIORUM_PORT)
	$(BIN)/python manage.py demo

serve: $(RUN_STAMP)  ## Web and worker on your own data
	$(BIN)/python manage.py serve

# Rewriting each test's assertions for pytest is a fifth of the time: it is kept for the next run.
test test-services test-browser cases $(DEV_STAMP): export PYTHONDONTWRITEBYTECODE :=

# A process for each core this one may use; each loads everything, so that more than eight gain nothing.
CORES := -n auto --maxprocesses 8 --dist worksteal

test: $(DEV_STAMP)  ## The whole suite on SQLite; no service, no browser
	$(PYTEST) -q $(CORES) --ignore tests/browser -m "not services and not long"

test-services: $(DEV_STAMP)  ## What has a database on PostgreSQL and Redis, started privately on loopback; what starts processes on SQLite too
	tests/services/latex.sh
	$(BIN)/python tests/services/start.py $(PYTEST) -q $(CORES) --ignore tests/browser -m "(database or services) and not long"
	env -u VARIORUM_DATABASE_URL -u VARIORUM_REDIS_URL $(PYTEST) -q $(CORES) --ignore tests/browser -m "sqlite and not long"

test-browser: $(DEV_STAMP)  ## In headless Chromium (installs Debian's package when it is missing)
	tests/browser/install.sh
	rm -f .pytest_cache/v/cache/lastfailed
	$(PYTEST) -q -n 2 --dist worksteal -m "not long" tests/browser || tests/browser/again.sh $$? $(PYTEST)

cases: $(DEV_STAMP)  ## The cases of reliability and security, the long ones too, on SQLite and PostgreSQL; prints a table
	tests/cases/install.sh
	$(BIN)/python -m tests.cases $(CASES)

test-next-django: $(DEV_STAMP)  ## Composed queries on the newest Django, installed apart
	$(BIN)/python -m tests.next_django $(NEXT_PYTHON)

screenshots: $(DEV_STAMP)  ## The pictures in docs/screenshots, taken of the demonstration
	tests/browser/install.sh
	$(BIN)/python -m tests.browser.screenshots
	DJANGO_SETTINGS_MODULE=variorum.settings $(BIN)/python -m tests.browser.gallery

check: $(DEV_STAMP)  ## Style, types, import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

house: $(DEV_STAMP)  ## Modules a folder, circles of imports, lines written twice
	$(BIN)/python -m tests.variorum.house

words: $(DEV_STAMP)  ## The catalogues of readers' pages: brought up to date, compiled, and what is not translated
	$(BIN)/python -m tests.languages

format: $(DEV_STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove what was installed and cached; your data in var/ stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find variorum evaluation annotation retrieval machines common tests -name __pycache__ -prune -exec rm -r {} +
