#!/bin/sh
# Drives the report and the explorer in a real browser.
# Installs what it needs where it can, and skips with a reason where it cannot.
set -eu

crate=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
skip() {
    echo "SKIPPED browser tests: $1"
    exit 0
}

command -v node >/dev/null 2>&1 || skip "node is not installed"
command -v npm >/dev/null 2>&1 || skip "npm is not installed"

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome || true; }
if [ -z "$(browser)" ] && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    { apt-get install -y -q chromium || { apt-get update -q && apt-get install -y -q chromium; }; } >/dev/null 2>&1 || true
fi
CHROMIUM=$(browser)
[ -n "$CHROMIUM" ] || skip "no chromium, and it could not be installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# LDFI_BROWSER_MODULES may name a folder that already has node_modules/playwright-core.
modules=${LDFI_BROWSER_MODULES:-$work/node}
if [ ! -d "$modules/node_modules/playwright-core" ]; then
    mkdir -p "$modules"
    (cd "$modules" && npm init -y && npm install --no-audit --no-fund playwright-core) >"$work/npm.log" 2>&1 ||
        skip "playwright-core could not be installed"
fi

# One command over the workspace's default members: with the features of `cargo test`, so what that has built is built.
root=$(dirname "$crate")
(cd "$root" && cargo build -q --bin ldfi --example sample_reports --example model_and_code)
target=$(cd "$root" && cargo metadata --no-deps --format-version 1 |
    node -p 'JSON.parse(require("node:fs").readFileSync(0)).target_directory')
"$target/debug/examples/sample_reports" "$work/samples" >/dev/null
# Of real code, the report that a failing assertion writes.
LIVE=$(cd "$root" && "$target/debug/examples/model_and_code" | sed -n 's/^report: //p')
NODE_PATH="$modules/node_modules" CHROMIUM="$CHROMIUM" SAMPLES="$work/samples" LDFI="$target/debug/ldfi" \
    EXAMPLES="$root/examples" LIVE="$LIVE" SHOTS="${LDFI_BROWSER_SHOTS:-}" node "$crate/tests/browser/all.js"
