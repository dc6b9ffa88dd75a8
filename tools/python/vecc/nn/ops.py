"""The functions that models are written in (docs/models.md)."""

from __future__ import annotations

import math
import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from vecc import _core
from vecc.arrays import as_array
from vecc.error import Error
from vecc.nn.checks import Positive, Size, checked, is_operand, refuse
from vecc.nn.initial import Init, Uniform
from vecc.nn.lower import sides_of
from vecc.nn.places import fail
from vecc.nn.trace import (ONE, Category, Endpoint, Operand, Shape, Table, Value, common_domain,
                           current, describe, is_number)
from vecc.options import is_whole

Sides = Union[int, Sequence[int]]


def shape_of(sides: Sides) -> Shape:
    shape = tuple(sides) if isinstance(sides, (tuple, list)) else (sides,)
    if len(shape) > 2 or not all(is_whole(side, 1) for side in shape):
        fail(f"shape {_text(sides)} is none of (), n, (n,), (m, n), expected positive whole numbers"
             + ("; rows are not counted, nor is a side left open"
                if any(is_whole(side, -1) and side == -1 for side in shape) else ""))
    return tuple(int(side) for side in shape)


def _text(thing: Any) -> str:
    return repr(thing) if isinstance(thing, (str, tuple, list)) else describe(thing)


# Weights and constants.

@checked
def uniform(bound: Positive) -> Uniform:
    """What a weight begins as, init=: each element between -bound and bound."""
    return Uniform(float(bound))


@checked
def table(name: str, count: Size, shape: Sides = (), init: Init = "glorot") -> Table:
    """`count` learnable rows; table[g.edge_type] reads them. `init`: docs/models.md."""
    trace = current()
    return trace.add_table(Table(trace.unique(name), int(count), shape_of(shape), init))


@checked
def weight(name: str, shape: Sides = (), init: Init = "glorot") -> Value:
    """A learnable tensor, one for all rows."""
    return _of_all(table(name, 1, shape, init))


def _of_all(rows: Table) -> Value:
    """The only row of a table, for all; a shared one is one value."""
    known = current().weights.get(rows.name)
    return Value("weight", (), ONE, rows.shape, table=rows) if known is None else known


@checked
def constant(value: Any) -> Value:
    """A fixed array, one for all rows."""
    try:
        array = as_array(value, None)
        if array.dtype.kind not in "biuf":
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        refuse("constant(value=)", value, "numbers: a scalar, a vector or a matrix")
    if array.ndim > 2 or array.size == 0:
        fail(f"a constant of shape {list(array.shape)}: expected a scalar, a vector or a matrix")
    if not np.isfinite(array).all():
        fail("a constant that is not finite, expected numbers that are")
    return Value("constant", (), ONE, array.shape, array=array)


def _value(thing: Any) -> Value:
    if not is_operand(thing):
        refuse("operand", thing, "a value of the model, or a number")
    if not isinstance(thing, Value):
        return constant(thing)
    current().check_own(thing)
    return thing


@checked
def one_hot(category: Category) -> Value:
    """A vector with a 1 at the category's place."""
    return Value("one_hot", (), category.domain, (category.count,), category=category)


@checked
def numbers(category: Category) -> Value:
    """The whole numbers themselves, as scalars."""
    return Value("numbers", (), category.domain, (), category=category)


@checked
def embedding(category: Category, dim: Sides, name: str = "embedding",
              init: Init = "normal") -> Value:
    """A learnable vector for each category; it begins as torch.nn.Embedding's."""
    return table(name, category.count, dim, init)[category]


# Products.

