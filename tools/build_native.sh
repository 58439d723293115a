#!/usr/bin/env bash
# Builds depyf._native and puts it beside the Python sources, so that PYTHONPATH=python works under every
# interpreter from 3.8 on: the stable ABI needs one file only.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
# An extension module takes the interpreter's symbols from the process that loads it.
export PYO3_BUILD_EXTENSION_MODULE=1
cargo build --quiet --release -p depyf-python
# Replaced in one step: another process may be running the old one.
cp "$target/release/libdepyf_native.so" python/depyf/._native.new
mv python/depyf/._native.new python/depyf/_native.abi3.so
