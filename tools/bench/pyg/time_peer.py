#!/usr/bin/env python3
"""Times PyTorch Geometric, or plain torch, on one case of vecc-bench peers, in this process alone.

    time_peer.py --graph mutag.pb --case "MUTAG gcn --dim=10" --directory tu_MUTAG --way compile

The network is what a user writes (--layers: pyg and fast, PyTorch Geometric's; torch, scores of
triples; types, a matrix product for each type); its weights are the graph's. --way: eager,
torch.compile, or captured in CUDA graphs. Times, in seconds: "set_up" (network made, first forward
and backward pass; with --way compile that compiles, with capture that captures), "forward" (no
gradients), "both" (forward and backward of the sum of all outputs), "epoch" (a full-batch step of
Adam, the loss read), "batch_1" and "batch_32" (epochs of mini-batches by PyTorch Geometric's
loader, in order and shuffled), from the call until the device is done; "forward_device" and
"both_device" between events of the GPU. Bytes: "loaded_bytes" before the set-up, "peak_bytes" after
"both".
"""

import time

import torch
import torch_geometric

from captured import Captured, CapturedTraining, check_device
from cases import case
from graph_file import read_graph
from peer_places import copy_weights, gradients_of
from peer_problems import move, problem_of
from peer_runs import (Absent, Training, device_seconds, differences, differs, finite, host_seconds,
                       main_of, make_parser, measure, status_bytes, synchronize)


class Passes:
    """The two passes that are timed, each a function without arguments that returns the outputs."""

    def __init__(self, problem, network, known):
        self.problem, self.network = problem, network
        self.ones = torch.ones_like(problem.targets)
        self.forward, self.both = self.run_forward, self.run_both
        if known.way == "capture":
            if not known.forward_only:
                self.both = Captured(self.run_both, known.device)
            self.forward = Captured(self.run_forward, known.device)

    def run_forward(self):
        with torch.no_grad():
            return self.network(*self.problem.arguments)

    def run_both(self):
        self.network.zero_grad(set_to_none=True)
        outputs = self.network(*self.problem.arguments)
        outputs.backward(self.ones)  # of the sum of all
        return outputs.detach()


def set_up(problem, known):
    """The passes, and the seconds that it took to have them and to run one."""
    start = time.perf_counter()
    problem.to(known.device)
    network = torch.compile(problem.network) if known.way == "compile" else problem.network
    passes = Passes(problem, network, known)
    (passes.forward if known.forward_only else passes.both)()
    synchronize(known.device)
    return passes, time.perf_counter() - start


def time_on_both_clocks(step, name, known, row, show):
    row[name] = measure(step, known, host_seconds(known.device))
    if known.device.type == "cuda":
        row[name + "_device"] = measure(step, known, device_seconds(known.device))
    show(row)


def peak_bytes(device):
    """Of the process, or of the GPU's memory."""
    return (torch.cuda.max_memory_allocated(device) if device.type == "cuda"
            else status_bytes("VmHWM"))


def time_passes(passes, graph, known, row, show):
    """Fills the row; False if what is computed is not what vecc computes."""
    step, gradients = (passes.forward if known.forward_only else passes.both), None
    outputs = step().cpu().numpy()
    if known.gradients and not known.forward_only:
        gradients = gradients_of(graph, passes.problem.places)
    row.update(differences(outputs, gradients, known))
    if differs(row):
        return False
    if not known.forward_only:
        time_on_both_clocks(step, "both", known, row, show)
    row["peak_bytes"] = peak_bytes(known.device)
    time_on_both_clocks(passes.forward, "forward", known, row, show)
    return True


def time_epochs(passes, known, row, show):
    problem = passes.problem
    if known.way == "capture":
        training = CapturedTraining(problem, known)
        row["epoch"] = measure(training.step, known)
    else:
        training = Training(problem.network.parameters(), known)
        row["epoch"] = measure(
            lambda: training.step(passes.network, problem.arguments, problem.targets), known)
    row["first_loss"], row["last_loss"] = finite(training.losses[0]), finite(training.losses[-1])
    show(row)


def time_mini_batches(problem, network, known, size, shuffle):
    training = Training(problem.network.parameters(), known)

    def epoch():
        for arguments, targets in problem.batches(size, shuffle):
            training.step(network, *move((arguments, targets), known.device))

    return measure(epoch, known)


def time_all_batches(passes, known, row, show):
    network, problem = passes.network, passes.problem
    if problem.batches is None or known.way == "capture":  # every batch has other sizes
        return
    if known.way == "compile":
        torch.compiler.reset()
        network = torch.compile(problem.network, dynamic=True)
    row["batch_32"] = time_mini_batches(problem, network, known, 32, True)
    show(row)
    row["batch_1"] = time_mini_batches(problem, network, known, 1, False)


def device_name(device):
    if device.type == "cpu":
        return "cpu"
    return f"{device} {torch.cuda.get_device_name(device)}"


def run(show):
    parser = make_parser(__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--case", type=case, required=True)
    parser.add_argument("--directory", required=True, help="the case's data set")
    parser.add_argument("--layers", choices=("pyg", "fast", "torch", "types"), default="pyg")
    parser.add_argument("--way", choices=("eager", "compile", "capture"), default="eager")
    known = parser.parse_args()
    if known.way == "capture":
        check_device(known.device)
    if known.device.type == "cuda" and not torch.cuda.is_available():
        raise Absent("its torch sees no GPU", "a torch with CUDA, and a driver that it knows")
    if known.device.type == "cuda":
        torch.cuda.set_device(known.device)
    if known.threads:
        torch.set_num_threads(known.threads)
    graph = read_graph(known.graph)
    problem = problem_of(known.case, known.directory, known.layers, graph, known.device)
    copy_weights(graph, problem.places)
    row = {"version": f"torch_geometric {torch_geometric.__version__}, torch {torch.__version__}",
           "device": device_name(known.device), "threads": torch.get_num_threads(),
           "loaded_bytes": status_bytes("VmRSS")}
    passes, row["set_up"] = set_up(problem, known)
    if known.set_up_only:
        return row
    if time_passes(passes, graph, known, row, show) and not known.forward_only:
        time_epochs(passes, known, row, show)
        time_all_batches(passes, known, row, show)
    return row


if __name__ == "__main__":
    main_of(run)
