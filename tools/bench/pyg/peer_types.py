"""The same networks in plain torch, with one matrix product for each type: edges sorted by their
type beforehand, rows read by index_select, products by mm, sums by index_add."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from models_rgat import segment_softmax
from peer_networks import bias_place
from peer_places import Place, single


class SortedEdges(torch.nn.Module):
    """Edges by type; `scale` is 1 / (edges of the type into the target)."""

    def __init__(self, graph):
        super().__init__()
        order = np.argsort(graph.relation, kind="stable")
        self.nodes = graph.nodes
        self.counts = np.bincount(graph.relation, minlength=len(graph.names)).tolist()
        source, relation, target = (column[order] for column in
                                    (graph.source, graph.relation, graph.target))
        for name, column in (("source", source), ("relation", relation), ("target", target)):
            self.register_buffer(name, torch.tensor(column))
        _, pair, members = np.unique(target * len(graph.names) + relation, return_inverse=True,
                                     return_counts=True)
        scale = 1 / members[pair.ravel()]
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32)[:, None])

    def products(self, rows, matrices):
        """rows[i] times the transposed matrix of its type."""
        parts = [part @ matrix.T for part, matrix in zip(rows.split(self.counts), matrices.unbind())]
        return torch.cat(parts)

    def head_products(self, rows, matrices):
        """The same of [edges, heads, width] with [types * heads, width, width]."""
        heads = rows.size(1)
        if heads == 1:
            return self.products(rows[:, 0], matrices)[:, None]
        by_type = matrices.view(-1, heads, *matrices.shape[1:]).unbind()
        parts = [torch.bmm(part.transpose(0, 1), matrix.mT).transpose(0, 1)
                 for part, matrix in zip(rows.split(self.counts), by_type)]
        return torch.cat(parts)

    def add_up(self, out, messages):
        return out.index_add(0, self.target, messages)


def empty(*shape):
    return torch.nn.Parameter(torch.empty(*shape))


class TypedRgcn(torch.nn.Module):
    def __init__(self, graph, edges, before, after, bias):
        super().__init__()
        self.edges, self.mean = edges, graph.mean
        self.weight = empty(len(graph.names), after, before)
        self.root = empty(after, before)
        self.bias = empty(after) if bias else None

    def forward(self, x):
        messages = self.edges.products(x.index_select(0, self.edges.source), self.weight)
        if self.mean:
            messages = messages * self.edges.scale
        out = self.edges.add_up(x @ self.root.T, messages)
        return out if self.bias is None else out + self.bias

    def places(self, layer):
        return [Place(layer + "W", self.weight), Place(layer + "W_0", self.root, single),
                *bias_place(layer + "b", self.bias)]


class TypedRgat(torch.nn.Module):
    def __init__(self, graph, edges, before, after, bias):
        super().__init__()
        self.edges, self.slope = edges, graph.slope
        self.heads, self.shared = graph.heads, graph.shared
        self.weight = empty(len(graph.names), after, before)
        vectors = graph.heads * (1 if graph.shared else len(graph.names))
        self.a_target, self.a_source = empty(vectors, after), empty(vectors, after)
        self.bias = empty(after) if bias else None

    def scores(self, rows, vectors):
        if self.shared:
            return rows @ vectors.T
        by_type = vectors.view(-1, self.heads, vectors.size(1)).index_select(0, self.edges.relation)
        return (rows[:, None] * by_type).sum(2)

    def forward(self, x):
        edges = self.edges
        z = edges.products(x.index_select(0, edges.source), self.weight)
        y = edges.products(x.index_select(0, edges.target), self.weight)
        scores = self.scores(y, self.a_target) + self.scores(z, self.a_source)
        alpha = segment_softmax(F.leaky_relu(scores, self.slope), edges.target, edges.nodes)
        messages = (alpha[:, :, None] * z.view(len(z), self.heads, -1)).flatten(1)
        out = edges.add_up(x.new_zeros(edges.nodes, z.size(1)), messages)
        return out if self.bias is None else out + self.bias

    def places(self, layer):
        return [Place(layer + "W", self.weight), Place(layer + "a_target", self.a_target),
                Place(layer + "a_source", self.a_source), *bias_place(layer + "b", self.bias)]


class TypedHgt(torch.nn.Module):
    """On nodes of one type: the types are those of the edges."""

    def __init__(self, graph, edges, before, after, bias):
        super().__init__()
        self.edges, self.heads, self.width = edges, graph.heads, after // graph.heads
        self.kqv = torch.nn.Linear(before, 3 * after, bias=bias)
        self.out = torch.nn.Linear(after, after, bias=bias)
        count = len(graph.names) * graph.heads
        self.a, self.m = (empty(count, self.width, self.width) for _ in "AM")
        self.prior = empty(len(graph.names), graph.heads)
        self.gate = empty(1) if graph.skip and before == after else None

    def forward(self, x):
        edges = self.edges
        k, q, v = (part.reshape(len(x), self.heads, self.width) for part in self.kqv(x).chunk(3, 1))
        keys = edges.head_products(k.index_select(0, edges.source), self.a)
        scores = (q.index_select(0, edges.target) * keys).sum(2)
        scores = scores * self.prior.index_select(0, edges.relation) / math.sqrt(self.width)
        alpha = segment_softmax(scores, edges.target, edges.nodes)
        values = edges.head_products(v.index_select(0, edges.source), self.m)
        messages = (alpha[:, :, None] * values).flatten(1)
        total = edges.add_up(x.new_zeros(edges.nodes, messages.size(1)), messages)
        out = self.out(F.gelu(total))
        if self.gate is None:
            return out
        share = self.gate.sigmoid()
        return share * out + (1 - share) * x

    def places(self, layer):
        found = [Place(layer + "O", self.out.weight, single),
                 *bias_place(layer + "b_O", self.out.bias),
                 Place(layer + "A", self.a), Place(layer + "M", self.m),
                 Place(layer + "p", self.prior, torch.ravel)]
        after = self.heads * self.width
        for number, name in enumerate("KQV"):
            def part(tensor, begin=number * after):
                return tensor[begin:begin + after][None]
            found.append(Place(layer + name, self.kqv.weight, part))
            if self.kqv.bias is not None:
                found.append(Place(f"{layer}b_{name}", self.kqv.bias, part))
        return found + ([] if self.gate is None else [Place(layer + "skip", self.gate)])


def typed_layer(graph, model, bias):
    """(width before, width after) -> a layer; all of them share the sorted edges."""
    layer = {"rgcn": TypedRgcn, "rgat": TypedRgat, "hgt": TypedHgt}[model]
    edges = SortedEdges(graph)
    return lambda before, after: layer(graph, edges, before, after, bias)
