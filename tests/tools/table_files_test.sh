#!/usr/bin/env bash
# table_files_test.sh VECC GRAPH: tables in files (docs/cpu.md). Outputs, gradients, weights and
# checkpoints are those of tables in memory, bit for bit, for every optimizer, way of batches and set
# of places; a killed training leaves no file; a disk that is too small is an error before anything
# runs.
set -euo pipefail
vecc=$1 graph=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
files=$work/files
mkdir "$files"

fail() {
  echo "$*" >&2
  exit 1
}
# train NAME OPTION...: its weights are $work/NAME, its checkpoint $work/NAME.parts, its outputs
# $work/NAME.tsv, what it says $work/NAME.log
train() {
  local name=$1
  shift
  rm -rf -- "$work/$name.parts"
  "$vecc" "$graph" --backend=cpu --threads=2 --train --epochs="${EPOCHS:-20}" --lr=0.01 \
    --checkpoint="$work/$name.parts" --save-weights="$work/$name" "$@" \
    -o "$work/$name.tsv" 2>"$work/$name.log" || fail "$name $*: $(cat "$work/$name.log")"
}
same() {
  local part
  for part in "" .tsv .parts/last.safetensors; do
    cmp "$work/$1$part" "$work/$2$part" || fail "$1$part and $2$part differ"
  done
}
# expect NAME TEXT: what a training has said
expect() {
  grep -qF -- "$2" "$work/$1.log" || fail "$1 does not say \"$2\": $(cat "$work/$1.log")"
}
# refused CODE TEXT OPTION...: exit code and a part of the message
refused() {
  local status=0
  "$vecc" "$graph" --quiet "${@:3}" >"$work/out" 2>"$work/errors" || status=$?
  ((status == $1)) || fail "${*:3}: exit code $status: $(cat "$work/errors")"
  grep -qF -- "$2" "$work/errors" || fail "${*:3}: $(cat "$work/errors")"
  [[ ! -s $work/out ]] || fail "${*:3} printed outputs all the same"
}

