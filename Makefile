# Every target sets up what it needs, in .venv and build/. A machine needs Python 3.11 or later,
# g++, make and a package index; CMake and Ninja come from the index.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PYTEST_ARGS ?=
# Tests and benchmarks run side by side: threads of the linear algebra library would only get in the
# way of each other.
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
# The models of English, installed as a link to packages/.
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
.PHONY: clean core

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: core $(english) ## A short tour: parse with the installed models, then train on sample data
	$(bin)/treewright demo

test: core $(english) ## Run every test
	$(bin)/python -m pytest -n logical --maxprocesses 8 $(PYTEST_ARGS)

lint: core ## Check style, types, formatting and the stub of the core
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy --strict src
	$(bin)/clang-format --dry-run -Werror $(cpp)
	$(stubgen) build/_core.pyi
	diff -u src/treewright/_core.pyi build/_core.pyi

lint-page: ## Check the types of the server's JavaScript; needs npm
	npx --yes --package typescript@7.0.2 tsc --project jsconfig.json

docs: core .venv/.docs-stamp ## Build the docs site into site/, warnings are errors
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict --quiet

coverage: core $(english) .venv/.coverage-stamp ## Run the tests and show what they cover; details in htmlcov/
	$(bin)/python -m pytest -n logical --maxprocesses 8 --cov --cov-report=term --cov-report=html $(PYTEST_ARGS)

tidy: core .venv/.tidy-stamp ## Look for bugs in the C++ sources with clang-tidy
	printf '%s\n' $(filter-out cpp/bind/%,$(filter %.cpp,$(cpp))) \
		| xargs -n 1 -P $$(getconf _NPROCESSORS_ONLN) $(bin)/clang-tidy -p build/dev --quiet

format: $(setup) ## Rewrite Python and C++ sources in the project's style
	$(bin)/ruff check --fix --exit-zero .
	$(bin)/ruff format .
	$(bin)/clang-format -i $(cpp)

stubs: core ## Write the type stub of the core anew
	$(stubgen) src/treewright/_core.pyi

core: build/dev/build.ninja ## Build the C++ core, only what changed
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

# The sanitized core sits in a copy of the package. -S keeps the editable install out of the way.
asan: build/asan/build.ninja ## Run the tests of the core under sanitizers
	$(lock) $(ninja) -C build/asan --quiet
	rm -rf build/asan/site && mkdir -p build/asan/site
	cp -R src/treewright build/asan/site/
	$(cmake) --install build/asan --prefix build/asan/site >/dev/null
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	PYTHONPATH="build/asan/site:$$($(bin)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" \
	$(bin)/python -S -m pytest -m "not slow" --capture=sys -p no:cacheprovider $(PYTEST_ARGS) \
		$(ASAN_TESTS)

# The parts of the core that threads share, without Python.
tsan_flags := -std=c++20 -O1 -g -Icpp -DTREEWRIGHT_SANITIZE=1 -Wno-psabi -fsanitize=thread
tsan_rooms := $(filter cpp/core/%.cpp cpp/counts/%.cpp cpp/tagging/%.cpp,$(cpp))

build/tsan/%.o: %.cpp $(filter %.hpp,$(cpp))
	@mkdir -p $(@D)
	$(CXX) $(tsan_flags) -c $< -o $@

build/tsan/threads: $(patsubst %.cpp,build/tsan/%.o,$(tsan_rooms) tests/native/threads.cpp)
	$(CXX) $(tsan_flags) $^ -o $@

tsan: build/tsan/threads ## Run what threads share under the thread sanitizer
	TSAN_OPTIONS=halt_on_error=1 $(if $(shell command -v setarch),setarch -R) build/tsan/threads

# FUZZ_SECONDS=600 make fuzz is a long run; FUZZ_ARGS="auto --coverage" uses atheris for one target.
FUZZ_SECONDS ?= 3
FUZZ_ARGS ?=

fuzz: core ## Call every reader with damaged input
	$(bin)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_ARGS)

# SOAK_SECONDS=300 make soak is a short one; SOAK_ARGS="--report docs/results/soak.md" writes a page.
SOAK_SECONDS ?= 3600
SOAK_ARGS ?=

soak: core ## Parse and train for an hour, with kills, and watch memory and results
	$(bin)/python -m fuzz.soak --seconds $(SOAK_SECONDS) $(SOAK_ARGS)

audit: $(setup) ## Look for known vulnerabilities in the installed packages
	$(bin)/python -m pip install --quiet pip-audit
	$(bin)/pip-audit --local --skip-editable

models: core ## Train and pack the models of packages/ again; TREEBANKS=DIR has the treebanks
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

wheel: $(setup) ## Build wheels of Treewright and of its models of English into dist/
	rm -f dist/*.whl
	$(bin)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . \
		./packages/treewright-en

wheel-check: wheel ## Install the wheels in a clean environment and run them there
	rm -rf build/wheel-venv && $(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/python -m pip install --quiet dist/*.whl
	cd build && wheel-venv/bin/treewright info && wheel-venv/bin/treewright demo --sentences 60
	cd build && for part in dep ccg const; do \
		wheel-venv/bin/treewright parse "It didn't rain." --model en-$$part || exit 1; done

clean: ## Remove everything that make has made
	rm -rf .venv build dist site htmlcov .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f src/treewright/_core.*.so
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
