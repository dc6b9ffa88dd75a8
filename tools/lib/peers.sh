# PyTorch Geometric, PyKEEN and NeuraLogic, which CI compares vecc with (tools/bench,
# tools/neuralogic-bridge), nanobind, by which it builds the Python package (tools/python), and
# DuckDB, by which a test reads Parquet (tests/import_sql).
# Building and tools/test do without.
# shellcheck shell=bash

# need_peers: puts them and torch into .venv, unless they are there.
need_peers() {
  local python=$ROOT/.venv/bin/python stamp=$CACHE_DIR/peers wanted
  local -a files=("$ROOT/requirements.txt" "$ROOT/tools/bench/pyg/requirements.txt"
    "$ROOT/tools/neuralogic-bridge/requirements.txt" "$ROOT/tools/python/requirements.txt"
    "$ROOT/tests/import_sql/requirements.txt" "$ROOT/tools/bench/kg/requirements.txt")
  wanted=$(cat -- "${files[@]}")
  if [[ -r $stamp && $(<"$stamp") == "$wanted" ]] &&
    "$python" -W ignore -c 'import torch, torch_geometric, numpy, jpype, neuralogic, nanobind, duckdb' 2>/dev/null; then
    return
  fi
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    run_step "making the Python environment .venv" "Try: python3 -m venv --clear '$ROOT/.venv'" \
      make_venv "$ROOT/.venv"
  fi
  run_step "installing PyTorch Geometric, PyKEEN, NeuraLogic, nanobind and DuckDB into .venv" "Is PyPI reachable? Start this again." \
    "$python" -m pip install --disable-pip-version-check --progress-bar off \
    "${files[@]/#/--requirement=}"
  mkdir -p "$CACHE_DIR"
  printf '%s\n' "$wanted" >"$stamp"
}
