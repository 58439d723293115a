#!/usr/bin/env bash
# The same comparison, of both decompilers as a release builds them: for a profile of what they do (`make release`).
#   benches/rival/profiled.sh FOLDER [ROUNDS]
# Built twice; in between both run over the standard libraries of this machine's Pythons (tools/train.py).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/benches/rival/target}/profiled
profile=$target/profile
host=$(rustc -vV | sed -n 's/^host: //p')
merge=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
[ -x "$merge" ] || rustup component add llvm-tools

# With --target, build scripts and macros are built without these flags.
build() {
  RUSTFLAGS=$1 cargo build --quiet --release --locked --manifest-path "$root/benches/rival/Cargo.toml" \
    --target "$host" --target-dir "$target/$2"
}
bench=$host/release/depyf-rival-bench
build "-Cprofile-generate=$profile" counting
rm -rf "$profile"
LLVM_PROFILE_FILE="$profile/%p.profraw" python3 "$root/tools/train.py" "$target/counting/$bench"
"$merge" merge -o "$target/profile.profdata" "$profile"
build "-Cprofile-use=$target/profile.profdata" fast
exec "$target/fast/$bench" "$@"
