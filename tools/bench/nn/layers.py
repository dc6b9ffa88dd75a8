#!/usr/bin/env python3
"""Layers of vecc.nn beside PyTorch Geometric's, in one run: x is made to `--dim` by a linear layer,
then the layer keeps it, on a TUDataset with attributes and edge features that are drawn.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/layers.py build/data/tu_ENZYMES/ENZYMES

Prints medians in milliseconds of the forward pass and of forward with backward (gradients of the
sum of all outputs by all weights), and how many times faster vecc is; `--json=FILE` writes them.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch_geometric import nn as pyg

from vecc import nn

KINDS, EDGE = 4, 8  # categories and features of an edge
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def read_tu(folder, graphs):
    """(x, edge_index) of the first graphs: labels one-hot beside attributes."""
    name = next(folder.glob("*_A.txt")).name[:-len("_A.txt")]

    def column(what, dtype):
        return np.loadtxt(folder / f"{name}_{what}.txt", dtype=dtype, delimiter=",")
    graph, labels = column("graph_indicator", int) - 1, column("node_labels", int)
    x = np.hstack([np.eye(labels.max() + 1)[labels], column("node_attributes", float)])
    edges = column("A", int).T - 1
    nodes = int((graph < graphs).sum())
    x = (x - x.mean(0)) / (x.std(0) + 1e-6)
    return x[:nodes].astype(np.float32), edges[:, edges[0] < nodes]


def mlp(*sizes):
    parts = []
    for a, b in zip(sizes, sizes[1:]):
        parts += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1])


class Case:
    """A layer here and there; `edges`: what of an edge PyG's takes."""

    def __init__(self, own, peer, edges=""):
        self.own, self.peer, self.edges = own, peer, edges


