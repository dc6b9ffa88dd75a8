#!/usr/bin/env bash
# kill_test.sh BIN MAKE_SHOP: programs that are killed at any moment leave no half file: what has the
# name of an output is whole, after SIGTERM nothing else is there, and a later run does its work.
set -euo pipefail
BIN=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp out
export TMPDIR=$folder/tmp
python3 "$2" shop.db --customers=4000
python3 - <<'END'
facts = ", ".join(f"edge(n{i}, n{(i * 7) % 9973})" for i in range(60000))
open("facts.txt", "w").write(facts + ".\n")
open("queries.txt", "w").write("1.0 p(n1).\n")
open("template.txt", "w").write("p(X) :- {1} e(X, Y).\ne(X, Y) :- {1} edge(X, Y), edge(Y, Z).\n")
END

fail() { echo "$1" >&2; exit 1; }

# check SIGNAL OUTPUT COMMAND...: kills it after ever longer times, until it ends by itself.
check() {
  local signal=$1 output=$2 delay pid
  shift 2
  for delay in 0.005 0.02 0.05 0.1 0.2 0.4; do
    rm -rf out/* out/.[!.]*
    "$@" >/dev/null 2>&1 &
    pid=$!
    sleep "$delay"
    kill "-$signal" "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    if [ -e "out/$output" ]; then
      "$BIN/vecc" weights show "out/$output" >/dev/null 2>&1 ||
        "$BIN/vecc" "out/$output" --backend=reference --quiet --init=glorot >/dev/null ||
        fail "$* killed after $delay s: half a file"
    elif [ "$signal" = TERM ] && [ -n "$(find out tmp -mindepth 1)" ]; then
      fail "$* ended after $delay s: left $(find out tmp -mindepth 1)"
    fi
  done
  rm -rf out/* out/.[!.]* tmp/*
}

for signal in TERM KILL; do
  check $signal g.pb "$BIN/vecc-import" sql shop.db --target=customers.churn -o out/g.pb
  check $signal g.pb "$BIN/vecc-ground" template.txt --facts=facts.txt --queries=queries.txt -o out/g.pb
  check $signal m.vecc "$BIN/vecc" learn shop.db --target=customers.churn --no-page \
    --backend=interpreter --epochs=2 --dim=2 --hops=1 -o out/m.vecc
done
"$BIN/vecc-ground" template.txt --facts=facts.txt --queries=queries.txt -o out/g.pb --quiet
[ -s out/g.pb ] || fail "no graph after all"
