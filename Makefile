# Two commands for a newcomer: `make demo` and `make test`. `make check` is what CI runs.
PYTHON ?= python3
VENV   ?= .venv
# More than cores: many tests wait for a timer of a lab.
WORKERS ?= 4
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test check nightly bench lint clean

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/intent demo

test: $(STAMP)
	$(BIN)/pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(TESTS)

nightly: $(STAMP)
	$(BIN)/pytest -q -m nightly

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

bench: $(STAMP)
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
