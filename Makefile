# Set-up is part of every target: on a fresh machine any of them works first.

PRESET ?= release
WERROR ?= OFF
JOBS   ?= $(shell nproc)
RANKS  ?= 4

BIN   := .venv/bin
# .venv's cmake and ninja are the ones tried; CMake looks for ninja in PATH.
CMAKE := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cmake
SANITIZERS := asan-ubsan tsan

.DEFAULT_GOAL := help
.PHONY: help setup mpis browser build demo packaged bars bench-bars selection whatif-study conformance differential mutation fuzz-cli fuzz-importers kills first-hour coverage test wheel docs lint tidy format clean sanitize $(SANITIZERS)

help:  ## show this
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:  ## install what building and testing need (Debian packages if root, .venv)
	@tools/setup.sh

mpis: setup  ## install more MPIs to test on, beside the system's and .venv's (into .mpis)
	@tools/mpis.sh

browser:  ## install the browser in which tests look at the report (Debian's chromium, if root)
	@tools/setup.sh browser

build: setup  ## build everything into build/$(PRESET)
	@$(CMAKE) --preset $(PRESET) -DSTRETTO_WERROR=$(WERROR) --log-level=WARNING
	@$(CMAKE) --build build/$(PRESET) --parallel $(JOBS)

# Only what the demo runs: most of what `build` compiles is tests and the libraries of other MPIs.
demo: setup  ## run the sample applications with and without Stretto, and compare
	@$(CMAKE) --preset $(PRESET) -DSTRETTO_WERROR=$(WERROR) --log-level=WARNING
	@$(CMAKE) --build build/$(PRESET) --parallel $(JOBS) --target demo
	@tools/demo.sh

test: build mpis browser  ## run every test
	@tools/test.sh $(PRESET)

# What is built already goes into the wheel; `pip wheel .` alone builds the same from nothing.
wheel: build mpis  ## build the wheel into dist and try it in a fresh environment
	@rm -rf dist
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip wheel . --quiet \
	  --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist \
	  --config-settings build-dir=build/$(PRESET)
	@STRETTO_TEST_WHEEL="$$(ls $(CURDIR)/dist/stretto-*.whl)" $(BIN)/python -m pytest tests/wheel

# What builds the documentation is installed for it alone.
docs:  ## build the documentation into build/docs and check its links
	@tools/setup.sh docs
	@tools/docs.sh

sanitize: $(SANITIZERS)  ## run the tests of the native parts under the sanitizers

$(SANITIZERS):
	@$(MAKE) --no-print-directory build PRESET=$@
	@tools/sanitize.sh $@

packaged: build  ## run packaged MPI programs that are here in virtual time, record and replay them
	@$(BIN)/python tools/packaged.py

bars: build  ## measure the promised speeds against the MPI's own (a quiet machine, root)
	@$(BIN)/python tools/bars.py

bench-bars: build  ## measure what stretto bench promises of itself (a quiet machine)
	@$(BIN)/python tools/bench_bars.py

selection: build  ## print where selection is farthest from the best algorithm, on each machine (minutes)
	@$(BIN)/python tools/selection_cells.py

whatif-study: build  ## print what free collectives would gain the sample applications
	@$(BIN)/python tools/whatif_study.py

conformance: build mpis  ## run mpi4py's own tests of the collectives under Stretto (an hour or more)
	@$(BIN)/python tools/conformance.py

differential: build  ## compare 10,000 random sequences of collectives with each MPI alone
	@$(BIN)/python tools/differential.py

mutation: build  ## plant faults one at a time and see which test catches each (an hour)
	@$(BIN)/python tools/mutation.py

fuzz-cli: build  ## run 2,000 odd command lines, and every verb with disks that are full and the like
	@$(BIN)/python tools/fuzz_cli.py
	@$(BIN)/python tools/fault_runs.py

kills: build  ## kill a rank at 100 random moments under each MPI, and see what is left (root, half an hour)
	@$(BIN)/python tools/kills.py

fuzz-importers: setup  ## read damaged outputs of other suites, a minute for each format
	@$(BIN)/python tools/fuzz_importers.py

first-hour: build  ## walk through each verb on three small programs, also with wrong inputs, and compare with docs (15 minutes)
	@$(BIN)/python tools/first_hour.py

coverage: setup  ## measure which lines of the MPI half the unit tests alone run (minutes)
	@$(BIN)/python tools/coverage.py

lint: setup  ## check formatting and style of all sources
	@tools/lint.sh

tidy: build  ## look at every native source with clang-tidy
	@$(BIN)/python tools/lint_tidy.py build/$(PRESET)

format: setup  ## format all sources
	@tools/lint.sh --fix

clean:  ## remove what was built, but not what was set up
	rm -rf build dist
