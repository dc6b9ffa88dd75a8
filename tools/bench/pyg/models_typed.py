"""Typed graphs: RGCNConv, RGATConv (and plain torch for attention vectors by relation), HGTConv."""

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import RGCNConv

from models_hgt import hgt, hgt_tables
from models_rgat import rgat
from outputs import OUTPUTS
from twin import Twin
from weights import TableSpec, call


class Graph:
    """The messages of a data set and the options of a model, as its layers need them."""

    def __init__(self, data, options):
        self.nodes, self.types = data.nodes, data.types()
        self.type_names = data.type_names
        self.source, self.relation, self.target, self.names = data.messages(
            options.on("inverse", True), options.take("message-edges", "all") == "train")
        self.heads = options.take("heads", 1)
        self.slope = options.take("slope", 0.2)
        self.mean = options.take("aggregation", "mean") == "mean"
        self.shared = options.take("attention", "relation") == "shared"
        self.skip = options.on("skip", True)
        self.norm = options.take("norm", "none") == "layer"

    def edges(self, w):
        return w.index(np.stack([self.source, self.target])), w.index(self.relation)


def rgcn(graph, w, layer, x, bias):
    weight, root = w[layer + "W"], w.one(layer + "W_0")
    conv = RGCNConv(x.size(1), root.size(0), len(graph.names), bias=bias,
                    aggr="mean" if graph.mean else "sum")
    parameters = {"weight": weight.transpose(1, 2), "root": root.T}
    if bias:
        parameters["bias"] = w.column(layer + "b")
    return call(conv, parameters, x, *graph.edges(w))


LAYERS = {"rgcn": rgcn, "rgat": rgat, "hgt": hgt}


def layer_tables(graph, model, layer, before, after, bias):
    if model == "hgt":
        return hgt_tables(graph, layer, before, after, bias)
    specs = [TableSpec(layer + "W", (after, before), len(graph.names), graph.names)]
    if model == "rgcn":
        specs.append(TableSpec(layer + "W_0", (after, before)))
    else:
        count = graph.heads * (1 if graph.shared else len(graph.names))
        specs += [TableSpec(layer + name, (1, after), count) for name in ("a_target", "a_source")]
    return specs + ([TableSpec(layer + "b", (after, 1))] if bias else [])


def input_tables(data, width, given):
    if not given:
        return [TableSpec("e", (width, 1), data.nodes, data.node_names)]
    specs = []
    for number, name in enumerate(data.type_names):
        here = np.flatnonzero(data.node_type == number)
        if number in data.features:
            shape = (width, data.features[number].shape[1])
            specs.append(TableSpec(f"x.P_{name}", shape))
        elif len(here):
            specs.append(TableSpec(f"e_{name}", (width, 1), len(here),
                                   [data.node_names[node] for node in here]))
    return specs


def input_values(data, w, given):
    if not given:
        return w.rows("e")
    parts, order = [], []
    for number, name in enumerate(data.type_names):
        order.append(np.flatnonzero(data.node_type == number))
        if number in data.features:
            parts.append(w.constant(data.features[number]) @ w.one(f"x.P_{name}").T)
        elif len(order[-1]):
            parts.append(w.rows(f"e_{name}"))
    return torch.cat(parts)[w.index(np.argsort(np.concatenate(order)))]


def dimensions(data, options):
    """d0 .. dL: --dims, or --dim and --layers with the number of classes in the last place."""
    given, dim, layers = (options.take("dims", ""), options.take("dim", 64),
                          options.take("layers", 1))
    if given:
        return [int(text) for text in given.split(",")]
    return [dim] * layers + [len(data.label_names) or dim]


def samples(data):
    """Nodes with their one-hot targets and splits; without labels every node."""
    if not data.labels:
        return np.arange(data.nodes), [], []
    targets, splits = {}, {}
    for node, label, split in data.labels:
        target = targets.setdefault(node, np.zeros((len(data.label_names), 1)))
        target[label] = 1
        splits[node] = split
    return np.array(list(targets)), list(targets.values()), list(splits.values())


def default_output(targets):
    """Of the samples' --output-function."""
    if not targets:
        return "identity"
    several = any(target.sum() > 1 for target in targets)
    return "sigmoid" if several or len(targets[0]) == 1 else "softmax"


def build(data, model, options):
    graph = Graph(data, options)
    dims = dimensions(data, options)
    bias = options.on("bias", model == "hgt")
    given = options.take("features", "embedding") == "given"
    nodes, targets, splits = samples(data)
    finish = OUTPUTS[options.take("output-function", default_output(targets))]
    specs = input_tables(data, dims[0], given)
    for number, (before, after) in enumerate(zip(dims, dims[1:]), 1):
        specs += layer_tables(graph, model, f"h{number}.", before, after, bias)

    def forward(w):
        x = input_values(data, w, given)
        for number in range(1, len(dims)):
            x = LAYERS[model](graph, w, f"h{number}.", x, bias)
            if graph.norm:
                x = F.layer_norm(x, [dims[number]], eps=1e-10)
            if number + 1 < len(dims):
                x = torch.relu(x)
        return finish(x[w.index(nodes)])

    return Twin(nodes=data.nodes, edges=len(graph.source), tables=specs, forward=forward,
                output_shape=(dims[-1], 1), ids=[data.node_names[node] for node in nodes],
                targets=targets, splits=splits)
