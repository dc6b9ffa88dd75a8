"""What a model computes: a trace of Values, one an operation, each on a set of rows."""

from __future__ import annotations

import math
import numbers
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, NamedTuple,
                    NoReturn, Optional, Sequence, Tuple, Union)

from vecc.error import usage_error
from vecc.nn.calls import Calls, Made
from vecc.nn.places import fail, place, user_frame
from vecc.nn.words import instead
from vecc.options import is_whole

if TYPE_CHECKING:
    from vecc.nn.initial import Init

Shape = Tuple[int, ...]  #: of one row: (), (n,) or (m, n)
_OF_A_ROW = "shape is that of a row, without the number of rows: d = g.x.shape[0]"
MOST_ELEMENTS = 1 << 28  #: of a row
MOST_ROWS = (1 << 32) - 2  #: of weights: 32 bits number them
PAIR = "(pairs)"  #: the relation of pairs, which are a set of edges otherwise


class Loops(NamedTuple):
    """What features of self loops are: `fill`, "mean" or a number; `kept`: of loops that the data
    has their own, of several at a node the last one's."""

    fill: Any
    kept: bool = False

    def __str__(self) -> str:
        own = "" if self.fill == "mean" else f" (fill={self.fill!r}{', keep=True' * self.kept})"
        return f"self loops{own}"


class Domain(NamedTuple):
    """A set of rows: of nodes, edges, graphs; or `one` for all of them."""

    kind: str
    key: Any = None
    #: Of edges with self loops.
    loops: Optional[Loops] = None

    @property
    def are_pairs(self) -> bool:
        """Of nodes that labels are of: no messages go along them."""
        return self.kind == "edge" and self.key[1] == PAIR

    @property
    def words(self) -> str:
        """"paper", "author writes paper"; "graph"."""
        if self.kind in ("one", "graph"):
            return self.kind
        return self.key if isinstance(self.key, str) else " ".join(self.key)

    def table_of(self, feature: str) -> str:
        """Of its numbers, by which they are placed (`place` of Graph.compile())."""
        return f"{self.words}.{feature}"

    def __str__(self) -> str:
        if self.kind in ("one", "graph"):
            return "all" if self.kind == "one" else "graphs"
        if self.are_pairs:
            return f"pairs of {self.key[0]} and {self.key[2]}"
        return f"{self.kind}s of {self.words}" + ("" if self.loops is None else f" with {self.loops}")


ONE, GRAPHS = Domain("one"), Domain("graph")


def _refused(sign: str, way_out: str) -> Callable[..., Any]:
    """An operator that would be of a row's number, which nothing knows while a model is traced."""
    def operator(self: Any, *_: Any) -> NoReturn:
        fail(f"{describe(self)} has no value while a model is traced, so {sign} {way_out}")
    return operator


@dataclass(frozen=True)
class Endpoint:
    """Of every row of `source` a row of `target`: an edge's node, a node's graph."""

    source: Domain
    target: Domain
    role: str  #: "src", "dst", "graph"

    def __str__(self) -> str:
        return f"{self.role} of {self.source}"

    __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = (
        __getitem__) = __iter__ = __len__ = _refused(
            "arithmetic", "cannot read it: v[g.src] reads v there")


@dataclass(frozen=True)
class Category:
    """A feature of whole numbers: 0 .. count-1."""

    domain: Domain
    name: str
    count: int

    def with_count(self, count: int) -> "Category":
        """The same with values 0 .. count-1, whichever of them the data has that is traced."""
        if not is_whole(count, self.count):
            fail(f"{self.name}.with_count({count!r}): expected a whole number of at least "
                 f"{self.count}, as the data has values up to {self.count - 1}")
        return Category(self.domain, self.name, int(count))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Category):
            return (self.domain, self.name, self.count) == (other.domain, other.name, other.count)
        return bool(_refused("==", "cannot compare it; one_hot() tells its numbers apart")(self))

    __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused(
        "arithmetic", "cannot read it; numbers() makes values of its whole numbers")
    __getitem__ = __iter__ = __len__ = _refused(
        "[]", "cannot read it; one_hot(), embedding() and numbers() make values, which v[g.src] "
        "reads on edges")


