"""A trace and a graph's arrays to a target: what each operation is in NeuraLogic's functions."""

from __future__ import annotations

from types import MappingProxyType
from typing import Collection, Dict, Mapping, Sequence, Set

import numpy as np

from vecc.error import Error, usage_error
from vecc.nn.binding import Binding, Edges
from vecc.nn.data import FeatureKey
from vecc.nn.sparse import Entries, SparseFeatures
from vecc.nn.statistics import Statistics
from vecc.nn.targets import Block, Handle, Sides, Target
from vecc.nn.trace import Domain, Endpoint, Shape, Table, Trace, Value


MOST_STEPS = 4096  #: of an lstm: each is several ops


NO_TABLES: Mapping[FeatureKey, str] = MappingProxyType({})


def sides_of(shape: Shape) -> Sides:
    """One element is a scalar, one axis a column: a 1x1 or 1xn value would not broadcast."""
    long = [side for side in shape if side > 1]
    return () if not long else (long[0], 1) if len(long) == 1 else (long[0], long[1])


def table_sides(shape: Shape) -> Sides:
    """A matrix of one row stays one, for products."""
    return tuple(shape) if len(shape) == 2 and shape != (1, 1) else sides_of(shape)


def stored_rows(values: np.ndarray) -> np.ndarray:
    """A feature's rows as a program has weights of this shape."""
    return values.reshape(len(values), *sides_of(values.shape[1:]))


def matrix_of(shape: Shape, vector_is_row: bool) -> Shape:
    if len(shape) == 2:
        return shape
    return (1, shape[0]) if vector_is_row else (shape[0], 1)


