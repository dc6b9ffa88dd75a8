#!/usr/bin/env bash
# A database's graph is the same for every number of threads; the benchmark that makes it runs.
#   threads_test.sh BUILD PYTHON grounding.py
set -euo pipefail
build=$1 python=$2 benchmark=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for threads in 1 2 5; do
  "$python" -B "$benchmark" --case=database --rows=100000 --threads=$threads --build="$build" \
    --folder="$folder" | tee "$folder/out"
  grep -q "^database .* 1,28" "$folder/out"
  mv "$folder/database.pb" "$folder/$threads.pb"
done
cmp "$folder/1.pb" "$folder/2.pb"
cmp "$folder/1.pb" "$folder/5.pb"
