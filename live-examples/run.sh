#!/usr/bin/env bash
# The targets with many dependencies, which neither a plain `cargo test` nor the checks of each change build: lints, tests, old versions.
#   live-examples/run.sh            samples
#   live-examples/run.sh all        the slow ones as well, with those of kv and of `ldfi-live` itself, which take some minutes
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
some=(); [ "${1:-}" = all ] && some=(-- --include-ignored)
packages=(-p live-common -p live-omnipaxos -p live-raft -p live-openraft -p live-bench)

cargo clippy "${packages[@]}" --all-targets -- -D warnings
cargo test "${packages[@]}" "${some[@]}"
for version in live-examples/omnipaxos/versions/0.*/; do
    (cd "$version" && CARGO_TARGET_DIR=$target cargo test --test bugs)
done
if [ "${1:-}" = all ]; then
    cargo test -p live-kv -- --include-ignored
    cargo test -p ldfi-live --release --test soundness -- --include-ignored
fi
