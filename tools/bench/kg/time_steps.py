#!/usr/bin/env python3
"""Times steps of knowledge-graph training in plain torch, or in PyKEEN, beside `vecc-bench kg`.

    time_steps.py --peer=torch --model=transe --batch-size=1024 --dim=400 --negatives=256 \\
        --chunk=256 --device=cuda --steps=50 --repeat=5

Draws, forward, logistic loss, backward and Adagrad on drawn triples; the head is replaced. Prints one
JSON object: "step_seconds" (one number a repetition), "bytes" (the most that torch took on a GPU),
"how". An error is one more, "error", and no seconds.
"""

import argparse
import json
import signal
import time

import torch


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", choices=["torch", "pykeen"], required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--give-up", type=int, default=60, help="seconds for all of it")
    for name in ("batch-size", "dim", "relation-dim", "negatives", "chunk", "steps", "repeat",
                 "entities", "relations", "triples"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return parser.parse_args()


def give_up(*_):
    raise RuntimeError("took longer than --give-up")


def main():
    o = parse()
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(o.give_up)
    if o.threads:
        torch.set_num_threads(o.threads)
    try:
        if o.device == "cuda":
            torch.cuda.init()
        if o.peer == "torch":
            import torch_steps
            steps = torch_steps.prepare(o)
        else:
            import pykeen_steps
            steps = pykeen_steps.prepare(o)
        run, how = steps
        seconds = []
        for _ in range(o.repeat + 1):  # the first warms up
            begin = time.perf_counter()
            run(o.steps)
            if o.device == "cuda":
                torch.cuda.synchronize()
            seconds.append((time.perf_counter() - begin) / o.steps)
        taken = torch.cuda.max_memory_allocated() if o.device == "cuda" else None
        print(json.dumps({"step_seconds": seconds[1:], "bytes": taken, "how": how}))
    except (ImportError, KeyError, RuntimeError, ValueError) as error:  # memory, too
        why = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
        print(json.dumps({"step_seconds": [], "error": why}))


if __name__ == "__main__":
    main()
