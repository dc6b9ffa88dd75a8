#!/usr/bin/env bash
# stated_memory_test.sh VECC VECC_IMPORT: the peak of memory that a run or a training states before
# it begins is the one that it has at its end, within a tenth and 8 MB; and what it states of
# addresses, a tenth and a heap for each thread, is enough as a limit. Less is refused before it is
# taken.
set -euo pipefail
vecc=$1 import=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mega=$((1 << 20))

fail() {
  echo "$*" >&2
  exit 1
}
# What the first statement of a run says: peak_bytes, now_bytes, ...
stated() { grep -o "\"memory\":{.*" "$work/json" | grep -o "\"$1\":[0-9]*" | head -1 | cut -d: -f2; }
# What was measured at the end.
measured() { sed -n "s/^\"$1\": \([0-9]*\).*/\1/p" "$work/json"; }
to_come() {
  grep -o '"to_come":{[^}]*}' "$work/json" | head -1 | grep -o '[0-9]*' |
    awk '{ sum += $1 } END { printf "%d", sum }'
}
outputs() { sed -n '/^"outputs"/,/^]/p' "$1"; }
run() {
  "$vecc" "$@" --backend=cpu --threads=2 --no-cache --quiet --json
}

ahead=0
# check PERCENT GRAPH OPTIONS...: what is stated is what is measured.
check() {
  local percent=$1 graph=$2
  shift
  run "$@" >"$work/json"
  peak=$(stated peak_bytes) found=$(measured peak_bytes)
  local off=$((peak > found ? peak - found : found - peak))
  echo "$(basename "$graph") ${*:2}: stated $((peak / mega)) MB, measured $((found / mega)) MB"
  ((off <= found * percent / 100 + 8 * mega)) || fail "off by $((off / mega)) MB"
  # Whether it is about what comes, not about a peak that is behind.
  if (($(stated now_bytes) + $(to_come) - $(stated left_bytes) > peak * 97 / 100)); then
    ahead=$((ahead + 1))
  fi
}
# check_limit GRAPH OPTIONS...: as the run before, in as many addresses as it stated.
check_limit() {
  # Of two threads each may get, sooner or later, a heap of its own: 64 MB of addresses.
  local limit=$(($(stated peak_address_bytes) / 1024 * 11 / 10 + 2 * 65536))
  (ulimit -v "$limit" && run "$@") >"$work/limited" || fail "$* failed under ulimit -v $limit"
  cmp <(outputs "$work/json") <(outputs "$work/limited")
}
# check_refused GRAPH OPTIONS...: what the run before stated is more than may be held.
check_refused() {
  local status=0
  run "$@" --host-memory=$((peak * 5 / 8)) >"$work/out" 2>"$work/errors" || status=$?
  ((status == 5)) || fail "$*: exit code $status"
  # Where files do not keep the limit, either, the places of tables stand in between.
  tr '\n' ' ' <"$work/errors" >"$work/line"
  grep -q 'more of the host.s memory.*left of --host-memory.*\[E063\]' "$work/line" ||
    fail "$(cat "$work/errors")"
  [[ ! -s $work/out ]] || fail "$* printed outputs all the same"
}

draw() {
  "$import" "${@:2}" --init=glorot --seed=1 --quiet -o "$work/$1.pb"
}
draw wide synth-set --graphs=1500 --model=gin --dim=64
draw typed synth --nodes=40000 --edges=200000 --types=20 --degree=zipf --classes=16 \
  --model=rgcn --dims=64,16
draw set synth-set --graphs=2000 --model=gcn --dim=8
draw tiny synth-set --graphs=10 --model=gcn --dim=4
train=(--train --epochs=2)
for graph in wide typed; do
  check 10 "$work/$graph.pb" "${train[@]}"
  check_limit "$work/$graph.pb" "${train[@]}"
  check_refused "$work/$graph.pb" "${train[@]}"
done
run "$work/typed.pb" "${train[@]}" --host-memory=$((peak * 2)) >"$work/again"
cmp <(outputs "$work/json") <(outputs "$work/again")
check 10 "$work/wide.pb" "${train[@]}" --validate=0.2 --dtype=f64
check_limit "$work/wide.pb" "${train[@]}" --validate=0.2 --dtype=f64
check 10 "$work/typed.pb" --train --epochs=17 --optimizer=sgd
check 10 "$work/typed.pb"
check_limit "$work/typed.pb"
check 10 "$work/wide.pb" --dtype=f64
check_limit "$work/wide.pb" --dtype=f64
for graph in set tiny; do
  check 10 "$work/$graph.pb" "${train[@]}"
  check_limit "$work/$graph.pb" "${train[@]}"
  check 10 "$work/$graph.pb"
done
((ahead >= 4)) || fail "$ahead statements were about what comes, expected 4 at least"
# Of batches the arrays of those that are bound at once are not known before.
check 25 "$work/wide.pb" "${train[@]}" --batch-size=100
check 25 "$work/typed.pb" "${train[@]}" --batch-size=4000
check 25 "$work/wide.pb" "${train[@]}" --batch-size=100 --batch-values=compact
