# A fake machine for scripts_test.sh: commands on PATH that answer from files in $MACHINE and note
# every call in $MACHINE/calls, so that no package, network or compiler is touched.
# shellcheck shell=bash disable=SC2016,SC2034

# fake NAME: makes $MACHINE/bin/NAME from stdin.
fake() {
  { printf '#!/bin/bash\necho "%s $*" >>"$MACHINE/calls"\n' "$1"; cat; } >"$MACHINE/bin/$1"
  chmod +x "$MACHINE/bin/$1"
}

# new_machine UID: a machine with no package of vecc's, and a checkout in a folder with spaces.
new_machine() {
  MACHINE=$(mktemp -d "$WORK/machine XXXX")
  export MACHINE
  CHECKOUT="$MACHINE/my checkout"
  mkdir -p "$MACHINE/bin" "$CHECKOUT"
  cp -r "$SOURCE/tools" "$SOURCE/requirements.txt" "$CHECKOUT/"
  : >"$MACHINE/calls"
  : >"$MACHINE/installed"
  echo "$1" >"$MACHINE/uid"
  make_system_commands
  make_build_commands
}

make_system_commands() {
  fake id <<<'cat "$MACHINE/uid"'
  fake sudo <<'END'
[[ -e $MACHINE/sudo-works ]] || exit 1
shift
"$@"
END
  fake dpkg-query <<'END'
shift 3
status=0
for package in "$@"; do
  if grep -qxF -- "$package" "$MACHINE/installed"; then
    echo "$package installed"
  else
    status=1
  fi
done
exit $status
END
  fake apt-get <<'END'
if [[ -e $MACHINE/apt-fails ]]; then
  echo "E: no such mirror" >&2
  exit 100
fi
shift 2
if [[ $1 == install ]]; then printf '%s\n' "${@:4}" >>"$MACHINE/installed"; fi
END
  fake apt-cache <<<'[[ ! -e $MACHINE/no-rapidcheck ]]'
  # A Python whose torch is there once the file says so; `-m pip install` writes that file.
  fake python3 <<'END'
case "$*" in
  *"-c "*)
    [[ -e "$(dirname "$0")/has-torch" ]] || exit 1
    prefix="$MACHINE/torch/share/cmake"
    mkdir -p "$prefix/Torch"
    touch "$prefix/Torch/TorchConfig.cmake"
    echo "$prefix"
    ;;
  *"pip install"*)
    if [[ -e $MACHINE/pip-fails ]]; then echo "ERROR: no matching distribution"; exit 1; fi
    touch "$(dirname "$0")/has-torch"
    ;;
esac
END
  cp "$MACHINE/bin/python3" "$MACHINE/python"
}

make_build_commands() {
  fake cmake <<'END'
[[ -e $MACHINE/cmake-fails ]] && { echo "CMake Error: no compiler"; exit 1; }
while [[ $1 != -B ]]; do shift; done
mkdir -p "$2"
touch "$2/build.ninja"
END
  fake ninja <<'END'
echo "ninja: Entering directory \`$2'"
[[ -e $MACHINE/ninja-fails ]] && { echo "a.cc:1: error: no"; exit 1; }
folder=$2/bin
for name in "${@:5}"; do
  if [[ -e $folder/$name ]]; then echo "ninja: no work to do."; continue; fi
  echo "[1/1] Linking CXX executable bin/$name"
  mkdir -p "$folder"
  printf '#!/bin/bash\nprintf "<%%s>" "$@"\n' >"$folder/$name"
  chmod +x "$folder/$name"
done
END
  fake ctest <<<'printf "<%s>" "$@"'
}

# with_packages: all of them are installed, under Debian 12's or Ubuntu 24.04's names.
with_packages() {
  printf '%s\n' build-essential cmake ninja-build ccache pkg-config libboost1.81-dev libboost-dev \
    libprotobuf-dev protobuf-compiler libspdlog-dev libcli11-dev nlohmann-json3-dev libzstd-dev \
    zlib1g-dev libserd-dev libsqlite3-dev libpq-dev libgtest-dev libgmock-dev librapidcheck-dev python3 \
    python3-venv ca-certificates \
    >"$MACHINE/installed"
}

# with_venv: .venv has a Python without torch.
with_venv() {
  mkdir -p "$CHECKOUT/.venv/bin"
  cp "$MACHINE/python" "$CHECKOUT/.venv/bin/python"
}

# on DISTRIBUTION: what /etc/os-release says.
on() {
  case $1 in
    debian11) set -- debian 11 '' 'Debian GNU/Linux 11 (bullseye)' ;;
    debian12) set -- debian 12 '' 'Debian GNU/Linux 12 (bookworm)' ;;
    ubuntu) set -- ubuntu 24.04 debian 'Ubuntu 24.04 LTS' ;;
    fedora) set -- fedora 41 '' 'Fedora Linux 41' ;;
  esac
  printf 'ID=%s\nVERSION_ID="%s"\nID_LIKE="%s"\nPRETTY_NAME="%s"\n' "$@" >"$MACHINE/os-release"
}

# call SCRIPT ARGS: runs tools/SCRIPT on the machine from another folder; OUT, ERR, STATUS.
call() {
  local script=$1
  shift
  STATUS=0
  (cd / && unset CI VECC_BUILD_DIR VIRTUAL_ENV CONDA_PREFIX && PATH="$MACHINE/bin:$PATH" \
    VECC_OS_RELEASE="$MACHINE/os-release" "$CHECKOUT/tools/$script" "$@") \
    >"$MACHINE/out" 2>"$MACHINE/err" || STATUS=$?
  OUT=$(<"$MACHINE/out")
  ERR=$(<"$MACHINE/err")
}
