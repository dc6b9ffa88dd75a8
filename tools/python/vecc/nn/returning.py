"""Weights of a model as a module of PyTorch Geometric has them: set_weights() the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Mapping, Tuple

import numpy as np

from vecc.arrays import as_array
from vecc.error import usage_error
from vecc.nn.trace import Shape, Trace, describe
from vecc.nn.weights import given_weights

if TYPE_CHECKING:
    import torch


def state_dict_of(module: "torch.nn.Module", trace: Trace, shapes: Mapping[str, Shape],
                  weights: Mapping[str, np.ndarray]) -> "Dict[str, torch.Tensor]":
    """The module's elements have numbers, which are given to the model as weights are: there they
    say which element of the module each weight is."""
    import torch
    if not isinstance(module, torch.nn.Module):
        raise usage_error("state_dict_of", f"found {describe(module)}, expected a module of torch")
    given_weights(module, trace, shapes)  # its options fit
    state = module.state_dict()
    elements = _elements(state)
    arguments = {name for name in state if name.replace(".", "/") in trace.calls.constants}
    places = given_weights({
        name: as_array(state[name], np.float64) if name in arguments else
        numbers.astype(np.float64) for name, numbers in elements.items()}, trace, shapes)
    if missing := [name for name in trace.tables if name not in places]:
        raise usage_error("state_dict_of", f"{type(module).__name__} has no {', '.join(missing)}, "
                          "which the model has")
    made = _placed({name: place.ravel().astype(np.int64) for name, place in places.items()}, weights,
                   type(module).__name__)
    result = {}
    for name, tensor in state.items():
        array = as_array(tensor, np.float64).copy()
        of_model = np.isin(elements[name], made[0])
        array[of_model] = made[1][np.searchsorted(made[0], elements[name][of_model])]
        result[name] = torch.from_numpy(array).reshape(tensor.shape).to(tensor)
    return result


def _elements(state: "Mapping[str, torch.Tensor]") -> Dict[str, np.ndarray]:
    """A number of each element, which is the same of all entries that are one tensor, or views of
    one: its address."""
    result = {}
    for name, tensor in state.items():
        place = np.full(tuple(tensor.shape), tensor.data_ptr(), np.int64)
        for axis, (side, stride) in enumerate(zip(tensor.shape, tensor.stride())):
            steps = np.arange(side, dtype=np.int64) * (stride * tensor.element_size())
            place += steps.reshape([-1 if each == axis else 1 for each in range(tensor.dim())])
        result[name] = place
    return result


def _placed(places: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray], what: str
            ) -> Tuple[np.ndarray, np.ndarray]:
    """Elements of the module, ascending, and what the model has for each. Where the module has one
    tensor and the model several, these have to be equal still."""
    if not places:
        return np.zeros(0, np.int64), np.zeros(0)
    names = list(places)
    elements = np.concatenate([places[name] for name in names])
    values = np.concatenate([weights[name].ravel() for name in names])
    owner = np.repeat(np.arange(len(names)), [places[name].size for name in names])
    found, first, each = np.unique(elements, return_index=True, return_inverse=True)
    differ = np.flatnonzero(values != values[first][each.ravel()])
    if differ.size:
        one, other = owner[first][each.ravel()[differ[0]]], owner[differ[0]]
        raise usage_error("state_dict_of", f"{names[one]} and {names[other]} are one tensor of "
                          f"{what}, but two of the model, whose values differ: expected one weight "
                          "that both read, as name= with shared=True has it")
    return found, values[first]
