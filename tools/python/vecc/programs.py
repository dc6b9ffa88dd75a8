"""The programs that a wheel carries, as an environment's bin starts them: vecc, vecc-learn, vecc-kg,
vecc-ground, vecc-import, vecc-opt."""

import os
import sys
from pathlib import Path

from vecc.compiler import choose_compiler


def _start(name: str) -> None:
    choose_compiler()
    path = str(Path(__file__).parent / "bin" / name)
    os.execv(path, [path] + sys.argv[1:])


def vecc() -> None:
    _start("vecc")


def vecc_learn() -> None:
    _start("vecc-learn")


def vecc_kg() -> None:
    _start("vecc-kg")


def vecc_ground() -> None:
    _start("vecc-ground")


def vecc_import() -> None:
    _start("vecc-import")


def vecc_opt() -> None:
    _start("vecc-opt")
