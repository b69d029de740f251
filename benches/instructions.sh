#!/bin/sh
# Instructions of one repeated run, ours and the peers', counted by callgrind: unlike times, they do not
# depend on what else the machine does. Arguments choose rows: `instructions.sh paxos closure` takes those
# whose names contain one of the words. The largest closure takes minutes here and is left out unless named.
set -eu
cd "$(dirname "$0")"
cargo build --release --quiet --bin instructions
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
binary=$target/release/instructions
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$binary" >"$work/all"
if [ $# -gt 0 ]; then
    for word in "$@"; do grep -F -- "$word" "$work/all" || true; done >"$work/chosen"
else
    grep -v -F '2,000/6,000' "$work/all" >"$work/chosen"
fi
tab=$(printf '\t')
while IFS="$tab" read -r row contestant; do
    count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
        --toggle-collect='instructions::measured*' "$binary" "$row" "$contestant" 2>&1 |
        sed -n 's/.*Collected : *\([0-9]*\).*/\1/p')
    printf '%s\t%s\t%s\n' "$row" "$contestant" "$count"
done <"$work/chosen" | awk -F'\t' '
    function show() {
        if (row == "") return
        best = 0
        for (i = 4; i <= 6; i++) if (n[name[i]] && (!best || n[name[i]] < best)) best = n[name[i]]
        line = "| " row " |"
        for (i = 1; i <= 6; i++) line = line " " (n[name[i]] ? n[name[i]] : "–") " |"
        printf "%s %.2f | %.2f |\n", line, best / n["plain"], n["lineage"] / n["plain"]
    }
    BEGIN {
        split("plain lineage potential ascent crepe datafrog", name, " ")
        print "| row | plain | lineage | potential | ascent | crepe | datafrog | fastest peer / plain | lineage / plain |"
        print "|---|---|---|---|---|---|---|---|---|"
    }
    $1 != row { show(); row = $1; split("", n) }
    { n[$2] = $3; fflush() }
    END { show() }'
