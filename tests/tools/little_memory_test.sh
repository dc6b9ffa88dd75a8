#!/usr/bin/env bash
# little_memory_test.sh VECC GRAPH: a training under limits of its address space, from next to
# nothing to enough. Each run either ends as one without a limit does, or says that memory is out.
set -euo pipefail
vecc=$1 graph=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
arguments=("$graph" --train --epochs=2 --backend=cpu --threads=2 --no-cache --quiet)
"$vecc" "${arguments[@]}" -o "$work/whole"  # and its kernels are in the code cache from here on

refused=0 done=0
for kilobytes in {10000..46000..500} 65536 131072 524288 2097152; do
  status=0
  (ulimit -v "$kilobytes"; exec "$vecc" "${arguments[@]}" -o "$work/out") \
    2>"$work/errors" || status=$?
  if ((status == 0)); then
    cmp "$work/whole" "$work/out"
    done=$((done + 1))
  elif ((status == 5)) && grep -q 'E063' "$work/errors"; then
    refused=$((refused + 1))
  elif ! (ulimit -v "$kilobytes"; exec "$vecc" --version) >/dev/null 2>&1; then
    continue  # the program itself, or a library that starts before it, has no room
  else
    echo "$kilobytes KiB: exit code $status" >&2
    cat "$work/errors" >&2
    exit 1
  fi
done
if ((refused == 0 || done == 0)); then
  echo "$refused runs had too little memory and $done enough: expected some of each" >&2
  exit 1
fi
