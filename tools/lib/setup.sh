# What tools/run, tools/test and tools/setup share: options, and the steps in order.
# shellcheck shell=bash

LIB_DIR=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
ROOT=$(dirname -- "$(dirname -- "$LIB_DIR")")
CACHE_DIR=$ROOT/.cache/setup
# shellcheck source=tools/lib/log.sh
. "$LIB_DIR/log.sh"
# shellcheck source=tools/lib/packages.sh
. "$LIB_DIR/packages.sh"
# shellcheck source=tools/lib/torch.sh
. "$LIB_DIR/torch.sh"
# shellcheck source=tools/lib/build.sh
. "$LIB_DIR/build.sh"

NO_INSTALL=0 # 1: only say what is missing
# 1: with libtorch. 0: without, in build-no-torch/. kept: as the folder was built last, at first without.
WITH_TORCH=1
# 1: with the tests. kept: as the folder was configured last, at first without.
WITH_TESTS=1
MISSING=()
TORCH_PREFIX=

# take_options ARG...: the leading options of ours; the rest goes to REST.
take_options() {
  while (($#)); do
    case $1 in
      --no-install) NO_INSTALL=1 ;;
      --torch) WITH_TORCH=1 ;;
      --no-torch) WITH_TORCH=0 ;;
      *) break ;;
    esac
    shift
  done
  REST=("$@")
  local folder=build
  if [[ $WITH_TORCH == 0 ]]; then folder=build-no-torch; fi
  BUILD_DIR=$(realpath -m -- "${VECC_BUILD_DIR:-$ROOT/$folder}")
  local stamp=$BUILD_DIR/.vecc-options
  if [[ $WITH_TORCH == kept ]]; then
    WITH_TORCH=0
    if grep -qs VECC_TORCH=ON "$stamp"; then WITH_TORCH=1; fi
  fi
  if [[ $WITH_TESTS == kept ]]; then
    WITH_TESTS=0
    if [[ -e $BUILD_DIR/build.ninja ]] && ! grep -qs VECC_TESTS=OFF "$stamp"; then WITH_TESTS=1; fi
  fi
}

# set_up: packages, then libtorch. With --no-install says what is missing and ends.
set_up() {
  lock "$CACHE_DIR/lock"
  local -a packages=("${BUILD_PACKAGES[@]}")
  if ((WITH_TESTS)); then packages+=("${TEST_PACKAGES[@]}"); fi
  if ((WITH_TORCH && !WITH_TESTS)); then packages+=(python3-venv); fi
  need_packages "${packages[@]}"
  if ((WITH_TORCH)); then need_torch; fi
  unlock
  if ((NO_INSTALL)); then report_missing; fi
}

report_missing() {
  if ((${#MISSING[@]} == 0)); then
    say "nothing is missing"
    exit 0
  fi
  local line
  for line in "${MISSING[@]}"; do say "missing: $line"; done
  exit 1
}

# build_once TARGET...: configure and build (everything if no target is named) under the folder's lock.
build_once() {
  lock "$BUILD_DIR/.vecc-lock"
  configure
  build "$@"
  unlock
}
