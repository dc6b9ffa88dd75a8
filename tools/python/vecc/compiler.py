"""The C++ compiler of the cpu backend: the machine's own, or that of the PyPI package ziglang."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import Optional

# As backends/cpu/host_compiler.cc looks for one.
_NAMES = ("c++", "g++", "clang++")


def _zig() -> Optional[str]:
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        zig = Path(folder) / "zig"
        if os.access(zig, os.X_OK):
            return str(zig)
    return None


def choose_compiler() -> None:
    """Has the cpu backend compile by ziglang where the machine has no compiler of its own and
    VECC_CXX names none."""
    if os.environ.get("VECC_CXX") or any(shutil.which(name) for name in _NAMES):
        return
    zig = _zig()
    if zig is not None:
        os.environ["VECC_ZIG"] = zig
        os.environ["VECC_CXX"] = str(Path(__file__).with_name("zig-c++"))
