#!/bin/sh
# What a program adds to a build: seconds over an empty crate, dependencies built before, ours (plain,
# lineage and potential variants together) beside ascent and crepe (one variant each).
# CPU seconds of the compiler, least of three: on a busy machine the clock on the wall says little.
# `code` is the machine code in the crate, in kB, in a release build.
set -eu
cd "$(dirname "$0")"
here=$PWD
cargo build --release --quiet --bin build_cost
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sources" "$work/src"
"$target/release/build_cost" "$work/sources"
cat >"$work/Cargo.toml" <<TOML
[package]
name = "measured"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
ldfi = { path = "$here/.." }
ascent = "0.8"
crepe = "0.2"
rustc-hash = "2.1"
TOML
cp ../Cargo.lock "$work/Cargo.lock"
export CARGO_TARGET_DIR="${BUILD_COST_TARGET:-$work/target}" CARGO_INCREMENTAL=0
cd "$work"

# CPU seconds to build the crate from what is in src/lib.rs.
once() {
    touch src/lib.rs
    { command time -f '%U %S' cargo build --quiet $1 2>&1; } | tail -1 | awk '{ print $1 + $2 }'
}
least() {
    for _ in 1 2 3; do once "$1"; done | sort -n | head -1
}

for profile in "" --release; do
    : >src/lib.rs
    cargo build --quiet $profile
    empty=$(least "$profile")
    echo
    echo "## ${profile:-debug}"
    echo
    echo "| program | ours | ascent | crepe | code: ours | ascent | crepe |"
    echo "|---|---|---|---|---|---|---|"
    for program in 10 20 40 80 paxos; do
        times="" sizes=""
        for engine in ours ascent crepe; do
            cp "sources/${engine}_$program.rs" src/lib.rs
            times="$times $(least "$profile" | awk -v e="$empty" '{ printf "%.2f |", $1 - e }')"
            directory=$CARGO_TARGET_DIR/$([ -n "$profile" ] && echo release || echo debug)
            sizes="$sizes $(size "$directory/libmeasured.rlib" 2>/dev/null | awk 'NR > 1 { s += $1 } END { printf "%d |", s / 1024 }')"
        done
        echo "| $program |$times$sizes"
    done
done
