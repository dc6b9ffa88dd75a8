"""PyTorch Geometric's convolutions as formulas; weights have the names of their state_dict, and
begin as those of `reset_parameters`.

`g` is a set of edges (or the graph, if it has one); x_i is a node's value, x_j that of the source
of an edge (j, i). Where `x` may be a pair, it is of sources and of targets, as for edges between
two sets of nodes; x_j is of the first, x_i of the second. docs/models.md lists the formulas.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from types import MappingProxyType
from typing import (TYPE_CHECKING, Any, Callable, Dict, Mapping, NoReturn, Optional, Sequence,
                    Tuple, TypeVar, Union)

from vecc.nn.checks import (NotNegative, Positive, Probability, Share, Size, Steps, apply,
                            checked, refuse)
from vecc.nn.hgt import hgt
from vecc.nn.named import layer as named
from vecc.nn.ops import (abs_, concat, constant, count, dot, elementwise, leaky_relu, linear, log,
                         lstm, matmul, max as max_of, mean, min as min_of, relu, reshape, sigmoid,
                         softmax, sqrt, square, sum as sum_of, table, tanh, uniform, weight)
from vecc.nn.norms import dropout as dropped
from vecc.nn.places import fail
from vecc.nn.trace import Category, Endpoint, Operand, Value, current, describe, no_name
from vecc.nn.view import Edges, GraphView
from vecc.nn.words import instead_of_layer

if TYPE_CHECKING:
    from typing import ParamSpec

    from vecc.nn.named import Layer

    Inputs = ParamSpec("Inputs")
    Result = TypeVar("Result")

__all__ = ["appnp", "edge", "film", "gat", "gated_graph", "gatv2", "gcn", "gen", "gin", "gine",
           "gru", "hgt", "mlp", "nn_conv", "pna", "rgat", "rgcn", "sage", "symmetric",
           "transformer"]

Network = Callable[[Value], Value]
Ends = Union[GraphView, Edges]
Pair = Union[Value, Tuple[Value, Value]]  #: of all nodes, or of sources and of targets
EdgeValue = Union[str, Value]  #: a feature of edges by its name, or a value on the edges
Aggregation = Callable[..., Value]  #: (messages, over=g.dst)
AGGREGATIONS: Dict[str, Aggregation] = {"sum": sum_of, "mean": mean, "max": max_of, "min": min_of}


def layer(function: "Callable[Inputs, Result]") -> "Layer[Inputs, Result]":
    """nn.layer, of checked arguments."""
    return named(checked(function))


def _heads(h: Value, concatenated: bool) -> Value:
    """Of (heads, n): side by side, or their mean."""
    if concatenated:
        return reshape(h, h.size)
    return matmul(constant([1 / h.shape[0]] * h.shape[0]), h)


def _shifted(h: Value, bias: bool) -> Value:
    """With the layer's own bias, or as it is."""
    return h + weight("bias", h.shape, "zeros") if bias else h


def _least(v: Value, least: float) -> Value:
    return elementwise(f"sum(relu(sum($0, -{least})), {least})", v)


def _aggregation(name: str, more: Mapping[str, Aggregation] = MappingProxyType({})) -> Aggregation:
    functions = {**AGGREGATIONS, **more}
    if name not in functions:
        fail(f"aggregation {name!r} is none of {', '.join(functions)}")
    return functions[name]


def _edges(g: Ends) -> Edges:
    return g.edges if isinstance(g, GraphView) else g


def _pair(g: Ends, x: Pair) -> Tuple[Value, Value]:
    """Of sources, of targets."""
    e = _edges(g)
    if isinstance(x, (tuple, list)):
        if len(x) != 2:
            fail(f"expected a value or a pair of sources and targets, found {len(x)} values")
        return _on(x[0], e.src), _on(x[1], e.dst)
    if e.src.target != e.dst.target:
        fail(f"{describe(x)} for {e}, whose ends are different nodes: expected a pair, "
             "(x of sources, x of targets)")
    x = _on(x, e.src)
    return x, x


