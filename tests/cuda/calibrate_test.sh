#!/usr/bin/env bash
# calibrate_test.sh VECC VECC_BENCH GRAPH: vecc-bench calibrate from its first run to a schedule that
# is chosen by what it measured. Small programs: this is for a GPU that is emulated.
set -euo pipefail
vecc=$1 bench=$2 graph=$3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export VECC_CACHE_DIR=$work/cache

fail() {
  echo "$1" >&2
  exit 1
}
# The words that vecc says while it chooses.
chosen() { { "$vecc" "$graph" --backend=cuda --log-level=debug "$@" >/dev/null; } 2>&1; }

[[ $(chosen) == *"chosen by default coefficients"* ]] || fail "nothing is calibrated yet"

"$bench" calibrate --backend=cuda --device=cuda --most-rows=16 --warmup=1 --repeat=1 \
  --json="$work/c.json" >"$work/table" 2>/dev/null
file=$(sed -n 's/^saved as \(.*schedules.*\)$/\1/p' "$work/table")
[[ -s $file && $file == "$VECC_CACHE_DIR"/cost/* ]] || fail "no file of schedules: $file"
for schedule in graph grid parts; do
  grep -qE "^$schedule +12 layers of 4, 3x4x8 .* us|^$schedule +12 layers of 4, 3x4x8 .* ms" \
    "$work/table" || fail "no row of a $schedule"
done
# What the programs are made to have: levels, several nodes of one, barriers.
grep -qE '^graph +12 layers of 1, .* 12 levels, 0 further nodes' "$work/table" || fail "no 12 levels"
grep -qE '^graph +12 layers of 4, .* [1-9][0-9]* further nodes' "$work/table" || fail "no nodes"
grep -qE '^parts +10 layers of 1, 4 joins, .* ([2-9]|1[0-9]) phases' "$work/table" ||
  fail "no barriers"
# Which of them are above 0 is a matter of times, so of what else the machine does; one is.
for schedule in graph grid parts; do
  for json in "$work/c.json" "$file"; do
    grep -q "\"${schedule}_level\": [0-9]" "$json" || fail "no ${schedule}_level in $json"
    grep -qE "\"${schedule}_[a-z]+\": [0-9.e+-]*[1-9]" "$json" || fail "only zeros of $schedule in $json"
  done
done
grep -q '"ratio": ' "$work/c.json" || fail "no ratio"
said=$(chosen)
[[ $said == *"chosen by calibrated coefficients"* ]] || fail "not used: $said"
[[ $said == *"us as a graph"* ]] || fail "nothing predicted: $said"
[[ $(chosen --cuda-launch=graph) != *coefficients* ]] || fail "looked at where nothing is chosen"

# What is cut off is left aside, with a warning.
head -c 100 "$file" >"$work/cut"
cp "$work/cut" "$file"
said=$(chosen)
[[ $said == *"$file"*"writes another"* ]] || fail "no warning: $said"
[[ $said == *"chosen by default coefficients"* ]] || fail "a file that is cut off is used: $said"
[[ $(chosen --cuda-launch=graph) != *"$file"* ]] || fail "a warning where nothing is chosen"
