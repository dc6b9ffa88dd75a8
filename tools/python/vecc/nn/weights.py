"""Weights that a model is given, by the names and shapes that it has for them."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Mapping

import numpy as np

from vecc.arrays import as_array
from vecc.error import usage_error
from vecc.nn.complete import check_complete
from vecc.nn.peers import arrays_of
from vecc.nn.trace import GRAPHS, Category, Shape, Trace, describe


def given_weights(weights: Any, trace: Trace, shapes: Mapping[str, Shape]) -> Dict[str, np.ndarray]:
    """Of a mapping, a state_dict or a module; `shapes` of the model's own."""
    if not isinstance(weights, Mapping) and not hasattr(weights, "state_dict"):
        raise usage_error("weights", f"found {describe(weights)}, expected arrays by their names, a "
                          "state_dict, or a module of torch")
    found, arrays = arrays_of(weights, trace.calls.of), {}
    for name, value in found.items():
        name = name if name in trace.tables else name.replace(".", "/")
        if name.rpartition("/")[2] == "num_batches_tracked":  # a batch norm's, without a use
            continue
        if name in trace.calls.constants:
            _check_constant(name, as_array(value, np.float64), trace.calls.constants[name])
            continue
        if name not in trace.tables:  # PyG's BatchNorm holds torch's
            name = name.replace("/module/", "/")
        if name not in trace.tables and name.removesuffix("/weight") in trace.tables:
            name = name.removesuffix("/weight")  # torch's Embedding
        if name not in trace.tables:
            raise usage_error("weights", f"there are none called {name!r}; there are: "
                              f"{', '.join(trace.tables)}{_named(name, found, trace)}")
        array = as_array(value, np.float64)
        if _long(array.shape) != _long(shapes[name]):
            raise usage_error("weights", f"{name!r} are {list(array.shape)}, expected "
                              f"{list(shapes[name])}{_counted(name, array, trace)}")
        arrays[name] = array
    if not isinstance(weights, Mapping):
        check_complete(weights, trace, arrays)
    return arrays


def _counted(name: str, array: np.ndarray, trace: Trace) -> str:
    """The way out where a table has a row for each value that the traced data has, and the other
    one for each that there is."""
    category = next((value.attributes["category"] for value in trace.values
                     if value.op == "row" and value.attributes["table"].name == name), None)
    rows = array.shape[0] if array.ndim else 0
    if category is None or rows <= trace.tables[name].count:
        return ""
    return (f", a row for each value of {category.name!r} that the traced data has: "
            f"{_read(category, trace)}.with_count({rows}) has more")


def _read(category: Category, trace: Trace) -> str:
    """As a model reads it: g.z, or of one of several sets g['paper'].z."""
    domain = category.domain._replace(loops=None)
    if domain.are_pairs or domain == GRAPHS:
        return f"g.{'pairs' if domain.are_pairs else 'graphs'}.{category.name}"
    several = sum(each.kind == domain.kind and not each.are_pairs for each in trace.features) > 1
    key = domain.key if isinstance(domain.key, str) else tuple(domain.key)
    return f"g{f'[{key!r}]' if several else ''}.{category.name}".replace("[(", "[").replace(")]", "]")


def _named(name: str, given: Iterable[str], trace: Trace) -> str:
    """A layer's name that the call may lack: weights of the model, which are not `given`, have
    these names but for one word."""
    parts = name.split("/")
    others = {each.replace(".", "/") for each in given}
    for own in [*trace.tables, *trace.calls.constants]:
        pairs = list(zip(parts, own.split("/")))
        differ = [word for word, other in pairs if word != other]
        if own not in others and own.count("/") + 1 == len(parts) > 1 == len(differ) and (
                differ[0] != parts[-1]):
            return f"; did you forget name=\"{differ[0]}\"?"
    return ""


def _check_constant(name: str, array: np.ndarray, own: float) -> None:
    if array.size != 1 or not (np.isnan(own) or np.isclose(array, own, rtol=1e-6, atol=0).all()):
        raise usage_error("weights", f"{name!r} is {array.ravel()[:1].tolist()}, but the model's "
                          f"layer has {own}: it is an argument there, and not learned")


def _long(shape: Shape) -> Shape:
    return tuple(side for side in shape if side != 1)
