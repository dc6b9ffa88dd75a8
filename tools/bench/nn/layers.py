#!/usr/bin/env python3
"""Layers of vecc.nn beside PyTorch Geometric's, in one run: x is made to `--dim` by a linear layer,
then the layer keeps it, on a TUDataset with attributes and edge features that are drawn.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/layers.py build/data/tu_ENZYMES/ENZYMES

Prints medians in milliseconds of the forward pass and of forward with backward (gradients of the
sum of all outputs by all weights), and how many times faster vecc is; `--json=FILE` writes them.
With --device=cuda PyTorch Geometric's passes are recorded as CUDA graphs, or run eagerly where that
fails (marked *); results stay on the GPU. Where its passes do not fit the memory there is a dash.
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

import vecc
from vecc import nn

sys.path.append(str(Path(__file__).resolve().parents[1] / "pyg"))
from captured import Captured  # noqa: E402
from peer_runs import Absent, first_line, host_seconds  # noqa: E402

KINDS, EDGE = 4, 8  # categories of an edge, where they are drawn, and its features


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


def read_triples(file, dim, rng):
    """(x, edge_index, kind) of the triples h r t and of their inverses; x is drawn."""
    names = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    entities = {name: i for i, name in enumerate(sorted({e for h, _, t in names for e in (h, t)}))}
    relations = {name: i for i, name in enumerate(sorted({r for _, r, _ in names}))}
    h, r, t = (np.array(column) for column in zip(
        *((entities[h], relations[r], entities[t]) for h, r, t in names)))
    edges = np.stack([np.concatenate([h, t]), np.concatenate([t, h])])
    x = rng.normal(size=(len(entities), dim)).astype(np.float32)
    return x, edges, np.concatenate([r, r + len(relations)])


def mlp(*sizes):
    parts = []
    for a, b in zip(sizes, sizes[1:]):
        parts += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1])


class Case:
    """A layer here and there; `edges`: what of an edge PyG's takes."""

    def __init__(self, own, peer, edges=""):
        self.own, self.peer, self.edges = own, peer, edges


def cases(d, degree, kinds):
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
                     lambda: pyg.RGCNConv(d, d, kinds), "kind"),
        "rgat": Case(lambda g, x: layers.rgat(g, x, d, g.kind),
                     lambda: pyg.RGATConv(d, d, kinds), "kind"),
        "hgt": Case(lambda g, x: layers.hgt(g, {"node": x}, d, heads=4)["node"],
                    lambda: pyg.HGTConv(d, d, (["node"], [("node", "to", "node")]), heads=4),
                    "typed"),
        "film": Case(lambda g, x: layers.film(g, x, d, g.kind),
                     lambda: pyg.FiLMConv(d, d, kinds), "kind"),
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


def medians_ms(functions, runs):
    """Of functions that return their seconds; in turns, so that what else the machine does falls on
    all of them."""
    times = [[] for _ in functions]
    for run in range(runs + 1):
        for function, own in zip(functions, times):
            seconds = function()
            if run:
                own.append(seconds)
    return [1000 * statistics.median(own) for own in times]


class PeerPasses:
    """Both passes of PyTorch Geometric's network; `eager`: of which no CUDA graph can be recorded."""

    def __init__(self, network, inputs, device):
        self.network, self.inputs = network, inputs
        self.eager = False
        self.forward = self.recorded(self.run_forward, device)
        self.both = self.recorded(self.run_both, device)

    def recorded(self, step, device):
        if device.type != "cuda" or self.eager:
            return step
        try:
            return Captured(step, device)
        except Absent:
            self.eager = True
            torch.cuda.synchronize(device)
            return step

    def run_forward(self):
        with torch.no_grad():
            return self.network(*self.inputs)

    def run_both(self):
        self.network.zero_grad(set_to_none=True)
        self.network(*self.inputs).sum().backward()


def text(number, form):
    """Of a number as `form` says, or a dash as wide where there is none."""
    return f"{number:>{form}}" if number is not None else f"{'-':>{form.split('.')[0]}}"


def clock_of(options):
    """A function of a step: its seconds."""
    if options.clock == "wall":
        return host_seconds(options.device)

    def clock(step):
        begin = time.process_time()
        step()
        return time.process_time() - begin
    return clock


