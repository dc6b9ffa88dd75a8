# Debian's and Ubuntu's packages: which are needed, which are missing, how they get installed.
# shellcheck shell=bash

# What vecc needs to build, and to test itself. `boost` stands for the package that has the headers
# of Boost 1.81 or newer; a trailing `?` marks a package that vecc can do without.
BUILD_PACKAGES=(build-essential cmake ninja-build ccache pkg-config boost libprotobuf-dev
  protobuf-compiler libspdlog-dev libcli11-dev nlohmann-json3-dev libzstd-dev zlib1g-dev
  'libserd-dev?' 'libsqlite3-dev?' 'libpq-dev?' python3 ca-certificates)
# shellcheck disable=SC2034  # set_up() reads it
TEST_PACKAGES=(libgtest-dev libgmock-dev 'librapidcheck-dev?' python3-venv)

# os_field NAME: a field of /etc/os-release, empty if it is not there.
os_field() {
  local file=${VECC_OS_RELEASE:-/etc/os-release}
  # shellcheck disable=SC1090
  (unset "$1" && [[ -r $file ]] && . "$file" && printf '%s' "${!1-}") || true
}

# boost_package: the package with Boost >= 1.81 here; dies on a distribution without one.
boost_package() {
  local id version family needed
  id=$(os_field ID) version=$(os_field VERSION_ID)
  family=" $id $(os_field ID_LIKE) "
  if [[ $family != *" debian "* && $family != *" ubuntu "* ]]; then
    needed=${BUILD_PACKAGES[*]//boost/libboost-dev (1.81 or newer)}
    die "this is $(os_field PRETTY_NAME), and the scripts install packages on Debian and Ubuntu only" \
      "Install what these packages of Debian hold: ${needed//\?/}" \
      "then build by hand, as README.md says: cmake --preset release && ninja -C build"
  fi
  case $id:$version in
    debian:12) echo libboost1.81-dev ;;  # its libboost-dev is 1.74
    debian:[1-9] | debian:1[01] | ubuntu:1?.* | ubuntu:2[0-3].*)
      die "this is $(os_field PRETTY_NAME), and vecc needs Boost 1.81 and CMake 3.25" \
        "Debian 12 and Ubuntu 24.04 are the oldest releases that have them." ;;
    *) echo libboost-dev ;;
  esac
}

# missing_packages PACKAGE...: those that are not installed, one a line.
missing_packages() {
  local package status
  declare -A installed=()
  if (($# == 0)); then return; fi
  while read -r package status; do
    if [[ $status == installed ]]; then installed[$package]=1; fi
  done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    if [[ -z ${installed[$package]-} ]]; then printf '%s\n' "$package"; fi
  done
}

apt_get() {
  "${AS_ROOT[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
}

# need_packages NAME...: installs those that are missing; with NO_INSTALL adds them to MISSING.
# Names as in BUILD_PACKAGES and TEST_PACKAGES.
need_packages() {
  local boost name
  local -a required=() optional=() missing missing_optional
  boost=$(boost_package)
  for name in "$@"; do
    case $name in
      boost) required+=("$boost") ;;
      *\?) optional+=("${name%\?}") ;;
      *) required+=("$name") ;;
    esac
  done
  mapfile -t missing < <(missing_packages "${required[@]}")
  mapfile -t missing_optional < <(missing_packages "${optional[@]}")
  if ((${#missing[@]} && !NO_INSTALL)); then
    find_root "${missing[@]}" "${missing_optional[@]}"
    run_step "updating the package lists" "Is the network there? Try: apt-get update" \
      apt_get update
  fi
  # What the distribution does not have either is not missing: CMake leaves its part out.
  for name in "${missing_optional[@]}"; do
    if apt-cache show "$name" >/dev/null 2>&1; then missing+=("$name"); fi
  done
  if ((${#missing[@]} == 0)); then return; fi
  if ((NO_INSTALL)); then
    MISSING+=("packages: ${missing[*]}")
    return
  fi
  find_root "${missing[@]}"
  say "packages that are missing: ${missing[*]}"
  run_step "installing ${#missing[@]} packages" \
    "Try as root: apt-get install -y --no-install-recommends ${missing[*]}" \
    apt_get install -y --no-install-recommends "${missing[@]}"
}

# find_root PACKAGE...: sets AS_ROOT to what runs a command as root, or says what to ask for.
find_root() {
  AS_ROOT=()
  if (($(id -u) == 0)); then return; fi
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    AS_ROOT=(sudo -n)
    return
  fi
  die "$# packages are missing, and installing them needs root. To be run as root:" \
    "  apt-get update && apt-get install -y --no-install-recommends $*" \
    "and start this again."
}