@dataclass(frozen=True)
class Table:
    """Learnable rows; table[g.edge_type] reads one for each edge, table[3] one for all."""

    name: str
    count: int
    shape: Shape
    init: Init

    def __getitem__(self, index: Any) -> "Value":
        if is_whole(index, 0) and index < self.count:
            return Value("own_row", (), ONE, self.shape, table=self, row=int(index))
        if not isinstance(index, Category):
            fail(f"table {self.name!r} is read by {describe(index)}, expected a feature of whole "
                 f"numbers, or one of 0 to {self.count - 1}")
        if index.count > self.count:
            fail(f"table {self.name!r} has {self.count} rows, expected at least {index.count}, as "
                 f"{index.name!r} has values")
        return Value("row", (), index.domain, self.shape, table=self, category=index)


def no_attribute(message: str) -> NoReturn:
    """The same as an AttributeError, so that hasattr() says no."""
    raise usage_error(place(), message, AttributeError)


def no_name(module: str, name: str, instead_of: Callable[[str], str]) -> NoReturn:
    """The same of a module's names, with what there is instead."""
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    no_attribute(f"{module} has no {name!r}: {instead_of(name)}")


def is_number(thing: Any, least: float = -math.inf) -> bool:
    """Finite in float64, of Python or NumPy."""
    if not isinstance(thing, numbers.Real) or isinstance(thing, bool):
        return False
    try:
        number = float(thing)
    except OverflowError:
        return False
    return math.isfinite(number) and number >= least


def describe(thing: Any) -> str:
    """As the user's code calls it, with its shape and its rows."""
    if isinstance(thing, Value):
        return f"{thing.called()} {list(thing.shape)} on {thing.domain}"
    if isinstance(thing, Endpoint):
        return str(thing)
    if isinstance(thing, Category):
        return f"feature {thing.name!r}, whole numbers on {thing.domain}"
    shape = getattr(thing, "shape", None) if hasattr(type(thing), "__array__") else None
    if shape:
        return f"{type(thing).__name__} of shape {list(shape)}"
    return f"{type(thing).__name__} {thing!r}"[:80]


class Trace:
    """Values in the order in which they are made, and the tables that they read."""

    def __init__(self, features: Mapping[Domain, Mapping[str, Tuple[Shape, int]]]) -> None:
        #: Of the sets that the graph has: the shape of a row, how many categories (0: floats).
        self.features = features
        self.values: List[Value] = []
        self.tables: Dict[str, Table] = {}
        self.weights: Dict[str, "Value"] = {}  #: of tables that all rows read
        self.draws = 0  #: dropouts so far
        self.pools = False  #: the data is a set of graphs
        self.calls = Calls()
        #: Names that unique() made, by which: conv_2 is the second conv.
        self.seconds: Dict[str, str] = {}
        #: Weights that no step learns, and what a training step makes of them.
        self.tracked: List[Tuple["Value", "Value"]] = []
        self._scopes: List[str] = []  # the names of all around, together
        self._names: Dict[str, int] = {}
        self._shared = 0  #: scopes around that are

    def unique(self, name: str) -> str:
        """`name` in the scope of now; a second of that name is name_2."""
        full = "/".join([*self._scopes[-1:], name])
        number = self._names.get(full, 0) + 1
        self._names[full] = number
        if number > 1:
            self.seconds[f"{full}_{number}"] = full
        return full if number == 1 else f"{full}_{number}"

    @contextmanager
    def scope(self, name: str, shared: bool = False) -> Iterator[None]:
        """`shared`: names in it are those of the calls before, in the same order."""
        outer, names = self._names, "/".join([*self._scopes[-1:], name])
        if shared:
            outer.setdefault(names, 1)
            self._names = {}
        self._scopes.append(names if shared else self.unique(name))
        self._shared += shared
        try:
            yield
        finally:
            self._scopes.pop()
            self._shared -= shared
            self._names = outer

    def add(self, value: "Value") -> None:
        """Refuses what is of another trace, and what no row can be."""
        for arg in value.args:
            self.check_own(arg)
        end, category = value.attributes.get("over"), value.attributes.get("category")
        for domain in (value.domain, *(() if end is None else (end.source, end.target))):
            if domain != ONE and domain._replace(loops=None) not in self.features:
                fail(f"there are no {domain} in this graph: they belong to another trace")
        table = value.attributes.get("table")
        if table is not None and self.tables.get(table.name) is not table:
            fail(f"the weights {table.name!r} belong to another trace: a model makes its weights "
                 "when it is called")
        if category is not None:
            self._check_feature(category.domain, category.name, ((), category.count))
        if value.op == "feature":
            self._check_feature(value.domain, value.attributes["name"], (value.shape, 0))
        if value.op == "weight" and table is not None:
            self.weights[table.name] = value
        if value.size > MOST_ELEMENTS:
            fail(f"rows of {list(value.shape)}: expected up to {MOST_ELEMENTS:,} elements")
        self.values.append(value)

    def _check_feature(self, domain: Domain, name: str, kind: Tuple[Shape, int]) -> None:
        known = self.features.get(domain._replace(loops=None), {}).get(name)
        more = known and known[1] > 0 and (known[0], max(known[1], kind[1])) == kind  # with_count()
        if known != kind and not more:
            fail(f"feature {name!r} of {domain} belongs to another trace: a model reads the graph "
                 "that it is called with")

    def check_own(self, value: "Value") -> None:
        if value.trace is not self:
            fail(f"{value.called()} belongs to another trace: a model makes all its values when it "
                 "is called")

    def call(self, layer: str, arguments: Mapping[str, Any], function: Callable[[], Made]) -> Made:
        """Calls.add() of the scope of now."""
        return self.calls.add(self._scopes[-1], layer, arguments, function)

    def constant(self, name: str, value: float) -> None:
        self.calls.add_constant("/".join([*self._scopes[-1:], name]), value)

    def add_table(self, table: Table) -> Table:
        size = table.count * math.prod(table.shape)
        self.calls.read.append(table.name)
        if table.count > MOST_ROWS or 8 * size > _memory():
            fail(f"weights {table.name!r} of {[table.count, *table.shape]} are {8 * size:.3g} "
                 f"bytes: expected what this machine's memory holds, and up to {MOST_ROWS:,} rows")
        return self._again(self.tables[table.name], table) if table.name in self.tables else (
            self.tables.setdefault(table.name, table))

    def _again(self, known: Table, table: Table) -> Table:
        """The weights of a call before that this one shares."""
        if not self._shared:
            fail(f"there are weights {table.name!r} already")
        if (known.count, known.shape) != (table.count, table.shape):
            fail(f"the shared weights {table.name!r} are {[known.count, *known.shape]}, expected "
                 f"{[table.count, *table.shape]} as this call has them")
        if any(running.attributes["table"] is known for running, _ in self.tracked):
            fail(f"{table.name!r} is of a batch norm, which has statistics of one place: expected a "
                 "shared layer without one")
        return known


