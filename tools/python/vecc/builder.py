"""vecc.GraphBuilder: NumPy columns to a graph, or to a graph.pb (docs/format.md)."""

from __future__ import annotations

import mmap
import os
import tempfile
from difflib import get_close_matches
from pathlib import Path
from typing import (Any, Callable, Dict, List, NoReturn, Optional, Sequence, Set, Tuple, Union)

import numpy as np

from vecc import _core
from vecc.arrays import as_array
from vecc.error import usage_error
from vecc.graph import Graph, load

NONE = 0xFFFFFFFF  #: the unit weight, no offset
SPLITS = {"": 0, "train": 1, "validation": 2, "test": 3}
ROLES = {"": 0, "positive": 1, "negative": 2}
Shape = Tuple[int, ...]
Tables = Union[str, Sequence[Union[str, Tuple[str, int]]]]  #: names of weight tables


def sides_of(shape: Shape) -> Tuple[int, int]:
    """() a scalar, (n,) a column, (m, n)."""
    if len(shape) > 2 or any(side < 1 for side in shape):
        raise usage_error("shape", f"{tuple(shape)} is none of (), (n,), (m, n)")
    if not shape:
        return 0, 0
    return int(shape[0]), int(shape[1]) if len(shape) == 2 else 1


def ids_of(what: str, ids: Any, dtype: Any) -> np.ndarray:
    """Numbers of neurons or weights; -1 is the largest number: none."""
    ids = np.asarray(ids)
    if ids.size == 0:
        return np.zeros(0, dtype)
    if ids.dtype.kind not in "iu":
        raise usage_error(what, f"are {ids.dtype}, expected whole numbers")
    if ids.dtype.kind == "i" and ids.min() < 0:
        if np.dtype(dtype).itemsize > 4 or ids.min() < -1:
            raise usage_error(what, f"{ids.min()} is no id")
        ids = np.where(ids == -1, NONE, ids)
    if ids.max() > np.iinfo(dtype).max:
        raise usage_error(what, f"{ids.max()} is no id")
    return np.asarray(np.require(ids, dtype, "C").ravel())


