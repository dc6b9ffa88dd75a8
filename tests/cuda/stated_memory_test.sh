#!/usr/bin/env bash
# stated_memory_test.sh VECC VECC_IMPORT: the peak of the host's memory that a run on a GPU states
# before it begins, pinned tables among it, is the one that the process has at its end, within a
# tenth and 8 MB. The emulated GPU's own memory takes none of the host's here.
set -euo pipefail
vecc=$1 import=$2
export VECC_EMULATED_EMPTY=1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mega=$((1 << 20))

fail() {
  echo "$*" >&2
  exit 1
}
# What the first statement of a run says: peak_bytes, now_bytes, ...
stated() { grep -o "\"memory\":{.*" "$work/json" | grep -o "\"$1\":[0-9]*" | head -1 | cut -d: -f2; }
run() {
  "$vecc" "$@" --backend=cuda --threads=2 --no-cache --json >"$work/json" 2>"$work/log" ||
    fail "$*: $(cat "$work/log")"
}
# check PERCENT GRAPH OPTIONS...
check() {
  local percent=$1
  shift
  run "$work/$1.pb" "${@:2}"
  peak=$(stated peak_bytes)
  local found
  found=$(sed -n 's/^"peak_bytes": \([0-9]*\).*/\1/p' "$work/json")
  local off=$((peak > found ? peak - found : found - peak))
  echo "$*: stated $((peak / mega)) MB, measured $((found / mega)) MB"
  ((off <= found * percent / 100 + 8 * mega)) || fail "off by $((off / mega)) MB"
}
draw() {
  "$import" "${@:2}" --init=glorot --seed=1 --quiet -o "$work/$1.pb"
}

draw typed synth --nodes=40000 --edges=200000 --types=20 --degree=zipf --classes=16 \
  --model=rgcn --dims=64,16
# 300,000 embeddings, of which few are read: 73 MB, and as much for each of two moments.
draw triples synth --nodes=300000 --edges=20000 --model=transe --dim=64
train=(--train --epochs=2 --loss=margin_ranking)
check 10 typed
check 10 typed --train --epochs=2
check 10 typed --train --epochs=17 --validate=0.2
check 10 triples "${train[@]}"
device=$peak
check 10 triples "${train[@]}" --place=e=host --place=adam.m/e=host --place=adam.v/e=host
host=$peak
((host > device + 180 * mega)) || fail "pinned tables are $(((host - device) / mega)) MB"
check 10 triples "${train[@]}" --gpu-memory=100M
((peak > device + 100 * mega)) || fail "too little is pinned"
[[ $(<"$work/log") == *"on the device: tables"*"in all"* ]] || fail "$(cat "$work/log")"
check 25 triples "${train[@]}" --batch-size=4000 --place=adam.m/e=host
# What the host has no room for is refused before it is taken.
status=0
(ulimit -v $((600 << 10)) && "$vecc" "$work/triples.pb" --backend=cuda --threads=2 --no-cache \
  "${train[@]}" --place=e=host --place=adam.m/e=host --place=adam.v/e=host) >"$work/out" \
  2>"$work/errors" || status=$?
((status == 5)) || fail "exit code $status: $(cat "$work/errors")"
grep -q 'E063' "$work/errors" || fail "$(cat "$work/errors")"
[[ ! -s $work/out ]] || fail "outputs all the same"
