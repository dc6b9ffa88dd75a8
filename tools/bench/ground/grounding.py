#!/usr/bin/env python3
"""From rules and rows to graphs: seconds, memory and neurons a second of a core.

    tools/bench/ground/grounding.py                              # all three
    tools/bench/ground/grounding.py --case=database --rows=1000000 --threads=1

`molecules`: NeuraLogic's mutagenesis ten times (1,880 examples), by the template `dims`; needs
--data, the folder of unpacked data sets, or the package `neuralogic`. `recursion`: `anc/2` over
100,000 random edges among 50,000 nodes, 100 queries. `database`: a shop of 5 tables, --rows in sum,
a tenth of them samples, 2 hops, 16 dimensions. "cpu" is the time of all cores together.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools" / "bench" / "neuralogic"))

import mutagenesis
from shop_database import make_shop

CASES = ("molecules", "recursion", "database")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    add = parser.add_argument
    add("--case", choices=CASES, help="only this one")
    add("--build", type=Path, default=ROOT / "build", help="where vecc is built")
    add("--data", type=Path, default=ROOT / "build" / "data", help="unpacked data sets")
    add("--rows", type=int, default=10_000_000, help="of the database")
    add("--threads", type=int, default=0, help="0: one a processor")
    add("--repeat", type=int, default=1, help="runs of a case; the fastest is shown")
    add("--folder", type=Path, help="for inputs and graphs, which stay there; default: none stays")
    return parser.parse_args()


def molecules(options, folder):
    source = options.data / "neuralogic_mutagenesis"
    files = [source / "examples.txt", source / "queries.txt"]
    if not source.exists():
        files = [Path(file) for file in mutagenesis.molecules()]
    for name, file in zip(("examples.txt", "queries.txt"), files):
        (folder / name).write_text(10 * (file.read_text().rstrip("\n") + "\n"))
    (folder / "dims.txt").write_text(mutagenesis.template("dims"))
    return ["vecc-ground", folder / "dims.txt", f"--facts={folder}/examples.txt",
            f"--queries={folder}/queries.txt"]


def recursion(_, folder):
    draw = random.Random(0).randrange
    nodes = 50_000
    (folder / "anc.txt").write_text("anc(X, Y) :- {1} edge(X, Y).\n"
                                    "anc(X, Z) :- {1} edge(X, Y), {1} anc(Y, Z).\n")
    edges = (f"edge(n{draw(nodes)}, n{draw(nodes)})" for _ in range(100_000))
    (folder / "edges.txt").write_text(", ".join(edges) + ".\n")
    queries = (f"1.0 anc(n{draw(nodes)}, n{draw(nodes)}).\n" for _ in range(100))
    (folder / "ancestors.txt").write_text("".join(queries))
    return ["vecc-ground", folder / "anc.txt", f"--facts={folder}/edges.txt",
            f"--queries={folder}/ancestors.txt"]


def database(options, folder):
    shop = folder / f"shop{options.rows}.db"
    if not shop.exists():
        make_shop(shop, options.rows)
    return ["vecc-import", "sql", shop, "--target=customers.churn", "--hops=2", "--dim=16"]


def time_command(command, build):
    """Seconds, seconds of all cores, bytes at most, neurons."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([str(build / "bin" / command[0]), *map(str, command[1:])],
                                 stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        errors.seek(0)
        text = errors.read().decode()
    if child.returncode != 0:
        sys.exit(text)
    neurons = int(re.search(r"([\d,]+) neurons", text)[1].replace(",", ""))
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, neurons


def main():
    options = parse_arguments()
    line = "{:<10} {:>8} {:>8} {:>9} {:>13} {:>16}"
    print(line.format("case", "seconds", "cpu", "memory", "neurons", "neurons/s of cpu"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for case in [options.case] if options.case else CASES:
            command = globals()[case](options, folder)
            command += [f"--threads={options.threads}", "-o", folder / f"{case}.pb"]
            runs = [time_command(command, options.build) for _ in range(options.repeat)]
            seconds, cpu, memory, neurons = min(runs)
            print(line.format(case, f"{seconds:.2f}", f"{cpu:.2f}", f"{memory / 1e9:.2f} GB",
                              f"{neurons:,}", f"{neurons / cpu:,.0f}"), flush=True)


if __name__ == "__main__":
    main()