def cases(d, degree):
    layers = nn.layers
    def two(x):
        return layers.mlp(x, d, d)
    found = {
        "gcn": Case(lambda g, x: layers.gcn(g, x, d), lambda: pyg.GCNConv(d, d)),
        "sage": Case(lambda g, x: layers.sage(g, x, d), lambda: pyg.SAGEConv(d, d)),
        "sage max": Case(lambda g, x: layers.sage(g, x, d, "max"),
                         lambda: pyg.SAGEConv(d, d, aggr="max")),
        "sage lstm": Case(lambda g, x: layers.sage(g, x, d, "lstm"),
                          lambda: pyg.SAGEConv(d, d, aggr="lstm")),
        "gin": Case(lambda g, x: layers.gin(g, x, two), lambda: pyg.GINConv(mlp(d, d, d))),
        "gine": Case(lambda g, x: layers.gine(g, x, two, "a"),
                     lambda: pyg.GINEConv(mlp(d, d, d), edge_dim=EDGE), "a"),
        "gat": Case(lambda g, x: layers.gat(g, x, d // 4, heads=4),
                    lambda: pyg.GATConv(d, d // 4, heads=4)),
        "gatv2": Case(lambda g, x: layers.gatv2(g, x, d // 4, heads=4),
                      lambda: pyg.GATv2Conv(d, d // 4, heads=4)),
        "transformer": Case(lambda g, x: layers.transformer(g, x, d // 4, heads=4),
                            lambda: pyg.TransformerConv(d, d // 4, heads=4)),
        "rgcn": Case(lambda g, x: layers.rgcn(g, x, d, g.kind),
                     lambda: pyg.RGCNConv(d, d, KINDS), "kind"),
        "rgat": Case(lambda g, x: layers.rgat(g, x, d, g.kind),
                     lambda: pyg.RGATConv(d, d, KINDS), "kind"),
        "hgt": Case(lambda g, x: layers.hgt(g, {"node": x}, d, heads=4)["node"],
                    lambda: pyg.HGTConv(d, d, (["node"], [("node", "to", "node")]), heads=4),
                    "typed"),
        "film": Case(lambda g, x: layers.film(g, x, d, g.kind),
                     lambda: pyg.FiLMConv(d, d, KINDS), "kind"),
        "gated_graph": Case(lambda g, x: layers.gated_graph(g, x, d, 2),
                            lambda: pyg.GatedGraphConv(d, 2)),
        "edge": Case(lambda g, x: layers.edge(g, x, two), lambda: pyg.EdgeConv(mlp(2 * d, d, d))),
        "nn": Case(lambda g, x: layers.nn_conv(g, x, d, lambda a: layers.mlp(a, d * d), "a"),
                   lambda: pyg.NNConv(d, d, mlp(EDGE, d * d)), "a"),
        "appnp": Case(lambda g, x: layers.appnp(g, x, 10, 0.1), lambda: pyg.APPNP(10, 0.1)),
        "gen": Case(lambda g, x: layers.gen(g, x, d, lambda m: layers.mlp(m, 2 * d, d)),
                    lambda: pyg.GENConv(d, d, num_layers=2, norm=None, bias=True)),
        "pna": Case(lambda g, x: layers.pna(g, x, d, mean_log_degree=1.5),
                    lambda: pyg.PNAConv(d, d, ["mean", "min", "max", "std"],
                                        ["identity", "amplification", "attenuation"], degree)),
    }
    return found


class Peer(torch.nn.Module):
    def __init__(self, inputs, d, case):
        super().__init__()
        self.first, self.layer, self.edges = torch.nn.Linear(inputs, d), case.peer(), case.edges

    def forward(self, x, edge_index, a, kind):
        h = self.first(x)
        if self.edges == "typed":
            return self.layer({"node": h}, {("node", "to", "node"): edge_index})["node"]
        more = {"a": [a], "kind": [kind]}.get(self.edges, [])
        return self.layer(h, edge_index, *more)


def medians_ms(functions, runs, clock):
    """In turns, so that what else the machine does falls on all of them."""
    times = [[] for _ in functions]
    for run in range(runs + 1):
        for function, own in zip(functions, times):
            begin = clock()
            function()
            if run:
                own.append(clock() - begin)
    return [1000 * statistics.median(own) for own in times]


def time_case(case, x, edge_index, a, kind, options):
    def network(g):
        return case.own(g, nn.linear(g.x, options.dim, bias=True, name="first"))
    data = nn.Data().nodes(x=x).edges(edge_index, a=a, kind=kind)
    begin = time.perf_counter()
    program = nn.Model(network).program(data, backend="cpu", threads=options.threads)
    compiled = time.perf_counter() - begin
    peer = Peer(x.shape[1], options.dim, case)
    inputs = [torch.tensor(each) for each in (x, edge_index, a, kind)]

    def peer_gradients():
        peer.zero_grad()
        peer(*inputs).sum().backward()

    def peer_forward():
        with torch.no_grad():
            peer(*inputs)
    forward, f_b, peer_f, peer_f_b = medians_ms(
        (program, program.gradients, peer_forward, peer_gradients), options.runs,
        CLOCKS[options.clock])
    return {"compile_s": compiled, "vecc_ms": [forward, f_b], "pyg_ms": [peer_f, peer_f_b],
            "times": [peer_f / forward, peer_f_b / f_b]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layers", help="names between commas; without: all")
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--graphs", type=int, default=600)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: seconds of the "
                        "processor, for a busy machine; with --threads=1, since threads that wait "
                        "for work take some")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    x, edge_index = read_tu(options.folder, options.graphs)
    rng = np.random.default_rng(0)
    edges = edge_index.shape[1]
    a = rng.normal(size=(edges, EDGE)).astype(np.float32)
    kind = rng.integers(0, KINDS, edges)
    degree = torch.bincount(torch.bincount(torch.tensor(edge_index[1]), minlength=len(x)))
    table = cases(options.dim, degree)
    names = options.layers.split(",") if options.layers else list(table)
    print(f"{len(x):,} nodes, {edges:,} edges, dim {options.dim}, {options.threads} threads")
    print(f"{'layer':<12}{'forward':>9}{'PyG':>9}{'times':>7}{'f+b':>10}{'PyG':>9}{'times':>7}"
          f"{'compile':>10}")
    results = {}
    for name in names:
        found = results[name] = time_case(table[name], x, edge_index, a, kind, options)
        row = [part for pair in zip(found["vecc_ms"], found["pyg_ms"], found["times"])
               for part in pair]
        print(f"{name:<12}{row[0]:>9.2f}{row[1]:>9.2f}{row[2]:>7.1f}{row[3]:>10.2f}{row[4]:>9.2f}"
              f"{row[5]:>7.1f}{found['compile_s']:>9.1f}s", flush=True)
    if options.json:
        options.json.write_text(json.dumps({
            "nodes": len(x), "edges": edges, "dim": options.dim, "threads": options.threads,
            "layers": results}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
