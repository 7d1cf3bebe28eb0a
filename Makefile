# make book: the book, from committed records.   make test: everything that a change must pass.
# make slow: what packaging, long stops and the benchmark need; each night, and before a release.
PYTHON ?= python3
# CONSTRAINTS= installs the newest versions of everything.
CONSTRAINTS ?= -c constraints.txt
# Processes that share the tests.
JOBS ?= 2
BIN := .venv/bin
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb) $(wildcard book/*.ipynb))
PYTEST := $(BIN)/python -m pytest
# Groups of files and their order are those of tests/conftest.py.
SHARED := -n $(JOBS) --no-loadscope-reorder
# Files with tests that run with interpreted kernels too.
INTERPRETED := $(shell grep -l 'mark.interpreted' tests/test_*.py)
# The output of a target in one piece, where make can.
IN_PIECES := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# Packages are installed without bytecode (a minute less). What is imported is compiled once and kept:
# each test that starts a command would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book archive test checks lint unit interpreted notebooks verify quick pages slow coverage clean
.DEFAULT_GOAL := book

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ldlrepro needs Python 3.11 or later: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(CONSTRAINTS) -e '.[dev]'
	touch $@

book: .venv/.installed
	$(BIN)/jupyter-book build . -W -n --keep-going -q
	@echo "The book: $(CURDIR)/_build/html/index.html"

# The book in one file: unpack it anywhere and open html/index.html.
archive: book
	$(BIN)/python -c 'import shutil; shutil.make_archive("_build/ldlrepro-book", "zip", "_build", "html")'
	@echo "The book, packed: $(CURDIR)/_build/ldlrepro-book.zip"

# Two targets at a time: the book is built beside the tests.
test: .venv/.installed
	+$(MAKE) --jobs=2 $(IN_PIECES) pages checks

# All but the book, what takes longest first. The quick profile compiles what the others then read.
checks: lint unit quick notebooks interpreted verify

# Two targets share the cores: threads of BLAS that wait for each other would take most of the time.
unit interpreted notebooks quick verify pages slow coverage: export OPENBLAS_NUM_THREADS = 1

# Workers compile loops for the processor that records are made for. Where it can run them, all
# processes of the tests take these loops: otherwise each would be compiled twice.
ifneq ($(shell grep -m 1 -w avx2 /proc/cpuinfo 2>/dev/null),)
OF_RECORDS = $(shell sed -n 's/^$(1) = "\(.*\)"/\1/p' ldlrepro/protocols/environment.py)
unit notebooks quick verify slow coverage: export NUMBA_CPU_NAME = $(call OF_RECORDS,NUMBA_CPU)
unit notebooks quick verify slow coverage: export NUMBA_CPU_FEATURES = $(call OF_RECORDS,NUMBA_FEATURES)
endif

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/numpydoc lint $(shell find ldlrepro -name '*.py')

# Links, names, weights of the pages as they were built.
pages: book
	$(PYTEST) tests/pages

unit: .venv/.installed
	$(PYTEST) tests --ignore tests/pages $(SHARED) --durations 20

# What calls a kernel, once more with the kernels interpreted: what is compiled is what is written.
interpreted: .venv/.installed
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(INTERPRETED) -m 'interpreted and not slow' $(SHARED) --durations 10

# Stored outputs against the committed records: exact text of the marked cells. Without data, so that
# a missing or stale record shows as such and is not computed here.
notebooks: .venv/.installed
	env -u LDLREPRO_DATA $(PYTEST) --nbval-lax --nbval-cell-timeout=300 -n $(JOBS) --dist loadfile $(NOTEBOOKS)

# A small sample of the records of all papers, fitted again where the data are at hand.
verify: .venv/.installed
	@if [ -n "$$LDLREPRO_DATA" ]; then $(BIN)/ldlrepro verify --sample 20 --max-seconds 3; \
	else echo "verify: skipped, LDLREPRO_DATA names no folder with the data"; fi

# Every method fitted for real, on synthetic data.
quick: .venv/.installed
	$(BIN)/ldlrepro notebooks -p profile quick --out _build/quick --fresh --jobs $(JOBS)

slow: .venv/.installed
	$(BIN)/mypy
	$(PYTEST) tests --ignore tests/pages -m slow $(SHARED) --durations 20

# Which lines the tests reach, by file.
coverage: .venv/.installed
	$(BIN)/coverage run -m pytest tests --ignore tests/pages
	$(BIN)/coverage report --sort=cover

clean:
	rm -rf _build book/reference/generated .pytest_cache .ruff_cache
