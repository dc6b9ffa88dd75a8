#!/usr/bin/env python3
"""training_test.py VECC PLACE...: 20 epochs of each graph (a graph.pb, or all of a folder) on the GPU,
in every schedule, end with the weights that the interpreter ends with: within 1e-9 of a weight, or of
1 if that is smaller, in f64 (Adam), 1e-4 in f32 (SGD, in two schedules)."""

import array
import json
import math
import pathlib
import sys
import tempfile

from vecc_runs import LAUNCHES, graphs_of, need_gpu, run, run_all

TYPES = {"F32": "f", "F64": "d"}
TOLERANCES = {"f32": 1e-4, "f64": 1e-9}


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tables = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tables[name] = array.array(TYPES[entry["dtype"]], data[8 + size + begin : 8 + size + end])
    return tables


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


def check(vecc, graph, launch, dtype):
    optimizer = "adam" if dtype == "f64" else "sgd"
    with tempfile.TemporaryDirectory() as folder:

        def train(backend, numbers, *options):
            saved = f"{folder}/{backend}.safetensors"
            command = [vecc, graph, "--train", "--epochs=20", "--no-shuffle", "--lr=0.01", "--quiet"]
            command += [f"--optimizer={optimizer}", f"--backend={backend}", f"--dtype={numbers}"]
            ended = run([*command, f"--save-weights={saved}", *options])
            if ended.returncode != 0:
                raise RuntimeError(f"{backend}: {ended.stderr.strip()}")
            return read_safetensors(saved)

        case = f"{graph.name} {launch} {dtype} {optimizer}"
        try:
            expected = train("interpreter", "f64")
            found = train("cuda", dtype, f"--cuda-launch={launch}")
        except RuntimeError as error:
            return f"{case}: {error}"
    largest = largest_distance(found, expected)
    return f"{case}: weights differ by {largest:.1e}" if largest > TOLERANCES[dtype] else None


def main():
    need_gpu()
    vecc, places = sys.argv[1], sys.argv[2:]
    cases = [(vecc, graph, launch, "f64") for graph in graphs_of(places) for launch in LAUNCHES]
    cases += [(vecc, graph, launch, "f32") for graph in graphs_of(places) for launch in LAUNCHES[:2]]
    run_all(check, cases)


if __name__ == "__main__":
    main()
