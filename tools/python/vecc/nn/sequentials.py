"""torch.nn.Sequential beside nn.layers.mlp: what has no weights shows in none of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Mapping

from vecc.error import usage_error

if TYPE_CHECKING:
    import torch

    from vecc.nn.trace import Value

#: Modules behind the last linear layer, as the function that the model applies to what mlp() makes.
_FUNCTIONS = {"ReLU": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "GELU": "gelu"}


def check_sequential(path: str, part: "torch.nn.Module", arguments: Mapping[str, Any]) -> None:
    """That mlp() computes what the modules do: linear layers with relu between, and behind them
    what the model has behind mlp()."""
    if not any(each.__module__ == "torch.nn.modules.container" and each.__name__ == "Sequential"
               for each in type(part).__mro__):
        return
    # children() names a module that is there twice once.
    names = [type(each).__name__ for each in part._modules.values()]
    own = ["ReLU" if number % 2 else "Linear" for number in range(2 * arguments["layers"] - 1)]
    behind, applied = names[len(own):], _applied(arguments["value"])
    missing = next((each for each in behind if _FUNCTIONS.get(each, "") not in ("", *applied)), None)
    if names[:len(own)] == own and (missing is None or "Linear" in behind):
        return  # weights of more layers are refused by their names
    way_out = (f"nn.{_FUNCTIONS[missing]}(nn.layers.mlp(...))" if names[:len(own)] == own and missing
               else 'nn.linear(x, n, bias=True, name="0") and so on, with functions between')
    raise usage_error("weights", f"{path} is Sequential({', '.join(names)}), but the model calls "
                      f"mlp(name={path.rpartition('.')[2]!r}), which is Sequential({', '.join(own)})"
                      f": {way_out}")


def _applied(value: "Value") -> List[str]:
    """The functions of this value in the model."""
    return [str(other.attributes["function"]) for other in value.trace.values
            if other.op == "transform" and any(each is value for each in other.args)]
