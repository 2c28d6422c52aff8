# Every target sets up what it needs, in .venv and build/. A machine needs Python 3.11 or later,
# g++, make and a package index; CMake and Ninja come from the index.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PYTEST_ARGS ?=
# Tests and benchmarks run in parallel: threads of the linear algebra library would only compete for
# cores.
export OPENBLAS_NUM_THREADS ?= 1

bin := .venv/bin
setup := .venv/.setup-stamp
cpp := $(shell find cpp -name "*.cpp" -o -name "*.hpp")
cmake := $(bin)/cmake
ninja := $(bin)/ninja
# Two makes at once must not run two builds in one directory.
lock := $(if $(shell command -v flock),flock .venv,)
# Usage: $(call configure,<build dir>,<more options>)
configure = $(cmake) -S . -B $(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(ninja)) \
	-DPython_EXECUTABLE=$(abspath $(bin)/python) \
	-Dnanobind_DIR=$$($(bin)/python -m nanobind --cmake_dir) $(2) >/dev/null
# English models, installed as a link to packages/.
english := .venv/.english-stamp
# Where `make models` finds treebanks: dep-ewt, ccg-ewt, const-craft and ccg-craft, each a directory.
TREEBANKS ?= data
stubgen = $(bin)/python -m nanobind.stubgen -q -m treewright._core -o
# The package is installed as a link to src/, with the extras named; make core builds the rest.
install = $(bin)/python -m pip install --quiet --no-build-isolation \
	-C wheel.cmake=false -C editable.mode=inplace --editable ".[$(1)]"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint lint-page tidy format stubs asan tsan fuzz soak audit bench coverage docs models wheel wheel-check
.PHONY: clean core fuzz-core simd release-lists release-audit

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: core $(english) ## Take a short tour: parse with an installed model, then train on sample data
	$(bin)/treewright demo

test: core $(english) ## Run all tests
	$(bin)/python -m pytest -n logical --maxprocesses 8 $(PYTEST_ARGS)

