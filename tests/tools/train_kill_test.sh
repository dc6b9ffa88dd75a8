#!/usr/bin/env bash
# train_kill_test.sh VECC COMMAND...: kills a training with checkpoints at random moments, or interrupts
# it in the midst of an epoch, again and again, and lets it go on each time; once the disk is full. The
# checkpoint always loads, and the end has the bits of a training that was not disturbed. COMMAND trains
# for some seconds, with a checkpoint every few epochs; VECC shows weights.
set -euo pipefail
vecc=$1 kills=30
shift
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
command=("$@" --checkpoint-every=3 --quiet)
"${command[@]}" --checkpoint="$work/whole" --save-weights="$work/whole.st" >/dev/null
command+=(--checkpoint="$work/parts" --resume --save-weights="$work/parts.st")

# The program itself, not a subshell, is what is killed. A shell without job control starts what
# runs beside it with SIGINT ignored.
set -m

# Whether a checkpoint was written in the midst of an epoch: its epoch is not among the finished.
is_midst() {
  local epoch finished
  epoch=$(grep -ao '"epoch":"[0-9]*"' "$1" | grep -o '[0-9]*')
  finished=$(grep -ao '"finished_epochs":"[0-9]*"' "$1" | grep -o '[0-9]*')
  ((epoch >= finished))
}

RANDOM=1
loaded=0 killed=0 midst=0 filled=0
for ((i = 0; killed < kills && i < 10 * kills; ++i)); do
  signal=KILL
  if ((i % 2 == 1)); then signal=INT; fi
  "${command[@]}" >/dev/null 2>&1 &
  child=$!
  sleep "0.$((RANDOM % 15 + 5))"
  kill -"$signal" "$child" 2>/dev/null || true
  status=0
  wait "$child" 2>/dev/null || status=$?
  if ((status == 128 + 9 || status == 130)); then killed=$((killed + 1)); fi
  # A training that came to its end starts again.
  if ((status == 0)); then rm -rf -- "$work/parts"; fi
  if [[ ! -e $work/parts/last.safetensors ]]; then continue; fi
  "$vecc" weights show "$work/parts/last.safetensors" >/dev/null || {
    echo "after kill $i the checkpoint does not load"
    exit 1
  }
  loaded=$((loaded + 1))
  if is_midst "$work/parts/last.safetensors"; then midst=$((midst + 1)); fi
  if ((filled)); then continue; fi
  # Files that may not grow fail as those of a full disk do.
  cp "$work/parts/last.safetensors" "$work/before.st"
  status=0
  (trap '' XFSZ; ulimit -f 0; exec "${command[@]}" >/dev/null 2>&1) || status=$?
  if ((status != ${FULL_DISK_CODE:-3})) || ! cmp -s "$work/before.st" "$work/parts/last.safetensors"; then
    echo "a full disk: exit code $status, expected ${FULL_DISK_CODE:-3}, or the checkpoint is another"
    exit 1
  fi
  filled=1
done
"${command[@]}" >/dev/null
cmp "$work/whole.st" "$work/parts.st" || {
  echo "the weights differ from those of the undisturbed training"
  exit 1
}
echo "$killed kills, $loaded times a checkpoint was there and loaded, $midst of them" \
  "in the midst of an epoch; the same bits at the end"
if ((killed < kills || loaded == 0 || midst == 0 || filled == 0)); then
  echo "too few trainings were killed before their end: this test tests nothing"
  exit 1
fi
