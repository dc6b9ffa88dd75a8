#!/usr/bin/env python3
"""training_test.py VECC PLACE...: 20 epochs of each graph (a graph.pb, or all of a folder) on the GPU
end with the weights that the interpreter ends with: within 1e-9 of a weight, or of 1 if that is
smaller, in f64 (Adam), 1e-4 in f32 (SGD)."""

import math
import sys
import tempfile
from pathlib import Path

from vecc_runs import graphs_of, need_gpu, run, run_all

sys.path.append(str(Path(__file__).parents[2] / "support"))
from safetensors_file import read_tensors

TOLERANCES = {"f32": 1e-4, "f64": 1e-9}


def distance(found, expected):
    """|found - expected| / max(1, |expected|); nothing between two NaNs or equal infinities."""
    if found == expected or (math.isnan(found) and math.isnan(expected)):
        return 0.0
    gap = abs(found - expected) / max(1.0, abs(expected))
    return math.inf if math.isnan(gap) else gap


def largest_distance(found, expected):
    if found.keys() != expected.keys():
        return math.inf
    largest = 0.0
    for name, values in expected.items():
        if len(found[name]) != len(values):
            return math.inf
        largest = max([largest, *map(distance, found[name], values)])
    return largest


def train(vecc, graph, backend, optimizer, *options):
    """The weights after 20 epochs: {name: numbers}. Throws RuntimeError with what vecc says."""
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder, "weights.safetensors")
        command = [vecc, graph, "--train", "--epochs=20", "--no-shuffle", "--lr=0.01", "--quiet"]
        command += [f"--backend={backend}", f"--optimizer={optimizer}", f"--save-weights={saved}"]
        ended = run([*command, *options])
        if ended.returncode != 0:
            raise RuntimeError(f"{backend}: {ended.stderr.strip()}")
        return {name: numbers for name, (_, _, numbers) in read_tensors(saved).items()}


def check(vecc, graph, dtype):
    optimizer = "adam" if dtype == "f64" else "sgd"
    case = f"{graph.name} {dtype} {optimizer}"
    try:
        expected = train(vecc, graph, "interpreter", optimizer, "--dtype=f64")
        found = train(vecc, graph, "cuda", optimizer, f"--dtype={dtype}")
    except RuntimeError as error:
        return f"{case}: {error}"
    largest = largest_distance(found, expected)
    return f"{case}: weights differ by {largest:.1e}" if largest > TOLERANCES[dtype] else None


def main():
    need_gpu()
    vecc, graphs = sys.argv[1], graphs_of(sys.argv[2:])
    run_all(check, [(vecc, graph, dtype) for graph in graphs for dtype in TOLERANCES])


if __name__ == "__main__":
    main()
