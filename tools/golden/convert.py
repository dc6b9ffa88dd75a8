#!/usr/bin/env python3
"""Turns NeuraLogic's JSON dumps into graph.pb, NAME.expected and NAME.gradients (its values and
gradients, neuron by neuron).

    convert.py IN.json.xz OUT_DIR           one dump
    convert.py --all FOLDER OUT_DIR         every dump of neurons in FOLDER that is not converted yet

Needs Python 3.9 and nothing else. Off in NeuraLogic when the dump is made: chain pruning and
iso-value compression.
"""

import argparse
import concurrent.futures
import gzip
import os
import sys
from pathlib import Path

from dump import format_expected, lay_out, read_dump, read_json, write_graph
from gradients import format_gradients

# Dumps of NeuraLogic's trainers and initialisers, not of neurons.
NOT_GRAPHS = ("train-", "initializers")
# Of what is written for a dump. The last one says that the conversion is complete.
SUFFIXES = (".pb", ".expected", ".gradients")


def dump_name(path: Path) -> str:
    return path.name.partition(".")[0]


def replace_file(path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def convert(source: Path, out_dir: Path, compress: bool, with_names: bool) -> str:
    name = dump_name(source)
    dumped = read_json(str(source))
    graph = read_dump(dumped, name)
    layout = lay_out(graph)
    data = write_graph(graph, layout, with_names)
    if compress:
        data = gzip.compress(data, mtime=0)
    contents = (data, format_expected(graph, layout).encode(),
                format_gradients(dumped, graph, layout).encode())
    for suffix, content in zip(SUFFIXES, contents):
        replace_file(out_dir / f"{name}{suffix}", content)
    return f"{name}: {len(graph.neurons)} neurons, {len(graph.queries)} samples, {len(data)} bytes"


def is_current(source: Path, out_dir: Path) -> bool:
    """Whether the result is newer than the dump and than this program."""
    outputs = [out_dir / f"{dump_name(source)}{suffix}" for suffix in SUFFIXES]
    if not all(o.exists() for o in outputs):
        return False
    inputs = [source, *Path(__file__).resolve().parent.glob("*.py")]
    return min(o.stat().st_mtime for o in outputs) > max(i.stat().st_mtime for i in inputs)


def convert_all(folder: Path, out_dir: Path, compress: bool, with_names: bool) -> int:
    if not folder.is_dir():
        print(f"{folder} is not there: nothing to convert")
        return 0
    sources = [p for p in folder.glob("*.json*") if not p.name.startswith(NOT_GRAPHS)]
    # Largest first, so that no process is left alone with one of them at the end.
    sources.sort(key=lambda p: (-p.stat().st_size, p.name))
    stale = [p for p in sources if not is_current(p, out_dir)]
    known = {dump_name(p) for p in sources}
    for leftover in out_dir.iterdir():
        if leftover.suffix in SUFFIXES and dump_name(leftover) not in known:
            leftover.unlink()
    failures = 0
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        jobs = {pool.submit(convert, p, out_dir, compress, with_names): p for p in stale}
        for job in concurrent.futures.as_completed(jobs):
            error = job.exception()
            failures += error is not None
            print(f"{jobs[job]}: {error!r}" if error else job.result(),
                  file=sys.stderr if error else sys.stdout, flush=True)
    print(f"{len(stale)} dumps converted, {len(sources) - len(stale)} were current")
    return 1 if failures or not sources else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--all", action="store_true", help="SOURCE is a folder of dumps")
    parser.add_argument("--gzip", action="store_true", help="compress graph.pb")
    parser.add_argument("--names", action="store_true", help="keep the neurons' names")
    parser.add_argument("source", type=Path)
    parser.add_argument("out_dir", type=Path)
    options = parser.parse_args()
    options.out_dir.mkdir(parents=True, exist_ok=True)
    if options.all:
        return convert_all(options.source, options.out_dir, options.gzip, options.names)
    print(convert(options.source, options.out_dir, options.gzip, options.names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
