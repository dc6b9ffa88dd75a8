"""Weights of PyTorch Geometric's modules by the names and shapes that the same layers have here."""

from __future__ import annotations

from functools import reduce
from types import MappingProxyType
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NoReturn, Sequence, Tuple,
                    Union)

import numpy as np

from vecc.error import usage_error
from vecc.nn.calls import Call
from vecc.nn.data import any_array
from vecc.nn.sequentials import check_sequential
from vecc.nn.trace import is_number

if TYPE_CHECKING:
    import torch

Arrays = Dict[str, Any]

CallsOf = Mapping[str, Sequence[Call]]  #: as Calls has them
NO_CALLS: CallsOf = MappingProxyType({})

_LOOPS = {"fill_value": "mean", "aggr": "add"}
#: Options without weights that layers here do not have, with what they are as if they had.
_ONLY: Dict[str, Dict[str, Any]] = {
    "GCNConv": {"improved": False, "normalize": True, "aggr": "add"},
    "GATConv": _LOOPS,
    "GATv2Conv": {**_LOOPS, "share_weights": False},  # training would make them two
    "GINConv": {"aggr": "add"}, "GINEConv": {"aggr": "add"},
    "TransformerConv": {"aggr": "add"}, "RGCNConv": {"aggr": "mean", "num_blocks": None},
    "RGATConv": {"mod": None, "attention_mechanism": "across-relation",
                 "attention_mode": "additive-self-attention", "aggr": "add", "concat": True},
    "FiLMConv": {"aggr": "mean", "act": "relu"}, "GatedGraphConv": {"aggr": "add"},
    "HGTConv": {"aggr": "add"}, "GENConv": {"aggr": "softmax", "aggr_module.semi_grad": False},
    "APPNP": {"normalize": True, "dropout": 0.0, "add_self_loops": True, "aggr": "add"},
    "LayerNorm": {"mode": "node"}, "BatchNorm1d": {"track_running_stats": True}}

_ATTENTION = {"negative_slope": "slope", "add_self_loops": "self_loops", "concat": "concatenated",
              "dropout": "dropout"}
_NORM = {"eps": "eps", "momentum": "momentum"}
#: Options without weights that are arguments of the layer here, by their names there.
_ARGUMENTS: Dict[str, Dict[str, str]] = {
    "gat": _ATTENTION, "gatv2": _ATTENTION, "rgat": _ATTENTION,
    "transformer": {**_ATTENTION, "root_weight": "root_weight"},
    "gcn": {"add_self_loops": "self_loops"}, "appnp": {"K": "steps", "alpha": "alpha"},
    "sage": {"aggr": "aggregation", "normalize": "normalize", "project": "project"},
    "rgcn": {"num_bases": "bases"}, "edge": {"aggr": "aggregation"},
    "nn_conv": {"aggr": "aggregation"}, "batch_norm": _NORM, "layer_norm": _NORM,
    "gen": {"aggr_module.t": "temperature", "eps": "eps"},
    "pna": {"aggr_module.aggr.aggrs": "aggregations", "aggr_module.scaler": "scalers"}}

_NONE = object()  # what an option is that a module does not have


def arrays_of(weights: "Union[Mapping[str, Any], torch.nn.Module]", calls: CallsOf = NO_CALLS
              ) -> Arrays:
    """Arrays by name as vecc.nn.layers have them, which have no lists for relations, heads or
    steps. `calls`: of the model that gets them; the options of a module are compared with theirs."""
    lists = {path.replace("/", "."): own[0].layer for path, own in calls.items()}
    if isinstance(weights, Mapping):
        found = dict(weights)
    else:
        found = dict(weights.state_dict())
        for path, part in weights.named_modules(remove_duplicate=False):
            _check_options(path, part, calls)
            if type(part).__name__ in _LISTS:
                lists[path] = _LISTS[type(part).__name__]
    for name, value in found.items():
        if type(value).__name__ in ("UninitializedParameter", "UninitializedBuffer"):
            raise usage_error("weights", f"{name} has no shape yet: expected a module that was "
                              "called once, or was made with its number of inputs")
    for path, made in calls.items():
        for what in _unused(made[0]):
            found.pop(f"{path.replace('/', '.')}.{what}", None)
    for path, function in lists.items():
        if function not in _CONVERT:
            continue
        prefix = f"{path}." if path else ""
        own = {name[len(prefix):]: found.pop(name) for name in list(found)
               if name.startswith(prefix)}
        found.update((prefix + name, array) for name, array in _CONVERT[function](own).items())
    return found


