#!/usr/bin/env python3
"""Steps of sampled neighbourhoods: SAGE on a random graph, every node with a label; as many layers
as --fanout has numbers.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/fanout.py --nodes=1000000 --threads=2

Prints milliseconds a step of each epoch, by the clock and of the processor (all threads, user and
system), and the least of both. What stands before the first step and the evaluation behind the last
epoch are in none of them.
"""

import argparse
import resource
import time

import numpy as np

from vecc import nn


def random_graph(nodes, edges, features, classes):
    rng = np.random.default_rng(0)
    data = nn.Data().nodes(x=rng.normal(size=(nodes, features)).astype(np.float32))
    data = data.edges(rng.integers(0, nodes, edges), rng.integers(0, nodes, edges))
    return data.labels(rng.integers(0, classes, nodes))


def sage(dims):
    def net(g):
        value = g.x
        for number, dim in enumerate(dims):
            if number > 0:
                value = nn.relu(value)
            value = nn.layers.sage(g, value, dim, name=f"layer_{number}")
        return value
    return net


def now():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--dim", type=int, default=64, help="of every layer but the last")
    parser.add_argument("--classes", type=int, default=16)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--fanout", default="15,10")
    parser.add_argument("--epochs", type=int, default=3, help="that are measured")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--matmul-precision", default="exact")
    args = parser.parse_args()
    data = random_graph(args.nodes, args.nodes * args.degree, args.features, args.classes)
    dims = [args.dim] * args.fanout.count(",") + [args.classes]
    model = nn.Model(sage(dims), dtype="f32", backend=args.backend, seed=3, opt=0,
                     threads=args.threads, matmul_precision=args.matmul_precision)
    ends = []
    training = model.fit(
        data, epochs=args.epochs + 2, batch_size=args.batch_size, fanout=args.fanout, seed=5,
        log_every=args.epochs + 2, on_epoch=lambda epoch: ends.append((*now(), epoch["loss"])))
    steps = -(-args.nodes // args.batch_size)
    least = [float("inf")] * 2
    # The first epoch has what stands before the first step, the last one the evaluation.
    for before, after in zip(ends[:-2], ends[1:-1]):
        clock, processor = (1e3 * (after[i] - before[i]) / steps for i in range(2))
        least = [min(least[0], clock), min(least[1], processor)]
        print(f"{clock:.2f} ms a step by the clock, {processor:.2f} of the processor, "
              f"loss {after[2]:.6f}")
    print(f"least: {least[0]:.2f} and {least[1]:.2f}; {training.epochs} epochs of {steps} steps")


if __name__ == "__main__":
    main()
