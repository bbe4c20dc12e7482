# `make help` lists the targets.
PYTHON ?= python3
CORES ?= 2
# Further arguments for Snakemake and pytest, e.g. `make results ARGS=--dry-run`.
ARGS ?=
PYTEST_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Jobs that call `python` by name must find the environment's.
IN_VENV := PATH="$(CURDIR)/$(BIN):$$PATH"
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup setup-torch setup-test results test lint verify snapshot bench clean-env

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: PYTHON=$(PYTHON) CORES=$(CORES) ARGS (for snakemake) PYTEST_ARGS (for pytest)"

setup: $(VENV)/.setup ## make .venv with all that a run needs but torch; nothing to do when up to date

setup-torch: $(VENV)/.setup-torch ## setup, and torch, to train the embedding network

setup-test: $(VENV)/.setup-test ## setup-torch, and what the tests and checks need

results: setup-torch ## run the whole workflow: tables, figures, claims, report (CORES=8 for eight cores)
	$(IN_VENV) snakemake --cores $(CORES) $(ARGS)

test: setup-test ## run all tests, the smoke workflow included
	$(IN_VENV) python -m pytest --numprocesses $(CORES) --dist loadgroup $(PYTEST_ARGS)

lint: setup-test ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src

verify: setup ## list what does not belong in results/: altered, exchanged or left-over files
	$(BIN)/python workflow/verify.py

snapshot: setup ## copy the small final files of a finished run to docs/results
	$(BIN)/python workflow/snapshot.py

bench: setup-test ## measure the solvers against their authorities
	$(BIN)/python benchmarks/run.py

clean-env: ## remove .venv
	rm -rf $(VENV)

# A stamp is touched last, so an interrupted set-up is taken up again.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: '$(PYTHON)' is missing or older than Python 3.11; run: make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo "error: '$(PYTHON)' has no venv module; install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.setup: $(VENV)/.created envs/requirements.txt envs/constraints.txt pyproject.toml
	@echo "installing envs/requirements.txt (a few minutes the first time)"
	@$(PIP_INSTALL) -r envs/requirements.txt
	@$(PIP_INSTALL) --no-deps -e .
	@touch $@

$(VENV)/.setup-torch: $(VENV)/.setup envs/requirements-torch.txt
	@echo "installing envs/requirements-torch.txt"
	@$(PIP_INSTALL) -r envs/requirements-torch.txt
	@touch $@

$(VENV)/.setup-test: $(VENV)/.setup-torch envs/requirements-test.txt
	@echo "installing envs/requirements-test.txt"
	@$(PIP_INSTALL) -r envs/requirements-test.txt
	@touch $@
