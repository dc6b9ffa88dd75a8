"""Runs vecc-import and vecc, and reads what they write."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np


class ToolFailed(RuntimeError):
    """A tool ended with an error; the text is its last words."""


@dataclass
class Spent:
    seconds: float
    megabytes: float  # the most memory held at one time
    words: str        # stderr


class Tools:
    """The two programs, and the process that runs them."""

    def __init__(self, vecc, vecc_import):
        self.vecc, self.vecc_import = vecc, vecc_import
        runner = Path(__file__).with_name("tool_runner.py")
        self.runner = subprocess.Popen([sys.executable, "-S", "-B", str(runner)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, command):
        """Runs it to the end; Spent."""
        command = [str(part) for part in command]
        print(json.dumps(command), file=self.runner.stdin, flush=True)
        answer = json.loads(self.runner.stdout.readline())
        if answer["code"]:
            last = "\n".join(answer["words"].strip().splitlines()[-5:])
            raise ToolFailed(f"{' '.join(command)}\nexit code {answer['code']}\n{last}")
        return Spent(answer["seconds"], answer["megabytes"], answer["words"])

    def close(self):
        self.runner.stdin.close()
        self.runner.wait()


def import_graph(tools, kind, directory, model, options, path):
    command = [tools.vecc_import, kind, str(directory), f"--model={model}"]
    options = {"init": "glorot", "seed": "1", **options}
    command += [f"--{name}={value}" for name, value in options.items()]
    return tools.run(command + ["-o", path])


def reported_counts(words):
    """Of vecc-import's "load  19 ms  MUTAG: 188 graphs, 3,371 nodes, 7,442 directed edges"."""
    line = next((line for line in words.splitlines() if line.startswith("load ")), "")
    found = re.findall(r"([\d,]+) (graph|node|edge|directed edge)s?\b", line)
    return {noun.split()[-1]: int(number.replace(",", "")) for number, noun in reversed(found)}


@dataclass
class Run:
    """What executes the graph: --run=BACKEND[:DEVICE[:DTYPE]]."""

    backend: str = "reference"
    device: str = "cpu"
    dtype: str = "f64"

    @staticmethod
    def parse(text):
        return Run(*text.split(":"))

    def __str__(self):
        return f"{self.backend}:{self.device}:{self.dtype}"


def run_graph(tools, graph_path, run, folder, gradients):
    """(ids, outputs, shapes, gradients by table name or None, Spent)."""
    outputs, grads = Path(folder) / "outputs.json", Path(folder) / "gradients.tsv"
    command = [tools.vecc, str(graph_path), "--quiet", f"--backend={run.backend}",
               f"--device={run.device}", f"--dtype={run.dtype}", "--json", "-o", str(outputs)]
    spent = tools.run(command + ([f"--gradients={grads}"] if gradients else []))
    ids, values, shapes = read_outputs(outputs)
    return ids, values, shapes, read_gradients(grads) if gradients else None, spent


def read_outputs(path):
    """Ids, a row of elements for each sample, and the distinct shapes."""
    with open(path, encoding="utf-8") as file:
        samples = json.load(file)["outputs"]
    shapes = {tuple(sample.get("shape", ())) for sample in samples}
    rows = [np.array(sample["value"], np.float64).ravel() for sample in samples]
    return [sample["sample"] for sample in samples], np.array(rows), shapes


def read_gradients(path):
    """By table: [count, elements] from lines `table TAB row TAB values`."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            table, row, values = line.rstrip("\n").split("\t")
            rows.setdefault(table, {})[int(row)] = [float(v) for v in values.split()]
    return {name: np.array([row[i] for i in range(len(row))]) for name, row in rows.items()}
