# Two commands on a fresh machine: `make demo` and `make test`. Both create .venv and install what they need.
# The first Python that is new enough; `make PYTHON=/path/to/python` takes another.
NEW_ENOUGH := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$python" -c "$(NEW_ENOUGH)" 2>/dev/null && echo "$$python" && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := $(VENV)/.demo
BROWSER := $(VENV)/.browser

.PHONY: demo serve test lint bench report fuzz faults check-all coverage mutation clean

# What shortening a video needs; PyTorch is not among it.
$(DEMO): pyproject.toml constraints.txt
	@test -x $(BIN)/python || test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with its venv module was found;" \
		"install one (on Debian and Ubuntu: python3 and python3-venv), or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[asr,web]"
	touch $@

# What tests, training and research need beside it.
$(STAMP): $(DEMO) packages/saffa-research-models/pyproject.toml
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,train,report,editors,asr,ocr,whisper,ray,web]" \
		--editable packages/saffa-research-models
	touch $@

# Chromium for the tests of the page, where root can have it from Debian's packages; without it they are skipped.
$(BROWSER): $(DEMO)
	command -v chromium || command -v chromium-browser || { test "$$(id -u)" = 0 && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >$@.log 2>&1; } || \
		echo "Chromium is not here and could not be installed; the tests of the page will be skipped." >&2
	touch $@

demo: $(DEMO)
	mkdir -p demo && cd demo && ../$(BIN)/saffa demo --overwrite

# The page in the browser, with the sample video loaded: open the address that it prints
serve: $(DEMO)
	$(BIN)/saffa serve --demo

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Two processes at most: tests that decode and plan use several threads themselves.
test: lint $(BROWSER)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

# Do the tests of the core notice a small change? A seeded sample; `--count` and `--seed` take others.
mutation: $(STAMP)
	$(BIN)/python -m tests.mutation --count 20

# Which lines the everyday tests run, by room, and the files with the largest holes; a full disk cannot be measured.
coverage: $(STAMP)
	$(BIN)/python -m coverage erase
	-$(BIN)/python -m coverage run -m pytest --deselect tests/core/test_whole_file.py::test_a_full_disk_is_told
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m tests.rooms 20

check-all: lint mutation $(BROWSER)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m "slow or not slow" --timeout 3000

# Hostile files and disturbances at full size, for an hour each; begun again, they go on where they were.
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz

faults: $(STAMP)
	$(BIN)/python -m tests.faults

bench: $(STAMP)
	$(BIN)/python -m benchmarks

# docs/results/paper.md from the data at hand; runs that still hold are used again. The page says what it was made with,
# also what was chosen with, for example, `make report CHOICES="--few-speeds 12"`
DATA ?= ../shared/data
CHOICES ?=
report: $(STAMP)
	$(BIN)/saffa reproduce all --data $(DATA) -o report --page docs/results/paper.md $(CHOICES)

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache demo