class Lowering:
    def __init__(self, trace: Trace, binding: Binding, target: Target,
                 as_weights: Mapping[FeatureKey, str] = NO_TABLES,
                 by_entries: bool = False, of_samples: bool = False,
                 placed: Collection[str] = ()) -> None:
        """`as_weights`: names of tables for features that have gradients, in the data's order.
        `by_entries`: products of weights with features that are mostly 0, but those in `placed`
        tables, read what is not 0; the tables of such weights, `columns`, have their columns.
        `of_samples`: batch norms are of the graphs that a step has."""
        self.trace, self.binding, self.target = trace, binding, target
        self._statistics = Statistics(binding, target, of_samples)
        self._as_weights = as_weights
        self._sparse = SparseFeatures(trace, binding, placed).products if by_entries else {}
        self.columns = {value.args[0].attributes["table"].name for value in self._sparse}
        self._blocks: Dict[Value, Block] = {}

    def tables(self) -> None:
        for table in self.trace.tables.values():
            if table.name in self.columns:
                self.target.table(table.name, table.shape[1], sides_of(table.shape[:1]))
            else:
                self.target.table(table.name, table.count, table_sides(table.shape))
        for (domain, name), table_name in self._as_weights.items():
            rows = stored_rows(self.binding.data.features[domain][name].values)
            self.target.table(table_name, len(rows), rows.shape[1:])

    def lower(self, output: Value) -> Block:
        needed = self._reached({output})
        tracked = [each for each in self.trace.tracked if self.target.trains and each[0] in needed]
        needed |= self._reached({new for _, new in tracked})
        for value in self.trace.values:
            if value in needed:
                try:
                    self._blocks[value] = getattr(self, f"_{value.op}")(value)
                except Error as error:
                    raise error.read_at(value.where) from None
        for running, new in tracked:
            self.target.update(running.attributes["table"].name, self._operand(new).handle)
        return self._canonical(self._blocks[output], output.shape)

    def _reached(self, outputs: Set[Value]) -> Set[Value]:
        needed: Set[Value] = set()
        open_values = list(outputs)
        while open_values:
            value = open_values.pop()
            if value not in needed:
                needed.add(value)
                open_values += self._read(value)
        return needed

    def _read(self, value: Value) -> Sequence[Value]:
        if self._is_empty(value) or value in self._sparse:
            return ()
        return value.args[1:] if value.op == "trained" and not self.target.trains else value.args

    def _is_empty(self, value: Value) -> bool:
        """A reduction of no rows, whose operand is not computed."""
        return value.op == "reduce" and self.binding.rows(value.attributes["over"].source) == 0

    # Operands.

    def _raw(self, value: Value) -> Block:
        return self._blocks[value]

    def _canonical(self, block: Block, shape: Shape) -> Block:
        sides = sides_of(shape)
        if block.sides == sides:
            return block
        text = f"reshape({sides[0]}x{sides[1]})"
        return Block(self.target.transform(block.handle, text), block.rows, sides)

    def _operand(self, value: Value) -> Block:
        return self._canonical(self._raw(value), value.shape)

    def _spread(self, block: Block, rows: int) -> Block:
        """One row as many."""
        if block.rows == rows:
            return block
        return Block(self.target.repeat(block.handle, rows), rows, block.sides)

    def _constant_rows(self, values: np.ndarray, rows: int, sides: Sides, name: str = "") -> Block:
        return Block(self.target.fact(values, rows, sides, name), rows, sides)

    def _ones(self, sides: Sides) -> Block:
        return self._constant_rows(np.ones(sides, np.float32), 1, sides)

    def _linear(self, a: Block, b: Block, rows: int, sides: Sides, turn_a: bool = False,
                turn_b: bool = False) -> Block:
        a, b = self._spread(a, rows), self._spread(b, rows)
        return Block(self.target.linear(a.handle, b.handle, turn_a, turn_b), rows, sides)

    # Leaves.

    def _rows_of(self, value: Value) -> int:
        return self.binding.rows(value.domain)

    def _feature(self, value: Value) -> Block:
        key = (value.domain._replace(loops=None), value.attributes["name"])
        if key in self._as_weights:
            return self._feature_weight(value, self._as_weights[key])
        values = self.binding.numbers(value.domain, value.attributes["name"], value.shape)
        table = key[0].table_of(key[1])
        return self._constant_rows(values, len(values), sides_of(value.shape), table)

    def _feature_weight(self, value: Value, table: str) -> Block:
        """Rows of a table instead of constants; self loops have what Binding.feature() gives."""
        self.binding.numbers(value.domain, value.attributes["name"], value.shape)  # as traced
        sides, handle = sides_of(value.shape), self.target.weight(table)
        if value.domain.kind == "edge":
            edges = self.binding.edges(value.domain)
            if value.domain.loops is not None:
                handle = self.target.concat([handle, self._loop_rows(value, handle, edges).handle])
            handle = self.target.gather(handle, edges.order)
        return Block(handle, self._rows_of(value), sides)

    def _loop_rows(self, value: Value, rows: Handle, edges: Edges) -> Block:
        """A row a node: its own loop's, a number, or the mean of the edges into it (0 of none)."""
        assert value.domain.loops is not None
        key, (fill, keeps), sides = value.domain.key, value.domain.loops, sides_of(value.shape)
        nodes = self.binding.data.counts[Domain("node", key[0])]
        src, dst = self.binding.data.ends[key]
        kept = edges.order < len(src)
        if fill != "mean" or not kept.any():
            number = 0.0 if fill == "mean" else float(fill)
            one = self._constant_rows(np.full((1, *sides), number), 1, sides)
            if not keeps:
                return self._spread(one, nodes)
            loops, place = np.flatnonzero(src == dst), np.full(nodes, len(src))
            place[src[loops]] = loops
            both = self.target.concat([rows, one.handle])
            return Block(self.target.gather(both, place), nodes, sides)
        into = np.bincount(edges.dst[kept], minlength=nodes)
        offsets = np.concatenate([[0], np.cumsum(into)])
        own = self.target.gather(rows, edges.order[kept])
        return Block(self.target.segment(own, offsets, "avg", sides), nodes, sides)

    def _one_hot(self, value: Value) -> Block:
        category = value.attributes["category"]
        values = np.eye(category.count, dtype=np.float32)
        rows = self._constant_rows(values, category.count, sides_of(value.shape))
        index = self.binding.categories(category)
        return Block(self.target.gather(rows.handle, index), len(index), rows.sides)

    def _numbers(self, value: Value) -> Block:
        values = self.binding.categories(value.attributes["category"])
        return self._constant_rows(values.astype(np.float64), len(values), ())

    def _constant(self, value: Value) -> Block:
        return self._constant_rows(value.attributes["array"], 1, sides_of(value.shape))

    def _weight(self, value: Value) -> Block:
        table: Table = value.attributes["table"]
        return Block(self.target.weight(table.name), 1, table_sides(table.shape))

    def _own_row(self, value: Value) -> Block:
        table: Table = value.attributes["table"]
        rows = self.target.weight(table.name)
        own = self.target.gather(rows, np.array([value.attributes["row"]]))
        return Block(own, 1, table_sides(table.shape))

    def _row(self, value: Value) -> Block:
        table: Table = value.attributes["table"]
        index = self.binding.categories(value.attributes["category"])
        rows = self.target.gather(self.target.weight(table.name), index)
        return Block(rows, len(index), table_sides(table.shape))

    def _count(self, value: Value) -> Block:
        offsets = self.binding.groups(value.attributes["over"]).offsets
        return self._constant_rows(np.diff(offsets).astype(np.float64), len(offsets) - 1, ())

    def _count_by(self, value: Value) -> Block:
        counts = self.binding.same_category(value.attributes["over"], value.attributes["category"])
        return self._constant_rows(counts, len(counts), ())

    # Row by row.

    def _map(self, value: Value) -> Block:
        rows = self._rows_of(value)
        sides = sides_of(value.shape)
        operands = [self._broadcast(arg, value.shape) for arg in value.args]
        handle = self.target.map(value.attributes["expression"], [o.handle for o in operands])
        return Block(handle, rows, sides)

    def _broadcast(self, value: Value, shape: Shape) -> Block:
        """Scalars broadcast by themselves; a vector along a matrix is a product with ones."""
        block, sides = self._operand(value), sides_of(shape)
        if block.sides in ((), sides):
            return block
        m, n = sides
        if value.shape[-1] == 1:  # (m, 1): each row of the matrix has one number
            return self._linear(block, self._ones((1, n)), block.rows, sides)
        return self._linear(self._ones((m, 1)), block, block.rows, sides, turn_b=True)

    def _transform(self, value: Value) -> Block:
        x = self._operand(value.args[0])
        handle = self.target.transform(x.handle, value.attributes["function"])
        return Block(handle, x.rows, x.sides)

    def _matmul(self, value: Value) -> Block:
        """Of m x n and n x p; all sides of 1 are gone from canonical blocks."""
        if value in self._sparse:
            return self._matmul_by_entries(value, self._sparse[value])
        a, b = value.args
        m, n = matrix_of(a.shape, vector_is_row=True)
        p = matrix_of(b.shape, vector_is_row=False)[1]
        rows, sides = self._rows_of(value), sides_of(value.shape)
        left, right = self._raw(a), self._operand(b)
        if m == 1 and n > 1 and p > 1:  # B^T a: a column, not a row
            return self._linear(right, self._operand(a), rows, sides, turn_a=True)
        if left.sides == (1, n) and n > 1:
            return self._linear(left, right, rows, sides)
        left = self._operand(a)
        return self._linear(left, right, rows, sides, turn_a=m == 1 and n > 1,
                            turn_b=n == 1 and m > 1 and p > 1)

    def _matmul_by_entries(self, value: Value, x: Entries) -> Block:
        """The sum of the weight's columns at a row's entries, times these."""
        sides = sides_of(value.shape)
        columns = self.target.weight(value.args[0].attributes["table"].name)
        read = self.target.gather(columns, x.columns)
        if (x.values != 1).any():
            factors = self._constant_rows(x.values, len(x.values), ())
            read = self.target.map("elproduct($0, $1)", [read, factors.handle])
        return Block(self.target.segment(read, x.offsets, "sum", sides), len(x.offsets) - 1, sides)

    def _sum_last(self, value: Value) -> Block:
        arg = value.args[0]
        x, n = self._operand(arg), arg.shape[-1]
        if n == 1:
            return x
        if x.sides == (n, 1):
            return self._linear(self._ones((1, n)), x, x.rows, ())
        return self._linear(x, self._ones((n, 1)), x.rows, (x.sides[0], 1))

    def _concat(self, value: Value) -> Block:
        rows, sides = self._rows_of(value), sides_of(value.shape)
        operands = [self._operand(arg) for arg in value.args]
        names = [f"${k}" for k in range(len(operands))]
        if len(sides) == 2 and sides[1] > 1:
            stacked = ", ".join(f"transp({name})" for name in names)
            expression = f"transp(concat[axis=0]({stacked}))"
        else:
            expression = f"concat({', '.join(names)})"
        handle = self.target.map(expression, [o.handle for o in operands])
        return Block(handle, max(o.rows for o in operands) if rows else 0, sides)

    def _reshape(self, value: Value) -> Block:
        return self._canonical(self._operand(value.args[0]), value.shape)

    def _part(self, value: Value, words: Sequence[int], sides: Sides) -> Block:
        x = self._operand(value.args[0])
        block = Block(self.target.transform(x.handle, "slice", words), x.rows, sides)
        return self._canonical(block, value.shape)

    def _element(self, value: Value, at: int) -> Block:
        x = self._operand(value.args[0])
        return Block(self.target.transform(x.handle, "atindex", [at]), x.rows, ())

    def _slice(self, value: Value) -> Block:
        arg, begin, end = value.args[0], value.attributes["begin"], value.attributes["end"]
        if sides_of(arg.shape) == () or value.shape == arg.shape:
            return self._operand(arg)
        if sides_of(arg.shape) == (arg.shape[-1], 1):
            if end - begin == 1:
                return self._element(value, begin)
            return self._part(value, [begin, end, 0, 1], (end - begin, 1))
        m = arg.shape[0]
        return self._part(value, [0, m, begin, end], (m, end - begin))

    def _pick(self, value: Value) -> Block:
        arg, at = value.args[0], value.attributes["at"]
        if arg.shape[0] == 1:
            return self._operand(arg)
        if value.size == 1:
            return self._element(value, at)
        return self._part(value, [at, at + 1, 0, arg.shape[1]], (1, arg.shape[1]))

    def _transpose(self, value: Value) -> Block:
        x = self._operand(value.args[0])
        if len(x.sides) < 2 or x.sides[1] == 1:
            return x
        return Block(self.target.transform(x.handle, "transp"), x.rows, x.sides[::-1])

    # What differs in training.

    def _dropout(self, value: Value) -> Block:
        x = self._operand(value.args[0])
        if not self.target.trains or x.rows == 0:
            return x
        p, rows = value.attributes["p"], np.arange(x.rows)
        number = value.attributes["number"]
        # Words have 24 bits, which floats have exactly.
        of_call = np.array([number]) if x.rows <= 1 << 24 else number + (rows >> 24 << 16)
        elements = np.arange(int(np.prod(x.sides)))
        step, seed, block = map(self.target.step_input, ("step.number", "step.seed", "step.block"))
        words = [self.target.fact(of_call.astype(np.float64), len(of_call), ()),
                 self.target.fact((rows % (1 << 24)).astype(np.float64), x.rows, ()),
                 self.target.fact(elements.astype(np.float64), 1, x.sides)]
        kept = f"signum(sum(draw($2, $3, $1, $4, $5, $6), {-round(p * 2**23) / 2**23!r}))"
        scale = (f"sum(elproduct(signum($1), {kept}, {1 / (1 - p)!r}), reverse(signum($1)))")
        handle = self.target.map(f"elproduct($0, {scale})", [x.handle, step, seed, block, *words])
        return x._replace(handle=handle)

    def _trained(self, value: Value) -> Block:
        otherwise = self._operand(value.args[1])
        if not self.target.trains:
            return otherwise
        expression = "sum(elproduct(signum($2), $0), elproduct(reverse(signum($2)), $1))"
        handle = self.target.map(expression, [self._operand(value.args[0]).handle, otherwise.handle,
                                              self.target.step_input("step.number")])
        return otherwise._replace(handle=handle)

    def _unbiased(self, value: Value) -> Block:
        return self._statistics.unbiased(value.attributes["rows"])

    def _mean_of_rows(self, value: Value) -> Block:
        arg = value.args[0]
        return self._statistics.mean(self._operand(arg), arg.domain)

    def _variance_of_rows(self, value: Value) -> Block:
        x, mean = map(self._operand, value.args)
        return self._statistics.variance(x, mean, value.args[0].domain)

    # Between sets of rows.

    def _gather(self, value: Value) -> Block:
        x = self._raw(value.args[0])
        index = self.binding.index(value.attributes["over"])
        return Block(self.target.gather(x.handle, index), len(index), x.sides)

    def _ordered(self, block: Block, over: Endpoint) -> Block:
        order = self.binding.groups(over).order
        if order is None:
            return block
        return block._replace(handle=self.target.gather(block.handle, order))

    def _reduce(self, value: Value) -> Block:
        over, function = value.attributes["over"], value.attributes["function"]
        offsets, sides = self.binding.groups(over).offsets, sides_of(value.shape)
        if self._is_empty(value):
            count = len(offsets) - 1
            zeros = self._constant_rows(np.zeros((1, *sides), np.float32), 1, sides)
            return self._spread(zeros, count)
        x = self._ordered(self._operand(value.args[0]), over)
        if function in ("max", "min"):
            return self._select(x, offsets, function)
        handle = self.target.segment(x.handle, offsets, function, sides)
        return Block(handle, len(offsets) - 1, sides)

    def _select(self, x: Block, offsets: np.ndarray, function: str) -> Block:
        """Of each element; segments of no row are left out and are 0 then."""
        full = np.flatnonzero(np.diff(offsets))
        short = np.concatenate([[0], offsets[full + 1]])
        handle = self.target.segment(x.handle, short, f"el{function}" if x.sides else function,
                                     x.sides)
        block = Block(handle, len(full), x.sides)
        if len(full) == len(offsets) - 1:
            return block
        zero = self._constant_rows(np.zeros((1, *x.sides), np.float32), 1, x.sides)
        place = np.full(len(offsets) - 1, len(full))
        place[full] = np.arange(len(full))
        both = self.target.concat([block.handle, zero.handle])
        return Block(self.target.gather(both, place), len(place), x.sides)

    def _softmax(self, value: Value) -> Block:
        over = value.attributes["over"]
        groups = self.binding.groups(over)
        x = self._ordered(self._operand(value.args[0]), over)
        handle = self.target.segment(x.handle, groups.offsets, "softmax", x.sides)
        block = Block(handle, x.rows, x.sides)
        if groups.order is None:
            return block
        back = np.empty_like(groups.order)
        back[groups.order] = np.arange(len(back))
        return block._replace(handle=self.target.gather(block.handle, back))

    def _lstm(self, value: Value) -> Block:
        """Lists from the longest to the shortest, so that those with a step k are the first."""
        self.target.keep_lists()
        over, n = value.attributes["over"], value.shape[0]
        offsets = self.binding.groups(over).offsets
        recurrent, bias = self._raw(value.args[1]), self._operand(value.args[2])
        lengths, sides = np.diff(offsets), sides_of(value.shape)
        longest = int(lengths.max(initial=0))
        if longest > MOST_STEPS:
            raise usage_error(self.binding.data.name, f"has {longest} {over.source} in one list: "
                              f"an lstm takes up to {MOST_STEPS}")
        zeros = [self._constant_rows(np.zeros((1, size)), 1, sides_of((size,)))
                 for size in (n, 4 * n)]
        if longest == 0:
            return self._spread(zeros[0], len(lengths))
        read = self._ordered(self._operand(value.args[0]), over)
        gates = self.target.concat([read.handle, zeros[1].handle])  # the last row is a padded one's
        steps = np.full(len(lengths), longest) if value.attributes["padded"] else lengths
        order = np.argsort(-steps, kind="stable")
        states, cells, place = [zeros[0].handle], None, np.zeros(len(lengths), np.int64)
        begin = 1
        for step in range(longest):
            own = order[:int((steps > step).sum())]
            rows = np.where(lengths[own] > step, offsets[own] + step, read.rows)
            parts = [self.target.gather(gates, rows), bias.handle]
            if cells is not None:
                before, cells = (self.target.gather(each, np.arange(len(own)))
                                 for each in (states[-1], cells))
                parts.append(self._linear(recurrent, Block(before, len(own), sides), len(own),
                                          (4 * n, 1)).handle)
            x = self.target.map("sum($0, $1)" if cells is None else "sum($0, $1, $2)", parts)
            i, f, g, o = (self._quarter(x, k, n) for k in range(4))
            if cells is None:
                cells = self.target.map("elproduct(sigmoid($0), tanh($1))", [i, g])
            else:
                cells = self.target.map("sum(elproduct(sigmoid($0), $1), elproduct(sigmoid($2), "
                                        "tanh($3)))", [f, cells, i, g])
            states.append(self.target.map("elproduct(sigmoid($0), tanh($1))", [o, cells]))
            place[own] = begin + np.arange(len(own))
            begin += len(own)
        both = self.target.concat(states)
        return Block(self.target.gather(both, place), len(place), sides)

    def _quarter(self, x: Handle, k: int, n: int) -> Handle:
        if n == 1:
            return self.target.transform(x, "atindex", [k])
        return self.target.transform(x, "slice", [k * n, (k + 1) * n, 0, 1])