lint: core ## Check style, types, formatting and the type stub of the core
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy --strict src
	$(bin)/clang-format --dry-run -Werror $(cpp) $(wildcard fuzz/core/*)
	$(stubgen) build/_core.pyi
	diff -u src/treewright/_core.pyi build/_core.pyi

lint-page: ## Check style and types of the web page; needs npm
	npx --yes @biomejs/biome@2.6.7 lint --error-on-warnings src/treewright/serve/static
	npx --yes --package typescript@7.0.2 tsc --project jsconfig.json

docs: core .venv/.docs-stamp ## Build the docs site in site/; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict --quiet

coverage: core $(english) .venv/.coverage-stamp ## Run the tests and measure coverage; details in htmlcov/
	$(bin)/python -m pytest -n logical --maxprocesses 8 --cov --cov-report=term --cov-report=html $(PYTEST_ARGS)

tidy: core .venv/.tidy-stamp ## Run clang-tidy on the C++ sources
	printf '%s\n' $(filter-out cpp/bind/%,$(filter %.cpp,$(cpp))) \
		| xargs -n 1 -P $$(getconf _NPROCESSORS_ONLN) $(bin)/clang-tidy -p build/dev --quiet

format: $(setup) ## Format Python and C++ sources
	$(bin)/ruff check --fix --exit-zero .
	$(bin)/ruff format .
	$(bin)/clang-format -i $(cpp) $(wildcard fuzz/core/*)

stubs: core ## Update the type stub of the core
	$(stubgen) src/treewright/_core.pyi

core: build/dev/build.ninja ## Build the C++ core incrementally
	@$(lock) $(ninja) -C build/dev --quiet
	@$(lock) $(cmake) --install build/dev --prefix src >/dev/null

build/dev/build.ninja: $(setup)
	$(lock) $(call configure,build/dev,-DCMAKE_BUILD_TYPE=Release)
	@touch $@

$(setup): pyproject.toml
	test -x $(bin)/python || $(PYTHON) -m venv .venv
	$(bin)/python -m pip install --quiet scikit-build-core
	$(call install,dev)
	@touch $@

build/asan/build.ninja: $(setup)
	$(lock) $(call configure,build/asan,-DCMAKE_BUILD_TYPE=Debug -DTREEWRIGHT_SANITIZE=ON)
	@touch $@

# All tests that call the core. ASAN_TESTS="tests/core tests/forests" make asan runs a part of them.
ASAN_TESTS ?= tests/test_stub.py $(wildcard $(addprefix tests/,core forests inference losses scores train models))

# Usage: $(call site,<build dir>): builds another core, in a copy of the package.
define site
	$(lock) $(ninja) -C $(1) --quiet
	rm -rf $(1)/site && mkdir -p $(1)/site
	cp -R src/treewright $(1)/site/
	$(cmake) --install $(1) --prefix $(1)/site >/dev/null
endef
platlib = $$($(bin)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')

# -S keeps the editable install out of the way.
asan: build/asan/build.ninja ## Run the tests of the core under sanitizers
	$(call site,build/asan)
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	PYTHONPATH="build/asan/site:$(platlib)" \
	$(bin)/python -S -m pytest -m "not slow" --capture=sys -p no:cacheprovider $(PYTEST_ARGS) \
		$(ASAN_TESTS)

# Cores for the instruction sets of this machine: all must give bit-identical results.
simd_levels := x86-64 $(if $(shell grep -m 1 -w avx2 /proc/cpuinfo),x86-64-v3) \
	$(if $(shell grep -m 1 -w avx512vl /proc/cpuinfo),x86-64-v4)

build/simd/%/build.ninja: $(setup)
	$(lock) $(call configure,build/simd/$*,-DCMAKE_BUILD_TYPE=Release -DTREEWRIGHT_ARCH=$*)

build/simd/%/bits.json: build/simd/%/build.ninja $(cpp) tests/same_bits.py
	$(call site,build/simd/$*)
	PYTHONPATH="build/simd/$*/site:$(platlib)" $(bin)/python -S -m tests.same_bits > $@

simd: $(simd_levels:%=build/simd/%/bits.json) ## Check that SSE2, AVX2 and AVX-512 give bit-identical results
	@for each in $^; do diff -u $< $$each || exit 1; done; echo "identical: $(simd_levels)"

# The code that threads share, without Python.
tsan_flags := -std=c++20 -O1 -g -Icpp -DTREEWRIGHT_SANITIZE=1 -Wno-psabi -fsanitize=thread
tsan_rooms := $(filter cpp/core/%.cpp cpp/counts/%.cpp cpp/tagging/%.cpp,$(cpp))

build/tsan/%.o: %.cpp $(filter %.hpp,$(cpp))
	@mkdir -p $(@D)
	$(CXX) $(tsan_flags) -c $< -o $@

build/tsan/threads: $(patsubst %.cpp,build/tsan/%.o,$(tsan_rooms) tests/native/threads.cpp)
	$(CXX) $(tsan_flags) $^ -o $@

tsan: build/tsan/threads ## Run shared code under the thread sanitizer
	TSAN_OPTIONS=halt_on_error=1 $(if $(shell command -v setarch),setarch -R) build/tsan/threads

# FUZZ_SECONDS=600 make fuzz is a long run; FUZZ_ARGS="auto --coverage" uses atheris for one target.
FUZZ_SECONDS ?= 3
FUZZ_ARGS ?=

fuzz: core ## Fuzz every reader with damaged input
	$(bin)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_ARGS)

# The core itself, with libFuzzer under address and undefined-behaviour sanitizers.
CLANG ?= clang++
core_fuzz_flags := -std=c++20 -O1 -g -Icpp -DTREEWRIGHT_SANITIZE=1 -Wno-psabi \
	-fno-sanitize-recover=all -fsanitize=fuzzer-no-link,address,undefined
