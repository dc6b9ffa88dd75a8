"""What the language's functions take: each argument is checked by its annotation, and refused at
the user's line with what was expected."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import (TYPE_CHECKING, Any, Callable, Dict, Mapping, NamedTuple, NoReturn, Optional,
                    Tuple, TypeVar, cast)

import numpy as np

from vecc.nn.initial import LAWS, Uniform
from vecc.nn.places import fail
from vecc.nn.trace import Category, Endpoint, Value, describe, is_number
from vecc.nn.view import Edges, GraphView, Rows
from vecc.nn.words import instead_of_argument
from vecc.options import is_whole

if TYPE_CHECKING:
    from typing import ParamSpec

    Inputs = ParamSpec("Inputs")
    Result = TypeVar("Result")

MOST_STEPS = 4096  #: each is several ops
Size = int  #: of an axis; how many heads
Steps = int
Positive = float
NotNegative = float
Probability = float  #: less than 1
Share = float  #: up to 1


class Rule(NamedTuple):
    holds: Callable[[Any], bool]
    expected: str


def is_operand(thing: Any) -> bool:
    """A value, or what nn.constant() makes one of."""
    return isinstance(thing, (Value, np.ndarray)) or is_number(thing)


def is_text(thing: Any) -> bool:
    return isinstance(thing, str) and thing != ""


def is_init(thing: Any) -> bool:
    if isinstance(thing, str):
        return thing in LAWS
    return isinstance(thing, Uniform) or is_number(thing)


def is_network(thing: Any) -> bool:
    """A function, and none of torch's modules, which are of tensors."""
    torch = sys.modules.get("torch")
    return callable(thing) and not isinstance(thing, (torch.nn.Module,) if torch else ())


def _is_pair(thing: Any) -> bool:
    return isinstance(thing, (tuple, list)) and all(isinstance(each, Value) for each in thing)


def _are_texts(thing: Any) -> bool:
    return isinstance(thing, (tuple, list)) and all(map(is_text, thing)) and len(thing) > 0


RULES: Dict[str, Rule] = {
    "Value": Rule(lambda x: isinstance(x, Value), "a value of the model"),
    "Operand": Rule(is_operand, "a value of the model, or a number"),
    "Endpoint": Rule(lambda x: isinstance(x, Endpoint),
                     "an end of edges (g.src, g.dst) or g.graph"),
    "Category": Rule(lambda x: isinstance(x, Category), "a feature of whole numbers"),
    "Size": Rule(lambda x: is_whole(x, 1), "a whole number of at least 1"),
    "Steps": Rule(lambda x: is_whole(x, 1) and x <= MOST_STEPS,
                  f"a whole number from 1 to {MOST_STEPS}"),
    "float": Rule(is_number, "a number"),
    "Positive": Rule(lambda x: is_number(x, 0) and x > 0, "a number above 0"),
    "NotNegative": Rule(lambda x: is_number(x, 0), "a number of at least 0"),
    "Probability": Rule(lambda x: is_number(x, 0) and x < 1, "a number from 0 to less than 1"),
    "Share": Rule(lambda x: is_number(x, 0) and x <= 1, "a number from 0 to 1"),
    "bool": Rule(lambda x: isinstance(x, (bool, np.bool_)), "True or False"),
    "str": Rule(is_text, "a text"),
    "Init": Rule(is_init, f"{', '.join(LAWS)}, nn.uniform(bound), or a number for all elements"),
    "Network": Rule(is_network, "a function of a value, as lambda x: nn.layers.mlp(x, 16, 16)"),
    "Ends": Rule(lambda x: isinstance(x, (GraphView, Edges)),
                 "the graph, or a set of its edges, g[source, relation, target]"),
    "GraphView": Rule(lambda x: isinstance(x, GraphView), "the graph"),
    "Edges": Rule(lambda x: isinstance(x, Edges), "a set of edges, as g.edges"),
    "Pair": Rule(lambda x: isinstance(x, Value) or _is_pair(x),
                 "a value of nodes, or a pair of values (of sources, of targets)"),
    "EdgeValue": Rule(lambda x: isinstance(x, (str, Value)),
                      "a feature of edges by its name, or a value on the edges"),
    "Mapping[str, Value]": Rule(lambda x: isinstance(x, Mapping) and all(map(is_text, x)),
                                "a value by the name of its set of nodes"),
    "Sequence[str]": Rule(_are_texts, "texts, as (\"mean\", \"max\")"),
}


