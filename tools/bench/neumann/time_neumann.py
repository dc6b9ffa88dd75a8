#!/usr/bin/env python3
"""Times Neumann's compiler (nn-structural-graph-vectorizer-compiler) on one case of vecc-bench peers.

    time_neumann.py --folder FOLDER --graph mutag.pb --case "MUTAG gcn"

FOLDER is its repository. It gets the neurons of the graph.pb from here instead of from NeuraLogic,
compiles them with its default settings and then with each of its own list of settings to try
("tuning") for as long as --tune allows, and runs the PyTorch model that was fastest forward and
backward. The same words as ../pyg/time_peer.py's; its "set_up" is all from the neurons to the end of
a first backward pass, for those settings alone. It has no mini-batches: a batch of other samples
would be compiled anew.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pyg"))

import torch

from network import Graph, load_compiler
from peer_runs import (Training, differences, differs, main_of, make_parser, measure,
                       status_bytes)


def targets_of(samples, shape):
    rows = [torch.zeros(shape) if target is None else torch.tensor(target, dtype=torch.float32)
            for target in samples.targets]
    return torch.stack(rows).reshape(len(rows), -1)


def compile_model(network, settings):
    from compute_graph_vectorize.engines.torch.from_vectorized import (
        build_torch_model, torch_simple_forward_pass_runner)
    from compute_graph_vectorize.engines.torch.settings import TorchModuleSettings
    from compute_graph_vectorize.vectorize.pipeline.pipeline import (
        create_vectorized_network_compiler)
    compiler = create_vectorized_network_compiler(
        settings, forward_pass_runner=torch_simple_forward_pass_runner)
    return build_torch_model(compiler(network), TorchModuleSettings(), debug=False)


def settings_to_try():
    from compute_graph_vectorize.vectorize.settings import VectorizeSettings
    from compute_graph_vectorize.vectorize.settings_testing_presets import (
        iterate_vectorize_settings_presets)
    default = VectorizeSettings()
    return [default] + [s for s in iterate_vectorize_settings_presets("tuning") if s != default]


def run_both(model, outputs_of):
    model.zero_grad(set_to_none=True)
    outputs = outputs_of(model)
    outputs.sum().backward()
    return outputs


def changes_of(settings, default):
    """What of its settings is not the default, in words."""
    of, found = default.serialize(), settings.serialize()
    return ", ".join(f"{name}={found[name]}" for name in found if found[name] != of[name]) or "default"


def tune(network, outputs_of, known):
    """The model that is fastest forward and backward, and the words for its row. The peak is that of
    the default settings: later ones are compiled beside the best so far."""
    best, row, tried, failed, begin = None, {}, 0, 0, time.perf_counter()
    every = settings_to_try()
    for settings in every:
        if tried and time.perf_counter() - begin > known.tune:
            break
        tried += 1
        start = time.perf_counter()
        try:
            model = compile_model(network, settings)
            run_both(model, outputs_of)
        except Exception as error:  # its own assertions, of any kind
            print(f"settings {tried}: {type(error).__name__} {error}", file=sys.stderr)
            failed += 1
            continue
        set_up = time.perf_counter() - start
        runs = measure(lambda: run_both(model, outputs_of),
                       argparse.Namespace(warmup=5, repeat=30, limit=min(known.limit, 1)))
        row.setdefault("peak_bytes", status_bytes("VmHWM"))
        median = statistics.median(runs["seconds"][runs["warmup"]:])
        if best is None or median < best[0]:
            best = median, model
            row |= {"set_up": set_up, "settings": changes_of(settings, every[0])}
    if best is None:
        raise Absent(f"none of {tried} settings compiled", "")
    row["settings"] += f" (best of {tried - failed} that compiled, {tried} tried)"
    return best[1], row


def run(_):
    parser = make_parser(__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--folder", required=True, help="the compiler's repository")
    parser.add_argument("--case", required=True)
    parser.add_argument("--tune", type=float, default=300, metavar="SECONDS",
                        help="try its settings one after the other for as long")
    known, _ = parser.parse_known_args()
    if known.threads:
        torch.set_num_threads(known.threads)
    label = load_compiler(known.folder)
    graph = Graph(known.graph)
    network = graph.network()
    rows = graph.output_rows()
    in_order = torch.equal(rows, torch.arange(len(rows)))

    def outputs_of(model):
        outputs = model().flatten(1)
        return outputs if in_order else outputs[rows]

    def forward():
        with torch.no_grad():
            outputs_of(model)

    row = {"version": f"nn-structural-graph-vectorizer-compiler{label}, torch {torch.__version__}",
           "device": "cpu", "threads": torch.get_num_threads(),
           "loaded_bytes": status_bytes("VmRSS")}
    model, tuned = tune(network, outputs_of, known)
    row |= tuned
    row["version"] += f", settings {row.pop('settings')}"
    row["both"] = measure(lambda: run_both(model, outputs_of), known)
    outputs = run_both(model, outputs_of)
    row.update(differences(outputs.detach().numpy(), graph.gradients(model), known))
    if differs(row):
        return row
    row["forward"] = measure(forward, known)
    targets = targets_of(graph.file.samples, outputs.shape[1:])
    training = Training([p for p in model.parameters() if p.requires_grad], known)
    row["epoch"] = measure(lambda: training.step(lambda: outputs_of(model), (), targets), known)
    row["first_loss"] = training.losses[0]
    return row


if __name__ == "__main__":
    main_of(run)
