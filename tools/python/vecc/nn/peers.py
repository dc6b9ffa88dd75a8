"""Weights of PyTorch Geometric's modules by the names and shapes that the same layers have here."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Callable, Dict, Mapping, Tuple

import torch

from vecc.error import usage_error

Arrays = Dict[str, Any]

Calls = Mapping[str, Tuple[str, Mapping[str, Any]]]  #: as Trace has them
NO_CALLS: Calls = MappingProxyType({})

#: Options without weights that layers here do not have, with what they are as if they had.
_ONLY: Dict[str, Dict[str, Any]] = {
    "GCNConv": {"improved": False, "normalize": True}, "SAGEConv": {"normalize": False},
    "GATConv": {"fill_value": "mean"}, "GATv2Conv": {"fill_value": "mean"},
    "TransformerConv": {"root_weight": True}, "RGCNConv": {"aggr": "mean"},
    "RGATConv": {"mod": None, "attention_mechanism": "across-relation",
                 "attention_mode": "additive-self-attention"},
    "FiLMConv": {"aggr": "mean"}, "GatedGraphConv": {"aggr": "add"}, "LayerNorm": {"mode": "node"},
    "APPNP": {"normalize": True, "dropout": 0.0}}

_ATTENTION = {"negative_slope": "slope", "add_self_loops": "self_loops", "concat": "concatenated",
              "dropout": "dropout"}
_NORM = {"eps": "eps", "momentum": "momentum"}
#: Options without weights that are arguments of the layer here, by their names there.
_ARGUMENTS: Dict[str, Dict[str, str]] = {
    "gat": _ATTENTION, "gatv2": _ATTENTION, "rgat": _ATTENTION, "transformer": _ATTENTION,
    "gcn": {"add_self_loops": "self_loops"}, "appnp": {"K": "steps", "alpha": "alpha"},
    "sage": {"aggr": "aggregation"}, "edge": {"aggr": "aggregation"},
    "nn_conv": {"aggr": "aggregation"}, "batch_norm": _NORM, "layer_norm": _NORM}


def weights_of(module: torch.nn.Module, calls: Calls = NO_CALLS) -> Arrays:
    """A state_dict; lists of weights for relations, heads or steps as vecc.nn.layers have them.
    `calls`: of the model that gets them."""
    found = dict(module.state_dict())
    for path, part in module.named_modules():
        _check_options(path, part, calls)
        convert = _CONVERT.get(type(part).__name__)
        if convert is None:
            continue
        prefix = f"{path}." if path else ""
        own = {name: found.pop(prefix + name) for name in part.state_dict()}
        found.update((prefix + name, array) for name, array in convert(part, own).items())
    return found


def _check_options(path: str, part: torch.nn.Module, calls: Calls) -> None:
    """Outputs would be others with the same weights, and nothing would say so."""
    name, layer = type(part).__name__, path.removesuffix(".module")  # PyG's BatchNorm holds torch's
    only = dict(_ONLY.get(name, {}))
    if hasattr(part, "flow"):
        only["flow"] = "source_to_target"
    for option, value in only.items():
        own = getattr(part, option, value)
        if own is not value and own != value:
            raise usage_error("weights", f"{path or 'the module'} is {name}({option}={own!r}), but "
                              f"vecc.nn has {option}={value!r} alone; for a layer of one's own "
                              "that does the same: model.set_weights(module.state_dict())")
    function, arguments = calls.get(layer.replace(".", "/"), ("", {}))
    for option, argument in _ARGUMENTS.get(function, {}).items():
        if not hasattr(part, option) or argument not in arguments:
            continue
        own, given = getattr(part, option), arguments[argument]
        if own != given and (own, given) != ("add", "sum"):
            raise usage_error("weights", f"{path} is {name}({option}={own!r}), but the model calls "
                              f"{function}({argument}={given!r}, name={layer!r})")


def _film(part: Any, arrays: Arrays) -> Arrays:
    if not isinstance(part.act, torch.nn.ReLU):
        raise usage_error("weights", f"FiLMConv(act={part.act!r}), but vecc.nn has relu alone")
    names = ("lins", "weight"), ("films", "weight"), ("films", "bias")
    return {**{name: array for name, array in arrays.items() if "_skip." in name},
            **{f"{of}.{what}": torch.stack([arrays[f"{of}.{relation}.{what}"]
                                            for relation in range(part.num_relations)])
               for of, what in names}}


def _gated_graph(part: Any, arrays: Arrays) -> Arrays:
    steps = arrays.pop("weight")
    return {**arrays, **{f"weight.{step}": array for step, array in enumerate(steps)}}


def _hgt(part: Any, arrays: Arrays) -> Arrays:
    """What PyG makes but does not use is left out: of types without incoming edges, and the mix of
    inputs and outputs of different sizes."""
    found: Arrays = {}
    for node in part.node_types:
        for what in ("weight", "bias"):
            for each, rows in zip("kqv", arrays[f"kqv_lin.lins.{node}.{what}"].chunk(3)):
                found[f"{each}.{node}.{what}"] = rows
            if node in part.dst_node_types:
                found[f"out_lin.{node}.{what}"] = arrays[f"out_lin.lins.{node}.{what}"]
        if node in part.dst_node_types and part.in_channels[node] == part.out_channels:
            found[f"skip.{node}"] = arrays[f"skip.{node}"]
    relations = len(part.edge_types_map)
    for key, number in part.edge_types_map.items():
        label = "__".join(key)
        for head in range(part.heads):
            for what in ("k_rel", "v_rel"):
                rows = arrays[f"{what}.weight"]
                found[f"{what}.{label}.{head}"] = rows[head * relations + number]
            found[f"p_rel.{label}.{head}"] = arrays[f"p_rel.{label}"][0, head]
    return found


_CONVERT: Dict[str, Callable[[Any, Arrays], Arrays]] = {
    "FiLMConv": _film, "GatedGraphConv": _gated_graph, "HGTConv": _hgt}
