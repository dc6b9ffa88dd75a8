#!/usr/bin/env bash
# pages_test.sh SHARE: the manual pages and completions that the build made. Bash completes for real;
# troff, zsh and fish parse theirs where they are installed (in CI they must be).
set -euo pipefail
share=$1
fail() {
  printf 'pages: %s\n' "$*" >&2
  exit 1
}
need() {
  if command -v "$1" >/dev/null; then return 0; fi
  if [[ ${CI-} == true ]]; then fail "$1 is not installed"; fi
  return 1
}

# complete WORD...: what bash offers for the last word, one a line.
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  # shellcheck disable=SC2317
  compopt() { :; } # only within a real completion; the scripts call it
  "_${1//-/_}"
  printf '%s\n' "${COMPREPLY[@]}"
}
# offers WANTED WORD...: fails unless that is among them. No pipe into grep -q: grep ends at the first
# match, and what still writes then fails the pipe.
offers() {
  local wanted=$1 offered
  shift
  offered=$(complete_words "$@")
  grep -qxF -- "$wanted" <<<"$offered" || fail "\"$wanted\" is not offered for: $*"
}

for tool in vecc vecc-learn vecc-kg vecc-ground vecc-import vecc-opt vecc-bench; do
  # shellcheck source=/dev/null
  . "$share/bash-completion/completions/$tool"
  man=$share/man/man1/$tool.1
  grep -q '^\.SH OPTIONS' "$man" || fail "$man has no options"
  if need groff; then
    warnings=$(groff -man -Tutf8 -ww -W break -z "$man" 2>&1)
    if [[ -n $warnings ]]; then fail "$man: $warnings"; fi
  fi
  if need zsh; then zsh -n "$share/zsh/site-functions/_$tool"; fi
  if need fish; then fish -n "$share/fish/vendor_completions.d/$tool.fish"; fi
done

offers --epochs= vecc graph.pb --ep
offers weights vecc we
offers learn vecc le
offers --target= vecc-learn learn --ta
offers --task= vecc predict --ta
offers cpu vecc graph.pb --backend = cp
offers reference vecc graph.pb --backend =
offers cuda vecc graph.pb --device cu
offers convert vecc weights co
offers --json vecc weights show --j
offers cosine vecc-kg nearest w.safetensors --by = co
offers rgcn vecc-import kg FB15k --model = rg
offers peers vecc-bench pe
offers --passes= vecc-opt --pas
if [[ $(complete_words vecc weights show --j) == *--epochs* ]]; then fail "weights show has no --epochs"; fi

# Every option that --help names has its entry.
build=$(dirname -- "$share")
while IFS= read -r option; do
  grep -qF -- "${option//-/\\-}" "$share/man/man1/vecc.1" || fail "man lacks $option"
  grep -qF -- "-l ${option#--} " "$share/fish/vendor_completions.d/vecc.fish" || fail "fish lacks $option"
done < <("$build/bin/vecc" --help | grep -oE '^  (-[a-zA-Z],)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+')
