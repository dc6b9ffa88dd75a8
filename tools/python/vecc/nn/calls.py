"""Calls of vecc.nn's own layers: what each is, and that those of the same weights are one layer."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Set, TypeVar

from vecc.nn.places import fail

Made = TypeVar("Made")


class Call(NamedTuple):
    layer: str
    arguments: Mapping[str, Any]
    made: Any


class Calls:
    """By the names of their weights, which several calls may share."""

    def __init__(self) -> None:
        self.of: Dict[str, List[Call]] = {}
        #: Arguments of layers that a state_dict has; NaN: any.
        self.constants: Dict[str, float] = {}
        #: Weights in the order in which they are made, or had once more.
        self.read: List[str] = []
        self._reads: Dict[str, Set[str]] = {}  # those of each first call

    def add(self, name: str, layer: str, arguments: Mapping[str, Any],
            function: Callable[[], Made]) -> Made:
        """function(), which makes the layer's values. With the weights of a call before it has to be
        the same layer, of as many weights: a module of torch is one layer, and has them all."""
        begin, known = len(self.read), self.of.get(name)
        if known and known[0].layer != layer:
            fail(f"{layer}(name={name!r}) has the weights of {known[0].layer}(name={name!r}): "
                  "expected the same layer")
        made = function()
        reads = set(self.read[begin:])
        if other := reads ^ self._reads.setdefault(name, reads):
            fail(f"of {layer}(name={name!r}), which is called again with the same weights, one call "
                  f"has {', '.join(sorted(other))} and the other one has not: expected the same "
                  "options (bias=, root_weight=) and networks")
        self.of.setdefault(name, []).append(Call(layer, arguments, made))
        return made

    def add_constant(self, name: str, value: float) -> None:
        known = self.constants.get(name, math.nan)
        if known != value and not math.isnan(known) and not math.isnan(value):
            fail(f"{name!r} is {value!r}, but {known!r} in the call before that has the same "
                  "weights: expected the same")
        self.constants[name] = known if math.isnan(value) else value
