#!/usr/bin/env python3
"""Times Neumann's compiler (nn-structural-graph-vectorizer-compiler) on one case of vecc-bench peers.

    time_neumann.py --folder FOLDER --graph mutag.pb --case "MUTAG gcn"

FOLDER is its repository. It gets the neurons of the graph.pb from here instead of from NeuraLogic,
compiles them with its default settings, and runs its PyTorch model. The same words as
../pyg/time_peer.py's; its "set_up" is all from the neurons to the end of a first backward pass. It
has no mini-batches: a batch of other samples would be compiled anew.
"""

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


def compile_model(network):
    from compute_graph_vectorize.engines.torch.from_vectorized import (
        build_torch_model, torch_simple_forward_pass_runner)
    from compute_graph_vectorize.engines.torch.settings import TorchModuleSettings
    from compute_graph_vectorize.vectorize.pipeline.pipeline import (
        create_vectorized_network_compiler)
    from compute_graph_vectorize.vectorize.settings import VectorizeSettings
    compiler = create_vectorized_network_compiler(
        VectorizeSettings(), forward_pass_runner=torch_simple_forward_pass_runner)
    return build_torch_model(compiler(network), TorchModuleSettings(), debug=False)


def run():
    parser = make_parser(__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--folder", required=True, help="the compiler's repository")
    parser.add_argument("--case", required=True)
    known, _ = parser.parse_known_args()
    if known.threads:
        torch.set_num_threads(known.threads)
    label = load_compiler(known.folder)
    graph = Graph(known.graph)
    network = graph.network()
    row = {"version": f"nn-structural-graph-vectorizer-compiler{label}, torch {torch.__version__}",
           "device": "cpu", "threads": torch.get_num_threads(),
           "loaded_bytes": status_bytes("VmRSS")}
    start = time.perf_counter()
    model = compile_model(network)
    rows = graph.output_rows()
    in_order = torch.equal(rows, torch.arange(len(rows)))

    def outputs_of():
        outputs = model().flatten(1)
        return outputs if in_order else outputs[rows]

    def both():
        model.zero_grad(set_to_none=True)
        outputs = outputs_of()
        outputs.sum().backward()
        return outputs

    def forward():
        with torch.no_grad():
            outputs_of()

    both()
    row["set_up"] = time.perf_counter() - start
    row["both"] = measure(both, known)
    row["peak_bytes"] = status_bytes("VmHWM")
    outputs = both()
    row.update(differences(outputs.detach().numpy(), graph.gradients(model), known))
    if differs(row):
        return row
    row["forward"] = measure(forward, known)
    targets = targets_of(graph.file.samples, outputs.shape[1:])
    training = Training([p for p in model.parameters() if p.requires_grad], known)
    row["epoch"] = measure(lambda: training.step(outputs_of, (), targets), known)
    row["first_loss"] = training.losses[0]
    return row


if __name__ == "__main__":
    main_of(run)