class GraphBuilder:
    """Adds layers of neurons by columns, then save() writes a file or build() gives a Graph.

    Functions return the numbers of what they add, for others to read. Arrays of the right type are
    not copied: they are read by save() and build(), and must not change before.

        b = vecc.GraphBuilder()
        w = b.weights("w", shape=(3, 2))
        x = b.facts("x", np.random.rand(100, 2))               # 100 columns of 2
        h = b.neurons("h", x[edges], weights=w, transformation="tanh")  # edges: [n, k]
        b.samples(h, targets=...)
        program = b.build().compile()
    """

    def __init__(self, producer: str = "vecc.GraphBuilder"):
        self._producer = producer
        self._parts: List[Callable[[Any], None]] = []  # what save() calls, with the writer
        self._groups: Dict[Any, Any] = {}
        self._tables: Set[str] = set()
        self._vocabularies: Dict[str, Any] = {}  # names, and a list of uses
        self._neurons = 0
        self._weights = 0

    def weights(self, name: str, values: Any = None, *, shape: Optional[Shape] = None,
                count: Optional[int] = None, learnable: bool = True,
                row_names: Sequence[str] = ()) -> np.ndarray:
        """One weight, or a table of `count` of them: a tensor of that name in weight files.

        `values` (a weight's, or [count, ...]) give the shape; without, Graph.initialize() will.
        """
        flat = np.zeros(0)
        if values is not None:
            array = as_array(values, np.float64)
            if shape is None:
                shape = array.shape if count is None else array.shape[1:]
            rows = 1 if count is None else count
            if array.size != rows * int(np.prod(shape, dtype=int)):
                raise usage_error(f'weights "{name}"', f"values are {array.shape}, expected "
                                  f"{rows} of shape {tuple(shape)}")
            flat = array.ravel()
        sides = sides_of(shape if shape is not None else ())
        if name in self._tables:
            raise usage_error(f'weights "{name}"', "there are weights of that name already")
        self._tables.add(name)
        first, rows = self._weights, 1 if count is None else int(count)
        self._weights += rows
        names = list(row_names)
        self._parts.append(lambda writer: writer.weight_table(name, first, rows, sides, learnable,
                                                              flat, names))
        return np.arange(first, first + rows, dtype=np.uint32)

    def reserve(self, count: int) -> np.ndarray:
        """Numbers for neurons that others may read before they are added (`ids=`)."""
        first = self._neurons
        self._neurons += int(count)
        return np.arange(first, self._neurons, dtype=np.uint64)

    def facts(self, head: str, values: Any = None, *, count: Optional[int] = None,
              weights: Any = None, rule: str = "", names: Sequence[str] = (),
              ids: Optional[np.ndarray] = None) -> np.ndarray:
        """Constants [n] (scalars), [n, k] (columns) or [n, m, k]; or learnable ones, a weight
        each; or, by `count` alone, n times the number 1."""
        flat, shape = np.zeros(0), None
        owners = ids_of("weights", [] if weights is None else weights, np.uint32)
        self._check_weights(f'facts "{head}"', "weights", owners)
        if values is not None:
            array = as_array(values, np.float64)
            count, shape, flat = len(array), sides_of(array.shape[1:]), array.ravel()
        elif weights is not None:
            count = len(owners)
        elif count is None:
            raise usage_error(f'facts "{head}"', "need values, weights, or a count")
        chunk, ids = self._chunk("fact", head, rule, int(count), shape, names, ids,
                                 lambda chunk: _core.check_facts(chunk, flat, owners))
        self._parts.append(lambda writer: writer.facts(chunk, flat, owners))
        return ids

    def neurons(self, head: str, inputs: Any, *, fan_in: Any = None, weights: Any = None,
                combination: str = "sum", transformation: str = "identity", offsets: Any = None,
                words: Any = (), axis: int = -1, expression: Optional[str] = None,
                shape: Optional[Shape] = None, kind: Optional[str] = None, rule: str = "",
                names: Sequence[str] = (), ids: Optional[np.ndarray] = None) -> np.ndarray:
        """Neurons T(C([offset] ++ [W * x])) (docs/functions.md).

        `inputs`: [n, k], neuron numbers; or one after another, with `fan_in`: how many each neuron
        has (or one number for all). `weights`: one for all inputs, [k] for those of a neuron, or
        as many as inputs; `offsets`: one for all neurons, or one each. -1: none. `words`: the
        index of atindex, the four bounds of slice, neuron by neuron.
        """
        array = np.asarray(inputs)
        if fan_in is None:
            if array.ndim != 2:
                raise usage_error(f'neurons "{head}"', "inputs are [n, k], or need fan_in")
            count, fan = array.shape[0], np.array([array.shape[1]], np.uint32)
        else:
            fan = ids_of("fan_in", fan_in, np.uint32)
            one = np.ndim(fan_in) == 0 and fan[0] > 0
            count = array.size // int(fan[0]) if one else len(fan)
        reads = ids_of("inputs", array, np.uint64)
        owners = _spread("weights", weights, len(reads), fan)
        starts = _spread("offsets", offsets, count, fan)
        self._check_weights(f'neurons "{head}"', "weights", owners)
        self._check_weights(f'neurons "{head}"', "offsets", starts)
        word_column = ids_of("words", words, np.uint32)
        declared = None if shape is None else sides_of(shape)
        kind = kind or ("rule" if weights is None else "weighted rule")
        function = _core.FunctionText(combination, transformation, axis, expression)
        chunk, ids = self._chunk(kind, head, rule, count, declared, names, ids,
                                 lambda chunk: _core.check_neurons(chunk, function, fan, reads,
                                                                   owners, starts, word_column))
        self._parts.append(lambda writer: writer.neurons(chunk, function, fan, reads, owners,
                                                         starts, word_column))
        return ids

    def samples(self, outputs: Any, *, targets: Any = None, ids: Sequence[str] = (),
                splits: Union[str, Sequence[str]] = (), groups: Any = (),
                roles: Union[str, Sequence[str]] = (), weights: Any = ()) -> None:
        """Queries: their neurons; `targets` [n] or [n, ...], or a list of arrays of several shapes
        (NaN or None: none); `splits` of train, validation, test, `roles` of positive, negative
        ("": neither), one for all or one each; `groups` to rank in."""
        neurons = ids_of("outputs", outputs, np.uint64)
        shapes, has, flat = _targets(targets)
        columns = _core.SampleColumns(
            neurons, list(ids), shapes, has, flat, _codes("splits", splits, SPLITS, len(neurons)),
            ids_of("groups", groups, np.uint32), _codes("roles", roles, ROLES, len(neurons)),
            as_array(weights, np.float32).ravel(), np.zeros(0, np.uint32))
        _core.check_samples(columns)
        self._parts.append(lambda writer: writer.samples(columns))

    def vocabulary(self, name: str, names: Sequence[str], *, entries: Tables = (),
                   rows: Tables = (), columns: Tables = (), fact_rows: Sequence[str] = (),
                   outputs: bool = False) -> None:
        """What numbers stand for: `names[i]` is number i of the weights of the tables `entries`,
        of the rows or columns of each weight of the tables `rows` and `columns`, of the rows of
        constant facts with the heads `fact_rows`, of the classes of the `outputs`. It must name
        all tables that are numbered so: weights go to another graph by these names
        (docs/weights.md). A table may be (table, inner): that many positions to a name."""
        if name in self._vocabularies:
            raise usage_error(f'vocabulary "{name}"', "is there already")
        uses = []
        for axis, tables in enumerate((entries, rows, columns)):
            for table in [tables] if isinstance(tables, str) else tables:
                table, inner = (table, 1) if isinstance(table, str) else table
                uses.append(_core.VocabularyUse.table(table, axis, inner))
        for head in [fact_rows] if isinstance(fact_rows, str) else fact_rows:
            groups = [g for (kind, h, _), g in self._groups.items() if (kind, h) == ("fact", head)]
            if not groups:
                raise usage_error(f'vocabulary "{name}"', f'there are no facts "{head}"')
            uses += [_core.VocabularyUse.facts(group, 1, 1) for group in groups]
        if outputs:
            uses.append(_core.VocabularyUse.outputs())
        self._vocabularies[name] = (list(names), uses)

    def save(self, path: Union[str, "os.PathLike[str]"], compression: str = "none",
             level: Optional[int] = None) -> None:
        """Writes a graph.pb: whole, or not at all. `compression`: none, gzip (`level`
        from 1 to 9, else 6), zstd (1 to 22, else 9)."""
        writer = _core.GraphWriter(os.fspath(path), compression, level, self._producer,
                                   bool(self._vocabularies))
        for write in self._parts:
            write(writer)
        for name, (names, uses) in self._vocabularies.items():
            writer.vocabulary(name, names, uses)
        writer.finish()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a vecc.GraphBuilder cannot be pickled or copied: pickle or copy the Graph "
                        "of its build()")

    def build(self, **options: Any) -> Graph:
        """The graph, checked as a file is; options as vecc.load() has them."""
        with tempfile.TemporaryDirectory(prefix="vecc-graph-") as folder:
            path = Path(folder) / "graph.pb"
            self.save(path)
            with open(path, "rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return load(data, name=self._producer, **options)

    def _check_weights(self, place: str, what: str, ids: np.ndarray) -> None:
        unknown = ids[(ids >= self._weights) & (ids != NONE)]
        if len(unknown):
            raise usage_error(place, f"{what} has {unknown[0]}, but there are {self._weights} "
                              "weights: weights() returns their numbers")

    def _chunk(self, kind: str, head: str, rule: str, count: int,
               shape: Optional[Tuple[int, int]], names: Sequence[str],
               ids: Optional[np.ndarray],
               check: Callable[[Any], None]) -> Tuple[Any, np.ndarray]:
        """A group goes on where kind, head and rule are the same. What `check` raises leaves no
        trace."""
        is_new = ids is None
        if ids is None:
            ids = np.arange(self._neurons, self._neurons + count, dtype=np.uint64)
        elif len(ids) != count or (
                count and not np.array_equal(ids, np.arange(count) + int(ids[0]))):
            raise usage_error(f'group "{head}"', f"ids are not {count} numbers in a row")
        group = self._groups.get((kind, head, rule), len(self._groups))
        first = int(ids[0]) if count else 0
        chunk = _core.ChunkHead(group, kind, head, rule, first, count, shape, list(names))
        check(chunk)
        self._groups[kind, head, rule] = group
        if is_new:
            self.reserve(count)
        return chunk, ids


def _spread(what: str, ids: Any, count: int, fan: np.ndarray) -> np.ndarray:
    """One id for all, one for each of a neuron's inputs, or as many as there are."""
    if ids is None:
        return np.zeros(0, np.uint32)
    column = ids_of(what, ids, np.uint32)
    if len(column) == 1:
        return np.full(count, column[0], np.uint32)
    if what == "weights" and len(fan) == 1 and len(column) == fan[0]:
        return np.tile(column, count // len(column))
    return column


def _targets(targets: Any) -> Tuple[List[Tuple[int, int]], np.ndarray, np.ndarray]:
    """Shapes (one for all, or one each), which samples have one, and their numbers."""
    if targets is None:
        return [], np.zeros(0, np.uint8), np.zeros(0)
    if isinstance(targets, (list, tuple)) and any(t is None or np.ndim(t) for t in targets):
        arrays = [None if t is None else as_array(t, np.float64) for t in targets]
        has = np.array([t is not None and not np.isnan(t).any() for t in arrays], np.uint8)
        shapes = [sides_of(t.shape) if t is not None else (0, 0) for t in arrays]
        flat = [t.ravel() for t, there in zip(arrays, has) if t is not None and there]
        return shapes, has, np.concatenate(flat) if flat else np.zeros(0)
    array = as_array(targets, np.float64)
    rows = array.reshape(len(array), -1)
    there = ~np.isnan(rows).any(axis=1)
    if there.all():
        return [sides_of(array.shape[1:])], np.zeros(0, np.uint8), array.ravel()
    return [sides_of(array.shape[1:])], there.astype(np.uint8), rows[there].ravel()


def _codes(what: str, words: Union[str, Sequence[str]], codes: Dict[str, int], count: int) -> np.ndarray:
    try:
        if isinstance(words, str):
            return np.full(count, codes[words], np.uint8)
        return np.array([codes[word] for word in words], np.uint8)
    except KeyError as unknown:
        names = [name for name in codes if name]
        near = get_close_matches(str(unknown.args[0]), names, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise usage_error(what, f"{unknown} is none of {', '.join(names)}{meant}") from None