def _unused(call: Call) -> Tuple[str, ...]:
    """Names of weights that PyG makes for such a layer, but does not use."""
    if call.layer == "transformer" and not call.arguments["root_weight"]:
        return "lin_skip.weight", "lin_skip.bias"
    return ("w", "l1", "b1", "l2", "b2") if call.layer == "rgat" else ()  # of its mod=


def _check_options(path: str, part: "torch.nn.Module", calls: CallsOf) -> None:
    """Outputs would be others with the same weights, and nothing would say so. What no layer here
    replaces is for who ports it."""
    name, layer = type(part).__name__, path.removesuffix(".module")  # PyG's BatchNorm holds torch's
    own = [call for call in calls.get(layer.replace(".", "/"), ()) if call.layer != "linear"]
    others = [call for each in calls.values() for call in each  # APPNP's call needs no name
              if call.layer == "appnp"] if name == "APPNP" and not own else []
    if own or others:
        _check_only(path, part)
    for call in own:
        if call.layer == "mlp":
            check_sequential(path, part, call, calls)
        elif differ := _difference(part, call):
            _refuse_option(path, part, call, differ)
    differences = [_difference(part, call) for call in others]
    if differences and all(differences):
        _refuse_option(path, part, others[-1], differences[-1])


def _check_only(path: str, part: "torch.nn.Module") -> None:
    """Options that no layer here has."""
    name = type(part).__name__
    only = dict(_ONLY.get(name, {}))
    if any(each.__name__ == "MessagePassing" for each in type(part).__mro__):
        only["flow"] = "source_to_target"
    if getattr(part, "edge_dim", None) is None:
        only.pop("fill_value", None)  # of features that loops do not have
    if getattr(part, "heads", None) == 1:
        only.pop("concat", None)  # the mean of one is that one
    for option, value in only.items():
        own = _option(part, option)
        if own is not _NONE and not _equal(option, own, value):
            raise usage_error("weights", f"{path or 'the module'} is {name}({_last(option)}={own!r})"
                              f", but vecc.nn has {_last(option)}={value!r} alone; for a layer of "
                              "one's own that does the same: "
                              "model.set_weights(module.state_dict())")


def _difference(part: "torch.nn.Module", call: Call) -> Tuple[str, ...]:
    """The first option that the module has otherwise, and the argument that it is here."""
    return next(((option, argument) for option, argument in _ARGUMENTS.get(call.layer, {}).items()
                 if _differs(part, option, call.arguments.get(argument, _NONE))), ())


def _refuse_option(path: str, part: "torch.nn.Module", call: Call, differ: Tuple[str, ...]
                   ) -> NoReturn:
    option, argument = differ
    raise usage_error("weights", f"{path} is {type(part).__name__}({_last(option)}="
                      f"{_shown(_option(part, option))!r}), but the model calls {call.layer}("
                      f"{argument}={call.arguments[argument]!r}, "
                      f"name={path.removesuffix('.module')!r})")


def _option(part: Any, option: str) -> Any:
    return reduce(lambda found, word: getattr(found, word, _NONE), option.split("."), part)


def _shown(own: Any) -> Any:
    return [_aggregation(each) for each in own] if type(own).__name__ == "ModuleList" else own


def _last(option: str) -> str:
    return option.rpartition(".")[2]