def _on(x: Value, end: Endpoint) -> Value:
    """[n] of the nodes at this end; a scalar is [1]."""
    if x.domain != end.target:
        fail(f"{describe(x)} is not of {end.target}, the {end.role} of {end.source}: expected a "
             "value of these nodes")
    if len(x.shape) > 1:
        fail(f"{describe(x)}: expected a vector of each node; nn.reshape() makes one")
    return x if x.shape else reshape(x, 1)


def _nodes(g: Ends, x: Value) -> Value:
    """Of a layer that has no pairs."""
    e = _edges(g)
    if e.src.target != e.dst.target:
        fail(f"{e}, whose ends are different nodes: expected edges among the same nodes")
    return _on(x, e.src)


def _relation(g: Ends, relation: Category) -> Category:
    if relation.domain != _edges(g).src.source:
        fail(f"{describe(relation)}: expected a category of {_edges(g).src.source}")
    return relation


def _of_edges(e: Edges, a: EdgeValue) -> Value:
    """[k] of the edges `e`."""
    if isinstance(a, str):
        a = e.feature(a)
    if not isinstance(a, Value):
        refuse("edge_attr=", a, "a feature of floats, or a value on the edges")
    if a.domain != e.src.source:
        loops = a.domain == e.src.source._replace(loops=None)
        fail(f"{describe(a)} is not of {e.src.source}" + (
            ": loops have features of the data alone, by their name, expected one, or a value on "
            "g.with_self_loops(); self_loops=False leaves them out" if loops else
            ", expected a value of these edges"))
    return a


def _looped(g: Ends, self_loops: bool, a: Optional[EdgeValue], fill: Union[str, float] = "mean",
            keep: bool = False) -> Edges:
    """With loops as `a` has them where it is a value on these edges with loops."""
    e = _edges(g)
    if self_loops and e.src.target != e.dst.target:
        fail(f"{e} have no self loops, since their ends are different nodes: self_loops=False")
    if not self_loops:
        return e
    loops = a.domain.loops if isinstance(a, Value) else None
    if loops is not None:
        fill, keep = loops.fill, loops.kept
    return e.with_self_loops(fill, keep=keep)


@checked
def mlp(x: Value, *sizes: Size, name: str = "nn") -> Value:
    """Sequential(Linear, ReLU, Linear, ...) with its names: nn/0/weight, nn/2/weight."""
    if not sizes:
        fail(f"mlp of {describe(x)} without sizes: expected one for each linear layer, "
             "mlp(x, 16, 16)")
    def made() -> Value:
        h = x
        for number, size in enumerate(sizes):
            h = linear(relu(h) if number else h, size, bias=True, name=str(2 * number))
        return h
    with current().scope(name):
        return current().call("mlp", {"layers": len(sizes), "x": x}, made)


@checked
def symmetric(x: Value, e: Edges, w: Optional[Value] = None) -> Value:
    """sum_j w_ji x_j / sqrt(d_j d_i), d_i = sum_j w_ji."""
    degree = count(e.dst) if w is None else sum_of(w, over=e.dst)
    if e.src.source.loops is not None and w is None:
        root = degree ** -0.5
    else:  # 0 where the sum is 0, as PyG has it
        some = elementwise("signum($0)", abs_(degree))
        root = some * (degree + (1 - some)) ** -0.5
    messages = (x * root)[e.src]
    return sum_of(messages if w is None else w * messages, over=e.dst) * root


@layer
def gcn(g: Ends, x: Value, out: Size, edge_weight: Optional[EdgeValue] = None,
        self_loops: bool = True, bias: bool = True) -> Value:
    """x [n] of nodes to [out]; `edge_weight`: a feature of edges, scalars, or a value on them, or on
    g.with_self_loops(). Kipf, Welling, 2017."""
    e = _looped(g, self_loops, edge_weight, fill=1, keep=True)
    x, w = _nodes(g, x), None if edge_weight is None else _of_edges(e, edge_weight)
    if w is not None and w.size != 1:
        fail(f"gcn(edge_weight=) {describe(w)}: expected a number of each edge")
    w = w if w is None else reshape(w, ())
    return _shifted(symmetric(linear(x, out, name="lin", init="glorot"), e, w), bias)