@checked
def linear(x: Value, out: Union[Sides, Value], by: Optional[Category] = None, bias: bool = False,
           name: str = "linear", init: Init = "kaiming_uniform") -> Value:
    """W x + b with weights NAME/weight [out, in] and, with `bias`, NAME/bias; `by`: weights for
    each category. `out`: how many, (m, n) for a matrix, or the weight itself. They begin as those
    of torch.nn.Linear, uniform within 1 / sqrt(in); `init` is of NAME/weight alone."""
    x = _value(x)
    if len(x.shape) > 1:
        fail(f"linear of {describe(x)}: expected a vector")
    if isinstance(out, Value):
        if by is not None or bias or init != "kaiming_uniform":
            fail(f"linear with the weight {describe(out)} takes no by=, bias= or init=: expected "
                 "how many outputs")
        return matmul(out, x)
    shape, inner = shape_of(out), x.size

    def learnable(what: str, sides: Shape, first: Init) -> Value:
        rows = table(what, 1 if by is None else by.count, sides, first)
        return _of_all(rows) if by is None else rows[by]

    def made() -> Value:
        size = math.prod(shape)
        y = matmul(learnable("weight", (size, inner), init), reshape(x, inner))
        if bias:
            y = y + learnable("bias", (size,), Uniform(inner ** -0.5))
        return y if y.shape == shape else reshape(y, shape)
    with current().scope(name):
        return current().call("linear", {"x": x, "bias": bias}, made)


@checked
def matmul(a: Operand, b: Operand) -> Value:
    """a @ b of vectors and matrices, row by row; of two vectors the dot product."""
    a, b = _value(a), _value(b)
    if not a.shape or not b.shape:
        fail(f"product of {describe(a)} and {describe(b)}: expected vectors or matrices")
    inner = a.shape[-1]
    if inner != b.shape[0]:
        fail(f"product of {describe(a)} and {describe(b)}: {inner} columns and {b.shape[0]} rows, "
             "expected as many")
    return Value("matmul", (a, b), common_domain((a, b)), a.shape[:-1] + b.shape[1:])


@checked
def dot(a: Operand, b: Operand) -> Value:
    """The sum of products over the last axis."""
    return sum(_value(a) * b)


# Element by element.

@checked
def elementwise(expression: str, *operands: Operand) -> Value:
    """A formula of $0, $1, ... in functions of docs/functions.md; shapes broadcast as NumPy's."""
    values, shape = _broadcast(operands)
    _check_formula(expression, values, shape)
    return Value("map", values, common_domain(values), shape, expression=expression)


def _broadcast(operands: Sequence[Operand]) -> Tuple[List[Value], Shape]:
    values = [_value(operand) for operand in operands]
    try:
        shape = np.broadcast_shapes(*(value.shape for value in values))
    except ValueError:
        common_domain(values)  # different rows are the first to be said
        fail(f"{' and '.join(map(describe, values))} do not broadcast{_as_column(values)}")
    return values, shape


def _as_column(values: Sequence[Value]) -> str:
    """Of a vector with a number for each row of a matrix, which NumPy takes for one of columns."""
    rows = {value.shape[0] for value in values if len(value.shape) == 2}
    found = next((v for v in values if len(v.shape) == 1 and v.shape[0] in rows), None)
    return "" if found is None else (
        f": v[:, None] of {found.called()} is {[*found.shape, 1]}, a number for each row")


def _check_formula(expression: str, values: Sequence[Value], shape: Shape) -> None:
    """By the rules of Programs: that it is one, of these operands, and has the shape."""
    builder, sides = _core.ProgramBuilder(), sides_of(shape)

    def row(sides: Shape) -> int:
        pair = (sides[0], sides[1]) if sides else (0, 0)
        return builder.fact(np.zeros(math.prod(sides)), 1, pair)
    try:
        result = builder.map(expression, [row(sides if value.size > 1 else ()) for value in values])
    except Error as error:
        fail(f"{expression!r}: {error.message}; expected a formula of docs/functions.md")
    try:
        builder.concat([result, row(sides)])
    except Error:
        fail(f"{expression!r} makes another shape than {list(shape)}, to which "
             f"{' and '.join(map(describe, values))} broadcast: expected a formula by element")


