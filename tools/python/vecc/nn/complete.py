"""That a module has all weights of the layers that get them, and what to write where it has not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Container, Dict, Iterator, List, NamedTuple, Optional

from vecc.error import usage_error
from vecc.nn.calls import Call

if TYPE_CHECKING:
    import torch

    from vecc.nn.trace import Trace

#: Arguments of layers by the weights that there are with them.
_OPTIONS = {"affine": "weight|bias", "bias": r"((lin_\w+|rnn)/)?bias(_[ih]h)?",
            "root_weight": "root|(lin|lin_r|lin_skip)/weight", "beta": "lin_beta/weight",
            "residual": "res/weight"}
#: Without a call of their own.
_OF_TORCH: Dict[str, Call] = {"GRUCell": Call("gru", {"bias": True}, None)}
_WITHOUT_SHARED = ("linear", "mlp")


class _Missing(NamedTuple):
    path: str
    part: "torch.nn.Module"
    call: Optional[Call]
    names: List[str]
    way_out: str  #: "": there is no argument for it


def check_complete(module: "torch.nn.Module", trace: "Trace", given: Container[str]) -> None:
    """What it was made without (bias, root_weight) would stay as it began, at random, and outputs
    would be others; so would those of a layer that the module calls again, and the model has
    twice."""
    for name in trace.tables:
        if name not in given:
            _check_second(name, trace, given)
    found = list(_missing(module, trace, given))
    for path, part, call, names, way_out in sorted(found, key=lambda each: not each.way_out)[:1]:
        has = "the model has" if call is None else f"the model's {call.layer}() has"
        raise usage_error("weights", f"{path or 'the module'} is {type(part).__name__} without "
                          f"{', '.join(names)}, which {has}{way_out and ': '}{way_out}; "
                          "model.set_weights(module.state_dict()) lets them stay as they are")


def _check_second(name: str, trace: "Trace", given: Container[str]) -> None:
    """Of names that the trace made."""
    for second, first in trace.seconds.items():
        if name != second and not name.startswith(f"{second}/") or (
                first + name[len(second):] not in given):
            continue
        own = trace.calls.of.get(first)
        if own and own[0].layer not in _WITHOUT_SHARED:
            way_out = "one that is called again has the same name= and shared=True"
        else:
            way_out = ("weights that are read again are made once, in a layer of one's own, "
                       "@nn.layer, which has name= and shared=True")
        raise usage_error("weights", f"the module has no {name}, of a second layer of its name: "
                          f"{way_out}; model.set_weights(module.state_dict()) lets it stay as it is")


def _missing(module: "torch.nn.Module", trace: "Trace", given: Container[str]
             ) -> Iterator[_Missing]:
    """Of layers here, and of modules that have weights and no modules in them."""
    for path, part in module.named_modules(remove_duplicate=False):
        layer = path.removesuffix(".module").replace(".", "/")
        call = next(iter(trace.calls.of.get(layer, ())), _OF_TORCH.get(type(part).__name__))
        is_leaf = next(part.children(), None) is None and bool(part.state_dict())
        if is_leaf or (call is not None and call.layer != "mlp"):
            begin = f"{layer}/" if layer else ""
            names = [name for name in trace.tables if name.startswith(begin) and name not in given]
            if names:
                yield _Missing(path, part, call, names, _way_out(layer, call, [
                    name[len(begin):] for name in names], trace))


def _way_out(layer: str, call: Optional[Call], names: List[str], trace: "Trace") -> str:
    """The arguments that leave all of these out, if the layer has such."""
    if call is None:
        return ""
    around = trace.calls.of.get(layer.rpartition("/")[0])
    if call.layer == "linear" and around and around[0].layer == "mlp":
        return f'nn.linear(x, n, name="{"/".join(layer.split("/")[-2:])}") in mlp\'s place has none'
    found = []
    for name in names:
        own = [option for option, of in _OPTIONS.items() if call.arguments.get(option) is True
               and re.fullmatch(of, name)]
        if not own:
            return ""
        found.append(f"{own[-1]}=False")
    options = sorted(set(found))
    leave = "leave" if len(options) > 1 else "leaves"
    return f"{' and '.join(options)} {leave} {'them' if len(names) > 1 else 'it'} out"
