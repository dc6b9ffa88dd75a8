#!/usr/bin/env python3
"""Times scores of a batch of triples in plain torch, beside `vecc-bench kg-scores`.

    time_scores.py --folder=FOLDER --model=transr --dim=512 --device=cuda --repeat=100

FOLDER has the tables as raw numbers of single precision (e, r, M, w), `triples` as rows of 32 bits, and
`scores`, what vecc computed. Prints one JSON object: "eager", and on a GPU "recorded" (as a CUDA graph),
each with "seconds" (one number a run), "device_seconds" (between two events), "bytes" (the most that torch
took, tables too) and "difference" from `scores`, or with "error".
"""

import argparse
import json
import signal
import time
from pathlib import Path

import numpy as np
import torch

from torch_steps import recorded

LEAST = 3  # runs, however long they take


def by_matrix(m, x):
    return torch.bmm(m, x.unsqueeze(2)).squeeze(2)


def dot(a, b):
    return (a * b).sum(1)


def transe(e, r, _m, _w, h, k, t):
    return -(e[h] + r[k] - e[t]).abs().sum(1)


def transh(e, r, _m, w, h, k, t):
    n, x = w[k], e[h] - e[t]  # a projection is linear
    return -(x - (dot(n, x) / dot(n, n)).unsqueeze(1) * n + r[k]).square().sum(1)


def transr(e, r, m, _w, h, k, t):
    return -(by_matrix(m[k], e[h] - e[t]) + r[k]).square().sum(1)


def transf(e, r, _m, _w, h, k, t):
    head, relation, tail = e[h], r[k], e[t]
    return dot(head + relation, tail) + dot(head, tail - relation)


def rescal(e, _r, m, _w, h, k, t):
    return dot(e[h], by_matrix(m[k], e[t]))


SCORES = {f.__name__: f for f in (transe, transh, transr, transf, rescal)}


def read_tables(o):
    shapes = {"e": (-1, o.dim), "r": (-1, o.dim), "M": (-1, o.dim, o.dim), "w": (-1, o.dim)}
    tables = []
    for name, shape in shapes.items():
        path = Path(o.folder) / name
        tables.append(torch.from_numpy(np.fromfile(path, np.float32)).view(shape).to(o.device)
                      if path.exists() else None)
    return tables


def seconds_of(run, on_gpu):
    if not on_gpu:
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin, None
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin = time.perf_counter()
    start.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return time.perf_counter() - begin, start.elapsed_time(end) / 1e3


def measure(o, score, wanted, record):
    on_gpu = o.device != "cpu"
    if on_gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    out = {}

    def once():
        out["scores"] = score()
    once()
    run = recorded(once) if record else once
    run()
    difference = (out["scores"].cpu().double() - wanted).abs() / wanted.abs().clamp_min(1)
    times, begin = [], time.perf_counter()
    for i in range(o.warmup + o.repeat):
        if i >= o.warmup + LEAST and time.perf_counter() - begin > o.give_up / 2:
            break
        times.append(seconds_of(run, on_gpu))
    host, device = zip(*times[o.warmup:])
    return {"seconds": host, "device_seconds": device if on_gpu else None,
            "bytes": torch.cuda.max_memory_allocated() if on_gpu else 0,
            "difference": difference.max().item()}


def give_up(*_):
    raise RuntimeError("took longer than --give-up")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--model", choices=SCORES, required=True)
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--give-up", type=int, default=60, help="seconds for each way")
    return parser.parse_args()


def main():
    o = parse()
    signal.signal(signal.SIGALRM, give_up)
    if o.threads:
        torch.set_num_threads(o.threads)
    found = {}
    for way in ("eager", "recorded") if o.device != "cpu" else ("eager",):
        signal.alarm(o.give_up)
        try:
            tables = read_tables(o)
            rows = torch.from_numpy(np.fromfile(Path(o.folder) / "triples", np.int32)).view(-1, 3)
            wanted = torch.from_numpy(np.fromfile(Path(o.folder) / "scores", np.float32)).double()
            h, k, t = rows.long().t().contiguous().to(o.device)

            def score(tables=tables, h=h, k=k, t=t):
                with torch.no_grad():
                    return SCORES[o.model](*tables, h, k, t)
            found[way] = measure(o, score, wanted, way == "recorded")
        except RuntimeError as error:  # memory, too
            found[way] = {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}
        signal.alarm(0)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