def arithmetic(expression: str, a: Operand, b: Operand) -> Value:
    """Numbers stand in the expression, so that they take no rows."""
    operands: List[Operand] = []
    for mark, operand in (("A", a), ("B", b)):
        if is_number(operand):
            text = repr(float(operand))
        else:
            text = f"${len(operands)}"
            operands.append(operand)
        expression = expression.replace(mark, text)
    return _map(expression, *operands)


def _map(expression: str, *operands: Operand) -> Value:
    """elementwise() of a formula that is one."""
    values, shape = _broadcast(operands)
    return Value("map", values, common_domain(values), shape, expression=expression)


def power(x: Value, exponent: float) -> Value:
    """x to a multiple of 1/2 between -4 and 4."""
    if not is_number(exponent) or not float(2 * exponent).is_integer() or abs(exponent) > 4:
        fail(f"power {describe(exponent)}: expected a multiple of 1/2 between -4 and 4; "
             "exp(p * log(x)) has any other of positive numbers")
    whole, half = divmod(abs(float(exponent)), 1)
    factors = ["$0"] * int(whole) + ["sqrt($0)"] * (half > 0)
    if not factors:
        return _value(x) * 0 + 1
    text = factors[0] if len(factors) == 1 else f"elproduct({', '.join(factors)})"
    if text == "$0" and exponent > 0:
        return _value(x)
    return _map(f"inverse({text})" if exponent < 0 else text, x)


def _unary(name: str, doc: str) -> Callable[[Operand], Value]:
    def function(x: Operand) -> Value:
        value = _value(x)
        return Value("transform", (value,), value.domain, value.shape, function=name)
    function.__name__ = function.__qualname__ = "abs_" if name == "abs" else name
    function.__doc__ = doc
    return checked(function)


relu = _unary("relu", "max(x, 0)")
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x))")
tanh = _unary("tanh", "The hyperbolic tangent.")
exp = _unary("exp", "e to the power of x")
log = _unary("log", "The natural logarithm.")
sqrt = _unary("sqrt", "The square root.")
abs_ = _unary("abs", "|x|")
square = _unary("square", "x^2")
gelu = _unary("gelu", "docs/functions.md has its formula.")


@checked
def leaky_relu(x: Value, slope: float = 0.01) -> Value:
    """x where x > 0, else slope * x."""
    return Value("transform", (x,), x.domain, x.shape, function=f"leakyrelu({float(slope)!r})")


ELU = "sum(relu($0), exp(elproduct(-1, relu(elproduct(-1, $0)))), -1)"


@checked
def elu(x: Value) -> Value:
    """x where x > 0, else exp(x) - 1."""
    return _map(ELU, x)


@checked
def maximum(a: Operand, b: Operand) -> Value:
    """The larger one, element by element."""
    return arithmetic("sum(relu(sum(A, elproduct(-1, B))), B)", a, b)


@checked
def minimum(a: Operand, b: Operand) -> Value:
    """The smaller one, element by element."""
    return arithmetic("sum(A, elproduct(-1, relu(sum(A, elproduct(-1, B)))))", a, b)


# Over the ends of edges, the nodes of graphs, the last axis.

#: From rows of this kind to those whose end this is.
_WAYS = {("edge", "graph"): "nn.sum(v, over=g.dst) first brings edges to nodes",
         ("node", "dst"): "v[g.src] first reads a node's value on its edges",
         ("node", "src"): "v[g.dst] first reads a node's value on its edges",
         ("graph", "dst"): "v[g.graph][g.src] first reads a graph's value on its edges"}


def _endpoint(value: Value, over: Endpoint) -> Endpoint:
    if value.domain != over.source:
        way = _WAYS.get((value.domain.kind, over.role))
        fail(f"{describe(value)} is not of {over.source}, whose {over.role} it is reduced over: "
             "expected a value on these" + (f"; {way}" if way else ""))
    return over


