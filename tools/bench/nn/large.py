#!/usr/bin/env python3
"""From arrays to trained: node classification of Cora's size, and a large random typed graph.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/large.py cora
    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/large.py random --scale=0.1

`cora`: 2,708 nodes, 10,556 edges, 1,433 features of which 1.3 % are 1, 7 classes; a GCN of 16 by
Adam, 200 epochs. `random`: 2.5 million nodes, 16 million edges of 535 types, times `--scale`; RGCN
16 to 16, RGAT or HGT 64 to 64. Prints seconds from the arrays on and the most memory.
"""

import argparse
import resource
import sys
import time

import numpy as np

from vecc import nn


def cora():
    rng = np.random.default_rng(0)
    nodes, edges, words = 2708, 10556 // 2, 1433
    ends = rng.integers(0, nodes, (2, edges))
    data = nn.Data("cora").nodes(x=(rng.random((nodes, words)) < 0.013).astype(np.float32))
    train = np.zeros(nodes, bool)
    train[rng.permutation(nodes)[:140]] = True
    data.edges(np.concatenate([ends, ends[::-1]], axis=1)).labels(rng.integers(0, 7, nodes),
                                                                  train=train)

    def network(g):
        h = nn.dropout(nn.relu(nn.layers.gcn(g, g.x, 16)), 0.5)
        return nn.layers.gcn(g, h, 7)
    return data, network


def random_graph(options):
    rng = np.random.default_rng(0)
    nodes, edges = int(2.5e6 * options.scale), int(16e6 * options.scale)
    d = 16 if options.model == "rgcn" else 64
    data = nn.Data("random").nodes(x=rng.random((nodes, d), np.float32))
    data.edges(rng.integers(0, nodes, edges, np.uint32), rng.integers(0, nodes, edges, np.uint32),
               kind=rng.integers(0, 535, edges, np.uint32))
    data.labels(rng.integers(0, d, nodes))

    def network(g):
        if options.model == "hgt":
            return nn.layers.hgt(g, {"node": g.x}, d)["node"]
        return getattr(nn.layers, options.model)(g, g.x, d, g.kind)
    return data, network


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=["cora", "random"])
    parser.add_argument("--model", default="rgcn", choices=["rgcn", "rgat", "hgt"])
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--opt", type=int)
    parser.add_argument("--stages", action="store_true", help="by the parts that fit() has")
    parser.add_argument("--epochs", type=int)
    options = parser.parse_args()
    data, network = cora() if options.case == "cora" else random_graph(options)
    epochs = options.epochs or (200 if options.case == "cora" else 1)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    stages, begin = {}, time.perf_counter()

    def stage(name):
        nonlocal begin
        now = time.perf_counter()
        stages[name], begin = now - begin, now
    compiling = {"backend": options.backend, "threads": options.threads}
    if options.opt is not None:
        compiling["opt"] = options.opt
    model = nn.Model(network, **compiling).trace(data)
    stage("trace")
    if options.stages:
        graph = model.graph(data)
        stage("lower")
        program = graph.compile(**compiling)
        stage("compile")
        training = program.train(epochs=epochs, lr=0.01)
        stage("train")
    else:
        training = model.fit(data, epochs=epochs, lr=0.01)
        stage("fit")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print("  ".join(f"{name} {seconds:.2f} s" for name, seconds in stages.items()))
    print(f"all {sum(stages.values()):.2f} s, {epochs} epochs (steps {training.seconds:.2f} s), "
          f"{peak / 2**20:.2f} GB at most, {base / 2**20:.2f} GB with the arrays alone; "
          f"loss {training.history[-1]['loss']:.4f}")


if __name__ == "__main__":
    sys.exit(main())
