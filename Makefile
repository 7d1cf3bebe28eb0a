# make book: the book, from committed records.   make test: everything CI checks.
PYTHON ?= python3
BIN := .venv/bin
INTERRUPTED := tests/test_interruptions.py
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb) $(wildcard book/*.ipynb))

.PHONY: book archive test lint unit interruptions notebooks verify quick pages kernels clean
.DEFAULT_GOAL := book

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ldlrepro needs Python 3.11 or later: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

book: .venv/.installed
	$(BIN)/jupyter-book build . -W -n --keep-going -q
	@echo "The book: $(CURDIR)/_build/html/index.html"

# The book in one file: unpack it anywhere and open html/index.html.
archive: book
	$(BIN)/python -c 'import shutil; shutil.make_archive("_build/ldlrepro-book", "zip", "_build", "html")'
	@echo "The book, packed: $(CURDIR)/_build/ldlrepro-book.zip"

# The longest first, for `make -j2 test`.
test: .venv/.installed lint unit interruptions kernels notebooks quick verify pages

# Two targets share the cores: threads of BLAS that wait for each other would take most of the time.
unit interruptions kernels notebooks quick verify pages: export OPENBLAS_NUM_THREADS = 1

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Links, names, weights of the pages as they were built.
pages: book
	$(BIN)/python -m pytest tests/pages

unit: .venv/.installed
	$(BIN)/python -m pytest tests --ignore tests/pages --ignore $(INTERRUPTED) --durations 20

# Runs that are killed and go on: minutes of waiting, beside the other tests.
interruptions: .venv/.installed
	$(BIN)/python -m pytest $(INTERRUPTED)

# The tests once more with the kernels interpreted: what is compiled is what is written.
kernels: .venv/.installed
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests --ignore tests/pages -m 'not jit_only' --durations 10

# Stored outputs against the committed records: exact text of the marked cells. Without data, so that
# a missing or stale record shows as such and is not computed here.
notebooks: .venv/.installed
	env -u LDLREPRO_DATA $(BIN)/python -m pytest --nbval-lax --nbval-cell-timeout=300 $(NOTEBOOKS)

# A small sample of the records of all papers, fitted again where the data are at hand.
verify: .venv/.installed
	@if [ -n "$$LDLREPRO_DATA" ]; then $(BIN)/ldlrepro verify --sample 20 --max-seconds 3; \
	else echo "verify: skipped, LDLREPRO_DATA names no folder with the data"; fi

# Every method fitted for real, on synthetic data.
quick: .venv/.installed
	$(BIN)/ldlrepro notebooks -p profile quick --out _build/quick --fresh

clean:
	rm -rf _build book/reference/generated .pytest_cache .ruff_cache