def _reduce(x: Value, over: Any, function: str) -> Value:
    x = _value(x)
    end = _endpoint(x, over)
    return Value("reduce", (x,), end.target, x.shape, over=end, function=function)


def _last_axis(x: Value) -> Value:
    x = _value(x)
    return Value("sum_last", (x,), x.domain, x.shape[:-1]) if x.shape else x


@checked
def sum(x: Value, over: Optional[Endpoint] = None) -> Value:  # noqa: A001
    """Of all rows that `over` brings together (0 of none); without, over the last axis."""
    return _last_axis(x) if over is None else _reduce(x, over, "sum")


@checked
def mean(x: Value, over: Optional[Endpoint] = None) -> Value:
    """The mean, as sum(); 0 of no row."""
    if over is not None:
        return _reduce(x, over, "avg")
    x = _value(x)
    return _last_axis(x) * (1 / x.shape[-1]) if x.shape else x


@checked
def max(x: Value, over: Endpoint) -> Value:  # noqa: A001
    """The largest of each element; 0 of no row. Where rows are equal the first has the gradient."""
    return _reduce(x, over, "max")


@checked
def min(x: Value, over: Endpoint) -> Value:  # noqa: A001
    """The smallest, as max()."""
    return _reduce(x, over, "min")


@checked
def softmax(x: Value, over: Optional[Endpoint] = None) -> Value:
    """Each element among those of the rows that `over` brings together; without, of a vector."""
    x = _value(x)
    if over is not None:
        end = _endpoint(x, over)
        return Value("softmax", (x,), x.domain, x.shape, over=end)
    if len(x.shape) != 1 or x.size < 2:
        fail(f"softmax of {describe(x)}: expected a vector of two or more, or over=g.dst")
    return Value("transform", (x,), x.domain, x.shape, function="softmax")


@checked
def count(over: Endpoint, by: Optional[Category] = None) -> Value:
    """How many rows `over` brings together: an in-degree, a graph's size. `by`: on each edge, how
    many edges of its own category there are at its node."""
    if by is None:
        return Value("count", (), over.target, (), over=over)
    if by.domain != over.source:
        fail(f"count by {describe(by)}, expected a feature of {over.source}")
    return Value("count_by", (), over.source, (), over=over, category=by)


@checked
def lstm(x: Value, over: Endpoint, size: Optional[Size] = None, padded: bool = False,
         name: str = "lstm") -> Value:
    """torch.nn.LSTM's last state, of the rows that `over` brings together in the data's order; 0
    of none. `padded`: all lists are as long as the longest, with zeros behind their rows, as in
    PyG's LSTMAggregation. Weights NAME/weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0. A step
    for each row of the longest list: for lists of hundreds, not of millions."""
    x = _value(x)
    if len(x.shape) != 1:
        fail(f"lstm of {describe(x)}: expected a vector")
    end, n = _endpoint(x, over), x.size if size is None else int(size)
    with current().scope(name):
        first = Uniform(n ** -0.5)
        read, recurrent = (weight(f"weight_{of}_l0", (4 * n, inner), first)
                           for of, inner in (("ih", x.size), ("hh", n)))
        biases = [weight(f"bias_{of}_l0", 4 * n, first) for of in ("ih", "hh")]
    args = (matmul(read, x), recurrent, biases[0] + biases[1])
    return Value("lstm", args, end.target, (n,), over=end, padded=padded)


# Shapes.

@checked
def concat(*values: Union[Operand, Sequence[Operand]]) -> Value:
    """Along the last axis."""
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = tuple(values[0])
    parts = [_value(value) for value in values]
    if not parts:
        fail("concat of nothing, expected values")
    ranks = {len(part.shape) for part in parts if part.shape}
    if len(ranks) > 1 or len({part.shape[:-1] for part in parts if len(part.shape) == 2}) > 1 or (
            ranks == {2} and any(not part.shape for part in parts)):
        fail(f"concat of {' and '.join(map(describe, parts))}: all but the last axis must agree")
    last = int(np.sum([part.shape[-1] if part.shape else 1 for part in parts]))
    head = parts[0].shape[:-1] if ranks == {2} else ()
    if len(parts) == 1:
        return parts[0]
    return Value("concat", parts, common_domain(parts), head + (last,))


