"""HGTConv. Its edge types are (node type, relation, node type): one relation between nodes of
several types is several of them here, which share the relation's weights."""

import numpy as np
import torch
from torch_geometric.nn import HGTConv

from weights import TableSpec, call

MATRICES = ("K", "Q", "V")


def hgt_tables(graph, layer, before, after, bias):
    types, relations, width = len(graph.type_names), len(graph.names), after // graph.heads
    specs = []
    for name in MATRICES:
        specs.append(TableSpec(layer + name, (after, before), types))
        specs += [TableSpec(f"{layer}b_{name}", (after, 1), types)] if bias else []
    count = relations * graph.heads
    specs += [TableSpec(layer + name, (width, width), count) for name in ("A", "M")]
    specs += [TableSpec(layer + "p", (), count), TableSpec(layer + "O", (after, after), types)]
    specs += [TableSpec(layer + "b_O", (after, 1), types)] if bias else []
    gate = [TableSpec(layer + "skip", (), types)] if graph.skip and before == after else []
    return specs + gate


def edge_types(graph):
    """(source type, relation, target type) of the edges that there are, and the edges of each. A
    node type that no edge leads to gets a type without edges: HGTConv leaves it out otherwise."""
    keys = np.stack([graph.relation, graph.types[graph.source], graph.types[graph.target]])
    kinds, kind_of = np.unique(keys, axis=1, return_inverse=True)
    order = np.argsort(kind_of.ravel(), kind="stable")
    counts = np.bincount(kind_of.ravel(), minlength=kinds.shape[1])
    edges = np.split(order, np.cumsum(counts)[:-1])
    triples = [(int(a), int(r), int(b)) for r, a, b in kinds.T]
    for t in sorted(set(range(len(graph.type_names))) - {b for _, _, b in triples}):
        triples.append((t, 0, t))
        edges.append(np.zeros(0, np.int64))
    return triples, edges


def parameters_of(graph, w, layer, triples, bias):
    heads = graph.heads
    relation = w.index([r for _, r, _ in triples])
    given = {}
    for t in range(len(graph.type_names)):
        def bias_of(name):
            return w[layer + name][t, :, 0] if bias else w.constant(
                np.zeros(w[layer + "O"].size(1)))
        given[f"kqv_lin.lins.t{t}.weight"] = torch.cat([w[layer + name][t] for name in MATRICES])
        given[f"kqv_lin.lins.t{t}.bias"] = torch.cat([bias_of("b_" + name) for name in MATRICES])
        given[f"out_lin.lins.t{t}.weight"] = w[layer + "O"][t]
        given[f"out_lin.lins.t{t}.bias"] = bias_of("b_O")
        # Where the tables have no gate it is open: sigmoid(infinity) is 1.
        gate = layer + "skip"
        given[f"skip.t{t}"] = w[gate][t:t + 1] if gate in w.tensors else w.constant([torch.inf])
    for name, theirs in (("A", "k_rel.weight"), ("M", "v_rel.weight")):
        table = w[layer + name]
        by_head = table.view(-1, heads, *table.shape[1:])[relation].transpose(0, 1)
        given[theirs] = by_head.reshape(-1, *table.shape[1:]).transpose(1, 2)
    prior = w[layer + "p"].view(-1, heads)[relation]
    for number, (a, _, b) in enumerate(triples):
        given[f"p_rel.t{a}__e{number}__t{b}"] = prior[number:number + 1]
    return given


def hgt(graph, w, layer, x, bias):
    triples, edges = edge_types(graph)
    nodes = [np.flatnonzero(graph.types == t) for t in range(len(graph.type_names))]
    place = np.zeros(graph.nodes, np.int64)
    for here in nodes:
        place[here] = np.arange(len(here))
    names = [(f"t{a}", f"e{number}", f"t{b}") for number, (a, _, b) in enumerate(triples)]
    edge_index = {name: w.index(np.stack([place[graph.source[e]], place[graph.target[e]]]))
                  for name, e in zip(names, edges)}
    type_names = [f"t{t}" for t in range(len(nodes))]
    conv = HGTConv(x.size(1), w[layer + "O"].size(1), (type_names, names), graph.heads)
    x_dict = {name: x[w.index(here)] for name, here in zip(type_names, nodes)}
    out = call(conv, parameters_of(graph, w, layer, triples, bias), x_dict, edge_index)
    together = torch.cat([out[name] for name in type_names])
    return together[w.index(np.argsort(np.concatenate(nodes)))]
