#!/usr/bin/env bash
# duckdb_test.sh VECC_GROUND PYTHON: every case of this folder grounded by DuckDB is, byte for byte,
# the graph that SQLite makes. Without DuckDB's library it is skipped, after the refusal is checked.
set -u
ground=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {  # run ENGINE CASE: the graph in $work/ENGINE.pb
  local queries=()
  [ -f "$2/queries.txt" ] && queries=("--queries=$2/queries.txt")
  "$ground" "$2/template.txt" "--facts=$2/examples.txt" "${queries[@]}" "--engine=$1" -q \
    -o "$work/$1.pb" 2> "$work/$1.err"
}
fail() { echo "$*"; cat "$work"/*.err; exit 1; }

VECC_DUCKDB=/nonexistent/libduckdb.so run duckdb "$here/cases/recursion" && fail "not refused"
grep -q "set VECC_DUCKDB to libduckdb.so" "$work/duckdb.err" || fail "no way out"
[ -e "$work/duckdb.pb" ] && fail "a graph without an engine"

if [ -z "${VECC_DUCKDB:-}" ]; then
  VECC_DUCKDB=$("$2" -B "$here/../peers/with_peers.py" --needs=duckdb "$here/../import_sql/find_duckdb.py") || {
    status=$?  # 77, or 1 in CI
    echo "$VECC_DUCKDB"
    exit $status
  }
fi
[ -n "$VECC_DUCKDB" ] || { echo "no DuckDB: Python has no library of its own"; exit 77; }
export VECC_DUCKDB
compared=0
for case in "$here"/cases/*/; do
  rm -f "$work"/*.pb
  run sqlite "$case" || fail "$case by SQLite"
  run duckdb "$case" || fail "$case by DuckDB"
  cmp "$work/sqlite.pb" "$work/duckdb.pb" || fail "$case differs"
  compared=$((compared + 1))
done
[ "$compared" -ge 61 ] || fail "only $compared cases"