weights=(--place=w0=file --place=w5=file)
facts=(--place="atom_embed/1: rule, bond_embed/1: rule=file" --place="predict/0: aggregation=file")
memory=(--place=w0=host)
check_places() { # STATE OPTION...
  local states=() set
  if [[ $1 != none ]]; then states=("--place=$1/w0=file" "--place=$1/w20=file"); fi
  shift
  train memory "${memory[@]}" "$@"
  ! grep -qF "in a file" "$work/memory.log" || fail "a table is in a file: $(cat "$work/memory.log")"
  for set in weights facts states all; do
    local places=()
    if [[ $set == weights || $set == all ]]; then places+=("${weights[@]}"); fi
    if [[ $set == facts || $set == all ]]; then places+=("${facts[@]}"); fi
    if [[ $set == states || $set == all ]]; then places+=("${states[@]}"); fi
    if ((${#places[@]} == 0)); then continue; fi
    train placed --place-folder="$files" "${places[@]}" "$@"
    expect placed "in a file in $files"
    expect placed "in files"
    same memory placed
    sets=$((sets + 1))
  done
}
sets=0
for optimizer in sgd:none adam:adam.m adamw:adam.v adagrad:adagrad.sum \
  rmsprop:rmsprop.square lazy-adam:adam.m; do
  check_places "${optimizer#*:}" --optimizer="${optimizer%:*}"
  check_places "${optimizer#*:}" --optimizer="${optimizer%:*}" --batch-size=7
done
check_places sgd.momentum --optimizer=sgd --momentum=0.9
check_places adam.m --dtype=f64 --validate=0.25 --early-stop=5
check_places adam.m --batch=mask --batch-size=50
check_places adam.m --batch=bind --batch-size=50 --no-shuffle
check_places adam.m --eval-batch-size=30 --clip-norm=1
((sets >= 60)) || fail "$sets sets of places"

# A resume, from places to others.
all=("${weights[@]}" "${facts[@]}" --place=adam.m/w0=file --place-folder="$files")
train memory
EPOCHS=7 train half "${all[@]}"
"$vecc" "$graph" --backend=cpu --threads=2 --train --epochs=20 --lr=0.01 --resume --quiet \
  --checkpoint="$work/half.parts" --save-weights="$work/half" -o "$work/half.tsv"
same memory half
EPOCHS=7 train half
"$vecc" "$graph" --backend=cpu --threads=2 --train --epochs=20 --lr=0.01 --resume --quiet "${all[@]}" \
  --checkpoint="$work/half.parts" --save-weights="$work/half" -o "$work/half.tsv"
same memory half

# A training that diverges says the same, of the copy from which it looks for the first such number.
for where in host file; do
  status=0
  "$vecc" "$graph" --backend=cpu --threads=2 --train --epochs=200 --optimizer=sgd --lr=1e30 --quiet \
    --place=w0=$where >"$work/out" 2>"$work/$where" || status=$?
  ((status == 6)) || fail "a training that diverges: exit code $status: $(cat "$work/$where")"
done
cmp "$work/host" "$work/file"

# Runs without a training.
for way in "" --eval-batch-size=9 --dtype=f64 --gradients; do
  for where in in_memory in_files; do
    places=("${memory[@]}")
    if [[ $where == in_files ]]; then places=("${all[@]:0:4}" --place-folder="$files"); fi
    options=()
    if [[ -n $way ]]; then options=("$way"); fi
    if [[ $way == --gradients ]]; then options=("--gradients=$work/$where.gradients"); fi
    "$vecc" "$graph" --backend=cpu --quiet "${places[@]}" "${options[@]}" -o "$work/$where"
  done
  cmp "$work/in_memory" "$work/in_files"
done
cmp "$work/in_memory.gradients" "$work/in_files.gradients"
for where in host file; do
  "$vecc" evaluate "$graph" --backend=cpu --quiet --place=w0=$where >"$work/$where"
done
cmp "$work/host" "$work/file"

# Tables that only the steps have: places of targets and of rates.
train memory "${memory[@]}"
train placed --place=target/0=file --place=step.rate=file
expect placed "in a file"
same memory placed
refused 2 'no table "target/0" in the program' --backend=cpu --place=target/0=file
refused 2 'no table "adam.m/w0" in the program' --backend=cpu --place=adam.m/w0=file

# A killed process leaves nothing, and while it runs there is no name.
"$vecc" "$graph" --backend=cpu --train --epochs=1000000000 --quiet "${all[@]}" >/dev/null &
training=$!
for _ in $(seq 200); do
  if grep -q "rw-s.* $files/" "/proc/$training/maps"; then break; fi
  sleep 0.05
done
mapped=$(grep -c "rw-s.* $files/.*(deleted)" "/proc/$training/maps") || true
kill -9 "$training"
{ wait "$training" || true; } 2>/dev/null
((mapped > 0)) || fail "no file is mapped"
[[ -z $(ls -A "$files") ]] || fail "left: $(ls -A "$files")"

# What is not there, or not there on this backend.
refused 2 'no table "nope" in the program' --backend=cpu --place=nope=file
refused 2 'no table "adam.x/w0" in the program' --backend=cpu --train --epochs=1 \
  --place=adam.x/w0=file
refused 2 'is not of --backend=cuda, where a table may be in device or host' --backend=cuda \
  --place=w0=file
refused 2 'is not of --backend=cpu, where a table may be in host or file' --backend=cpu \
  --place=w0=device
refused 2 '"w0" has two places, file and host' --backend=cpu --place=w0=file --place=w0=host
for backend in auto torch interpreter reference; do
  refused 2 '--place=TABLE=file needs --backend=cpu' --backend=$backend --place=w0=file
done
refused 2 'expected TABLE=device, TABLE=host or TABLE=file' --backend=cpu --place=w0=disk
refused 2 '--place-folder needs' --backend=cpu --place-folder="$files"
refused 3 "$work/none: error: No such file or directory [E051]" --backend=cpu --place=w0=file \
  --place-folder="$work/none"

# No room. A limit of files' sizes, and where one may be mounted, a small disk.
(
  ulimit -f 1
  refused 5 'for tables, which is more than a file may have (ulimit -f) [E063]' --backend=cpu \
    "${facts[@]}" --place-folder="$files"
)
on_small_disk() {
  mount -t tmpfs -o size=8k tmpfs "$files"
  refused 5 "needs a file of 12.8 KB for tables, the disk is too full; free there are" --backend=cpu --train \
    "${facts[@]}" --epochs=1000000000 --place-folder="$files"
  "$vecc" "$graph" --backend=cpu --place=w0=file --place-folder="$files" >"$work/file" 2>"$work/log"
  grep -qF "which is memory itself (tmpfs)" "$work/log" || fail "$(cat "$work/log")"
}
if unshare -rm mount -t tmpfs tmpfs "$files" 2>/dev/null; then
  export -f on_small_disk refused fail
  export vecc graph work files facts_text="${facts[*]@Q}"
  unshare -rm bash -euc 'eval "facts=($facts_text)"; on_small_disk'
else
  echo "no disk may be mounted here: a small one was not tried"
fi
