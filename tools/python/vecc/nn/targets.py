"""The two ways down: the same steps as ops of a Program, or as neurons of a graph."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple, Union

import numpy as np

from vecc import _core
from vecc.builder import GraphBuilder
from vecc.graph import Graph

Sides = Tuple[int, ...]  #: () a scalar, (m, n)
Handle = Any  #: a block of rows, as a target names it


_NO_PLACES = np.zeros(0, np.uint32)


class Block(NamedTuple):
    handle: Handle
    rows: int
    sides: Sides  #: of a row, as the target has it


class Samples(NamedTuple):
    """The outputs: rows, and what each should be."""

    rows: np.ndarray
    sides: Sides  #: of a target
    has: np.ndarray  #: which rows have one; none: no row
    targets: np.ndarray  #: of those, flat; uint32: of each the place of its only 1
    splits: np.ndarray  #: none: no row is marked
    weights: np.ndarray
    classes: List[str]

    def columns(self, outputs: np.ndarray, *, one_hot: bool) -> "_core.SampleColumns":
        """`one_hot`: with all numbers of a target whose only 1 is known."""
        shapes = [_sides(self.sides)] if len(self.has) else []
        targets: np.ndarray = self.targets
        places: np.ndarray = _NO_PLACES
        if targets.dtype == np.uint32 and one_hot:
            targets = _core.one_hot(targets, int(np.prod(self.sides))).ravel()
        elif targets.dtype == np.uint32:
            targets, places = np.zeros(0), targets
        return _core.SampleColumns(outputs.astype(np.uint64), [], shapes, self.has, targets,
                                   self.splits, np.zeros(0, np.uint32), np.zeros(0, np.uint8),
                                   self.weights, places)


def _sides(sides: Sides) -> Tuple[int, int]:
    return (sides[0], sides[1]) if sides else (0, 0)


class ProgramTarget:
    """Ops of a Program: rows stay arrays, no neuron is made."""

    def __init__(self, trains: bool = False) -> None:
        self.trains = trains  #: has what differs in training
        self._builder = _core.ProgramBuilder()
        self._weights: Dict[str, int] = {}

    def table(self, name: str, count: int, sides: Sides) -> None:
        self._builder.table(name, count, _sides(sides))

    def weight(self, name: str) -> Handle:
        if name not in self._weights:
            self._weights[name] = self._builder.weight(name)
        return self._weights[name]

    def step_input(self, name: str) -> Handle:
        """A number that every training step sets; 0 outside training."""
        return self._builder.step_input(name)

    def step_samples(self, count: int) -> Handle:
        """A scalar a sample: 1 of those that a training step has, else 0; 1 outside training."""
        return self._builder.step_samples(count)

    def update(self, table: str, value: Handle) -> None:
        """What the table has after a training step."""
        self._builder.update(table, value)

    def fact(self, values: np.ndarray, rows: int, sides: Sides, name: str = "") -> Handle:
        """Constants; `name`: of the table that they are (`place` of Graph.compile())."""
        return self._builder.fact(values.ravel(), rows, _sides(sides), name)

    def concat(self, parts: Sequence[Handle]) -> Handle:
        return self._builder.concat(list(parts))

    def gather(self, value: Handle, rows: np.ndarray) -> Handle:
        return self._builder.gather(value, np.require(rows, np.uint32, "C"))

    def repeat(self, value: Handle, times: int) -> Handle:
        return self._builder.repeat(value, times)

    def linear(self, a: Handle, b: Handle, turn_a: bool = False, turn_b: bool = False) -> Handle:
        return self._builder.linear(a, b, turn_a, turn_b)

    def segment(self, value: Handle, offsets: np.ndarray, function: str, sides: Sides) -> Handle:
        """`sides`: of a result. elmax, elmin and softmax are of each element."""
        return self._builder.segment(value, np.require(offsets, np.uint32, "C"), function)

    def transform(self, value: Handle, function: str, words: Any = ()) -> Handle:
        return self._builder.transform(value, function, np.asarray(words, np.uint32))

    def map(self, expression: str, values: Sequence[Handle]) -> Handle:
        return self._builder.map(expression, list(values))

    def keep_lists(self) -> None:
        """Lists are read in order: no training step can leave members out."""
        self._builder.keep_lists()

    def finish(self, value: Handle, samples: Samples, name: str) -> Graph:
        self._builder.samples(value, samples.columns(samples.rows, one_hot=False))
        if samples.classes:
            self._builder.classes(samples.classes)
        return Graph(self._builder.build(name))

    def finish_tables(self, name: str) -> Graph:
        """A graph of weights alone: to read and write files of them."""
        return Graph(self._builder.build(name))


class _Weights(NamedTuple):
    """Rows of weights, which linear neurons take as they are."""

    ids: np.ndarray


class NeuronTarget:
    """Neurons, one a row, as NeuraLogic grounds a template; for small graphs and explanations."""

    trains = False

    def __init__(self) -> None:
        self._builder = GraphBuilder("vecc.nn")
        self._tables: Dict[str, np.ndarray] = {}
        self._heads = 0

    def step_input(self, name: str) -> Handle:
        raise AssertionError("neurons are not trained")

    def step_samples(self, count: int) -> Handle:
        raise AssertionError("neurons are not trained")

    def update(self, table: str, value: Handle) -> None:
        raise AssertionError("neurons are not trained")

    def keep_lists(self) -> None:
        """As in ProgramTarget; neurons are not trained."""

    def _head(self, what: str) -> str:
        self._heads += 1
        return f"{what}_{self._heads}"

    def _neurons(self, what: str, inputs: np.ndarray, **options: Any) -> np.ndarray:
        return self._builder.neurons(self._head(what), inputs, **options)

    def _ids(self, value: Handle) -> np.ndarray:
        """Neurons; weights that are values themselves become facts that are learned."""
        if isinstance(value, _Weights):
            return self._builder.facts(self._head("weight"), weights=value.ids)
        ids: np.ndarray = value
        return ids

    def table(self, name: str, count: int, sides: Sides) -> None:
        self._tables[name] = self._builder.weights(name, shape=sides, count=count)

    def weight(self, name: str) -> Handle:
        return _Weights(self._tables[name])

    def fact(self, values: np.ndarray, rows: int, sides: Sides, name: str = "") -> Handle:
        shaped = np.asarray(values, np.float64).reshape((rows, *sides))
        return self._builder.facts(self._head("fact"), shaped)

    def concat(self, parts: Sequence[Handle]) -> Handle:
        return np.concatenate([self._ids(part) for part in parts])

    def gather(self, value: Handle, rows: np.ndarray) -> Handle:
        return _Weights(value.ids[rows]) if isinstance(value, _Weights) else value[rows]

    def repeat(self, value: Handle, times: int) -> Handle:
        return (_Weights(np.tile(value.ids, times)) if isinstance(value, _Weights) else
                np.tile(value, times))

    def linear(self, a: Handle, b: Handle, turn_a: bool = False, turn_b: bool = False) -> Handle:
        if isinstance(a, _Weights) and not turn_a:
            x = self.transform(b, "transp") if turn_b else self._ids(b)
            return self._neurons("linear", x, fan_in=1, weights=a.ids)
        sides = [self.transform(x, "transp") if turn else self._ids(x)
                 for x, turn in ((a, turn_a), (b, turn_b))]
        return self._neurons("product", np.stack(sides, axis=1), combination="product")

    def segment(self, value: Handle, offsets: np.ndarray, function: str, sides: Sides) -> Handle:
        ids, fan = self._ids(value), np.diff(offsets).astype(np.uint32)
        if sides and function in ("elmax", "elmin", "softmax"):
            return self._by_element(ids, fan, function, sides)
        if function == "softmax":
            return self._softmax(ids, fan)
        return self._neurons(function, ids, fan_in=fan, combination=function, shape=sides)

    def _by_element(self, ids: np.ndarray, fan: np.ndarray, function: str,
                    sides: Sides) -> np.ndarray:
        """As neurons have maxima and softmax of scalars: of the first element of all rows, the
        second of all rows, ..., and then columns of these."""
        size = sides[0] * sides[1]
        column = ids if sides == (size, 1) else self.transform(ids, f"reshape({size}x1)")
        scalars = self.transform(np.tile(column, size), "atindex",
                                 np.repeat(np.arange(size), len(ids)))
        ends = np.concatenate([[0], np.cumsum(np.tile(fan, size))])
        made = self.segment(scalars, ends, function.removeprefix("el"), ())
        stacked = self._neurons("stack", made.reshape(size, -1).T, combination="concat")
        if sides != (size, 1):
            stacked = self.transform(stacked, f"reshape({sides[0]}x{sides[1]})")
        return stacked

    def _softmax(self, ids: np.ndarray, fan: np.ndarray) -> np.ndarray:
        """A member's part is an element of its segment's softmax; of one member it is 1."""
        owner = np.repeat(np.arange(len(fan)), fan)
        alone = (fan == 1)[owner]
        result = np.zeros(len(ids), np.uint64)
        if alone.any():
            result[alone] = self._builder.facts(self._head("one"), count=int(alone.sum()))
        if not alone.all():
            several = fan[fan > 1]
            whole = self._neurons("softmax", ids[~alone], fan_in=several, combination="softmax")
            place = np.concatenate([np.arange(k) for k in several])
            result[~alone] = self._neurons("member", np.repeat(whole, several), fan_in=1,
                                           transformation="atindex", words=place)
        return result

    def transform(self, value: Handle, function: str, words: Any = ()) -> Handle:
        ids, words = self._ids(value), np.asarray(words, np.uint32)
        width = {"slice": 4, "atindex": 1}.get(function, 0)
        if width and len(words) == width:
            words = np.tile(words, len(ids))
        return self._neurons(function.partition("(")[0], ids, fan_in=1, transformation=function,
                             words=words)

    def map(self, expression: str, values: Sequence[Handle]) -> Handle:
        columns = np.broadcast_arrays(*(self._ids(value) for value in values))
        return self._neurons("map", np.stack(columns, axis=1), combination="functiongraph",
                             expression=expression)

    def finish(self, value: Handle, samples: Samples, name: str) -> Graph:
        columns = samples.columns(self._ids(value)[samples.rows], one_hot=True)
        self._builder._parts.append(lambda writer: writer.samples(columns))
        if samples.classes:
            self._builder.vocabulary("class", samples.classes, outputs=True)
        return self._builder.build()


Target = Union[ProgramTarget, NeuronTarget]
