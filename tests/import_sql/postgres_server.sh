#!/usr/bin/env bash
# postgres_server.sh start PID: a PostgreSQL server of its own in a new folder under /tmp, on a socket
# there, by a user without privileges, until the process PID ends; prints the folder. 77 and a reason:
# there is no server here.
# postgres_server.sh stop FOLDER; postgres_server.sh sql FOLDER: runs SQL of stdin, prints the rows.
set -euo pipefail

find_programs() {
  local candidate
  for candidate in "${VECC_POSTGRES_BIN:-}" "$(pg_config --bindir 2>/dev/null || true)" \
    /usr/lib/postgresql/*/bin /usr/local/pgsql/bin; do
    if [[ -n $candidate && -x $candidate/initdb && -x $candidate/pg_ctl ]]; then
      BIN=$candidate
      return
    fi
  done
  echo "no PostgreSQL server is here: apt install postgresql, or VECC_POSTGRES_BIN=FOLDER"
  exit 77
}

# The server refuses to run as root.
unprivileged() {
  if (($(id -u) != 0)); then
    "$@"
  else
    setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs env HOME="$FOLDER" "$@"
  fi
}

SELF=$(realpath "${BASH_SOURCE[0]}")
find_programs
case $1 in
  start)
    FOLDER=$(mktemp -d /tmp/vecc-postgres-XXXXXX)
    trap 'cat "$FOLDER"/*.log >&2; rm -rf -- "$FOLDER"' ERR
    chmod 755 "$FOLDER"
    if (($(id -u) == 0)); then chown 65534:65534 "$FOLDER"; fi
    cd "$FOLDER"
    unprivileged "$BIN/initdb" -D "$FOLDER/data" -U vecc -A trust -E UTF8 --locale=C --no-sync \
      >"$FOLDER/initdb.log" 2>&1
    unprivileged "$BIN/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/server.log" -w -t 60 start \
      -o "-F -k $FOLDER -c listen_addresses= -c max_connections=20" >"$FOLDER/start.log" 2>&1
    (
      exec </dev/null >/dev/null 2>&1
      while kill -0 "$2"; do sleep 1; done
      exec bash "$SELF" stop "$FOLDER"
    ) &
    echo "$FOLDER"
    ;;
  stop)
    FOLDER=$2
    [[ -d $FOLDER ]] || exit 0
    cd "$FOLDER"
    unprivileged "$BIN/pg_ctl" -D "$FOLDER/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf -- "$FOLDER"
    ;;
  sql)
    "$BIN/psql" -h "$2" -U vecc -d postgres -X -q -A -t -v ON_ERROR_STOP=1 -f -
    ;;
esac
