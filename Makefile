# What a new user needs: make reproduce, make test, make gpu.
# A bundle (docs/archive.md) has wheels/<version of Python>, from which reproduce installs, and no repository.
WHEELS := $(wildcard wheels/3.*)
PYTHON ?= python$(or $(notdir $(WHEELS)),3)
CORES ?= 4
CAPABILITIES ?= 5.0 5.2 6.1 7.0 7.5 8.0 8.6 8.9 9.0 10.0 12.0
VENV := .venv
BIN := $(VENV)/bin
# What a caller may have set for other environments.
unexport PYTHONPATH PYTHONHOME

.PHONY: reproduce report test test-all architectures mutants check schemas pages site gpu peers cluster cluster-test bundle crate clean help moved

reproduce: $(VENV)/run  ## Set up and run everything: tables and figures in results/
	$(BIN)/snakemake --cores $(CORES)

report: reproduce  ## The same, and Snakemake's own report of the run, results/report.html
	$(BIN)/snakemake --cores 1 --report results/report.html

test: QUICK = --quick
test: test-all  ## Set up and run the tests that need no GPU (with one: those too), but for those marked long

test-all: $(VENV)/dev tests/npm/node_modules  ## Run those, too, and four times as many schedules of the emulator
	$(BIN)/python scripts/stage.py get-gapbs
	$(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder $(QUICK)

# Without the GPU of this machine, if it has one: that would not be compiled for what is newer.
architectures: $(VENV)/dev  ## Compile all kernels for each kind of GPU, from 2014's to the newest; needs no GPU
	@for capability in $(CAPABILITIES); do echo "compute capability $$capability"; \
	CUDA_VISIBLE_DEVICES= $(BIN)/python scripts/stage.py build-kernels --backends cuda --compute-capability $$capability \
	  --output build/architectures/$$capability.json --files kernels/*/*.cu kernels/retrace_today/*/*.cu kernels/thrust/*.cpp || exit 1; done

mutants: $(VENV)/dev  ## Plant each known bug, one at a time, and see the tests fail: hours, or SAMPLE=300; or RANDOM=60 SEED=1 bugs
ifeq ($(RANDOM),)
	$(BIN)/python tests/mutations/run.py --processes $(CORES) $(SAMPLE:%=--sample %)
else
	PYTHONPATH=tests $(BIN)/python tests/mutations/random_mutants.py $(RANDOM) --processes $(CORES) $(SEED:%=--seed %)
endif

check: $(VENV)/dev  ## Formatting, lint, imports and types
	$(BIN)/ruff format --check scripts tests setup.py
	$(BIN)/ruff check scripts tests setup.py
	PYTHONPATH=scripts $(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow scripts/retrace_today scripts/retrace_peers
	$(BIN)/python tests/lint_workflow.py

schemas: $(VENV)/dev  ## Write workflow/schemas/ from the models
	$(BIN)/python scripts/stage.py write-schemas

pages: $(VENV)/run  ## Write docs/results/ and the made parts of README and docs from the committed records
	$(BIN)/python scripts/stage.py make-results

site: $(VENV)/run  ## Write the page of the committed records, without a run, as it is published: results/site/index.html
	$(BIN)/python scripts/stage.py make-site $(REPOSITORY:%=--repository '%')

gpu: $(VENV)/gpu  ## Set up for a machine whose only CUDA part is the driver
	$(BIN)/python scripts/install_gpu.py

peers: $(VENV)/peers  ## On a machine with a GPU, set up cuGraph, too, to compare with
	$(BIN)/python -c "import pylibcugraph; print('cuGraph', pylibcugraph.__version__, 'is ready')"

cluster: $(VENV)/cluster  ## Set up for Slurm or Kubernetes: Snakemake's plugins
	@echo "profiles/slurm is ready, see docs/cluster.md"

cluster-test: $(VENV)/dev $(VENV)/cluster  ## Run through a Slurm on this computer; needs root, slurm-wlm and munge
	$(BIN)/python -m pytest tests/cluster

bundle: $(VENV)/bundle  ## Pack all that make reproduce takes from the network, for later: retrace-<commit>.tar.gz
	$(BIN)/python scripts/stage.py make-bundle

crate: reproduce $(VENV)/bundle  ## Describe what reproduce made as an RO-Crate: results/ro-crate-metadata.json
	$(BIN)/python scripts/stage.py make-crate
	$(BIN)/rocrate-validator --no-interactive validate --profile-identifier process-run-crate --no-paging results

clean:  ## Delete what a run makes; the environment and downloads stay
	rm -rf build logs results/tables results/figures results/report results/site results/ro-crate-metadata.json resources/graphs resources/build .snakemake

help:  ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST)

# Each stamp comes after its packages: what was interrupted is done again, and all where .venv was moved or copied.
MADE_IN := $(shell sed -n 's/^command = .* -m venv \(--[a-z-]* \)*//p' $(VENV)/pyvenv.cfg 2> /dev/null)
MOVED := $(if $(MADE_IN),$(shell test "$(MADE_IN)" -ef $(VENV) || echo moved))
$(VENV)/run $(VENV)/dev $(VENV)/cluster $(VENV)/bundle $(VENV)/gpu $(VENV)/peers: $(MOVED)
$(VENV)/run: OFFLINE := $(WHEELS:%=--wheels %)
$(VENV)/run: requirements.lock
$(VENV)/dev: requirements-dev.lock
$(VENV)/cluster: requirements-cluster.lock
$(VENV)/bundle: requirements-bundle.lock

$(VENV)/run $(VENV)/dev $(VENV)/cluster $(VENV)/bundle: requirements-uv.lock
	$(PYTHON) scripts/set_up.py $(filter-out requirements-uv.lock moved, $^) --environment $(VENV) $(OFFLINE) $(OPTIONS)
	@touch $@ $(VENV)/run

# What tests take from npm; without it they are skipped.
tests/npm/node_modules: tests/npm/package-lock.json
	@npm ci --silent --ignore-scripts --fetch-retries 0 --prefix tests/npm || echo "warning: a test is skipped that needs npm"

$(VENV)/gpu: requirements-gpu.lock scripts/install_gpu.py
	$(PYTHON) scripts/set_up.py --environment $(VENV) --without-project
	$(BIN)/python scripts/install_gpu.py $<
	$(PYTHON) scripts/set_up.py --environment $(VENV)
	@touch $@ $(VENV)/run

# The versions of CUDA's wheels are those of requirements-gpu.lock.
$(VENV)/peers: requirements-peers.lock requirements-uv.lock | $(VENV)/gpu
	@$(BIN)/python -c "import sys; from retrace_peers.cugraph import why_no_cugraph as why; sys.exit(why())"
	$(PYTHON) scripts/set_up.py $< --environment $(VENV)
	@touch $@ $(VENV)/run