def make_peer(case, inputs, options):
    """None if PyTorch Geometric's passes do not fit the memory."""
    try:
        return PeerPasses(Peer(inputs[0].shape[1], options.dim, case).to(options.device), inputs,
                          options.device)
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        return None


def time_case(case, x, edge_index, a, kind, options):
    def network(g):
        return case.own(g, nn.linear(g.x, options.dim, bias=True, name="first"))
    data = nn.Data().nodes(x=x).edges(edge_index, a=a, kind=kind)
    begin = time.perf_counter()
    program = nn.Model(network).program(data, backend=options.device.type, threads=options.threads)
    compiled = time.perf_counter() - begin
    peer = make_peer(case, [torch.tensor(each, device=options.device)
                            for each in (x, edge_index, a, kind)], options)
    clock = clock_of(options)
    if options.clock == "wall":
        own = [lambda: program.time(1)[0], lambda: program.time(1, gradients=True)[0]]
    else:
        own = [lambda: clock(lambda: program.time(1)),
               lambda: clock(lambda: program.time(1, gradients=True))]
    peers = [lambda: clock(peer.forward), lambda: clock(peer.both)] if peer else []
    times = medians_ms((*own, *peers), options.runs)
    own_ms, peer_ms = times[:2], times[2:] or [None, None]
    return {"compile_s": compiled, "vecc_ms": own_ms, "pyg_ms": peer_ms,
            "pyg_eager": peer is not None and peer.eager,
            "times": [theirs and theirs / ours for ours, theirs in zip(own_ms, peer_ms)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="a TUDataset, or a knowledge graph with a train.txt")
    parser.add_argument("--device", type=torch.device, default=torch.device("cpu"),
                        help="cpu, cuda")
    parser.add_argument("--layers", help="names between commas; without: all")
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--graphs", type=int, default=600)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: seconds of the "
                        "processor, for a busy machine; with --threads=1, since threads that wait "
                        "for work take some")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.device.type != "cpu" and options.clock == "cpu":
        parser.error("--clock=cpu: a GPU's work is not on the processor's clock")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    if (options.folder / "train.txt").exists():
        x, edge_index, kind = read_triples(options.folder / "train.txt", options.dim, rng)
    else:
        x, edge_index = read_tu(options.folder, options.graphs)
        kind = rng.integers(0, KINDS, edge_index.shape[1])
    edges = edge_index.shape[1]
    a = rng.normal(size=(edges, EDGE)).astype(np.float32)
    degree = torch.bincount(torch.bincount(torch.tensor(edge_index[1]), minlength=len(x)))
    table = cases(options.dim, degree, int(kind.max()) + 1)
    names = options.layers.split(",") if options.layers else list(table)
    where = (f"{options.threads} threads" if options.device.type == "cpu"
             else torch.cuda.get_device_name(options.device))
    print(f"{len(x):,} nodes, {edges:,} edges of {int(kind.max()) + 1} kinds, dim {options.dim}, "
          f"{where}")
    print(f"{'layer':<12}{'forward':>9}{'PyG':>9}{'times':>7}{'f+b':>10}{'PyG':>9}{'times':>7}"
          f"{'compile':>10}")
    results = {}
    for name in names:
        if options.device.type == "cuda":
            torch.cuda.empty_cache()  # what the layer before left to PyTorch
        try:
            found = time_case(table[name], x, edge_index, a, kind, options)
        except vecc.Error as error:
            print(f"{name:<12}{first_line(error)}", flush=True)
            continue
        results[name] = found
        columns = zip(found["vecc_ms"], found["pyg_ms"], found["times"])
        row = "".join(f"{ours:>{width}.3f}{text(theirs, '9.3f')}{text(times, '7.1f')}"
                      for width, (ours, theirs, times) in zip((9, 10), columns))
        print(f"{name:<12}{row}{found['compile_s']:>9.1f}s{' *' * found['pyg_eager']}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({
            "nodes": len(x), "edges": edges, "kinds": int(kind.max()) + 1, "dim": options.dim,
            "device": where,
            "layers": results}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