def _differs(part: Any, option: str, given: Any) -> bool:
    own = _option(part, option)
    if own is _NONE or given is _NONE:
        return False
    if option == "concat" and getattr(part, "heads", None) == 1:
        return False  # the mean of one is that one
    return not _equal(option, own, given)


def _equal(option: str, own: Any, value: Any) -> bool:
    if isinstance(value, (list, tuple)):  # PNAConv's
        return [_aggregation(each) for each in own] == [_aggregation(each) for each in value]
    if option == "aggr":
        return _aggregation(own) == _aggregation(value)
    if option == "act":
        return bool(str(getattr(own, "__name__", type(own).__name__)).lower() == value)
    if getattr(own, "requires_grad", False):
        return True  # it is learned, and then among the weights
    if is_number(own) and is_number(value):
        return bool(np.float32(own) == np.float32(value))
    return own is value or bool(np.all(own == value))


def _aggregation(aggr: Any) -> str:
    """"mean" of MeanAggregation() and of ["mean"], too."""
    if isinstance(aggr, (list, tuple)) and len(aggr) == 1:
        aggr = aggr[0]
    word = str(aggr).partition("(")[0].removesuffix("Aggregation").lower()
    return "add" if word == "sum" else word


def _film(arrays: Arrays) -> Arrays:
    """Of each relation a row."""
    rest, lists = dict(arrays), {}
    for of, what in (("lins", "weight"), ("films", "weight"), ("films", "bias")):
        rows: List[np.ndarray] = []
        while f"{of}.{len(rows)}.{what}" in rest:
            rows.append(any_array(rest.pop(f"{of}.{len(rows)}.{what}")))
        if rows:
            lists[f"{of}.{what}"] = np.stack(rows)
    return {**rest, **lists}


def _gated_graph(arrays: Arrays) -> Arrays:
    rest = dict(arrays)
    steps = rest.pop("weight", ())
    return {**rest, **{f"weight.{step}": array for step, array in enumerate(steps)}}


def _hgt(arrays: Arrays) -> Arrays:
    """What PyG makes but does not use is left out: of types without incoming edges, and the mix of
    inputs and outputs of different sizes. Relations are in the order of their p_rel."""
    begin, ends = "kqv_lin.lins.", (".weight", ".bias")
    nodes = [name[len(begin):-len(ends[0])] for name in arrays
             if name.startswith(begin) and name.endswith(ends[0])]
    if not nodes:  # no module's
        return arrays
    labels = [name[len("p_rel."):] for name in arrays if name.startswith("p_rel.")]
    found: Arrays = {}
    for node in nodes:
        has_edges = any(label.endswith(f"__{node}") for label in labels)
        rows = any_array(arrays[f"{begin}{node}.weight"])
        for end in ends:
            parts = np.split(any_array(arrays[f"{begin}{node}{end}"]), 3)
            found.update((f"{each}.{node}{end}", part) for each, part in zip("kqv", parts))
            if has_edges:
                found[f"out_lin.{node}{end}"] = arrays[f"out_lin.lins.{node}{end}"]
        if has_edges and 3 * rows.shape[1] == rows.shape[0]:
            found[f"skip.{node}"] = arrays[f"skip.{node}"]
    for number, label in enumerate(labels):
        scores = any_array(arrays[f"p_rel.{label}"]).ravel()
        for head, score in enumerate(scores):
            for what in ("k_rel", "v_rel"):
                found[f"{what}.{label}.{head}"] = any_array(
                    arrays[f"{what}.weight"])[head * len(labels) + number]
            found[f"p_rel.{label}.{head}"] = score
    return found


#: By the layer here.
_CONVERT: Dict[str, Callable[[Arrays], Arrays]] = {
    "film": _film, "gated_graph": _gated_graph, "hgt": _hgt}
_LISTS = {"FiLMConv": "film", "GatedGraphConv": "gated_graph", "HGTConv": "hgt"}
