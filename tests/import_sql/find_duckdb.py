#!/usr/bin/env python3
"""Prints what VECC_DUCKDB has to be for the library inside Python's package `duckdb`, or nothing.

The package's module has the C API, and needs Python's own library before it.
"""

import importlib.util
import sysconfig
from pathlib import Path


def main() -> None:
    module = importlib.util.find_spec("_duckdb")
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    python = Path(folder or "", name or "none")
    if module is not None and module.origin and python.is_file() and ".so" in python.name:
        print(f"{python}:{module.origin}")


if __name__ == "__main__":
    main()
