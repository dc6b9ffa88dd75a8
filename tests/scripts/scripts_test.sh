#!/usr/bin/env bash
# Tests of tools/run, tools/test and tools/setup on a fake machine (fakes.sh).
# shellcheck disable=SC2317  # the tests are called by name, at the end
set -euo pipefail
HERE=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
SOURCE=$(dirname -- "$(dirname -- "$HERE")")
WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT
# shellcheck source=tests/scripts/fakes.sh
. "$HERE/fakes.sh"

FAILURES=0
fail() {
  FAILURES=$((FAILURES + 1))
  printf 'FAILED %s: %s\n--- stdout\n%s\n--- stderr\n%s\n--- calls\n%s\n' \
    "$TEST" "$1" "$OUT" "$ERR" "$(<"$MACHINE/calls")"
}
expect_status() { [[ $STATUS == "$1" ]] || fail "exit code $STATUS, expected $1"; }
expect_out() { [[ $OUT == "$1" ]] || fail "expected stdout: $1"; }
expect_err() { [[ $ERR == *"$1"* ]] || fail "expected on stderr: $1"; }
expect_call() { grep -qF -- "$1" "$MACHINE/calls" || fail "expected the call: $1"; }
expect_call_line() { grep -qxF -- "$1" "$MACHINE/calls" || fail "expected the call, and nothing after it: $1"; }
expect_no_call() { if grep -qE -- "$1" "$MACHINE/calls"; then fail "a call that must not be: $1"; fi; }

test_no_install_names_what_is_missing() {
  new_machine 0 && on debian12
  echo cmake >"$MACHINE/installed"
  call run --torch --no-install graph.pb
  expect_status 1
  expect_out ""
  expect_err "missing: packages: build-essential ninja-build ccache pkg-config libboost1.81-dev"
  expect_err "missing: libtorch: torch=="
  expect_no_call '^(apt-get|cmake|ninja|python3 .*install)'
}

test_no_install_with_nothing_missing() {
  new_machine 1000 && on debian12 && with_packages && with_venv
  touch "$CHECKOUT/.venv/bin/has-torch"
  call setup --no-install
  expect_status 0
  expect_err "nothing is missing"
  expect_no_call '^(apt-get|cmake|ninja|python3 .*install)'
}

test_without_root_says_what_to_ask_for() {
  new_machine 1000 && on ubuntu && with_packages
  sed -i '/ccache/d; /libboost-dev/d' "$MACHINE/installed"
  call run graph.pb
  expect_status 1
  expect_out ""
  expect_err "2 packages are missing, and installing them needs root"
  expect_err "apt-get update && apt-get install -y --no-install-recommends ccache libboost-dev"
  expect_no_call '^(apt-get|cmake|ninja|python3)'
}

test_passwordless_sudo_installs() {
  new_machine 1000 && on debian12 && with_packages && touch "$MACHINE/sudo-works"
  sed -i '/ccache/d' "$MACHINE/installed"
  call setup --no-torch
  expect_status 0
  expect_call "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get"
  expect_call "install -y --no-install-recommends ccache"
}

test_first_call_sets_up_and_second_does_nothing() {
  new_machine 0 && on debian12 && with_venv
  call run --epochs 3 "my graph.pb"
  expect_status 0
  expect_out "<--epochs><3><my graph.pb>"
  expect_err "installing 18 packages: done"
  expect_err "configuring build: done"
  expect_err "building build: done"
  expect_call_line "cmake -S $CHECKOUT --preset release -B $CHECKOUT/build -DVECC_TORCH=OFF -DVECC_TESTS=OFF"
  expect_no_call 'libgtest-dev|python3-venv'
  expect_call_line "ninja -C $CHECKOUT/build -j $(nproc) vecc"
  expect_no_call '^python3'
  : >"$MACHINE/calls"
  call run --json
  expect_status 0
  expect_out "<--json>"
  [[ -z $ERR ]] || fail "expected nothing on stderr"
  expect_no_call '^(apt-get|apt-cache|cmake|python3)'
}