def _memory() -> int:
    """This machine's, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


_traces: List[Trace] = []


@contextmanager
def tracing(trace: Trace) -> Iterator[Trace]:
    _traces.append(trace)
    try:
        yield trace
    finally:
        _traces.pop()


def current() -> Trace:
    if not _traces:
        fail("is outside of a model: nn.Model(function) calls the function to trace it")
    return _traces[-1]


class _RowShape(Tuple[int, ...]):
    """A value's; an axis that is not there is refused at the user's line."""

    def __getitem__(self, index: Any) -> Any:
        try:
            return super().__getitem__(index)
        except IndexError:
            raise usage_error(place(), f"there is no shape[{index}] of a value of shape "
                              f"{tuple(self)}: {_OF_A_ROW}", IndexError) from None


class _Size(int):
    """How many elements; torch's size() is called."""

    def __call__(self, *_: Any) -> NoReturn:
        fail(f"size(...) is torch's, expected v.shape[k], or v.size, how many elements a row has: "
             f"{_OF_A_ROW}")


class Value:
    """Rows of one shape on a domain; operators work row by row."""

    def __init__(self, op: str, args: Sequence["Value"], domain: Domain, shape: Shape,
                 **attributes: Any) -> None:
        self.op, self.args, self.domain = op, tuple(args), domain
        self.shape: Shape = _RowShape(shape)
        self.attributes = attributes
        self.where, self.trace = place(), current()
        self.trace.add(self)

    @property
    def size(self) -> int:
        return _Size(math.prod(self.shape))

    def called(self) -> str:
        """The user's variable, else a feature's or table's name, else the operation."""
        frame = user_frame()
        if frame is not None:
            for variable, local in frame.f_locals.items():
                if local is self:
                    return repr(variable)
        table = self.attributes.get("table")
        name = table.name if table else self.attributes.get("name")
        return repr(name) if name else f"{self.op} of line {self.where.rpartition(':')[2]}"

    def __repr__(self) -> str:
        return f"<{self.op} {list(self.shape)} on {self.domain}>"

    def __bool__(self) -> bool:
        fail(f"{describe(self)} has no value while a model is traced: if and while cannot ask it")

    def __len__(self) -> int:
        if len(self.shape) == 0:
            fail(f"{describe(self)} is a scalar: it has no elements")
        return self.shape[0]

    def __iter__(self) -> Iterator["Value"]:
        if len(self.shape) == 0:
            fail(f"{describe(self)} is a scalar: it has no elements")
        return (self[i] for i in range(self.shape[0]))

    def __getitem__(self, index: Any) -> "Value":
        from vecc.nn.ops import item
        return item(self, index)

    def __add__(self, other: "Operand") -> "Value":
        return _arithmetic("sum(A, B)", self, other)

    def __radd__(self, other: "Operand") -> "Value":
        return _arithmetic("sum(A, B)", other, self)

    def __sub__(self, other: "Operand") -> "Value":
        return _arithmetic("sum(A, elproduct(-1, B))", self, other)

    def __rsub__(self, other: "Operand") -> "Value":
        return _arithmetic("sum(A, elproduct(-1, B))", other, self)

    def __mul__(self, other: "Operand") -> "Value":
        return _arithmetic("elproduct(A, B)", self, other)

    def __rmul__(self, other: "Operand") -> "Value":
        return _arithmetic("elproduct(A, B)", other, self)

    def __truediv__(self, other: "Operand") -> "Value":
        return _arithmetic("elproduct(A, inverse(B))", self, other)

    def __rtruediv__(self, other: "Operand") -> "Value":
        return _arithmetic("elproduct(A, inverse(B))", other, self)

    def __neg__(self) -> "Value":
        return _arithmetic("elproduct(A, B)", -1, self)

    def __pow__(self, exponent: float) -> "Value":
        from vecc.nn.ops import power
        return power(self, exponent)

    def __matmul__(self, other: "Operand") -> "Value":
        from vecc.nn.ops import matmul
        return matmul(self, other)

    def __rmatmul__(self, other: "Operand") -> "Value":
        from vecc.nn.ops import matmul
        return matmul(other, self)

    def __abs__(self) -> "Value":
        from vecc.nn.ops import abs_
        return abs_(self)

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = (
        _refused(sign, "cannot compare it") for sign in ("==", "!=", "<", "<=", ">", ">="))
    __hash__ = object.__hash__
    __floordiv__ = __rfloordiv__ = _refused("//", "cannot round it")
    __mod__ = __rmod__ = _refused("%", "cannot round it")
    __rpow__ = _refused("**", "cannot have it as an exponent; exp(v * log(base)) can")
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _refused(
        "& | ^ ~", "cannot ask it; products and nn.maximum() are there")
    __float__ = __int__ = __index__ = __complex__ = __round__ = _refused(
        "float and int", "cannot read it")
    __setitem__ = _refused("[] =", "cannot write it; nn.concat() puts parts together")

    def __array__(self, *_: Any, **__: Any) -> Any:
        fail(f"{describe(self)} is no array: {instead('array')}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> "Value":
        """NumPy leaves operators to this class, and functions to vecc.nn."""
        signs = _OPERATORS.get(function.__name__)
        if signs is None or method != "__call__" or options:
            fail(f"NumPy's {function.__name__} of {describe(self)}: {instead(function.__name__)}")
        a, b = inputs
        made: Value = getattr(a, signs[0])(b) if isinstance(a, Value) else getattr(b, signs[1])(a)
        return made

    def __array_function__(self, function: Any, *_: Any) -> NoReturn:
        fail(f"NumPy's {function.__name__} of {describe(self)}: {instead(function.__name__)}")

    @classmethod
    def __torch_function__(cls, function: Any, *_: Any, **__: Any) -> NoReturn:
        name = getattr(function, "__name__", "function")
        fail(f"torch's {name} is of tensors, not of values of a model: {instead(name)}")

    if not TYPE_CHECKING:  # what is not there is an error for mypy, too
        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_"):
                raise AttributeError(name)
            no_attribute(f"{describe(self)} has no {name!r}: {instead(name)}")


_OPERATORS = {sign: (f"__{word}__", f"__r{word}__") for sign, word in (
    ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("divide", "truediv"),
    ("true_divide", "truediv"), ("matmul", "matmul"))}


Operand = Union[Value, float]


def _arithmetic(expression: str, a: Operand, b: Operand) -> Value:
    from vecc.nn.ops import arithmetic
    return arithmetic(expression, a, b)


def common_domain(values: Sequence[Value]) -> Domain:
    """Of values that are read row by row."""
    domain = ONE
    for value in values:
        if value.domain == ONE:
            continue
        if domain != ONE and value.domain != domain:
            first = next(v for v in values if v.domain != ONE)
            fail(f"{describe(first)} and {describe(value)} are of different rows: v[g.src] reads a "
                 "node's value on its edges, sum(v, over=g.dst) brings edges to nodes")
        domain = value.domain
    return domain
