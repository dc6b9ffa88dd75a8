"""torch.nn.Sequential beside nn.layers.mlp: what has no weights shows in none of their names."""

from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence,
                    Set)

from vecc.error import usage_error
from vecc.nn.calls import Call
from vecc.nn.ops import ELU

if TYPE_CHECKING:
    import torch

    from vecc.nn.trace import Trace, Value

At = Set[int]  #: ids of values that are what the modules so far make
#: Of a module: its function in a trace; None where no function here is that.
Function = Callable[[Any], Optional[str]]


def _if(text: str, holds: bool) -> Optional[str]:
    return text if holds else None


#: Modules behind the last linear layer, as the model applies them to what mlp() makes.
_FUNCTIONS: Dict[str, Function] = {
    "ReLU": lambda part: "relu", "Tanh": lambda part: "tanh", "Sigmoid": lambda part: "sigmoid",
    "GELU": lambda part: _if("gelu", part.approximate == "none"),
    "LeakyReLU": lambda part: f"leakyrelu({float(part.negative_slope)!r})",
    "ELU": lambda part: _if(ELU, part.alpha == 1), "SiLU": lambda part: "elproduct($0, $1)",
    "Softmax": lambda part: _if("softmax", part.dim in (-1, 1, None))}
_WRITTEN = {"LeakyReLU": "nn.leaky_relu(nn.layers.mlp(...), slope)",
            "ELU": "nn.elu(nn.layers.mlp(...))",
            "SiLU": "v * nn.sigmoid(v) of v = nn.layers.mlp(...)"}
_PASSED = {"Identity", "Dropout"}  #: outside of training
_NORMS = {"LayerNorm": "layer_norm", "BatchNorm1d": "batch_norm", "BatchNorm": "batch_norm"}


def check_sequential(path: str, part: "torch.nn.Module", call: Call,
                     calls: Mapping[str, Sequence[Call]]) -> None:
    """That this call of mlp() is what the modules do: linear layers with relu between, and behind
    them what the model has behind mlp()."""
    if not any(each.__module__ == "torch.nn.modules.container" and each.__name__ == "Sequential"
               for each in type(part).__mro__):
        return
    # children() names a module that is there twice once.
    parts = list(part._modules.items())
    own = ["ReLU" if number % 2 else "Linear" for number in range(2 * call.arguments["layers"] - 1)]
    begin = (f"{path} is Sequential({', '.join(type(each).__name__ for _, each in parts)}), but the "
             f"model calls mlp(name={path.rpartition('.')[2]!r}), which is "
             f"Sequential({', '.join(own)}): ")
    if len(parts) < len(own) or not all(kind in _kinds(each) for kind, (_, each) in zip(own, parts)):
        _refuse(begin + 'nn.linear(x, n, bias=True, name="0") and so on, with functions between')
    at: Optional[At] = {id(call.made)}
    for key, behind in parts[len(own):]:
        assert at is not None
        at = _behind(behind, f"{path}.{key}".replace(".", "/"), _through(at, call.made.trace), calls,
                     call.made.trace)
        if at is None:
            _refuse(begin + _way_out(behind))


def _refuse(message: str) -> NoReturn:
    raise usage_error("weights", message)


def _kinds(part: Any) -> List[str]:
    return [each.__name__ for each in type(part).__mro__]


def _kind(part: Any, known: Mapping[str, Any]) -> Optional[str]:
    return next((kind for kind in _kinds(part) if kind in known), None)


def _way_out(part: Any) -> str:
    kind = _kind(part, _FUNCTIONS)
    if kind is None or _FUNCTIONS[kind](part) is None:
        return (f"{type(part).__name__} behind it is not compared; "
                "model.set_weights(module.state_dict()) compares no functions")
    return _WRITTEN.get(kind, f"nn.{_FUNCTIONS[kind](part)}(nn.layers.mlp(...))")


def _through(at: At, trace: "Trace") -> At:
    """And what is the same outside of training, in another shape."""
    found = set(at)
    for value in trace.values:
        if value.op in ("dropout", "reshape") and id(value.args[0]) in found:
            found.add(id(value))
    return found


def _behind(part: Any, name: str, at: At, calls: Mapping[str, Sequence[Call]], trace: "Trace"
            ) -> Optional[At]:
    """What the module makes of it in the model; None where the model does something else, or what
    it does is not known."""
    if _PASSED & set(_kinds(part)):
        return at
    function = _kind(part, _FUNCTIONS)
    if function is not None:
        text = _FUNCTIONS[function](part)
        return {id(value) for value in trace.values if text is not None
                and _is_of(value, text, at)} or None
    own = list(calls.get(name, ()))
    if not own and part.state_dict():
        return set(map(id, trace.values))  # a layer of the user's own
    if not own and (norm := _kind(part, _NORMS)) is not None:  # without weights, so without a name
        own = [call for each in calls.values() for call in each if call.layer == _NORMS[norm]]
    return {id(call.made) for call in own if id(call.arguments["x"]) in at} or None


def _is_of(value: "Value", text: str, at: At) -> bool:
    """Whether it is this function of one of these values."""
    if value.op not in ("transform", "map"):
        return False
    own = value.attributes["function" if value.op == "transform" else "expression"]
    if own != text:
        return False
    read = [arg for arg in value.args if id(arg) in at]
    others = [arg for arg in value.args if id(arg) not in at]
    return bool(read) and all(arg.op == "transform" and arg.attributes["function"] == "sigmoid"
                              and id(arg.args[0]) in at for arg in others) and (
        len(value.args) == 1 or len(others) == 1)  # v * sigmoid(v)
