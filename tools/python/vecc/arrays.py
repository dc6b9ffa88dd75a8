"""Arrays of any library as NumPy arrays: nothing is copied where type and order are right."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Dict, Mapping, Union

import numpy as np

from vecc.error import usage_error

if TYPE_CHECKING:
    import torch

#: By the graph's names. A path: a weight file; a module: what Program.to_torch() returned.
Weights = Union[Mapping[str, Any], "os.PathLike[str]", str, "torch.nn.Module"]


def as_array(value: Any, dtype: Any) -> np.ndarray:
    """In C order; reads lists, NumPy arrays, torch tensors, and all that speaks DLPack."""
    if getattr(value, "is_meta", False):
        raise usage_error("arrays", "found a torch tensor on the device meta, which has no numbers, "
                          "expected one on a device that has")
    if hasattr(value, "detach"):  # a torch tensor: without its history, on the CPU
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":  # which NumPy does not have
            value = value.float()
        value = value.numpy()
    elif not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        value = np.from_dlpack(value)
    return np.require(value, dtype, "C")


def by_name(weights: Weights) -> Dict[str, Any]:
    """Of a mapping, or of an emitted module, whose attributes WEIGHTS names."""
    if isinstance(weights, Mapping):
        return dict(weights)
    names = getattr(sys.modules.get(type(weights).__module__), "WEIGHTS", None)
    if names is None:
        raise TypeError(f"weights are a mapping of names to arrays, a path, or a module of "
                        f"Program.to_torch(), not {type(weights).__name__}")
    return {name: getattr(weights, attribute) for attribute, name in names.items()}


def give_weights(core: Any, weights: Weights, matching: bool) -> None:
    """To a graph or a program. `matching`: of a file, what is in both."""
    if isinstance(weights, (str, os.PathLike)):
        core.load_weights(os.fspath(weights), matching)
    else:
        core.set_weights([(name, as_array(value, np.float64))
                          for name, value in by_name(weights).items()])
