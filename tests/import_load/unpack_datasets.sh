#!/usr/bin/env bash
# unpack_datasets.sh ARCHIVES TARGET: unpacks ARCHIVES/NAME.tar.xz into TARGET/NAME, those that are new
# or have changed; says so if the archives are not there.
set -euo pipefail
if (($# != 2)); then
  echo "usage: unpack_datasets.sh ARCHIVES TARGET" >&2
  exit 2
fi
archives=$1 target=$2
shopt -s nullglob
found=("$archives"/*.tar.xz)
if ((${#found[@]} == 0)); then
  echo "no data sets in $archives"
  if [[ ${CI-} == true ]]; then exit 1; fi
  exit 0
fi
mkdir -p "$target"
# Names as they get them in the end, or nothing: a test may look at any time.
work=$(mktemp -d "$target/.unpack-XXXXXX")
trap 'rm -rf -- "$work"' EXIT
for archive in "${found[@]}"; do
  name=$(basename -- "$archive" .tar.xz)
  key=$(stat -c '%s %Y' -- "$archive")
  if [[ -r $target/$name/.archive && $(<"$target/$name/.archive") == "$key" ]]; then continue; fi
  echo "unpacking $name"
  tar -xJf "$archive" -C "$work"
  # hgb_ACM holds node.dat.xz.
  for file in "$work/$name"/*.xz; do xz -d -- "$file"; done
  printf '%s\n' "$key" >"$work/$name/.archive"
  rm -rf -- "${target:?}/$name"
  mv -T -- "$work/$name" "$target/$name"
done
