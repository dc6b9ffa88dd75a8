#!/usr/bin/env bash
# The set-up of docs/neuralogic.md, command by command as it is written, in a bare clone of what is
# committed; then its example in Python. Builds vecc once more: CI runs this, tools/test does not.
#   neuralogic_setup.sh [FOLDER]: where to clone to (default: a temporary folder, removed at the end)
set -euo pipefail
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
folder=${1-}
if [[ -z $folder ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf -- "$folder"' EXIT
fi
git clone --quiet -- "$root" "$folder/vecc"
cd -- "$folder/vecc"

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