test_another_program_is_built_on_its_first_use() {
  new_machine 0 && on debian12 && with_packages
  call run graph.pb
  call run vecc-import tu "my data"
  expect_status 0
  expect_out "<tu><my data>"
  expect_call_line "ninja -C $CHECKOUT/build -j $(nproc) vecc-import"
  call run vecc vecc-import
  expect_status 0
  expect_out "<vecc-import>"
  call run vecc-other
  expect_out "<vecc-other>"
}

test_commands_of_databases_build_their_program() {
  local -a ninja
  new_machine 0 && on debian12 && with_packages
  ninja=(ninja -C "$CHECKOUT/build" -j "$(nproc)")
  call run predict new.pb --load-weights=w.safetensors
  expect_no_call 'vecc-learn'
  call run predict --json "my model.vecc" new.db
  expect_status 0
  expect_out "<predict><--json><my model.vecc><new.db>"
  expect_call_line "${ninja[*]} vecc vecc-learn"
  : >"$MACHINE/calls"
  call run vecc learn shop.db
  expect_out "<learn><shop.db>"
  expect_call_line "${ninja[*]} vecc vecc-learn"
  : >"$MACHINE/calls"
  call run vecc-learn predict model.vecc new.db
  expect_out "<predict><model.vecc><new.db>"
  expect_call_line "${ninja[*]} vecc-learn"
}

test_tests_have_libtorch_and_later_calls_keep_it() {
  new_machine 0 && on debian12 && with_packages && with_venv
  call run x
  call test -R import
  expect_status 0
  expect_err "installing libtorch"
  expect_call "-B $CHECKOUT/build -DVECC_TORCH=ON -DVECC_TORCH_PREFIX=$MACHINE/torch/share/cmake --fresh"
  : >"$MACHINE/calls"
  call run x
  [[ -z $ERR ]] || fail "expected nothing on stderr"
  call test -R import
  expect_out "<--test-dir><$CHECKOUT/build><--output-on-failure><-j2><-R><import>"
  expect_no_call '^(apt-get|apt-cache|cmake|python3)'
}

test_other_requirements_are_installed_again() {
  new_machine 0 && on debian12 && with_packages && with_venv
  call setup
  rm "$CHECKOUT/.venv/bin/has-torch"
  call setup
  expect_no_call 'python3 .*pip install.*pip install'
  [[ $(grep -c 'pip install' "$MACHINE/calls") == 1 ]] || fail "expected one pip install"
  echo 'torch==2.12.0' >"$CHECKOUT/requirements.txt"
  call setup
  [[ $(grep -c 'pip install' "$MACHINE/calls") == 2 ]] || fail "expected a second pip install"
  expect_err "installing libtorch (torch==2.12.0"
}

test_torch_of_the_active_python_is_used() {
  new_machine 1000 && on debian12 && with_packages
  touch "$MACHINE/bin/has-torch"
  call run --torch x
  expect_status 0
  expect_err "libtorch: the one of $MACHINE/bin/python3"
  expect_no_call 'pip install|-m venv'
}

test_no_torch_builds_without() {
  new_machine 1000 && on debian12 && with_packages
  call run --no-torch x
  expect_status 0
  expect_out "<x>"
  expect_call "-B $CHECKOUT/build-no-torch -DVECC_TORCH=OFF"
  expect_no_call '^python3'
}

test_tests_are_added_and_later_calls_keep_them() {
  new_machine 0 && on debian12 && with_packages
  sed -i '/libg.*-dev/d' "$MACHINE/installed"
  call run --no-torch x
  expect_call_line "cmake -S $CHECKOUT --preset release -B $CHECKOUT/build-no-torch -DVECC_TORCH=OFF -DVECC_TESTS=OFF"
  expect_no_call 'apt-get'
  call test --no-torch -R import
  expect_status 0
  expect_err "installing 2 packages: done"
  expect_call_line "cmake -S $CHECKOUT --preset release -B $CHECKOUT/build-no-torch -DVECC_TORCH=OFF --fresh"
  : >"$MACHINE/calls"
  call run --no-torch x
  expect_no_call '^(apt-get|cmake)'
}