def refuse(what: str, thing: Any, expected: str) -> NoReturn:
    """With the way from what was found to a value, where there is one."""
    hint = ""
    if isinstance(thing, Category) and "whole" not in expected:
        name = thing.name
        hint = f": one_hot({name}), embedding({name}, n) or numbers({name}) make one"
    elif isinstance(thing, Endpoint):
        hint = ": v[g.src] reads v there"
    elif isinstance(thing, Rows):
        hint = ": .x reads a feature x of it"
    elif hasattr(type(thing), "__array__") and not isinstance(thing, Value):
        hint = ": g.x reads a feature x of the data, nn.constant(array) is one for all rows"
    fail(f"{what}: found {describe(thing)}, expected {expected}{hint}")


class _Signature:
    """Of a function, with the rules of its arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.call = inspect.signature(function)
        self.plain = self.call.replace(
            parameters=[each.replace(annotation=inspect.Parameter.empty)
                        for each in self.call.parameters.values()],
            return_annotation=inspect.Signature.empty)

    def bind(self, args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        try:
            return self.call.bind(*args, **kwargs)
        except TypeError as error:
            kinds = {each.kind for each in self.call.parameters.values()}
            unknown = next((name for name in kwargs if name not in self.call.parameters
                            and inspect.Parameter.VAR_KEYWORD not in kinds), None)
            hint = "" if unknown is None else instead_of_argument(unknown, self.call.parameters)
            # What is missing is maybe there by another name.
            said = f"got an unexpected keyword argument {unknown!r}{hint}" if hint else error
            fail(f"{self.name}: {said}; expected {self.name}{self.plain}")

    def check(self, bound: inspect.BoundArguments, positional: int) -> None:
        """`positional`: how many arguments have no names."""
        names = list(self.call.parameters)
        for name, given in bound.arguments.items():
            parameter, number = self.call.parameters[name], names.index(name)
            several = parameter.kind == inspect.Parameter.VAR_POSITIONAL
            for thing in given if several else (given,):
                self._check_one(name, parameter, thing, after_out=(
                    0 < number < positional and names[number - 1] == "out"))

    def _check_one(self, name: str, parameter: inspect.Parameter, thing: Any, after_out: bool
                   ) -> None:
        text = str(parameter.annotation)
        optional = text.startswith("Optional[")
        rule = RULES.get(text[len("Optional["):-1] if optional else text)
        if rule is None or (optional and thing is None) or rule.holds(thing):
            return
        expected = rule.expected + (" or None" if optional else "")
        if is_whole(thing, 1) and after_out:  # torch's (in, out)
            expected += f", after one number, out: {self.name} has as many inputs as x"
        refuse(f"{self.name}({name}=)", thing, expected)


def bound_of(function: Callable[..., Any]) -> Callable[..., inspect.BoundArguments]:
    """Of arguments: those of this function, or an error that says which it takes."""
    signature = _Signature(function)
    return lambda args, kwargs: signature.bind(args, kwargs)


def checked(function: "Callable[Inputs, Result]") -> "Callable[Inputs, Result]":
    """The same; its arguments are those of its signature and hold the rules of its annotations."""
    signature = _Signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(args, kwargs)
        signature.check(bound, len(args))
        return function(*bound.args, **bound.kwargs)
    return cast("Callable[Inputs, Result]", call)


def apply(network: Callable[[Value], Value], x: Value, layer: str,
          sides: Optional[Tuple[int, ...]] = None) -> Value:
    """network(x), which is a value on the rows of x; `sides`: of this shape."""
    try:
        inspect.signature(network).bind(x)
    except TypeError as error:
        fail(f"{layer}(network=): {error}; expected a function of one value")
    except ValueError:  # of a function that says nothing of itself
        pass
    made = network(x)
    if not isinstance(made, Value) or made.domain != x.domain:
        fail(f"{layer}(network=) returned {describe(made)}, expected a value on {x.domain}")
    if sides is not None and made.size != sides[0] * sides[1]:
        fail(f"{layer}(network=) returned {describe(made)}, expected {sides[0] * sides[1]} elements"
             f", {sides[0]} times {sides[1]}")
    return made
