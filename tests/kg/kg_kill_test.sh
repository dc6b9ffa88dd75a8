#!/usr/bin/env bash
# kg_kill_test.sh TRAIN_KILL_TEST VECC COMMAND...: tests/tools/train_kill_test.sh, which kills trainings
# and lets them go on, of a knowledge graph that is made here; COMMAND is `vecc-kg train` and options.
set -euo pipefail
test=$1 vecc=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
for split in train:400 valid:20 test:20; do
  awk -v triples="${split#*:}" 'BEGIN {
    srand(triples)
    for (i = 0; i < triples; ++i) printf "e%d\tr%d\te%d\n", rand() * 60, rand() * 4, rand() * 60
  }' >"$folder/${split%:*}.txt"
done
"$test" "$vecc" "$@" "$folder"
