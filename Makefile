# make demo    the main job: the two examples, and what was dumped of them
# make test    everything that must hold
# make debug-sessions  all sessions in pdb and debugpy, Inductor's too, under each Python that has torch
# make bench   the numbers: speed of the decompiler, overhead of prepare_debug and of linked code
# make lint    formatting, clippy, ruff, mypy
# make wheel   one wheel for CPython 3.8 and later, in dist/
# make release  the same wheel as it is shipped: built twice, for what the first build is seen to do; a tenth faster
# make native  depyf._native beside the Python sources, for work on them
#
# All of it sets itself up in .venv and .cache; a second run takes seconds. Needs cargo, a C++ compiler
# and a Python with pip. PYTHON=python3.12 chooses another one, UV_TORCH_BACKEND=cpu the small torch.

PYTHON ?= python3
DEMO_DIR ?= demo_dump

ROOT := $(CURDIR)
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
UV := .cache/uv/bin/uv
UV_PIP := $(UV) pip install --quiet --python $(BIN)/python
export CARGO_TARGET_DIR ?= $(ROOT)/target
# A network with its own certificate authority names it to the system, not to uv.
export UV_SYSTEM_CERTS ?= 1
# Where it is set, every process compiles torch's modules anew when it imports them: 9 s instead of 3.
unexport PYTHONDONTWRITEBYTECODE

RUST := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml -o -name '*.html')
PACKAGE := pyproject.toml README.md $(shell find python -name '*.py' -o -name '*.pyi' -o -name py.typed)

.PHONY: demo test test-rust test-python debug-sessions bench lint wheel release native clean
.DEFAULT_GOAL := test

demo: $(STAMPS)/depyf $(STAMPS)/torch
	rm -rf $(DEMO_DIR) && mkdir -p $(DEMO_DIR)
	cd $(DEMO_DIR) && $(ROOT)/$(BIN)/python $(ROOT)/examples/toy_example.py && mv depyf_debug_dir toy_example
	$(BIN)/python examples/train_gpt2.py --dump $(DEMO_DIR)/train_gpt2
	@$(BIN)/python tools/show_dump.py $(DEMO_DIR)/toy_example $(DEMO_DIR)/train_gpt2
	@echo "Open $(DEMO_DIR)/toy_example/index.md first."

test: test-rust test-python

test-rust:
	cargo test --quiet --locked

# Files of tests run side by side; one after the other where they write the ratchet file anew. PYTEST_ARGS="-n 0 FILE" for one.
SIDE_BY_SIDE := $(if $(DEPYF_UPDATE_RATCHET),-n 0,-n auto --maxprocesses 4 --dist loadfile)
test-python: $(STAMPS)/depyf $(STAMPS)/torch $(STAMPS)/test
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(PYTEST_ARGS)

# `make test` has those on Inductor under one Python only. Python 3.9 and 3.10 take an older torch.
DEBUG_SESSIONS ?= 3.9 3.10 3.11 3.12 3.13 3.14
debug-sessions: $(STAMPS)/depyf $(STAMPS)/torch
	for version in $(DEBUG_SESSIONS); do \
	  python=$$($(BIN)/python tools/environments.py --torch $$version) && \
	  $$python -m pytest -q tests/torch_side/test_pdb.py tests/torch_side/test_debugpy.py || exit 1; \
	done

bench: $(STAMPS)/depyf $(STAMPS)/torch
	$(BIN)/python benches/decompile_speed.py
	$(BIN)/python benches/prepare_debug_overhead.py
	$(BIN)/python benches/linked_overhead.py

lint: $(STAMPS)/lint $(STAMPS)/test
	cargo fmt --all --check
	PYO3_BUILD_EXTENSION_MODULE=1 cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	for manifest in fuzz/Cargo.toml benches/rival/Cargo.toml; do \
	  cargo fmt --manifest-path $$manifest --check && \
	  cargo clippy --quiet --locked --manifest-path $$manifest --no-default-features --all-targets -- -D warnings || exit 1; \
	done
	$(BIN)/ruff format --check python tests tools examples benches crates
	$(BIN)/ruff check python tests tools examples benches crates
	$(BIN)/mypy

wheel: $(STAMPS)/wheel

# What needs a wheel takes this one from then on: `make release test`.
release: $(STAMPS)/build
	rm -f dist/*.whl
	PATH="$(ROOT)/.cache/uv/bin:$$PATH" $(BIN)/maturin build --release --locked --pgo --out dist
	touch $(STAMPS)/wheel

native:
	tools/build_native.sh

clean:
	rm -rf $(VENV) .cache dist $(DEMO_DIR)
	cargo clean

# uv alone is enough: it makes environments without the `venv` module, which Debian leaves out, and
# installs torch in seconds. --target is allowed where Debian's pip refuses to touch its own packages.
$(UV):
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target .cache/uv uv

$(STAMPS)/venv: | $(UV)
	$(UV) venv --quiet --allow-existing --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
	mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build $(STAMPS)/test $(STAMPS)/torch $(STAMPS)/lint: $(STAMPS)/%: pyproject.toml | $(STAMPS)/venv
	$(UV_PIP) --group $*
	touch $@

$(STAMPS)/wheel: $(RUST) $(PACKAGE) | $(STAMPS)/build
	rm -f dist/*.whl
	$(BIN)/maturin build --quiet --release --locked --out dist
	touch $@

$(STAMPS)/depyf: $(STAMPS)/wheel
	$(UV_PIP) --no-deps --reinstall dist/*.whl
	touch $@
