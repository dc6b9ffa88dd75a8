"""Sets of small graphs: GCNConv, SAGEConv, GINConv, GATConv, then pooling and a linear readout."""

import numpy as np
import torch
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv
from torch_geometric.nn import global_add_pool, global_mean_pool

from data_tu import node_features
from outputs import OUTPUTS
from twin import Twin
from weights import TableSpec, call

DEFAULT_LAYERS = {"gcn": 2, "sage": 2, "gin": 5, "gcn-norm": 2, "gat": 2}


def gcn(w, layer, x, edges, _):
    conv = GCNConv(x.size(1), w.one(layer + "W").size(0), normalize=False, add_self_loops=False,
                   bias=False)
    return call(conv, {"lin.weight": w.one(layer + "W")}, x, edges)


def sage(w, layer, x, edges, _):
    weight = w.one(layer + "W_neighbours")
    conv = SAGEConv(x.size(1), weight.size(0), bias=False)
    return call(conv, {"lin_l.weight": weight, "lin_r.weight": w.one(layer + "W_self")}, x, edges)


def gin(w, layer, x, edges, _):
    first, second = w.one(layer + "W1"), w.one(layer + "W2")
    mlp = torch.nn.Sequential(torch.nn.Linear(*first.shape[::-1], bias=False), torch.nn.ReLU(),
                              torch.nn.Linear(*second.shape[::-1], bias=False))
    return call(GINConv(mlp), {"nn.0.weight": first, "nn.2.weight": second}, x, edges)


def gcn_norm(w, layer, x, edges, _):
    conv = GCNConv(x.size(1), w.one(layer + "W").size(0))
    return call(conv, {"lin.weight": w.one(layer + "W"), "bias": w.column(layer + "b")}, x, edges)


def gat(w, layer, x, edges, options):
    weight = w.one(layer + "W")
    conv = GATConv(x.size(1), weight.size(0), negative_slope=options.take("slope", 0.2))
    return call(conv, {"lin.weight": weight, "bias": w.column(layer + "b"),
                       "att_src": w[layer + "a_source"], "att_dst": w[layer + "a_target"]},
                x, edges)


LAYERS = {"gcn": gcn, "sage": sage, "gin": gin, "gcn-norm": gcn_norm, "gat": gat}


def tables(model, layers, dim, features, outputs):
    specs = []
    for number in range(1, layers + 1):
        name, width = f"h{number}.", features if number == 1 else dim
        wide, square, column, row = (dim, width), (dim, dim), (dim, 1), (1, dim)
        shapes = {
            "gcn": {"W": wide},
            "sage": {"W_self": wide, "W_neighbours": wide},
            "gin": {"W1": wide, "W2": square},
            "gcn-norm": {"W": wide, "b": column},
            "gat": {"W": wide, "a_source": row, "a_target": row, "b": column},
        }[model]
        specs += [TableSpec(name + key, shape) for key, shape in shapes.items()]
    heads = [str(number) for number in range(1, layers + 1)] if model == "gin" else [""]
    return specs + [TableSpec("predict.W" + head, (outputs, dim)) for head in heads]


def provable(data, layers, drop):
    """By layer, the nodes whose atom exists. With --isolated=drop and gcn one needs a neighbour
    whose own atom exists in the layer below; every other model has a rule without neighbours."""
    exists = [np.ones(data.nodes, bool)]
    for _ in range(layers):
        here = np.zeros(data.nodes, bool)
        here[data.target[exists[-1][data.source]]] = True
        exists.append(here if drop else exists[0])
    return exists


def build(data, model, options):
    layers = options.take("layers", 0) or DEFAULT_LAYERS[model]
    dim = options.take("dim", 10)
    features = node_features(data, options.take("features", "auto"))
    pool = {"mean": global_mean_pool, "sum": global_add_pool}[options.take("pool", "mean")]
    drop = options.take("isolated", "keep") == "drop" and model == "gcn"
    values, classes = np.unique(data.graph_labels, return_inverse=True)
    outputs = 1 if len(values) == 2 else len(values)
    finish = OUTPUTS[options.take("output-function", "sigmoid" if outputs == 1 else "softmax")]
    exists = provable(data, layers, drop)
    proved = np.zeros(data.graphs, bool)
    proved[data.graph_of[exists[-1]]] = True
    kept = np.flatnonzero(proved) if drop else np.arange(data.graphs)
    options.take("slope", 0.2)

    def forward(w):
        x, batch = w.constant(features), w.index(data.graph_of)
        shown = w.index(np.flatnonzero(exists[-1]))
        total = 0
        for number in range(1, layers + 1):
            alive = exists[number - 1][data.source]
            edges = w.index(np.stack([data.source[alive], data.target[alive]]))
            x = LAYERS[model](w, f"h{number}.", x, edges, options)
            if number < layers or model == "gin":
                x = torch.relu(x)
            if number == layers or model == "gin":
                weight = w.one(f"predict.W{number if model == 'gin' else ''}")
                total = total + pool(x[shown], batch[shown], data.graphs) @ weight.T
        return finish(total)[w.index(kept)]

    return Twin(
        nodes=data.nodes, edges=len(data.source), forward=forward,
        tables=tables(model, layers, dim, features.shape[1], outputs),
        output_shape=() if outputs == 1 else (outputs, 1),
        ids=[f"graph_{graph + 1}" for graph in kept],
        targets=[np.array(float(classes[g])) if len(values) == 2
                 else np.eye(outputs)[classes[g]][:, None] for g in kept])
