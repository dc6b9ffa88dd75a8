"""Program.to_torch(): the module that --emit=python writes, imported from a temporary folder."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Optional

import torch

if TYPE_CHECKING:
    from vecc.program import Program

_numbers = itertools.count(1)


def make_module(program: "Program", dtype: Optional[torch.dtype],
                loss: Optional[str]) -> torch.nn.Module:
    # The folder stays as long as the module's code: tracebacks and torch.compile read the source.
    holder = tempfile.TemporaryDirectory(prefix="vecc-module-")
    folder = Path(holder.name) / "module"
    program.emit("python", folder, loss=loss)
    name = f"vecc_emitted_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, folder / "model.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as torch.export and copy.deepcopy look for classes
    spec.loader.exec_module(module)
    vars(module)["holder"] = holder
    if dtype is None:
        dtype = {"float32": torch.float32, "float64": torch.float64}[program.dtype.name]
    model: torch.nn.Module = module.Model(dtype=dtype)
    return model
