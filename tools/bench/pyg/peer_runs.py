"""What the scripts that time a peer of vecc-bench peers have in common: options, the clock, memory, and the comparison
with vecc's outputs. Each prints one JSON object: the measured times and bytes, or {"absent": why, "remedy": how}."""

import argparse
import json
import sys
import time
import traceback

import numpy as np
import torch

import compare
from vecc_run import read_gradients, read_outputs


class Absent(Exception):
    """The peer cannot run here: why, and what would change that."""

    def __init__(self, why, remedy):
        super().__init__(why)
        self.why, self.remedy = why, remedy


def make_parser(words):
    parser = argparse.ArgumentParser(description=words, allow_abbrev=False)
    add = parser.add_argument
    add("--graph", required=True, help="graph.pb with the weights")
    add("--outputs", help="vecc --json's outputs of it, to be compared with")
    add("--gradients", help="vecc --gradients' of it")
    add("--loss", choices=("crossentropy", "squared_diff"), default="crossentropy")
    add("--lr", type=float, default=0.01)
    add("--threads", type=int, default=0)
    add("--device", type=torch.device, default=torch.device("cpu"), help="cpu, cuda, cuda:1")
    add("--warmup", type=int, default=10)
    add("--repeat", type=int, default=50)
    add("--limit", type=float, default=10, help="seconds that one measurement may take")
    add("--set-up-only", action="store_true")
    add("--forward-only", action="store_true")
    return parser


def loss_of(kind, outputs, targets):
    if kind == "squared_diff":
        return torch.nn.functional.mse_loss(outputs, targets)
    if targets.size(1) == 1:
        return torch.nn.functional.binary_cross_entropy(outputs, targets)
    return -torch.xlogy(targets, outputs).sum(1).mean()  # 0 log(0) is 0


def status_bytes(name):
    """A line of /proc/self/status: VmHWM (the most memory held at one time), VmRSS."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def host_seconds(device):
    """The clock of measure(): from the call until the device is done."""
    def clock(step):
        start = time.perf_counter()
        step()
        synchronize(device)
        return time.perf_counter() - start
    return clock


def device_seconds(device):
    """The clock of measure() on the GPU itself: between events around the run."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def clock(step):
        stream = torch.cuda.current_stream(device)
        begin.record(stream)
        step()
        end.record(stream)
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3
    return clock


def measure(step, known, clock=host_seconds(torch.device("cpu"))):
    """Seconds of `repeat` runs after `warmup`; fewer where they would take longer than the limit,
    but one and three."""
    seconds = []

    def run(times, least, limit):
        begin = time.perf_counter()
        for count in range(times):
            if count >= least and time.perf_counter() - begin > limit:
                break
            seconds.append(clock(step))

    run(known.warmup, 1, known.limit / 4)
    warmup = len(seconds)
    run(known.repeat, 3, known.limit)
    return {"warmup": warmup, "seconds": seconds}


def gradient_difference(found, expected):
    """The largest |a - b| of all tables, in units of the largest |b| of its row (of one weight), or
    of 1. Entry by entry, f32 would differ wherever a sum over many samples cancels."""
    worst = 0.0
    for name, rows in found.items():
        scale = np.abs(expected[name]).max(axis=1, keepdims=True).clip(min=1)
        worst = max(worst, compare.largest_difference(rows / scale, expected[name] / scale)[0])
    return worst


def finite(difference):
    """JSON has no infinity, and no NaN."""
    return difference if difference < sys.float_info.max else sys.float_info.max


def differences(outputs, gradients, known):
    """How far a forward and a backward pass are from vecc's."""
    result = {}
    if known.outputs:
        _, expected, _ = read_outputs(known.outputs)
        result["difference"] = finite(compare.largest_difference(outputs, expected)[0])
        result["tolerance"] = compare.TOLERANCE["f32"]
    if known.gradients and gradients is not None:
        result["gradient_difference"] = finite(
            gradient_difference(gradients, read_gradients(known.gradients)))
        result["gradient_tolerance"] = compare.GRADIENT_TOLERANCE["f32"]
    return result


def first_line(error):
    return (str(error).strip().splitlines() or [""])[0]


def differs(row):
    return (row.get("difference", 0) > row.get("tolerance", 0) or
            row.get("gradient_difference", 0) > row.get("gradient_tolerance", 0))


class Shown:
    """Prints a row again whenever something was measured, so that an early end loses nothing."""

    def __init__(self):
        self.row = None

    def __call__(self, row):
        self.row = row
        print(json.dumps(row), flush=True)

    def after(self, why, remedy):
        """What is printed when no more can be measured."""
        if self.row is None:
            return {"absent": why, "remedy": remedy}
        return {**self.row, "stopped": why}


def main_of(run):
    """Runs it (with a Shown) and prints its row, or why there is none."""
    show = Shown()
    try:
        row = run(show)
    except Absent as absent:
        row = show.after(absent.why, absent.remedy)
    except torch.OutOfMemoryError as error:
        row = show.after(f"no memory: {first_line(error)}", "")
    except Exception as error:  # one runner that fails does not end the others
        traceback.print_exc()
        row = show.after(f"it failed: {type(error).__name__}: {first_line(error)}", "")
    print(json.dumps(row), flush=True)


class Training:
    """The loop that a user writes: Adam, the loss read after every step."""

    def __init__(self, parameters, known, capturable=False):
        self.optimizer = torch.optim.Adam(parameters, lr=known.lr, capturable=capturable)
        self.kind, self.losses = known.loss, []

    def start_step(self, network, arguments, targets):
        """The loss, which the device may still have to compute."""
        self.optimizer.zero_grad()
        loss = loss_of(self.kind, network(*arguments), targets)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def step(self, network, arguments, targets):
        self.losses.append(self.start_step(network, arguments, targets).item())