@checked
def reshape(x: Value, shape: Sides) -> Value:
    """The same elements, row by row, in another shape; () makes a scalar."""
    x, sides = _value(x), shape_of(shape)
    if math.prod(sides) != x.size:
        fail(f"reshape of {describe(x)} to {list(sides)}: {x.size} and {math.prod(sides)} "
             "elements, expected as many")
    return x if sides == x.shape else Value("reshape", (x,), x.domain, sides)


def item(x: Value, index: Any) -> Value:
    """x[g.src]: on the edges. x[a:b]: of the last axis. x[i]: of the first. x[:, None]: (n, 1), and
    of a scalar x[None]: (1,)."""
    if isinstance(index, Endpoint):
        if x.domain == ONE:
            return _value(x)
        if x.domain != index.target:
            fail(f"{describe(x)} is not of {index.target}, the {index.role} of {index.source}: "
                 f"expected a value on {index.target}")
        return Value("gather", (x,), index.source, x.shape, over=index)
    if isinstance(index, tuple) and len(index) == 2 and _is_whole_slice(index[0]):
        if index[1] is None and len(x.shape) == 1:
            return reshape(x, (x.shape[0], 1))
        if isinstance(index[1], slice) and len(x.shape) == 2:
            index = index[1]
    if index is None and not x.shape:
        return reshape(x, 1)
    if not x.shape:
        fail(f"{describe(x)} is a scalar: it has no elements, expected a vector or a matrix; "
             "v[None] makes a vector of it")
    if isinstance(index, slice):
        return _slice(x, index)
    if is_whole(index, -x.shape[0]) and index < x.shape[0]:
        at = int(index) % x.shape[0]
        return Value("pick", (x,), x.domain, x.shape[1:], at=at)
    if is_whole(index, -sys.maxsize):
        fail(f"{describe(x)} has no element {index}, expected {-x.shape[0]} to {x.shape[0] - 1}")
    fail(f"{describe(x)}[{_text(index)}]: expected an end of edges, or of a row a:b, 0, [:, None]")


def _is_whole_slice(index: Any) -> bool:
    return isinstance(index, slice) and (index.start, index.stop, index.step) == (None, None, None)


def _slice(x: Value, index: slice) -> Value:
    """Of the last axis. Python cuts what is out of range; here that is a mistake."""
    size = x.shape[-1]
    for bound in (index.start, index.stop):
        if bound is not None and not (is_whole(bound, -size) and bound <= size):
            fail(f"[{_bound(index.start)}:{_bound(index.stop)}] of {describe(x)}: expected whole "
                 f"numbers from {-size} to {size}, as the last axis has {size} elements")
    if index.step is not None and not (is_whole(index.step, 1) and index.step == 1):
        fail(f"[::{_bound(index.step)}] of {describe(x)}: expected a:b, elements side by side")
    begin, end, _ = index.indices(size)
    if begin >= end:
        fail(f"[{begin}:{end}] of {describe(x)} is empty, expected an element or more")
    return Value("slice", (x,), x.domain, x.shape[:-1] + (end - begin,), begin=begin, end=end)


def _bound(bound: Any) -> str:
    return "" if bound is None else str(bound) if is_number(bound) else describe(bound)


@checked
def transpose(x: Value) -> Value:
    """Of a matrix."""
    x = _value(x)
    if len(x.shape) != 2:
        fail(f"transpose of {describe(x)}: expected a matrix")
    return Value("transpose", (x,), x.domain, x.shape[::-1])
