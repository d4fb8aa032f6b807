# Everything lives in .venv; nothing outside this folder is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8080
LOCK := requirements/dev.txt
# Processes of the tests; auto: two for each core, if there is memory for them. Each gets a stretch of the
# files, so that what a file sets up is set up once, and takes from the others' when it is done.
JOBS ?= auto
PARALLEL = -n $(JOBS) --dist worksteal

ifdef PYTHONDONTWRITEBYTECODE
# Not beside the sources, then, but kept: to compile all tests is most of what finding them takes,
# in each process, and every command that a test starts would compile Toulmin again.
test test-all test-list quick: export PYTHONDONTWRITEBYTECODE =
test test-all test-list quick: export PYTHONPYCACHEPREFIX = $(CURDIR)/$(VENV)/bytecode
endif

.PHONY: help run test test-all test-list quick fuzz fuzz-coverage audit test-clients test-postgresql test-console dist test-dist test-upgrade test-image check format lock schema pages docs site clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | sort | expand -t 16

$(VENV)/.installed: requirements/base.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Toulmin needs Python 3.11 or newer, this is %d.%d; name another with PYTHON=..." % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/base.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed $(LOCK)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	touch $@

run: $(VENV)/.installed ## Set up all, import the sample documents, serve on http://127.0.0.1:$(PORT)
	$(BIN)/toulmin demo --port $(PORT)

test: $(VENV)/.installed-dev ## Set up all and run the tests
	$(BIN)/python -m pytest $(PARALLEL) -m "not thorough"

test-all: $(VENV)/.installed-dev ## Run the tests that take longest, too: faults, Google's client, older folders (many minutes)
	$(BIN)/python -m pytest $(PARALLEL)

test-list: $(VENV)/.installed-dev ## List the tests (what they are compiled to is kept for those who run them)
	$(BIN)/python -m pytest --collect-only -q

quick: $(VENV)/.installed-dev ## Run the tests of the files that were changed, for half a minute at most
	@tests="$$($(BIN)/python tools/changed_tests.py)"; \
	test -n "$$tests" || { echo "nothing was changed that has tests"; exit 0; }; \
	echo $$tests; $(BIN)/python -m pytest $(PARALLEL) -m "not slow and not thorough" --session-timeout 30 $$tests

fuzz: $(VENV)/.installed-dev ## Draw many random examples in the property tests (FUZZ=path for some of them)
	HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest --timeout 3000 -m "not model" $(or $(FUZZ),tests/text tests/grounding tests/retrieval tests/safety tests/apis/aip tests/ingestion/parsing/test_chunking.py)

$(VENV)-fuzz/.installed: requirements/fuzz.txt pyproject.toml
	test -x $(VENV)-fuzz/bin/python || $(PYTHON) -m venv $(VENV)-fuzz
	$(VENV)-fuzz/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/fuzz.txt
	$(VENV)-fuzz/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

test-postgresql: $(VENV)/.installed-dev ## Tests of the API with their records in PostgreSQL (its programs must be on the path; many minutes)
	$(BIN)/python -m pytest --records postgresql tests/apis

fuzz-coverage: $(VENV)-fuzz/.installed ## Fuzz the parsers guided by coverage (SECONDS=60 for each, TARGETS=json,office)
	$(VENV)-fuzz/bin/python -m tests.fuzz.run --seconds $(or $(SECONDS),60) $(if $(TARGETS),--only $(TARGETS))

$(VENV)-audit/.installed: requirements/audit.txt
	test -x $(VENV)-audit/bin/python || $(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/audit.txt
	touch $@

audit: $(VENV)/.installed-dev $(if $(OSV),,$(VENV)-audit/.installed) ## Dependencies against known vulnerabilities (OSV=zip where there is no network) and allowed licences
	$(BIN)/python -m tools.audit $(if $(OSV),--osv $(OSV),--pip-audit $(VENV)-audit/bin/pip-audit) $(foreach id,$(IGNORE),--ignore $(id))

test-clients: $(VENV)/.installed-dev ## Run the real clients, each in a virtual environment of its own
	$(BIN)/python tests/clients/run.py

test-console: $(VENV)/.installed-dev ## Open every page of the console in Chromium (CHROMIUM=path for another)
	$(BIN)/python tests/console/run.py $(TESTS)

dist: $(VENV)/.installed-dev ## Build the four wheels of a release from the last commit
	$(BIN)/python tools/dist.py

test-dist: $(VENV)/.installed-dev ## Build the wheels twice, install them where only Python is, use what was installed
	$(BIN)/python tools/dist.py --twice
	$(BIN)/python tools/try_wheels.py dist

test-upgrade: $(VENV)/.installed-dev ## Upgrade an older commit (FROM=..., by default of older tables) by wheels, and go back
	$(BIN)/python -m tools.try_upgrade $(if $(FROM),--from $(FROM))

.venv-image/.installed: requirements/image.txt
	$(PYTHON) -m venv .venv-image
	.venv-image/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/image.txt
	touch $@

test-image: $(VENV)/.installed-dev .venv-image/.installed ## Lint the Dockerfile; as root on Linux, follow it without a container engine (OPTIONS=)
	.venv-image/bin/hadolint deploy/Dockerfile
	$(BIN)/python tools/try_image.py $(OPTIONS)

check: $(VENV)/.installed-dev ## Format, lint, types, import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(VENV)/.installed-dev ## Resolve the dependencies again and write their hashes
	$(BIN)/python tools/lock.py

schema: $(VENV)/.installed-dev ## Regenerate the wire contract from the official clients
	$(BIN)/python tools/generate_schema.py

pages: $(VENV)/.installed-dev ## Regenerate docs/api.md and docs/settings.md
	$(BIN)/python tools/generate_api_docs.py
	$(BIN)/toulmin config --page > docs/settings.md

docs: pages ## Regenerate those two, then make the site
	$(MAKE) site

site: .venv-site/.installed ## Make a site of docs/ in build/site; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --quiet

.venv-site/.installed: requirements/site.txt
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/site.txt
	touch $@

clean: ## Remove what the targets made
	rm -rf $(VENV) .venv-audit .venv-clients .venv-fuzz .venv-image .venv-site build dist .fuzz .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
