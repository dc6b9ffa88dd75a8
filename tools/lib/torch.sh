# libtorch: the one in the active Python if it fits, else the pinned one in .venv.
# shellcheck shell=bash

# Prints torch's CMake prefix if this Python's torch is 2.7 or newer with the C++11 ABI.
TORCH_PROBE='
import sys
try:
    import torch
except Exception as error:
    sys.exit("no torch: %s" % error)
if tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2]) < (2, 7):
    sys.exit("torch %s is older than 2.7" % torch.__version__)
if not torch.compiled_with_cxx11_abi():
    sys.exit("torch %s has the old C++ ABI" % torch.__version__)
print(torch.utils.cmake_prefix_path)
'

# torch_prefix_of PYTHON: the prefix, or a failure if there is no torch that fits.
torch_prefix_of() { "$1" -W ignore -c "$TORCH_PROBE" 2>/dev/null; }

# What the choice of torch depends on; a stamp with the same text and an existing prefix is trusted,
# because importing torch takes seconds.
torch_key() {
  printf '%s|' "$ROOT" "$(<"$ROOT/requirements.txt")" "$(command -v python3 || true)" \
    "${VIRTUAL_ENV-}" "${CONDA_PREFIX-}" "${PYENV_VERSION-}"
}

# need_torch: sets TORCH_PREFIX; with NO_INSTALL and no torch adds a line to MISSING.
need_torch() {
  local stamp=$CACHE_DIR/torch key old_key='' python
  key=$(torch_key)
  if [[ -r $stamp ]]; then
    { IFS= read -r -d '' old_key && IFS= read -r TORCH_PREFIX; } <"$stamp" || old_key=
    if [[ $old_key == "$key" && -r $TORCH_PREFIX/Torch/TorchConfig.cmake ]]; then return; fi
  fi
  TORCH_PREFIX=
  for python in "$(command -v python3 || true)" "$ROOT/.venv/bin/python"; do
    if [[ -x $python ]] && TORCH_PREFIX=$(torch_prefix_of "$python"); then
      say "libtorch: the one of $python"
      break
    fi
  done
  if [[ -z $TORCH_PREFIX ]]; then
    if ((NO_INSTALL)); then
      MISSING+=("libtorch: $(<"$ROOT/requirements.txt") from PyPI, into .venv (or use --no-torch)")
      return
    fi
    install_torch
  fi
  mkdir -p "$CACHE_DIR"
  printf '%s\0%s\n' "$key" "$TORCH_PREFIX" >"$stamp"
}

# install_torch: puts requirements.txt into .venv.
install_torch() {
  local venv=$ROOT/.venv free_kb
  free_kb=$(df -Pk -- "$ROOT" | awk 'NR == 2 { print $4 }')
  if ((free_kb < 8000000)); then
    die "libtorch needs about 8 GB of disk while it is installed; $ROOT has $((free_kb / 1000000)) GB" \
      "Free some, activate a Python that has torch 2.7 or newer, or use --no-torch."
  fi
  if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    run_step "making the Python environment .venv" "Try: python3 -m venv --clear '$venv'" \
      make_venv "$venv"
  fi
  run_step "installing libtorch ($(<"$ROOT/requirements.txt"), about 2 GB to download) into .venv" \
    "Is PyPI reachable? Start this again, or use --no-torch to build without it." \
    "$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off \
    -r "$ROOT/requirements.txt"
  TORCH_PREFIX=$(torch_prefix_of "$venv/bin/python") ||
    die "the libtorch that was just installed does not load" \
      "$("$venv/bin/python" -W ignore -c "$TORCH_PROBE" 2>&1 | tail -n 1)" \
      "Remove $venv and start this again, or use --no-torch."
}

# The distribution's Python is tried first: its venv module is among the packages installed above.
make_venv() { /usr/bin/python3 -m venv --clear "$1" || python3 -m venv --clear "$1"; }
