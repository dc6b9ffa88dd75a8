#!/usr/bin/env bash
# install_test.sh CMAKE BUILD SOURCE COMPILER: installs into an empty folder, and uses what is there.
set -euo pipefail
CMAKE=$1 BUILD=$2 SOURCE=$3 COMPILER=$4
WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
graph=$SOURCE/datasets/xor.pb

"$CMAKE" --install "$BUILD" --prefix "$WORK/first" >/dev/null
mv "$WORK/first" "$WORK/prefix" # nothing depends on where it was installed
prefix=$WORK/prefix
for file in bin/vecc bin/vecc-learn bin/vecc-kg bin/vecc-ground bin/vecc-import bin/vecc-opt bin/vecc-bench lib/libvecc.so include/vecc/program.h \
  include/vecc/functions.def lib/cmake/vecc/veccConfig.cmake share/man/man1/vecc.1 \
  share/bash-completion/completions/vecc share/zsh/site-functions/_vecc \
  share/fish/vendor_completions.d/vecc.fish; do
  [[ -e $prefix/$file ]] || fail "$file is not installed"
done
if [[ -e $BUILD/bin/libvecc_torch.so && ! -e $prefix/lib/libvecc_torch.so ]]; then
  fail "the torch backend is not installed"
fi
[[ ! -e $prefix/vecc ]] || fail "the Python package is installed without being asked for"
cmp <("$BUILD/bin/vecc" "$graph" --quiet) <("$prefix/bin/vecc" "$graph" --quiet) ||
  fail "the installed program prints other outputs"
# The plug-in is found where it is installed: with libtorch or without, as in the build.
cmp <("$BUILD/bin/vecc" devices 2>&1 | sed "s|$BUILD||") <("$prefix/bin/vecc" devices 2>&1 | sed "s|$prefix||") ||
  fail "the installed program knows other backends"

# A copy of the example knows nothing of where vecc was built.
cp -r "$SOURCE/examples/embed" "$WORK/embed"
"$CMAKE" -S "$WORK/embed" -B "$WORK/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$COMPILER" \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
if grep -E -- '-W|-O[0-9]' "$WORK/build/compile_commands.json"; then fail "vecc's own flags came along"; fi
"$CMAKE" --build "$WORK/build" >/dev/null
"$WORK/build/embed" "$graph" 20 >"$WORK/out" 2>"$WORK/err"
cat "$WORK/out" "$WORK/err"
cut -f 1 "$WORK/out" | cmp - <("$prefix/bin/vecc" "$graph" --quiet | cut -f 1) || fail "other samples than vecc's"
first=$(sed -n 's/^epoch 1: loss //p' "$WORK/err")
last=$(sed -n 's/^epoch 20: loss //p' "$WORK/err")
awk -v first="$first" -v last="$last" 'BEGIN { exit !(last + 0 < first + 0) }' || fail "training did not lower the loss"
status=0
"$WORK/build/embed" "$WORK/none.pb" 2>"$WORK/err" || status=$?
[[ $status == 3 ]] || fail "exit code $status for a graph that is not there, expected 3"
