"""One case: vecc-import makes the graph, vecc runs it, the twin computes the same, and the outputs
(and gradients) are compared."""

import threading
import time
from pathlib import Path

import numpy as np
import torch

import compare
import models_molecule
import models_typed
import recursion
import scores
import vecc_run
from cases import SETS
from data_hgb import load_hgb
from data_rdf import load_rdf
from data_triples import load_triples
from data_tu import load_tu
from graph_file import read_graph
from twin import Options, compare_samples
from weights import Weights, canonical, compare_tables

LOADERS = {"tu": load_tu, "kg": load_triples, "rdf": load_rdf, "hgb": load_hgb}
DTYPES = {"f32": torch.float32, "f64": torch.float64}


TORCH_LOCK = threading.Lock()  # the default dtype is the whole program's


class DataSets:
    """Loads each set once; keeps the last one."""

    def __init__(self, folder, whole):
        self.folder, self.whole, self.last = Path(folder), whole, (None, None)
        self.lock = threading.Lock()

    def directory(self, name):
        return self.folder / SETS[name][1]

    def load(self, name):
        with self.lock:
            if self.last[0] != name:
                self.last = (name, LOADERS[SETS[name][0]](self.directory(name)))
            return self.last[1]

    def count_problems(self, case, data, reported):
        """Words, if vecc-import reports other numbers of graphs, nodes and edges than the files
        have, or a whole set has others than its source says."""
        edges = len(data.source)
        if case.options.get("message-edges") == "train":
            edges = data.edge_split.count("train")
        found = (getattr(data, "graphs", 1), data.nodes, edges)
        theirs = tuple(reported.get(noun, default) for noun, default in
                       (("graph", 1), ("node", None), ("edge", None)))
        problems = []
        if theirs != found:
            problems.append(f"vecc-import reports {theirs} graphs, nodes, edges; there are {found}")
        if self.whole and SETS[case.set][2] not in (None, found):
            problems.append(f"{found} graphs, nodes, edges; the source says {SETS[case.set][2]}")
        return problems


def build_twin(data, model, options):
    if model == "reach":
        twin = recursion.build(data, options)
    elif model in scores.SCORES:
        twin = scores.build(data, model, options)
    elif model in models_typed.LAYERS:
        twin = models_typed.build(data, model, options)
    else:
        twin = models_molecule.build(data, model, options)
    options.check()
    return twin


def check_case(case, runs, tools, datasets, folder, settings):
    """A row (a dict) for each run."""
    data = datasets.load(case.set)
    path = Path(folder) / "graph.pb"
    kind, directory = SETS[case.set][0], datasets.directory(case.set)
    imported = vecc_run.import_graph(tools, kind, directory, case.model, case.options, path)
    graph = read_graph(path)
    twin = build_twin(data, case.model, Options(case.options))
    problems = datasets.count_problems(case, data, vecc_run.reported_counts(imported.words))
    problems += compare_tables(twin.tables, graph) + compare_samples(twin, graph.samples)
    common = {"case": str(case), "set": case.set, "model": case.model, "nodes": twin.nodes,
              "edges": twin.edges, "neurons": graph.neurons, "outputs": len(graph.samples.outputs),
              "import_seconds": round(imported.seconds, 3), "import_mb": round(imported.megabytes)}
    if problems:
        return [{**common, "run": str(run), "verdict": "DIFFERS", "why": problems} for run in runs]
    expected = {}  # by the twin's dtype
    rows = []
    for run in runs:
        gradients = settings.gradients and run.backend == "reference"
        dtype = run.dtype if settings.twin_dtype == "same" else settings.twin_dtype
        if dtype not in expected:
            with TORCH_LOCK:
                expected[dtype] = compute(twin, graph, DTYPES[dtype], settings)
        row = compare_run(twin, graph, run, gradients, expected[dtype], tools, folder)
        rows.append({**common, **row})
    return rows


def compute(twin, graph, dtype, settings):
    """The twin's outputs, gradients (None if not asked for) and seconds."""
    begin = time.monotonic()
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)  # layers make their own constants in it
    try:
        weights = Weights(graph, twin.tables, dtype, settings.twin_device)
        with torch.set_grad_enabled(settings.gradients), torch.device(settings.twin_device):
            outputs = twin.forward(weights)
            grads = weights.gradients_of_sum(outputs) if settings.gradients else None
    finally:
        torch.set_default_dtype(before)
    if grads is not None:
        grads = {name: grad.cpu().numpy().reshape(len(grad), -1) for name, grad in grads.items()}
    return outputs.detach().cpu().numpy(), grads, time.monotonic() - begin


def compare_run(twin, graph, run, gradients, expected, tools, folder):
    outputs, grads, twin_seconds = expected
    ids, found, shapes, found_grads, spent = vecc_run.run_graph(tools, folder / "graph.pb", run,
                                                                folder, gradients)
    row = {"run": str(run), "vecc_seconds": round(spent.seconds, 3),
           "vecc_mb": round(spent.megabytes), "twin_seconds": round(twin_seconds, 3),
           "tolerance": compare.TOLERANCE[run.dtype]}
    why = []
    if ids != graph.samples.ids:
        why.append("vecc prints other samples than the file has")
    if shapes != {canonical(twin.output_shape)}:
        why.append(f"outputs of shapes {sorted(shapes)}, expected {list(twin.output_shape)}")
    row["difference"], place = compare.largest_difference(found, outputs)
    if not row["difference"] <= row["tolerance"]:
        why.append(describe(ids, found, outputs, place))
    if gradients:
        row["gradient_difference"], where = compare.compare_gradients(found_grads, grads)
        if not row["gradient_difference"] <= compare.GRADIENT_TOLERANCE[run.dtype]:
            why.append(f"{where} differs by {row['gradient_difference']:.3g}")
    return {**row, "verdict": "DIFFERS" if why else "agrees", "why": why}


def describe(ids, found, expected, place):
    if place is None:
        return f"outputs {np.shape(found)}, expected {np.shape(expected)}"
    return (f"sample {ids[place[0]]!r} element {place[1]}: vecc {float(found[place])!r}, "
            f"expected {float(expected[place])!r}")
