#!/usr/bin/env bash
# tables_test.sh VECC GRAPH VECC_IMPORT: a training whose tables are in the host's memory has the weights, bit for
# bit, of one whose tables are on the GPU, in every way of its steps and after a resume.
set -euo pipefail
vecc=$1 graph=$2 import=$3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}
# train NAME OPTION...: its weights are $work/NAME, what it says is $work/NAME.log
train() {
  local name=$1
  shift
  "$vecc" "$graph" --backend=cuda --train --epochs="${EPOCHS:-2}" --save-weights="$work/$name" "$@" \
    -o "$work/$name.tsv" 2>"$work/$name.log" || fail "$name: $(cat "$work/$name.log")"
}
same() {
  cmp "$work/$1" "$work/$2" || fail "weights of $1 and $2 differ"
  cmp "$work/$1.tsv" "$work/$2.tsv" || fail "outputs of $1 and $2 differ"
}

for batch in all 4; do
  train all --batch-size=$batch
  [[ $(<"$work/all.log") != *"host's memory"* ]] || fail "a table is in the host's memory"
  train placed --batch-size=$batch --place=w0=host --place=adam.v/w0=host
  [[ $(<"$work/placed.log") == *"2 tables of 24 B in the host's memory"* ]] ||
    fail "not placed: $(cat "$work/placed.log")"
  same all placed
  # The least that is enough says how much it takes.
  if "$vecc" "$graph" --backend=cuda --train --epochs=2 --batch-size=$batch --gpu-memory=1K \
    >/dev/null 2>"$work/refused"; then fail "1 KB was enough"; fi
  grep -q "E063" "$work/refused" || fail "$(cat "$work/refused")"
done

# The moments of all weights do not fit, and most of the facts.
train tight --batch-size=4 --gpu-memory=29K
[[ $(<"$work/tight.log") == *"in the host's memory"* ]] || fail "29 KB are enough for all"
same placed tight
EPOCHS=1 train half --batch-size=4 --gpu-memory=29K --checkpoint="$work/checkpoint" \
  --checkpoint-every=1
train resumed --batch-size=4 --gpu-memory=29K --checkpoint="$work/checkpoint" --resume
same placed resumed

# Every schedule of places: a weight, a moment and a fact of it, each on either side.
for weight in host device; do
  for moment in host device; do
    for fact in host device; do
      train scheduled --batch-size=4 --place=w0=$weight --place=adam.m/w0=$moment \
        --place="predict/0: aggregation"=$fact
      same placed scheduled
    done
  done
done

# Tables that only the steps have.
train scheduled --batch-size=4 --place=target/0=host --place=step.rate=host
same placed scheduled

# What a refusal names: the limit, and what helps of the step that was chosen.
"$import" synth --nodes=300 --edges=1200 --types=4 --classes=4 --model=rgcn --dims=16,4 --init=glorot \
  --quiet -o "$work/typed.pb"
refused() { # WORDS OPTION...
  local status=0
  "$vecc" "$work/typed.pb" --backend=cuda --train --epochs=1 "${@:2}" >"$work/out" 2>"$work/errors" ||
    status=$?
  ((status == 5)) || fail "${*:2}: exit code $status"
  grep -q "; --gpu-memory=.* leaves .*$1" "$work/errors" || fail "${*:2}: $(cat "$work/errors")"
}
refused "--batch-size=N --batch=bind computes values of N samples" --gpu-memory=80K
for way in "" --batch=mask; do
  refused "beside tables that are there (.*--batch=bind has one that is bound to each batch" \
    --gpu-memory=80K --batch-size=8 $way
  refused "--place=TABLE=host has one of these tables there" --gpu-memory=120K --batch-size=8 $way
done
refused "--batch-values=compact needs .* of values" --gpu-memory=120K --batch-size=8 --batch=bind \
  --batch-values=spread
refused "a smaller --batch-size needs fewer values" --gpu-memory=80K --batch-size=150
"$vecc" "$work/typed.pb" --backend=cuda --train --epochs=1 --gpu-memory=80K --batch-size=8 \
  --batch=bind --quiet >"$work/out" || fail "no room with --batch=bind"

# By a saved program the same counts.
train saved --save-program="$work/model.vecc"
for command in run predict; do
  by=("$vecc" "$command" "$work/model.vecc" "$graph" --backend=cuda)
  "${by[@]}" --place=w0=host >"$work/out" 2>"$work/log" || fail "$command: $(cat "$work/log")"
  grep -q "1 table of .* in the host's memory" "$work/log" || fail "$command: $(cat "$work/log")"
  options=(--place=nosuch=host --gpu-memory=1) codes=(2 5) words=('no table "nosuch"' E063)
  for i in 0 1; do
    status=0
    "${by[@]}" "${options[i]}" >"$work/out" 2>"$work/errors" || status=$?
    ((status == codes[i])) || fail "$command ${options[i]}: exit code $status"
    grep -q "${words[i]}" "$work/errors" || fail "$command: $(cat "$work/errors")"
  done
done

# A driver that pins too little: the error says what was asked of it, and nothing is printed.
status=0
VECC_EMULATED_PINNED_BYTES=16 "$vecc" "$graph" --backend=cuda --train --epochs=2 \
  --place=predict/0:\ aggregation=host >"$work/out" 2>"$work/pinned" || status=$?
[[ $status == 5 && ! -s $work/out ]] || fail "exit code $status with little pinned memory"
grep -q "allocating [0-9]* B of pinned memory of the host for a table (--place.*E063" "$work/pinned" || fail "$(cat "$work/pinned")"