core_fuzzers := $(patsubst fuzz/core/%.cpp,build/fuzz/%,$(wildcard fuzz/core/*.cpp))

build/fuzz/%.o: %.cpp $(filter %.hpp,$(cpp)) fuzz/core/input.hpp
	@command -v $(CLANG) >/dev/null || \
		{ echo "make fuzz-core needs clang with libFuzzer: apt install clang, or CLANG=..."; exit 1; }
	@mkdir -p $(@D)
	$(CLANG) $(core_fuzz_flags) -c $< -o $@

core_objects := $(patsubst %.cpp,build/fuzz/%.o,$(filter-out cpp/bind/%,$(filter %.cpp,$(cpp))))

$(core_fuzzers): build/fuzz/%: build/fuzz/fuzz/core/%.o $(core_objects)
	$(CLANG) $(core_fuzz_flags) -fsanitize=fuzzer $^ -o $@

fuzz-core: $(core_fuzzers) ## Fuzz the C++ core with libFuzzer; needs clang
	@for each in $^; do mkdir -p $$each-corpus; echo $$each; $$each -max_total_time=$(FUZZ_SECONDS) -timeout=5 \
		-rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -print_funcs=0 -artifact_prefix=$$each- \
		$$each-corpus || exit 1; done

# SOAK_SECONDS=300 make soak is a short one; SOAK_ARGS="--report docs/results/soak.md" writes a page.
SOAK_SECONDS ?= 3600
SOAK_ARGS ?=

soak: core ## Parse and train for an hour with kills; check memory and results
	$(bin)/python -m fuzz.soak --seconds $(SOAK_SECONDS) $(SOAK_ARGS)

audit: $(setup) ## Check installed packages for known vulnerabilities
	$(bin)/python -m pip install --quiet pip-audit
	$(bin)/pip-audit --local --skip-editable

# Wheels of several Pythons and machines may be in dist/; pip takes the one that runs here.
lists := build/lists

release-lists: ## Write checksums, pinned dependencies and an SBOM of the wheels in dist/ to lists/
	rm -rf $(lists) lists && mkdir -p lists
	cd dist && sha256sum * > ../lists/SHA256SUMS
	$(PYTHON) -m venv $(lists)/tools && $(PYTHON) -m venv $(lists)/installed
	$(lists)/tools/bin/python -m pip install --quiet cyclonedx-bom==7.5.0 pip-audit==2.10.1
	$(lists)/tools/bin/python -m pip download --quiet --no-index --no-deps -f dist \
		--dest $(lists)/wheel treewright
	$(lists)/installed/bin/python -m pip install --quiet --report lists/dependencies.json \
		$(lists)/wheel/*.whl
	$(PYTHON) .github/pinned.py lists/dependencies.json > lists/requirements.txt
	$(lists)/tools/bin/cyclonedx-py environment $(lists)/installed/bin/python --of JSON \
		-o lists/sbom.cdx.json

# Asks the index for known vulnerabilities, so it needs a network.
release-audit: ## Check the packages of lists/requirements.txt for known vulnerabilities
	$(lists)/tools/bin/pip-audit --require-hashes --disable-pip -r lists/requirements.txt

models: core ## Train and pack the models in packages/; set TREEBANKS=DIR
	$(bin)/python -m packages.make packages/treewright-en --treebanks $(TREEBANKS)
	$(bin)/python -m packages.make packages/treewright-en-bio --treebanks $(TREEBANKS)
	$(bin)/python -m packages.make packages/treewright-en-neural --treebanks $(TREEBANKS)

$(english): $(setup) $(wildcard packages/*/pyproject.toml)
	$(bin)/python -m pip install --quiet --no-build-isolation --no-deps -C editable.mode=inplace \
		$(addprefix --editable ,$(wildcard packages/treewright-*))
	@touch $@

bench: core .venv/.bench-stamp ## Run the benchmarks of the core
	$(bin)/python -m benchmarks.core

.venv/.%-stamp: $(setup)
	$(call install,$*)
	@touch $@

wheel: $(setup) ## Build wheels of Treewright and treewright-en in dist/
	rm -f dist/*.whl
	$(bin)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . \
		./packages/treewright-en

wheel-check: wheel ## Install the wheels in a clean environment and run them there
	rm -rf build/wheel-venv && $(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/python -m pip install --quiet dist/*.whl
	cd build && wheel-venv/bin/treewright info && wheel-venv/bin/treewright demo --sentences 60
	cd build && for part in dep ccg const; do \
		wheel-venv/bin/treewright parse "It didn't rain." --model en-$$part || exit 1; done

clean: ## Remove all build products
	rm -rf .venv build dist lists site htmlcov .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f src/treewright/_core.*.so
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
