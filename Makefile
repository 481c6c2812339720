# Everything here needs only Python >= 3.11 and make; the first run makes .venv.
PYTHON ?= python3
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
PY := $(BIN)/python
READY := .venv/ready

.PHONY: site serve test check replay bench-start bench-site picture format lock

site: $(READY)  ## build the whole site into site/
	$(PY) -m docs.macros.build

serve: $(READY)  ## show the site with live reload
	$(PY) -m docs.macros.serve

test: $(READY)  ## run the tests
	$(PY) -m pytest

check: $(READY)  ## everything that CI checks, except the tests
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest tests/test_layout.py
	$(BIN)/py-harness catalogue --check docs
	$(BIN)/py-measure check
	$(BIN)/py-measure replay
	$(PY) -m docs.macros.build
	$(PY) -m docs.macros.check

replay: $(READY)  ## do again every number that needs no model
	$(BIN)/py-measure replay

bench-start: $(READY)  ## time the helper's start against a bare Python
	$(PY) -m tests.bench_start

bench-site: $(READY)  ## time the site against plain Material
	$(PY) -m tests.bench_site

picture: $(READY)  ## renew the README's picture from site/ (needs Chromium)
	$(PY) -m tests.browser.picture

format: $(READY)  ## format the code
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(PY) -c "import pathlib; pathlib.Path('$(READY)').touch()"

lock:  ## renew requirements.lock (needs uv)
	uv pip compile --quiet --universal --generate-hashes --all-extras --python-version 3.11 --no-header --no-emit-index-url --no-annotate --upgrade pyproject.toml -o requirements.lock
