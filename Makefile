# Everything is installed into .venv, by the first target that needs it. uv is used if it is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MINIMAL := .venv-minimal
UV := $(shell command -v uv 2>/dev/null)
INSTALL = $(if $(UV),uv pip install -q --python $(1)/bin/python,$(1)/bin/python -m pip install -q --disable-pip-version-check) -c constraints.txt
# neighbours stay in one process, and share its servers; bytecode is kept, since many processes start
# there is a process of tests for each core, so that threads of linear algebra only wait for each other
PYTEST = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest
TOGETHER = -n auto --dist worksteal

.PHONY: demo test check coverage bench docs minimal clean

demo: $(VENV)/ready-to-run
	@$(BIN)/singleout demo

test: $(VENV)/ready-to-develop
	@sh scripts/install_chromium.sh || echo "Tests that need a browser will be skipped."
	@sh scripts/fetch_schemas.sh $(VENV)/schemas || echo "Tests of SARIF and JUnit files will be skipped."
	@sh scripts/fetch_axe.sh $(VENV)/axe || echo "Tests of the accessibility of pages will be skipped."
	@sh scripts/services/install.sh || echo "Tests that need a database server or Spark will be skipped."
	$(PYTEST) $(TOGETHER)

check: $(VENV)/ready-to-develop minimal
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell

minimal: $(MINIMAL)/ready-to-run
	$(MINIMAL)/bin/python scripts/check_minimal.py

# without compilation, so that the lines of kernels can be seen
coverage: $(VENV)/ready-to-develop
	$(PYTEST) $(TOGETHER) --cov=singleout --cov-report= --ignore=tests/kernels
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(TOGETHER) --cov=singleout --cov-append --cov-report=term-missing \
	  -W ignore::RuntimeWarning tests/kernels

bench: $(VENV)/ready-to-develop
	$(BIN)/python -m bench

docs: $(VENV)/ready-to-develop
	$(BIN)/python scripts/make_reference.py
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) $(MINIMAL) site dist

# pip of its own before 25.1 does not know dependency groups
%/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "singleout needs Python 3.11 or newer, and $(PYTHON) is older; try: make PYTHON=python3.12"; exit 2; }
	@echo "Setting up $* (once)"
	$(if $(UV),uv venv -q --allow-existing --python $(PYTHON) $*,$(PYTHON) -m venv $*)
	$(if $(UV),,@$*/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt -U pip)

%/ready-to-run: pyproject.toml constraints.txt | %/bin/python
	$(call INSTALL,$*) -e .
	@touch $@

%/ready-to-develop: pyproject.toml constraints.txt | %/bin/python
	$(call INSTALL,$*) -e '.[database,spark,repository,web]' --group dev
	@touch $@ $*/ready-to-run

.PRECIOUS: %/bin/python
.SECONDARY:
