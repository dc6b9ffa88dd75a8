#!/usr/bin/env python3
"""Times NeuraLogic itself (its Python package, which runs Java) on mutagenesis of vecc-bench peers.

    time_neuralogic.py --graph datasets/mutagenesis.pb --case "mutagenesis simple"

The molecules are those that the package ships, the weights the graph's. It computes in double, on
one thread, sample by sample, and what it has not is left out: "forward" is its test() of all
samples, "batch_1" its train(), a step of Adam a sample. "set_up" is all from the files to grounded
and compressed networks.
"""

import importlib.util
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pyg"))

import numpy as np

import compare
from graph_file import read_graph
from mutagenesis import molecules, tanh_settings, template
from peer_runs import Absent, differs, finite, main_of, make_parser, measure, status_bytes
from vecc_run import read_outputs

def check_installed():
    if importlib.util.find_spec("neuralogic") is None:
        raise Absent(f"{sys.executable} has no neuralogic", "pip install neuralogic")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise Absent("there is no java", "apt install default-jre-headless")


def make_model(known, path):
    from neuralogic.core import Model
    from neuralogic.nn.optim import Adam
    path.write_text(template(known.case.split()[1]), encoding="utf-8")
    # Its default pruning also drops the tanh of neurons with one input.
    settings = tanh_settings(optimizer=Adam(lr=known.lr), prune_only_identities=True)
    return Model(model_file=str(path)).build(settings)


def set_weights(model, graph):
    state = model.state_dict()
    names = state["weight_names"]
    if set(names.values()) != {name for name, table in graph.tables.items() if table.learnable}:
        raise ValueError("the graph's weights are not those of the template")
    for index, name in names.items():
        value = graph.tables[name].values[0]
        vector = value.ndim == 2 and 1 in value.shape
        state["weights"][index] = (value.ravel() if vector else value).tolist()
    model.load_state_dict(state)


def difference(outputs, path):
    """From vecc's, both in ascending order: a database has the molecules in another order."""
    _, expected, _ = read_outputs(path)
    return finite(compare.largest_difference(np.sort(np.ravel(outputs)), np.sort(expected.ravel()))[0])


def measure_all(known, folder):
    from importlib.metadata import version

    from neuralogic.dataset import FileDataset
    row = {"version": f"neuralogic {version('neuralogic')}, f64, one thread", "device": "cpu",
           "loaded_bytes": status_bytes("VmRSS")}
    start = time.perf_counter()
    model = make_model(known, Path(folder) / "template.txt")
    samples = model.build_dataset(FileDataset(*molecules()))
    row["set_up"] = time.perf_counter() - start
    set_weights(model, read_graph(known.graph))
    if known.outputs:
        row["difference"] = difference(model.test(samples), known.outputs)
        row["tolerance"] = compare.TOLERANCE["f64"]
    if differs(row):
        return row
    row["forward"] = measure(lambda: model.test(samples), known)
    row["batch_1"] = measure(lambda: model.train(samples, 1), known)
    row["peak_bytes"] = status_bytes("VmHWM")
    return row


def run(_):
    parser = make_parser(__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--case", required=True)
    known, _ = parser.parse_known_args()
    check_installed()
    stdout = os.dup(1)
    for name in ("graph", "outputs"):
        if getattr(known, name):
            setattr(known, name, os.path.abspath(getattr(known, name)))
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)  # Java writes its log there
        os.chdir(folder)  # NeuraLogic leaves files where its JVM was started
        row = measure_all(known, folder)
    sys.stdout.flush()
    os.dup2(stdout, 1)
    return row


if __name__ == "__main__":
    main_of(run)
