# `make run` opens the window, `make test` runs linters and tests, `make test-all` also the slow ones; all install their
# dependencies first.

PYTHON ?= $(shell command -v python3 || command -v python)
VENV   := .venv
IN     := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN    := $(VENV)/$(IN)
LOWEST := .lowest
BUNDLE := .bundle
TOOLS  := .release
# Hundreds of tests start programs of ours; without bytecode files each would compile the sources again.
export PYTHONDONTWRITEBYTECODE :=

# Four for two cores, because many tests wait for programs that they start, or for another worker to compile.
WORKERS ?= 4
# A worker that crashes ends the suite with the test's name: pytest-xdist waits for ever for one that it starts again.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder --max-worker-restart 0
MINUTES ?= 10

.PHONY: run test test-all test-lowest test-bundle lint workflows check suite bench soak sanitize audit fuzz docs dist wheel bundle release pins clean

run: $(VENV)/.run
	@./.ci/run-window $(BIN)/python

# Side by side: mypy has one thread.
test: $(VENV)/.test
	$(MAKE) --no-print-directory --jobs 2 check suite

# In the same order each time, so that it says of a change whether it broke something; `make test-all` shuffles anew.
suite: $(VENV)/.test
	QT_QPA_PLATFORM=offscreen $(PYTEST) -m "not slow" --randomly-seed=1

# Every weight type, wheel, cluster, the peers' own tests, kernels for all architectures, a soak, eight times as many examples.
test-all: $(VENV)/.test
	$(MAKE) --no-print-directory lint
	TAUTPATH_TYPES=all QT_QPA_PLATFORM=offscreen $(PYTEST) --hypothesis-profile thorough

# The lowest versions that pyproject.toml allows, in an environment of their own.
test-lowest: $(LOWEST)/.lowest
	NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/numba QT_QPA_PLATFORM=offscreen $(LOWEST)/$(IN)/python -m pytest -n $(WORKERS) --dist loadscope \
	    --max-worker-restart 0 -m "not slow" tests/solvers tests/gui/test_window.py tests/gui/charts tests/gui/export

# A program for people without Python, and what it starts.
test-bundle: bundle
	$(BIN)/python -m pytest -n 0 tests/test_bundle.py

lint: check workflows
	$(BIN)/python -m tests.tree_size

# The jobs of .github: their schema, and what makes them unsafe.
workflows: $(TOOLS)/.release
	$(TOOLS)/$(IN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(TOOLS)/$(IN)/zizmor --offline --quiet --pedantic .github

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	./.ci/lint-scripts
	$(BIN)/lint-imports
	./.ci/check-types $(BIN)/mypy

bench: $(VENV)/.run
	$(BIN)/python -m tests.benchmarks.reading
	$(BIN)/python -m tests.benchmarks.canvas
	$(BIN)/python -m tests.benchmarks.solving

soak: $(VENV)/.test
	TAUTPATH_SOAK=200 QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 0 --timeout 3600 -s tests/gui/test_soak.py

sanitize: $(VENV)/.run
	$(BIN)/python -m tests.sanitize

audit: $(VENV)/.run
	$(PYTHON) -m venv .audit
	.audit/$(IN)/python -m pip install --quiet pip-audit
	$(BIN)/python -m tests.audit .audit/$(IN)/pip-audit

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.solvers.graphs.readers.fuzz --minutes $(MINUTES) --workers $(WORKERS)

docs: $(VENV)/.docs
	$(BIN)/python -m tests.documentation out/docs

# One wheel for all platforms, and one with machine code for this platform and Python.
dist: $(VENV)/.test $(TOOLS)/.release
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(MAKE) --no-print-directory wheel
	$(TOOLS)/$(IN)/twine check --strict dist/*

# After make dist, one with machine code for another Python: make wheel PYTHON=python3.13 VENV=.venv-3.13
wheel: $(VENV)/.test
	$(BIN)/python .ci/platform_wheel.py dist/*-none-any.whl

# For people without Python: a folder, and on Debian and its relatives a package of it.
bundle: dist $(BUNDLE)/.bundle
	$(BUNDLE)/$(IN)/python .ci/bundle/make.py dist/tautpath-*-cp*.whl

# All that is due before a release; RELEASE.md tells the rest.
release: $(VENV)/.test $(TOOLS)/.release
	$(MAKE) --no-print-directory test-all test-lowest audit docs test-bundle
	$(BIN)/python .ci/release.py dist

# The hashes of constraints.txt, after a version there was changed.
pins: $(TOOLS)/.release
	./.ci/pins $(TOOLS)/$(IN)/uv

clean:
	rm -rf $(VENV) $(LOWEST) $(BUNDLE) $(TOOLS) .audit .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/.run: pyproject.toml constraints.txt .ci/setup .ci/install.py .ci/system_libraries.py
	./.ci/setup "$(PYTHON)" $(VENV) run
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt .ci/setup .ci/install.py .ci/system_libraries.py
	./.ci/setup "$(PYTHON)" $(VENV) test
	@touch $@

$(BUNDLE)/.bundle: pyproject.toml constraints.txt .ci/setup .ci/install.py
	./.ci/setup "$(PYTHON)" $(BUNDLE) bundle
	@touch $@

$(TOOLS)/.release: pyproject.toml constraints.txt .ci/setup .ci/install.py
	./.ci/setup "$(PYTHON)" $(TOOLS) release
	@touch $@

$(LOWEST)/.lowest: pyproject.toml .ci/setup tests/lowest.py
	./.ci/setup "$(PYTHON)" $(LOWEST) lowest
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	./.ci/setup "$(PYTHON)" $(VENV) docs
	@touch $@
