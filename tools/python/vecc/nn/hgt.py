"""HGT: attention over the edges of all relations into a node together."""

from __future__ import annotations

from typing import Dict, List, Mapping, Tuple

from vecc.nn.checks import Size, checked, refuse
from vecc.nn.named import layer
from vecc.nn.ops import (concat, dot, elementwise, exp, gelu, linear, max as max_of, relu, reshape,
                         sigmoid, softmax, sum as sum_of, weight)
from vecc.nn.places import fail
from vecc.nn.trace import Value
from vecc.nn.view import Edges, GraphView

Relations = List[Tuple[Edges, Value, Value]]  #: scores by head, values by head


@layer
@checked
def hgt(g: GraphView, x: Mapping[str, Value], out: Size, heads: Size = 1) -> Dict[str, Value]:
    """x [n] by set of nodes, the result [out] also; a set without incoming edges has none. `out`
    is a multiple of `heads`. Hu et al., 2020."""
    size = out // heads
    if size * heads != out:
        fail(f"{out} is no multiple of {heads} heads, expected one")
    if missing := [key for key in g.edge_types if not {key[0], key[2]} <= x.keys()]:
        fail(f"hgt(x=) has {', '.join(x) or 'nothing'}, but there are edges "
             f"{' '.join(missing[0])}: expected a value of both of their sets of nodes")
    x = {t: _of_set(g, t, value) for t, value in x.items()}
    kqv = {t: [linear(x[t], out, bias=True, name=f"{part}/{t}") for part in "kqv"] for t in x}
    scores: Dict[str, Relations] = {}
    for key in g.edge_types:
        e, label = g[key], "__".join(key)

        def by_head(value: Value, name: str) -> Value:
            parts = [value[head * size:(head + 1) * size]
                     @ weight(f"{name}/{label}/{head}", (size, size), "kaiming_uniform")
                     for head in range(heads)]
            return reshape(concat(*parts), (heads, size))[e.src]
        k, v = by_head(kqv[key[0]][0], "k_rel"), by_head(kqv[key[0]][2], "v_rel")
        q = reshape(kqv[key[2]][1], (heads, size))[e.dst]
        p = concat(*(reshape(weight(f"p_rel/{label}/{head}", (), "ones"), 1)
                     for head in range(heads)))
        scores.setdefault(key[2], []).append((e, dot(q, k) * p * size ** -0.5, v))
    return {t: _hgt_node(t, x[t], out, scores[t]) for t in x if t in scores}


def _of_set(g: GraphView, t: str, x: Value) -> Value:
    """[n] of the nodes t."""
    if not isinstance(x, Value) or str(x.domain) != str(g[t]) or len(x.shape) > 1:
        refuse(f"hgt(x={{{t!r}: ...}})", x, f"a vector of each of {g[t]}")
    return x


def _hgt_node(t: str, x: Value, out: Size, edges: Relations) -> Value:
    """What a set of nodes gets of the edges of all relations into it."""
    h = linear(gelu(reshape(_attended(edges), out)), out, bias=True, name=f"out_lin/{t}")
    if x.shape != h.shape:
        return h
    mix = sigmoid(weight(f"skip/{t}", (), "ones"))
    return mix * h + (1 - mix) * x


def _attended(edges: Relations) -> Value:
    """The sum of values of edges, weighed by the softmax of their scores over all relations into a
    node together: exponentials of each, of the largest score of all, by the sum of all."""
    if len(edges) == 1:
        e, s, v = edges[0]
        return sum_of(softmax(s, over=e.dst)[:, None] * v, over=e.dst)
    tops = [max_of(s, over=e.dst) for e, s, _ in edges]
    top = tops[0]
    for other in tops[1:]:
        top = top + relu(other - top)
    total, weighed = None, None
    for e, s, v in edges:
        a = exp(s - top[e.dst])
        share, part = sum_of(a, over=e.dst), sum_of(a[:, None] * v, over=e.dst)
        total = share if total is None else total + share
        weighed = part if weighed is None else weighed + part
    assert total is not None and weighed is not None
    return weighed / elementwise("sum($0, 1e-16)", total)[:, None]
