# Configure and build, only where something changed.
# shellcheck shell=bash

# configure: runs CMake unless this folder was configured with the same options before. (Ninja runs
# it again by itself when a CMakeLists.txt changes.)
configure() {
  local -a options=(-DVECC_TORCH=OFF)
  if [[ -n $TORCH_PREFIX ]]; then
    options=(-DVECC_TORCH=ON "-DVECC_TORCH_PREFIX=$TORCH_PREFIX")
  fi
  if ((!WITH_TESTS)); then options+=(-DVECC_TESTS=OFF); fi
  local key stamp=$BUILD_DIR/.vecc-options
  key="$ROOT ${options[*]}"
  if [[ -r $BUILD_DIR/build.ninja && -r $stamp && $(<"$stamp") == "$key" ]]; then return; fi
  # Other options than last time: nothing that CMake found under them may stay.
  if [[ -e $stamp ]]; then options+=(--fresh); fi
  run_step "configuring ${BUILD_DIR/#"$ROOT/"/}" \
    "If the folder was made on another machine, remove it: rm -r '$BUILD_DIR'" \
    cmake -S "$ROOT" --preset release -B "$BUILD_DIR" "${options[@]}"
  printf '%s\n' "$key" >"$stamp"
}

# build TARGET...: brings the folder up to date; silent if it is.
build() {
  ninja -C "$BUILD_DIR" -j "$(nproc)" "$@" 2>&1 | show_progress ||
    die "the build failed" "The compiler's messages stand above; start this again after a change."
}

# show_progress: ninja's output as one line that moves (a terminal) or one every 20 s; what is not a
# status line (the compiler's messages) as it is.
show_progress() {
  local line start=$SECONDS last=$SECONDS begun=0 drawn=0 failed=0
  while IFS= read -r line; do
    case $line in
      'ninja: Entering directory'* | 'ninja: no work to do.' | *'Re-checking globbed'*) ;;
      '['[0-9]*/[0-9]*'] '*)
        if ((!begun)); then
          begun=1
          say "building ${BUILD_DIR/#"$ROOT/"/} ..."
        fi
        if [[ -t 2 ]]; then
          drawn=1
          printf '\r\033[K%s' "${line:0:${COLUMNS:-78}}" >&2
        elif ((SECONDS - last >= 20)); then
          last=$SECONDS
          say "building: ${line%% *}"
        fi
        ;;
      *)
        if ((drawn)); then printf '\r\033[K' >&2; fi
        drawn=0
        if [[ $line == FAILED:* ]]; then failed=1; fi
        printf '%s\n' "$line" >&2
        ;;
    esac
  done
  if ((drawn)); then printf '\r\033[K' >&2; fi
  if ((begun && !failed)); then say "building ${BUILD_DIR/#"$ROOT/"/}: done, $((SECONDS - start)) s"; fi
}
