#!/usr/bin/env bash
# train_kill_test.sh VECC GRAPH: kills a training with checkpoints at random moments, again and again,
# and lets it go on each time. The checkpoint always loads, and the end has the bits of a training
# that nobody disturbed.
set -euo pipefail
vecc=$1 graph=$2 kills=${3:-50}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
arguments=("$graph" --train --backend=interpreter --epochs=600 --lr=0.02 --batch-size=3
  --validate=0.25 --early-stop=600 --checkpoint-every=3 --quiet)
"$vecc" "${arguments[@]}" --checkpoint="$work/whole" --save-weights="$work/whole.st" >/dev/null
arguments+=(--checkpoint="$work/parts" --resume --save-weights="$work/parts.st")

RANDOM=1
loaded=0 killed=0
for ((i = 0; killed < kills && i < 10 * kills; ++i)); do
  "$vecc" "${arguments[@]}" >/dev/null &  # itself, not a subshell: $! is what is killed
  child=$!
  sleep "0.0$((RANDOM % 90 + 10))"
  kill -KILL "$child" 2>/dev/null || true
  status=0
  wait "$child" 2>/dev/null || status=$?
  if ((status == 128 + 9)); then killed=$((killed + 1)); fi
  # A training that came to its end starts again.
  if ((status == 0)); then rm -rf -- "$work/parts"; fi
  if [[ -e $work/parts/last.safetensors ]]; then
    "$vecc" weights show "$work/parts/last.safetensors" >/dev/null || {
      echo "after kill $i the checkpoint does not load"
      exit 1
    }
    loaded=$((loaded + 1))
  fi
done
"$vecc" "${arguments[@]}" >/dev/null
cmp "$work/whole.st" "$work/parts.st" || {
  echo "the weights differ from those of the undisturbed training"
  exit 1
}
echo "$killed kills, $loaded times a checkpoint was there and loaded; the same bits at the end"
if ((killed < kills || loaded == 0)); then
  echo "too few trainings were killed before their end: this test tests nothing"
  exit 1
fi