@layer
def sage(g: Ends, x: Pair, out: Size, aggregation: str = "mean", bias: bool = True,
         root_weight: bool = True, project: bool = False, normalize: bool = False) -> Value:
    """x [n] of nodes (or a pair) to [out]; `aggregation`: mean, max, sum, min, lstm;
    `root_weight`: with W_r x_i; `project`: of relu(W x_j + b); `normalize`: of length 1. Hamilton
    et al., 2017."""
    x_j, x_i = _pair(g, x)
    if project:
        x_j = relu(linear(x_j, x_j.shape[0], bias=True, name="lin"))
    if aggregation == "lstm":
        with current().scope("aggr_module"):
            around = lstm(x_j[g.src], g.dst, padded=True)
    else:
        around = _aggregation(aggregation, {"lstm": lstm})(x_j[g.src], over=g.dst)
    h = linear(around, out, bias=bias, name="lin_l")
    h = h + linear(x_i, out, name="lin_r") if root_weight else h
    return h * _least(dot(h, h), 1e-24) ** -0.5 if normalize else h


def _one_and_eps(eps: float, train_eps: bool) -> Operand:
    """1 + eps; PyG's state_dict has eps whether it is learned or not."""
    if train_eps:
        return 1 + weight("eps", (), eps)
    current().constant("eps", eps)
    return 1 + eps


@layer
def gin(g: Ends, x: Pair, network: Network, eps: float = 0.0, train_eps: bool = False) -> Value:
    """x [n] of nodes (or a pair) to what `network` makes of [n]. Xu et al., 2019."""
    x_j, x_i = _pair(g, x)
    around = sum_of(x_j[g.src], over=g.dst)
    return apply(network, _one_and_eps(eps, train_eps) * x_i + around, "gin")


@layer
def gine(g: Ends, x: Pair, network: Network, edge_attr: EdgeValue = "edge_attr",
         eps: float = 0.0, train_eps: bool = False) -> Value:
    """x [n] of nodes (or a pair) and `edge_attr` [k] of edges to what `network` makes of [n]; edges
    go through a linear layer unless k is n. Hu et al., 2020."""
    x_j, x_i = _pair(g, x)
    a = _of_edges(_edges(g), edge_attr)
    if a.shape != x_j.shape:
        a = linear(a, x_j.shape[0], bias=True, name="lin")
    around = sum_of(relu(x_j[g.src] + a), over=g.dst)
    return apply(network, _one_and_eps(eps, train_eps) * x_i + around, "gine")


def _weighed(e: Edges, h: Value, x_i: Value, s: Value, dropout: float, concatenated: bool,
              residual: bool, bias: bool) -> Value:
    """What gat() and gatv2() are of scores s [heads] of edges, values h (heads, n) of sources."""
    s = dropped(softmax(s, over=e.dst), dropout)
    h = _heads(sum_of(s[:, None] * h[e.src], over=e.dst), concatenated)
    h = h + linear(x_i, h.shape[0], name="res", init="glorot") if residual else h
    return _shifted(h, bias)


@layer
def gat(g: Ends, x: Pair, out: Size, heads: Size = 1, slope: float = 0.2,
        concatenated: bool = True, edge_attr: Optional[EdgeValue] = None,
        dropout: Probability = 0.0, self_loops: bool = True, residual: bool = False,
        bias: bool = True) -> Value:
    """x [n] of nodes (or a pair), `edge_attr` [k] of edges to [heads * out], or to their mean [out]
    where not `concatenated`; `residual`: and W x_i. Velickovic et al., 2018."""
    e = _looped(g, self_loops, edge_attr)
    x_j, x_i = _pair(g, x)
    paired = isinstance(x, (tuple, list))
    h = linear(x_j, (heads, out), name="lin_src" if paired else "lin", init="glorot")
    own = linear(x_i, (heads, out), name="lin_dst", init="glorot") if paired else h
    s = (dot(h, weight("att_src", (heads, out)))[e.src] +
         dot(own, weight("att_dst", (heads, out)))[e.dst])
    if edge_attr is not None:
        a = linear(_of_edges(e, edge_attr), (heads, out), name="lin_edge", init="glorot")
        s = s + dot(a, weight("att_edge", (heads, out)))
    return _weighed(e, h, x_i, leaky_relu(s, slope), dropout, concatenated, residual, bias)


