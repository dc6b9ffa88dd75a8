"""Weights of a model as a module of PyTorch Geometric has them: set_weights() the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Mapping

import numpy as np

from vecc.arrays import as_array
from vecc.error import usage_error
from vecc.nn.trace import Shape, Trace, describe
from vecc.nn.weights import given_weights

if TYPE_CHECKING:
    import torch


def state_dict_of(module: "torch.nn.Module", trace: Trace, shapes: Mapping[str, Shape],
                  weights: Mapping[str, np.ndarray]) -> "Dict[str, torch.Tensor]":
    """The module's entries get numbers, element by element, which are given to the model as weights
    are: there they say which element of the module each weight is."""
    import torch
    if not isinstance(module, torch.nn.Module):
        raise usage_error("state_dict_of", f"found {describe(module)}, expected a module of torch")
    given_weights(module, trace, shapes)  # its options fit
    state = module.state_dict()
    numbers: Dict[str, np.ndarray] = {}
    first = 0
    for name, tensor in state.items():
        is_argument = name.replace(".", "/") in trace.constants
        numbers[name] = as_array(tensor, np.float64) if is_argument else np.arange(
            first, first + tensor.numel(), dtype=np.float64).reshape(tuple(tensor.shape))
        first += tensor.numel()
    places = given_weights(numbers, trace, shapes)
    if missing := [name for name in trace.tables if name not in places]:
        raise usage_error("state_dict_of", f"{type(module).__name__} has no {', '.join(missing)}, "
                          "which the model has")
    flat = np.concatenate([as_array(tensor, np.float64).ravel() for tensor in state.values()])
    for name, place in places.items():
        flat[place.ravel().astype(np.int64)] = weights[name].ravel()
    parts = np.split(flat, np.cumsum([tensor.numel() for tensor in state.values()])[:-1])
    return {name: torch.from_numpy(part.copy()).reshape(tensor.shape).to(tensor)
            for (name, tensor), part in zip(state.items(), parts)}
