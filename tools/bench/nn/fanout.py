#!/usr/bin/env python3
"""Steps of sampled neighbourhoods: SAGE on a random graph, every node with a label; as many layers
as --fanout has numbers; beside them torch (fanout_torch.py), where it is there.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/fanout.py --nodes=1000000 --threads=2
    ... --backend=cuda --features=100 --dim=256 --classes=47 --fanout=15,10,5
    ... --backend=cuda --gpu-memory=20G          what does not fit is in the host's memory
    ... --backend=cuda --place=node.x=host       the features are

Prints milliseconds a step of each epoch, by the clock and of the processor (all threads, user and
system: their quotient is how many cores are busy), and the least of both. What stands before the
first step and the evaluation behind the last epoch are in none of them; the most memory has both.
"""

import argparse
import json
import resource
import sys
import time

import numpy as np

from vecc import nn


def random_graph(args):
    """x, src, dst, labels."""
    rng, edges = np.random.default_rng(0), args.nodes * args.degree
    x = rng.standard_normal((args.nodes, args.features), np.float32)
    return (x, rng.integers(0, args.nodes, edges), rng.integers(0, args.nodes, edges),
            rng.integers(0, args.classes, args.nodes))


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


def vecc_steps(args, arrays, dims):
    """Milliseconds a step of each epoch, by the clock and of the processor, and its loss."""
    x, src, dst, labels = arrays
    data = nn.Data().nodes(x=x).edges(src, dst).labels(labels)
    model = nn.Model(sage(dims), dtype="f32", backend=args.backend, seed=3, opt=0,
                     threads=args.threads, matmul_precision=args.matmul_precision,
                     gpu_memory=args.gpu_memory,
                     place=dict(place.rsplit("=", 1) for place in args.place))
    ends = []
    model.fit(data, epochs=args.epochs + 2, batch_size=args.batch_size, fanout=args.fanout, seed=5,
              log_every=args.epochs + 2, on_epoch=lambda epoch: ends.append((*now(), epoch["loss"])))
    steps = -(-args.nodes // args.batch_size)
    # The first epoch has what stands before the first step, the last one the evaluation.
    epochs = [{"clock_ms": 1e3 * (after[0] - before[0]) / steps,
               "processor_ms": 1e3 * (after[1] - before[1]) / steps, "loss": after[2]}
              for before, after in zip(ends[:-2], ends[1:-1])]
    for epoch in epochs:
        print(f"{epoch['clock_ms']:.2f} ms a step by the clock, {epoch['processor_ms']:.2f} of the "
              f"processor, loss {epoch['loss']:.6f}", flush=True)
    least = {name: min(epoch[name] for epoch in epochs) for name in ("clock_ms", "processor_ms")}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(f"least: {least['clock_ms']:.2f} and {least['processor_ms']:.2f}; {args.epochs + 2} "
          f"epochs of {steps} steps; the host's memory {peak / 1e9:.2f} GB at most", flush=True)
    return {"epochs": epochs, "steps": steps, "peak_bytes": peak, **least}


def torch_steps(args, arrays, dims):
    """Medians of the peer; what it cannot has a line that says why."""
    try:
        import fanout_torch
    except ImportError as error:
        print(f"torch: not measured: {error}")
        return {"skipped": str(error)}
    fanout, device = [int(k) for k in args.fanout.split(",")], args.backend
    if device != "cuda":
        fanout_torch.torch.set_num_threads(args.threads)
    on_host = [False, True] if device == "cuda" else [False]
    result = {}
    for host in on_host:
        name = "host_ms" if host else "device_ms"
        result[name] = fanout_torch.step_milliseconds(
            arrays, [args.features, *dims], fanout, args.batch_size, args.peer_steps, device, host)
        where = ", features gathered by the host" if host else ""
        print(f"torch {fanout_torch.torch.__version__}{where}: {result[name]:.2f} ms a step, the "
              f"median of {args.peer_steps}", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--dim", type=int, default=64, help="of every layer but the last")
    parser.add_argument("--classes", type=int, default=16)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--fanout", default="15,10")
    parser.add_argument("--epochs", type=int, default=3, help="that are measured")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--matmul-precision")
    parser.add_argument("--gpu-memory", metavar="SIZE")
    parser.add_argument("--place", action="append", default=[], metavar="TABLE=PLACE")
    parser.add_argument("--peers", default="torch", choices=["torch", "none"])
    parser.add_argument("--peer-steps", type=int, default=50)
    parser.add_argument("--json", metavar="FILE", help="write all of it there")
    args = parser.parse_args()
    arrays = random_graph(args)
    dims = [args.dim] * args.fanout.count(",") + [args.classes]
    result = {"options": vars(args), "vecc": vecc_steps(args, arrays, dims)}
    if args.peers == "torch":
        result["torch"] = torch_steps(args, arrays, dims)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