@layer
def gatv2(g: Ends, x: Pair, out: Size, heads: Size = 1, slope: float = 0.2,
          concatenated: bool = True, edge_attr: Optional[EdgeValue] = None,
          dropout: Probability = 0.0, self_loops: bool = True, residual: bool = False,
          bias: bool = True) -> Value:
    """As gat(), with attention that depends on the target. Brody et al., 2022."""
    e = _looped(g, self_loops, edge_attr)
    x_j, x_i = _pair(g, x)
    h, own = (linear(each, (heads, out), bias=bias, name=f"lin_{end}", init="glorot")
              for end, each in (("l", x_j), ("r", x_i)))
    z = h[e.src] + own[e.dst]
    if edge_attr is not None:
        z = z + linear(_of_edges(e, edge_attr), (heads, out), name="lin_edge", init="glorot")
    s = dot(leaky_relu(z, slope), weight("att", (heads, out)))
    return _weighed(e, h, x_i, s, dropout, concatenated, residual, bias)


@layer
def transformer(g: Ends, x: Pair, out: Size, heads: Size = 1, concatenated: bool = True,
                edge_attr: Optional[EdgeValue] = None, dropout: Probability = 0.0,
                bias: bool = True, root_weight: bool = True, beta: bool = False) -> Value:
    """x [n] of nodes (or a pair), `edge_attr` [k] of edges to [heads * out], or to their mean [out]
    where not `concatenated`; `root_weight`: with W_skip x_i; `beta`: mixed with that by a sigmoid.
    Shi et al., 2021."""
    x_j, x_i = _pair(g, x)
    k, q, v = (linear(each, (heads, out), bias=bias, name=f"lin_{name}")
               for name, each in (("key", x_j), ("query", x_i), ("value", x_j)))
    k, v = k[g.src], v[g.src]
    if edge_attr is not None:
        a = linear(_of_edges(_edges(g), edge_attr), (heads, out), name="lin_edge")
        k, v = k + a, v + a
    s = dropped(softmax(dot(q[g.dst], k) * out ** -0.5, over=g.dst), dropout)
    h = _heads(sum_of(s[:, None] * v, over=g.dst), concatenated)
    if not root_weight:
        return h
    root = linear(x_i, h.shape[0], bias=bias, name="lin_skip")
    if not beta:
        return h + root
    mix = sigmoid(linear(concat(h, root, h - root), 1, name="lin_beta"))
    return mix * root + (1 - mix) * h


@layer
def rgcn(g: Ends, x: Pair, out: Size, relation: Category, bias: bool = True,
         root_weight: bool = True, bases: Optional[Size] = None) -> Value:
    """x [n] of nodes (or a pair) to [out]; `relation`: a category of edges; `root_weight`: with
    W_root x_i; `bases`: matrices of relations are sums of so many. Schlichtkrull et al., 2018."""
    x_j, x_i = _pair(g, x)
    relation = _relation(g, relation)
    w = table("weight", bases or relation.count, (x_j.shape[0], out))
    if bases is None:
        messages = x_j[g.src] @ w[relation]
    else:
        law = uniform((6 / (relation.count + bases)) ** 0.5)  # glorot's, of the whole table
        share = table("comp", relation.count, bases, law)[relation]
        messages = reduce(add, (share[b] * (x_j @ w[b])[g.src] for b in range(bases)))
    h = sum_of(messages / count(g.dst, by=relation), over=g.dst)
    h = h + x_i @ weight("root", (x_i.shape[0], out)) if root_weight else h
    return _shifted(h, bias)


