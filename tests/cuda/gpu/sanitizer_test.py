#!/usr/bin/env python3
"""sanitizer_test.py VECC PLACE...: compute-sanitizer finds nothing in outputs, gradients and two epochs
of each graph (a graph.pb, or all of a folder), with any of its tools. Skipped where compute-sanitizer is
not there."""

import shutil
import sys
import tempfile

from vecc_runs import SKIPPED, graphs_of, need_gpu, run, run_all

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
FOUND = 99  # what compute-sanitizer exits with then


def check(vecc, graph, tool):
    command = ["compute-sanitizer", f"--tool={tool}", f"--error-exitcode={FOUND}", vecc, graph]
    command += ["--backend=cuda", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        for options in ([f"--gradients={folder}/gradients.tsv"], ["--train", "--epochs=2"]):
            ended = run([*command, *options])
            if ended.returncode != 0:
                words = (ended.stdout + ended.stderr)[-1500:]
                return f"{graph.name} {tool} {options[0]}: exit code {ended.returncode}\n{words}"
    return None


def main():
    need_gpu()
    if shutil.which("compute-sanitizer") is None:
        print("skipped: compute-sanitizer is not on the PATH (CUDA toolkit)")
        sys.exit(SKIPPED)
    vecc, places = sys.argv[1], sys.argv[2:]
    graphs = graphs_of(places)
    run_all(check, [(vecc, graph, tool) for graph in graphs for tool in TOOLS])


if __name__ == "__main__":
    main()
