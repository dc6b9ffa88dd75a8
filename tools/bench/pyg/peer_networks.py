"""The peers' networks on typed graphs as a user of PyTorch Geometric writes them: a module with
learnable embeddings and layers, whose weights are its own parameters."""

import numpy as np
import torch
from torch_geometric.nn import FastRGCNConv, HGTConv, RGATConv, RGCNConv

from peer_places import Place, single, single_transposed, transposed
from peer_runs import Absent


class RelationalNetwork(torch.nn.Module):
    """Embeddings and layers; a layer takes the nodes' rows and what the graph is to it. `shown`: the
    nodes whose rows are the outputs (None: all), `finish`: their function."""

    def __init__(self, nodes, dims, make_layer, shown, finish):
        super().__init__()
        self.register_buffer("shown", None if shown is None else torch.tensor(shown))
        self.finish = finish
        self.embedding = torch.nn.Parameter(torch.empty(nodes, dims[0]))
        self.layers = torch.nn.ModuleList(make_layer(before, after)
                                          for before, after in zip(dims, dims[1:]))

    def forward(self, *graph):
        x = self.embedding
        for number, layer in enumerate(self.layers):
            x = layer(x, *graph)
            if number + 1 < len(self.layers):
                x = torch.relu(x)
        return self.finish(x if self.shown is None else x[self.shown])

    def places(self):
        found = [Place("e", self.embedding)]
        for number, layer in enumerate(self.layers, 1):
            found += layer.places(f"h{number}.")
        return found


def bias_place(name, bias):
    return [] if bias is None else [Place(name, bias, single)]


class Rgcn(torch.nn.Module):
    def __init__(self, graph, before, after, bias, fast):
        super().__init__()
        convolution = FastRGCNConv if fast else RGCNConv
        self.conv = convolution(before, after, len(graph.names), bias=bias,
                                aggr="mean" if graph.mean else "sum")

    def forward(self, x, edges, types):
        return self.conv(x, edges, types)

    def places(self, layer):
        return [Place(layer + "W", self.conv.weight, transposed),
                Place(layer + "W_0", self.conv.root, single_transposed),
                *bias_place(layer + "b", self.conv.bias)]


class Rgat(torch.nn.Module):
    def __init__(self, graph, before, after, bias):
        super().__init__()
        if not graph.shared:
            raise Absent("RGATConv has one attention vector for all relations",
                         "a case with --attention=shared")
        self.conv = RGATConv(before, after // graph.heads, len(graph.names), heads=graph.heads,
                             negative_slope=graph.slope, bias=bias)

    def forward(self, x, edges, types):
        return self.conv(x, edges, types)

    def places(self, layer):
        return [Place(layer + "W", self.conv.weight, transposed),
                Place(layer + "a_target", self.conv.q, transposed),
                Place(layer + "a_source", self.conv.k, transposed),
                *bias_place(layer + "b", self.conv.bias)]


class Hgt(torch.nn.Module):
    """HGTConv on nodes of one type: an edge type is a relation."""

    def __init__(self, graph, before, after, bias):
        super().__init__()
        if len(graph.type_names) > 1:
            raise Absent("only graphs of one node type are measured", "")
        self.width, self.heads, self.has_bias = after, graph.heads, bias
        self.has_gate = graph.skip and before == after
        self.relations = np.unique(graph.relation)
        self.names = [("n", f"e{r}", "n") for r in self.relations]
        self.conv = HGTConv(before, after, (["n"], self.names), graph.heads)
        self.reset_constants()

    @torch.no_grad()
    def reset_constants(self):
        """Where the tables have no gate it is open: sigmoid(infinity) is 1."""
        self.conv.skip["n"].fill_(torch.inf)
        if not self.has_bias:
            self.conv.kqv_lin.lins["n"].bias.zero_()
            self.conv.out_lin.lins["n"].bias.zero_()

    def forward(self, x, edges):
        return self.conv({"n": x}, edges)["n"]

    def places(self, layer):
        kqv, out = self.conv.kqv_lin.lins["n"], self.conv.out_lin.lins["n"]
        found = [Place(layer + "O", out.weight, single)]
        found += bias_place(layer + "b_O", out.bias if self.has_bias else None)
        for number, name in enumerate("KQV"):
            def part(tensor, begin=number * self.width):
                return tensor[begin:begin + self.width][None]
            found.append(Place(layer + name, kqv.weight, part))
            found += [Place(f"{layer}b_{name}", kqv.bias, part)] if self.has_bias else []
        for head in range(self.heads):
            def of_head(tensor, begin=head * len(self.relations)):
                return tensor[begin:begin + len(self.relations)].mT
            rows = self.relations * self.heads + head
            found += [Place(layer + "A", self.conv.k_rel.weight, of_head, rows),
                      Place(layer + "M", self.conv.v_rel.weight, of_head, rows)]
        for relation, name in zip(self.relations, self.names):
            rows = slice(relation * self.heads, (relation + 1) * self.heads)
            found.append(Place(layer + "p", self.conv.p_rel["__".join(name)], torch.ravel, rows))
        if self.has_gate:
            found.append(Place(layer + "skip", self.conv.skip["n"]))
        return found


def geometric_layer(graph, model, bias, fast):
    """(width before, width after) -> a layer of PyTorch Geometric."""
    if fast and model != "rgcn":
        raise Absent("FastRGCNConv is a layer of RGCN alone", "")
    if model == "rgcn":
        return lambda before, after: Rgcn(graph, before, after, bias, fast)
    layer = {"rgat": Rgat, "hgt": Hgt}[model]
    return lambda before, after: layer(graph, before, after, bias)


def geometric_arguments(graph, model):
    """What the graph is to them."""
    edges, relation = np.stack([graph.source, graph.target]), graph.relation
    if model != "hgt":
        return torch.tensor(edges), torch.tensor(relation)
    order = np.argsort(relation, kind="stable")
    relations, begins = np.unique(relation[order], return_index=True)
    parts = np.split(order, begins[1:])
    return ({("n", f"e{r}", "n"): torch.tensor(edges[:, part])
             for r, part in zip(relations, parts)},)