@layer
def rgat(g: Ends, x: Value, out: Size, relation: Category, heads: Size = 1,
         slope: float = 0.2, dropout: Probability = 0.0, bias: bool = True) -> Value:
    """x [n] of nodes to [heads * out]; `relation`: a category of edges. Busbridge et al., 2019."""
    x, relation = _nodes(g, x), _relation(g, relation)
    w = table("weight", relation.count, (x.shape[0], heads * out))[relation]
    q, k = weight("q", (heads * out, heads)), weight("k", (heads * out, heads))
    h = x[g.src] @ w
    s = softmax(leaky_relu((x[g.dst] @ w) @ q + h @ k, slope), over=g.dst)
    s = dropped(s, dropout)
    h = sum_of(s[:, None] * reshape(h, (heads, out)), over=g.dst)
    return _shifted(reshape(h, heads * out), bias)


@layer
def film(g: Ends, x: Value, out: Size, relation: Optional[Category] = None) -> Value:
    """x [n] of nodes to [out]; `relation`: a category of edges. Brockschmidt, 2020."""
    def modulated(x_i: Value, x_j: Value, names: Sequence[str], **options: Any) -> Value:
        f = linear(x_i, 2 * out, name=names[0], **options)
        h = linear(x_j, out, name=names[1], by=options.get("by"))
        return relu(f[out:] * h + f[:out])
    x = _nodes(g, x)
    if relation is not None:
        _relation(g, relation)
    own = modulated(x, x, ("film_skip", "lin_skip"))
    messages = modulated(x[g.dst], x[g.src], ("films", "lins"), by=relation, bias=True)
    if relation is None:
        return own + mean(messages, over=g.dst)
    return own + sum_of(messages / count(g.dst, by=relation), over=g.dst)


@checked
def gru(size: Size, inputs: Size, name: str = "rnn", bias: bool = True
        ) -> Callable[[Value, Value], Value]:
    """torch.nn.GRUCell: a function of (x, h) whose calls share their weights."""
    first = uniform(size ** -0.5)
    w_i, w_h = (weight(f"{name}/weight_{part}", (3 * size, sides), first)
                for part, sides in (("ih", inputs), ("hh", size)))
    b_i, b_h = (weight(f"{name}/bias_{part}", 3 * size, first) if bias else 0.0
                for part in ("ih", "hh"))

    @checked
    def cell(x: Value, h: Value) -> Value:
        i, k = w_i @ x + b_i, w_h @ h + b_h
        r = sigmoid(i[:size] + k[:size])
        z = sigmoid(i[size:2 * size] + k[size:2 * size])
        new = tanh(i[2 * size:] + r * k[2 * size:])
        return new + z * (h - new)
    return cell


@layer
def gated_graph(g: Ends, x: Value, out: Size, steps: Steps, bias: bool = True) -> Value:
    """x [n] of nodes to [out], at least n: zeros are added. Li et al., 2016."""
    x = _nodes(g, x)
    n = x.shape[0]
    if n > out:
        fail(f"gated_graph of {describe(x)} to {out}: it only adds zeros, expected at least {n}")
    cell = gru(out, out, bias=bias)
    h = x if n == out else concat(x, constant([0.0] * (out - n)))
    for step in range(steps):
        m = h @ weight(f"weight/{step}", (out, out), "kaiming_uniform")
        h = cell(sum_of(m[g.src], over=g.dst), h)
    return h


@layer
def edge(g: Ends, x: Pair, network: Network, aggregation: str = "max") -> Value:
    """x [n] of nodes (or a pair) to what `network` makes of [2 n], x_i beside x_j - x_i. Wang et
    al., 2019."""
    source, target = _pair(g, x)
    x_i, x_j = target[g.dst], source[g.src]
    messages = apply(network, concat(x_i, x_j - x_i), "edge")
    return _aggregation(aggregation)(messages, over=g.dst)


