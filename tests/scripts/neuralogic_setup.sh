#!/usr/bin/env bash
# The set-up of docs/neuralogic.md, command by command as it is written, in a bare clone; then its
# example in Python. Builds vecc: CI runs this, tools/test does not.
#   neuralogic_setup.sh [CLONE]: which (default: one of what is committed, removed at the end)
set -euo pipefail
clone=${1-}
if [[ -z $clone ]]; then
  clone=$(mktemp -d)
  trap 'rm -rf -- "$clone"' EXIT
  git clone --quiet -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." "$clone"
fi
cd -- "$clone"

# block LANGUAGE TEXT: the first such block of code after a line that begins with TEXT.
block() {
  awk -v fence="\`\`\`$1" -v text="$2" \
    'index($0, text) == 1 { found = 1 } /^```/ && inside { exit } inside { print } found && $0 == fence { inside = 1 }' \
    docs/neuralogic.md
}

as_root=
if (($(id -u))); then as_root='sudo -n '; fi
commands=$(block '' '## Set up' | sed -n -e 's/^\$ //p' -e "s/^# /$as_root/p")
if [[ $commands != *ninja* ]]; then
  echo "docs/neuralogic.md has no set-up"
  exit 1
fi
example=$(block python '## From PyNeuraLogic')
commands+=$'\n.venv/bin/python -c "$EXAMPLE"'
EXAMPLE=$example bash -euxo pipefail -c "$commands"
