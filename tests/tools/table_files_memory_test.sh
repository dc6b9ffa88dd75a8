#!/usr/bin/env bash
# table_files_memory_test.sh VECC VECC_IMPORT: tables in files are not in the memory that a training
# takes: as much less is stated, and a limit of its data is enough that is not for tables in memory.
# --host-memory puts there what it has no room for.
set -euo pipefail
vecc=$1 import=$2
work=$(mktemp -d "$PWD/table_files.XXXXXX")  # in the build: temporary folders may be memory
trap 'rm -rf -- "$work"' EXIT
mega=$((1 << 20))

fail() {
  echo "$*" >&2
  exit 1
}
# What the first statement of run NAME says: peak_bytes, file_bytes.
stated() {
  grep -o "\"memory\":{.*" "$work/$1.json" | grep -o "\"$2\":[0-9]*" | head -1 | cut -d: -f2
}
outputs() { sed -n '/^"outputs"/,/^]/p' "$work/$1.json"; }
# run NAME OPTION...
run() {
  "$vecc" "$work/graph.pb" --backend=cpu --threads=2 --no-cache --json --train --epochs="${EPOCHS:-2}" \
    "${@:2}" >"$work/$1.json" 2>"$work/$1.log"
}

# 300,000 embeddings, of which few are read: 73 MB, and as much for each of two moments.
"$import" synth --nodes=300000 --edges=20000 --model=transe --dim=64 --quiet -o "$work/graph.pb"
run memory
places=(--place-folder="$work" --place=e=file --place=adam.m/e=file --place=adam.v/e=file)
run files "${places[@]}"
cmp <(outputs memory) <(outputs files)
in_files=$((3 * 300000 * 64 * 4))
# And a copy of all of it, which the training may go back to.
is_about() { (($1 > $2 - 4 * mega && $1 < $2 + 4 * mega)); }
if [[ $(stated memory file_bytes) != 0 ]] || ! is_about "$(stated files file_bytes)" $((2 * in_files)); then
  fail "stated in files: $(stated memory file_bytes), $(stated files file_bytes)"
fi
most=$(stated memory peak_bytes) least=$(stated files peak_bytes)
is_about $((most - least)) $((2 * in_files)) ||
  fail "stated $((most / mega)) MB in memory, $((least / mega)) MB with $((in_files / mega)) in files"
grep -q "memory: .* at most, in files 439.[0-9] MB" "$work/files.log" || fail "$(cat "$work/files.log")"

# A limit of data counts neither files nor what is only read; stacks, and what the heap has free, it
# counts beside what is stated.
limit=$((((most + least) / 2 + 65 * mega) / 1024))
(ulimit -d "$limit" && run limited "${places[@]}") || fail "$(cat "$work/limited.log")"
cmp <(outputs memory) <(outputs limited)
status=0
(ulimit -d "$limit" && run refused --place=e=host) || status=$?
((status == 5)) || fail "tables in memory under the same limit: exit code $status"

# What was stated is enough, and a tenth, where weights and checkpoints are written, and to go on from
# those: none of it is a second copy in memory. (Of two threads each may get a heap of its own: 64 MB of
# what the limit counts.)
limit=$(((least / 10 * 11 + 129 * mega) / 1024))
EPOCHS=4 run whole --save-weights="$work/whole"
kept=("${places[@]}" --checkpoint="$work/parts")
(ulimit -d "$limit" && run half "${kept[@]}" --save-weights="$work/half") || fail "$(cat "$work/half.log")"
(ulimit -d "$limit" && EPOCHS=4 run resumed "${kept[@]}" --resume --save-weights="$work/resumed") ||
  fail "$(cat "$work/resumed.log")"
cmp <(outputs whole) <(outputs resumed)
cmp "$work/whole" "$work/resumed"
cmp -s "$work/half" "$work/resumed" && fail "two epochs more changed nothing"

# By the rule: the copy, then as many as are needed, those that are read least.
bound=$((most - in_files - in_files / 2))
run ruled --host-memory=$bound --place-folder="$work"
cmp <(outputs memory) <(outputs ruled)
is_about "$(stated ruled file_bytes)" $((in_files / 3 * 2 + in_files)) ||
  fail "$(stated ruled file_bytes) in files: $(cat "$work/ruled.log")"
(($(stated ruled peak_bytes) <= bound)) || fail "$(stated ruled peak_bytes) of $bound"
grep -q "^  e  *73.2 MB .* host$" "$work/ruled.log" || fail "$(cat "$work/ruled.log")"
grep -q "^  adam.m/e  *73.2 MB .* file$" "$work/ruled.log" || fail "$(cat "$work/ruled.log")"
# What follows has no other peak, which would count pages of those files.
grep -q "^prepare .* at most, in files " "$work/ruled.log" || fail "$(cat "$work/ruled.log")"
! grep -q "^compile .* at most" "$work/ruled.log" || fail "$(cat "$work/ruled.log")"
# What is asked for in memory stays there, and what does not fit is refused.
status=0
run refused --host-memory=$bound "${places[@]//=file/=host}" || status=$?
((status == 5)) || fail "tables that are to be in memory: exit code $status"
grep -q "left of --host-memory.*another limit" "$work/refused.log" || fail "$(cat "$work/refused.log")"
grep -q "^  adam.v/e .* host$" "$work/refused.log" || fail "$(cat "$work/refused.log")"

# Of 16 epochs or more and with validation there are three copies in memory, and none where they go to
# files: of tables none has to.
longer() { EPOCHS=17 run "$1" --validate=0.1 "${@:2}"; }
longer memory
longer ruled --host-memory=$(($(stated memory peak_bytes) - in_files)) --place-folder="$work"
cmp <(outputs memory) <(outputs ruled)
! grep -q "in a file" "$work/ruled.log" || fail "$(cat "$work/ruled.log")"
is_about "$(stated ruled file_bytes)" $((3 * in_files)) || fail "$(stated ruled file_bytes) in files"
is_about $(($(stated memory peak_bytes) - $(stated ruled peak_bytes))) $((3 * in_files)) ||
  fail "stated $(stated memory peak_bytes), $(stated ruled peak_bytes) with copies in files"

longer files "${places[@]}"
cmp <(outputs memory) <(outputs files)
most=$(stated memory peak_bytes) least=$(stated files peak_bytes)
is_about $((most - least)) $((4 * in_files)) || fail "stated $most, $least with all in files"
limit=$((((most + least) / 2 + 65 * mega) / 1024))
(ulimit -d "$limit" && longer limited "${places[@]}") || fail "$(cat "$work/limited.log")"
cmp <(outputs memory) <(outputs limited)
status=0
(ulimit -d "$limit" && longer refused) || status=$?
((status == 5)) || fail "copies in memory under the same limit: exit code $status"