@layer
def nn_conv(g: Ends, x: Pair, out: Size, network: Network, edge_attr: EdgeValue = "edge_attr",
            aggregation: str = "sum", bias: bool = True, root_weight: bool = True) -> Value:
    """x [n] of nodes (or a pair) to [out]; `network` makes [n * out] of `edge_attr` of edges;
    `root_weight`: with W x_i. Gilmer et al., 2017."""
    x_j, x_i = _pair(g, x)
    sides = (x_j.shape[0], out)
    w = reshape(apply(network, _of_edges(_edges(g), edge_attr), "nn_conv", sides), sides)
    h = _aggregation(aggregation)(x_j[g.src] @ w, over=g.dst)
    return _shifted(h + linear(x_i, out, name="lin") if root_weight else h, bias)


@layer
def appnp(g: Ends, x: Value, steps: Steps, alpha: Share) -> Value:
    """x [n] of nodes to [n], without weights of its own. Gasteiger et al., 2019."""
    x = h = _nodes(g, x)
    e = g.with_self_loops()
    for _ in range(steps):
        h = (1 - alpha) * symmetric(h, e) + alpha * x
    return h


@layer
def gen(g: Ends, x: Pair, out: Size, network: Network, temperature: Positive = 1.0,
        eps: NotNegative = 1e-7, edge_attr: Optional[EdgeValue] = None) -> Value:
    """x [n] of nodes (or a pair), `edge_attr` [k] of edges to what `network` (PyG's mlp) makes of
    [out]. Li et al., 2020."""
    h, own = (each if each.shape == (out,) else linear(each, out, bias=True, name=name)
              for each, name in zip(_pair(g, x), ("lin_src", "lin_dst")))
    m = h[g.src]
    if edge_attr is not None:
        a = _of_edges(_edges(g), edge_attr)
        m = m + (a if a.shape == m.shape else linear(a, out, bias=True, name="lin_edge"))
    m = relu(m) + eps
    s = softmax(m * temperature, over=g.dst)
    return apply(network, sum_of(s * m, over=g.dst) + own, "gen")


def _deviation(m: Value, over: Any) -> Value:
    """The root of the variance, 0 where that is below 1e-5."""
    variance = relu(mean(square(m), over=over) - square(mean(m, over=over)))
    above = elementwise("signum(sum($0, -1e-05))", variance)  # 1 or 0
    return above * sqrt(_least(variance, 1e-05))


@layer
def pna(g: Ends, x: Value, out: Size, mean_log_degree: Positive, mean_degree: Positive = 1.0,
        aggregations: Sequence[str] = ("mean", "min", "max", "std"),
        scalers: Sequence[str] = ("identity", "amplification", "attenuation")) -> Value:
    """x [n] of nodes to [out], one tower. `mean_log_degree`, `mean_degree`: of log(degree + 1) and
    of degree over the training nodes. Corso et al., 2020."""
    x = _nodes(g, x)
    m = linear(concat(x[g.dst], x[g.src]), x.shape[0], bias=True, name="pre_nns/0/0")
    parts = concat(*(_aggregation(name, {"std": _deviation})(m, over=g.dst)
                     for name in aggregations))
    degree = elementwise("sum(1, relu(sum($0, -1)))", count(g.dst))  # at least 1
    ratio = log(degree + 1) * (1 / mean_log_degree)
    scales = {"identity": parts, "amplification": parts * ratio, "attenuation": parts / ratio,
              "linear": parts * degree * (1 / mean_degree)}
    if unknown := [name for name in scalers if name not in scales]:
        fail(f"scaler {unknown[0]!r} is none of {', '.join(scales)}")
    for name, value, users in (("lin", mean_degree, {"linear"}),
                               ("log", mean_log_degree, {"amplification", "attenuation"})):
        current().constant(f"aggr_module/avg_deg_{name}",
                           value if users & set(scalers) else float("nan"))
    h = concat(x, *(scales[name] for name in scalers))
    return linear(linear(h, out, bias=True, name="post_nns/0/0"), out, bias=True, name="lin")


if not TYPE_CHECKING:  # what is not there is an error for mypy, too
    def __getattr__(name: str) -> NoReturn:
        no_name(__name__, name, instead_of_layer)