# Configured by hand: it has tests, and they stay.
test_tests_of_a_configured_folder_stay() {
  new_machine 0 && on debian12 && with_packages
  mkdir "$CHECKOUT/build" && touch "$CHECKOUT/build/build.ninja"
  call run x
  expect_call_line "cmake -S $CHECKOUT --preset release -B $CHECKOUT/build -DVECC_TORCH=OFF"
}

test_moved_checkout_configures_afresh() {
  new_machine 0 && on debian12 && with_packages
  call run --no-torch x
  mv "$CHECKOUT" "$MACHINE/moved" && CHECKOUT=$MACHINE/moved
  call run --no-torch x
  expect_status 0
  expect_call "-B $MACHINE/moved/build-no-torch -DVECC_TORCH=OFF -DVECC_TESTS=OFF --fresh"
}

test_unknown_distribution() {
  new_machine 0 && on fedora
  call run x
  expect_status 1
  expect_err "this is Fedora Linux 41, and the scripts install packages on Debian and Ubuntu only"
  expect_err "libprotobuf-dev"
  expect_err "cmake --preset release"
  expect_no_call '^(apt-get|cmake|python3)'
}

test_old_distribution() {
  new_machine 0 && on debian11
  call test
  expect_status 1
  expect_err "this is Debian GNU/Linux 11 (bullseye), and vecc needs Boost 1.81 and CMake 3.25"
}

test_package_that_the_distribution_lacks() {
  new_machine 0 && on debian12 && with_packages && touch "$MACHINE/no-rapidcheck"
  sed -i '/librapidcheck-dev/d' "$MACHINE/installed"
  call setup --no-torch
  expect_status 0
  expect_no_call '^apt-get'
}

test_failures_name_their_step() {
  new_machine 0 && on debian12 && touch "$MACHINE/apt-fails"
  call run x
  expect_status 1
  expect_err 'the step "updating the package lists" failed (exit code 100)'
  expect_err "E: no such mirror"
  rm "$MACHINE/apt-fails" && touch "$MACHINE/pip-fails" && with_venv
  call run --torch x
  expect_err 'the step "installing libtorch'
  expect_err "ERROR: no matching distribution"
  expect_err "or use --no-torch"
  rm "$MACHINE/pip-fails" && touch "$MACHINE/cmake-fails"
  call run x
  expect_err 'the step "configuring build" failed (exit code 1)'
  expect_err "CMake Error: no compiler"
  rm "$MACHINE/cmake-fails" && touch "$MACHINE/ninja-fails"
  call run x
  expect_status 1
  expect_out ""
  expect_err "a.cc:1: error: no"
  expect_err "the build failed"
}

test_calls_at_the_same_time_wait() {
  new_machine 0 && on debian12 && with_packages
  mkdir -p "$CHECKOUT/.cache/setup"
  exec {held}>"$CHECKOUT/.cache/setup/lock"
  flock "$held"
  (sleep 0.5 && : >"$MACHINE/let-go" && flock -u "$held") &
  call run --no-torch x
  exec {held}>&-
  expect_status 0
  expect_err "waiting for another call of the scripts"
  [[ -e $MACHINE/let-go ]] || fail "did not wait for the lock"
}

for TEST in $(declare -F | awk '$3 ~ /^test_/ { print $3 }'); do
  OUT='' ERR='' STATUS=0
  before=$FAILURES
  "$TEST"
  if ((FAILURES == before)); then printf 'ok %s\n' "$TEST"; fi
done
exit $((FAILURES > 0))
