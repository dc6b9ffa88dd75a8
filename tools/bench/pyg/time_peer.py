#!/usr/bin/env python3
"""Times PyTorch Geometric on one case of vecc-bench peers, in this process alone.

    time_peer.py --graph mutag.pb --case "MUTAG gcn --dim=10" --directory tu_MUTAG --way compile

The network is what a user of PyTorch Geometric writes; its weights are the graph's. Times, in
seconds: "set_up" (network made, first forward and backward pass; with --way compile that compiles),
"forward" (no gradients), "both" (forward and backward of the sum of all outputs), "epoch" (a
full-batch step of Adam, the loss read), "batch_1" and "batch_32" (epochs of mini-batches by
PyTorch Geometric's loader, in order and shuffled). Bytes: "loaded_bytes" before the set-up,
"peak_bytes" after "both".
"""

import time

import torch
import torch_geometric

from cases import SETS, case
from check_case import LOADERS
from graph_file import read_graph
from peer_networks import copy_weights, gradients_of, molecule_problem, relational_problem
from peer_runs import (Absent, Training, differences, differs, main_of, make_parser, measure,
                       status_bytes)
from twin import Options


def problem_of(what, directory, way):
    data = LOADERS[SETS[what.set][0]](directory)
    options = Options(what.options)
    if what.model == "rgcn":
        if way == "fast":
            check_memory(data, options)
        problem = relational_problem(data, what.model, options, way == "fast")
    elif way == "fast":
        raise Absent("FastRGCNConv is a layer of RGCN alone", "")
    else:
        problem = molecule_problem(data, what.model, options)
    options.check()
    return problem


def check_memory(data, options):
    """FastRGCNConv copies a matrix for every edge, and its gradient; it counts edges by one-hot
    rows of types."""
    _, relation, _, names = data.messages(options.on("inverse", True))
    from models_typed import dimensions
    dims = dimensions(data, options)
    needed = 4 * len(relation) * (2 * max(a * b for a, b in zip(dims, dims[1:])) + 2 * len(names))
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    if needed > 0.9 * free:
        raise Absent(f"FastRGCNConv would hold {needed / 2**30:.1f} GB, a matrix for each edge; "
                     f"{free / 2**30:.1f} GB are free", "run it on a machine with more memory")


def time_mini_batches(problem, network, known, size, shuffle):
    training = Training(problem.network.parameters(), known)

    def epoch():
        for arguments, targets in problem.batches(size, shuffle):
            training.step(network, arguments, targets)

    return measure(epoch, known)


def run_all(problem, network, known):
    row = {}

    def both():
        network.zero_grad(set_to_none=True)
        outputs = network(*problem.arguments)
        outputs.sum().backward()
        return outputs

    def forward():
        with torch.no_grad():
            network(*problem.arguments)

    row["both"] = measure(both, known)
    row["peak_bytes"] = status_bytes("VmHWM")
    outputs = both().detach().numpy()
    row.update(differences(outputs, gradients_of(known.case.model, problem.network), known))
    if differs(row):
        return row
    row["forward"] = measure(forward, known)
    training = Training(network.parameters(), known)
    row["epoch"] = measure(lambda: training.step(network, problem.arguments, problem.targets), known)
    row["first_loss"], row["last_loss"] = training.losses[0], training.losses[-1]
    return row


def run():
    parser = make_parser(__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--case", type=case, required=True)
    parser.add_argument("--directory", required=True, help="the case's data set")
    parser.add_argument("--way", choices=("eager", "compile", "fast"), default="eager")
    known = parser.parse_args()
    if known.threads:
        torch.set_num_threads(known.threads)
    problem = problem_of(known.case, known.directory, known.way)
    copy_weights(read_graph(known.graph), known.case.model, problem.network)
    row = {"version": f"torch_geometric {torch_geometric.__version__}, torch {torch.__version__}",
           "device": "cpu", "threads": torch.get_num_threads(),
           "loaded_bytes": status_bytes("VmRSS")}
    start = time.perf_counter()
    network = torch.compile(problem.network) if known.way == "compile" else problem.network
    network(*problem.arguments).sum().backward()
    row["set_up"] = time.perf_counter() - start
    if known.set_up_only:
        return row
    row.update(run_all(problem, network, known))
    if problem.batches is not None and "forward" in row:
        if known.way == "compile":  # every batch has other sizes
            torch.compiler.reset()
            network = torch.compile(problem.network, dynamic=True)
        row["batch_1"] = time_mini_batches(problem, network, known, 1, False)
        row["batch_32"] = time_mini_batches(problem, network, known, 32, True)
    return row


if __name__ == "__main__":
    main_of(run)
