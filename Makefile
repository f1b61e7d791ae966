# `make run` opens the window, `make test` runs linters and tests, `make test-all` also the slow ones; all install their
# dependencies first.

PYTHON ?= $(shell command -v python3 || command -v python)
VENV   := .venv
BIN    := $(VENV)/bin
LOWEST := .lowest
# Hundreds of tests start programs of ours; without bytecode files each would compile the sources again.
export PYTHONDONTWRITEBYTECODE :=

# Four for two cores, because many tests wait for programs that they start, or for another worker to compile.
WORKERS ?= 4
# A worker that crashes ends the suite with the test's name: pytest-xdist waits for ever for one that it starts again.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder --max-worker-restart 0
MINUTES ?= 10

.PHONY: run test test-all test-lowest lint check suite bench soak sanitize audit fuzz docs dist clean

run: $(VENV)/.run
	@./.ci/run-window $(BIN)/python

# Side by side: mypy has one thread.
test: $(VENV)/.test
	$(MAKE) --no-print-directory --jobs 2 check suite

suite: $(VENV)/.test
	QT_QPA_PLATFORM=offscreen $(PYTEST) -m "not slow"

# Every weight type, wheel, cluster, the peers' own tests, kernels for all architectures, a soak, eight times as many examples.
test-all: $(VENV)/.test
	$(MAKE) --no-print-directory lint
	TAUTLINE_TYPES=all QT_QPA_PLATFORM=offscreen $(PYTEST) --hypothesis-profile thorough

# The lowest versions that pyproject.toml allows, in an environment of their own.
test-lowest: $(LOWEST)/.lowest
	NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/numba QT_QPA_PLATFORM=offscreen $(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist loadscope \
	    --max-worker-restart 0 -m "not slow" tests/solvers tests/gui/test_window.py tests/gui/charts tests/gui/export

lint: check
	$(BIN)/python -m tests.tree_size

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
	TAUTLINE_SOAK=200 QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 0 --timeout 3600 -s tests/gui/test_soak.py

sanitize: $(VENV)/.run
	$(BIN)/python -m tests.sanitize

audit: $(VENV)/.run
	$(PYTHON) -m venv .audit
	.audit/bin/python -m pip install --quiet pip-audit
	$(BIN)/python -m tests.audit .audit/bin/pip-audit

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.solvers.graphs.readers.fuzz --minutes $(MINUTES) --workers $(WORKERS)

docs: $(VENV)/.docs
	$(BIN)/python -m tests.documentation out/docs

# One wheel for all platforms, and one with machine code for this platform and Python.
dist: $(VENV)/.test
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python .ci/platform_wheel.py dist/*-none-any.whl

clean:
	rm -rf $(VENV) $(LOWEST) .audit .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/.run: pyproject.toml constraints.txt .ci/setup .ci/system_libraries.py
	./.ci/setup "$(PYTHON)" $(VENV) run
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt .ci/setup .ci/system_libraries.py
	./.ci/setup "$(PYTHON)" $(VENV) test
	@touch $@

$(LOWEST)/.lowest: pyproject.toml .ci/setup tests/lowest.py
	./.ci/setup "$(PYTHON)" $(LOWEST) lowest
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	./.ci/setup "$(PYTHON)" $(VENV) docs
	@touch $@
