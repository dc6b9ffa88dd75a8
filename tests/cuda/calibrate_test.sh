#!/usr/bin/env bash
# calibrate_test.sh VECC VECC_BENCH GRAPH: vecc-bench calibrate leaves coefficients that vecc reads;
# a file that is cut off is left aside. Small programs: this is for a GPU that is emulated.
set -euo pipefail
vecc=$1 bench=$2 graph=$3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export VECC_CACHE_DIR=$work/cache

fail() {
  echo "$1" >&2
  exit 1
}
words_of_vecc() { { "$vecc" "$graph" --backend=cuda >/dev/null; } 2>&1; }

"$bench" calibrate --backend=cuda --device=cuda --most-rows=16 --warmup=1 --repeat=1 \
  --json="$work/c.json" >"$work/table" 2>/dev/null
file=$(sed -n 's/^saved as //p' "$work/table")
[[ -s $file && $file == "$VECC_CACHE_DIR"/cost/* ]] || fail "no file of coefficients: $file"
for json in "$work/c.json" "$file"; do
  for name in run launch byte batch_byte multiply_add; do
    grep -q "\"$name\": [0-9]" "$json" || fail "no $name in $json"
  done
done
said=$(words_of_vecc)
[[ $said != *"$file"* ]] || fail "what was saved is not read: $said"

head -c 100 "$file" >"$work/cut"
cp "$work/cut" "$file"
said=$(words_of_vecc)
[[ $said == *"$file"*"writes another"* ]] || fail "no warning: $said"
