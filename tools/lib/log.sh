# Messages of the scripts: all on stderr, so that stdout belongs to vecc and ctest.
# shellcheck shell=bash

# say TEXT: one line.
say() { printf 'vecc: %s\n' "$*" >&2; }

# die TEXT [LINE ...]: an error, with more lines below it, and the end.
die() {
  printf 'vecc: error: %s\n' "$1" >&2
  shift
  if (($#)); then printf '  %s\n' "$@" >&2; fi
  exit 1
}

# run_step NAME ADVICE COMMAND...: names the step, runs the command with its output in a log, and
# says how long it took; if it fails, says which step, shows the log's end, and what to do.
run_step() {
  local name=$1 advice=$2 start=$SECONDS log status=0
  shift 2
  mkdir -p "$CACHE_DIR"
  log=$CACHE_DIR/${name//[^a-zA-Z0-9]/-}.log
  say "$name ..."
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status)); then
    tail -n 20 -- "$log" | sed 's/^/    /' >&2
    die "the step \"$name\" failed (exit code $status)" "$advice" "its whole output: $log"
  fi
  say "$name: done, $((SECONDS - start)) s"
}

# lock FILE: waits until no other call of the scripts holds FILE; unlock lets it go.
lock() {
  mkdir -p "$(dirname -- "$1")"
  exec {LOCK_FD}>"$1"
  if ! flock -n "$LOCK_FD"; then
    say "waiting for another call of the scripts (lock $1)"
    flock "$LOCK_FD"
  fi
}
unlock() { exec {LOCK_FD}>&-; }
