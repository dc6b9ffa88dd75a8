#!/usr/bin/env python3
"""One template on one data set in NeuraLogic and in vecc: seconds, loss curves, accuracies.

    .venv/bin/python tools/bench/neuralogic.py --template simple --json simple.json --svg simple.svg

Templates `simple` and `dims` are for the molecules that the package neuralogic ships (mutagenesis);
others come with --examples (and --queries), whose targets are 0 and 1. All trainings begin with the
same weights and take the same samples in the same random order, a step of Adam each ("online") or
one an epoch ("batch"), on the logistic loss. NeuraLogic is run as it is, with its chain pruning (which
drops neurons with one input together with their functions: another network) and compression, and
raw, without both; vecc trains the raw network. Accuracies are of the same folds, each predicted by
online training on the others, from those weights; with their standard errors. Seconds are medians
of an epoch's; NeuraLogic computes in double, vecc in --dtype. "set-up" is all from the files to
NeuraLogic's networks; for vecc what comes after those of the raw one, to the compiled training.
"""

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(Path(__file__).resolve().with_suffix(""))  # where this file is not `neuralogic`
sys.path.append(str(ROOT / "build" / "python"))

try:
    import neuralogic
    import numpy as np

    import vecc
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}; needs vecc's Python package (docs/python-package.md) and "
             f"pip install -r {ROOT}/tools/neuralogic-bridge/requirements.txt")

from loss_chart import loss_chart
from mutagenesis import molecules, template

COLUMNS = ("{:<14}", "{:>7}", "{:>12}", "{:>11}", "{:>13}", "{:>13}", "{:>16}")
TITLES = ("runner", "set-up", "online epoch", "batch epoch", "online loss", "batch loss",
          "accuracy")


@dataclass
class Problem:
    template: str
    examples: str
    queries: str
    lr: float


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    add = parser.add_argument
    add("--template", default="simple", help="simple, dims, or a file with --examples")
    add("--examples", help="default: NeuraLogic's molecules")
    add("--queries", help="where they are not in the file of examples")
    add("--epochs", type=int, default=100)
    add("--folds", type=int, default=5, help="0: no accuracies")
    add("--seed", type=int, default=1, help="of weights, order and folds")
    add("--lr", type=float, default=0.005)
    add("--backends", help="of vecc; default: cpu, torch, cuda, as far as they are here")
    add("--dtype", choices=("f32", "f64"), default="f32", help="of vecc")
    add("--threads", type=int, default=0, help="of vecc; 0: all")
    add("--json", help="write the numbers here")
    add("--svg", help="draw the loss curves here")
    known = parser.parse_args(arguments)
    if known.template in ("simple", "dims"):
        if known.examples or known.queries:
            parser.error(f"--template={known.template} has its own examples and queries")
    elif not known.examples:
        parser.error("a template of your own needs --examples")
    for path in (known.examples, known.queries, known.examples and known.template):
        if path and not os.access(path, os.R_OK):
            parser.error(f"{path}: cannot be read")
    if known.epochs < 1 or known.folds < 0 or known.folds == 1:
        parser.error("at least one epoch, and no folds or two and more")
    known.backends = known.backends.split(",") if known.backends else [
        name for name in ("cpu", "torch", "cuda")
        if name in vecc.backends("cuda" if name == "cuda" else "cpu")]
    for path in (known.json, known.svg):
        if path and not os.access(Path(path).resolve().parent, os.W_OK):
            parser.error(f"{path}: the folder is not there or cannot be written to")
    for name in ("template", "examples", "queries", "json", "svg"):  # main() works in another folder
        path = getattr(known, name)
        if path and path not in ("simple", "dims"):
            setattr(known, name, os.path.abspath(path))
    return known


def quiet_java():
    """Its log goes to its stdout."""
    import jpype
    nothing = jpype.JClass("java.io.OutputStream").nullOutputStream()
    jpype.java.lang.System.setOut(jpype.java.io.PrintStream(nothing))
    jpype.java.util.logging.LogManager.getLogManager().reset()


def make_problem(known, folder):
    if known.examples:
        return Problem(known.template, known.examples, known.queries, known.lr)
    path = folder / "template.txt"
    path.write_text(template(known.template), encoding="utf-8")
    return Problem(str(path), *molecules(), known.lr)


def make_runners(known, problem, folder):
    """NeuraLogic as it is, raw, vecc's; and what exporting the raw one costs."""
    from trainings import NeuraLogic, Vecc, measure_export
    raw = NeuraLogic("NeuraLogic raw", problem, True)
    export = measure_export(raw, folder / "graph.pb")
    export["neurons"] = vecc.load(folder / "graph.pb").neuron_count
    own = NeuraLogic("NeuraLogic", problem, False)
    own.initial = raw.initial
    runners = [own, raw]
    for name in known.backends:
        options = {"backend": name, "dtype": known.dtype, "threads": known.threads,
                   "device": "cuda" if name == "cuda" else "cpu"}
        runners.append(Vecc(f"vecc {name}", raw, options))
    return runners, export


def largest_difference(runner, raw):
    """Of vecc's outputs with the initial weights, from NeuraLogic's."""
    every = np.arange(len(raw.samples))
    raw.restart()
    theirs = raw.predict(every)
    return float(np.max(np.abs(runner.predict(every) - theirs) / np.maximum(1, np.abs(theirs))))


def measure(runner, raw, known, order, folds):
    from trainings import ONLINE, Vecc, fold_accuracies
    row = {"runner": runner.name}
    if isinstance(runner, Vecc):
        row["difference"] = largest_difference(runner, raw)
        if not row["difference"] <= 1e-5:
            sys.exit(f"{runner.name}: outputs differ from NeuraLogic's by {row['difference']:.1e}")
    for way, batch in (("online", ONLINE), ("batch", len(order))):
        curve = runner.train(order, known.epochs, batch)
        row[way] = {"prepare": curve.prepare, "seconds": curve.seconds, "loss": curve.loss}
    if not isinstance(runner, Vecc):
        row["online"]["prepare"] = runner.build_seconds
    if known.folds:
        row["accuracies"] = fold_accuracies(runner, order, folds, known.epochs, raw.targets)
    print(f"{runner.name}: done", file=sys.stderr, flush=True)
    return row


def text_of_seconds(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def line_of(cells):
    return "  ".join(form.format(cell) for form, cell in zip(COLUMNS, cells)).rstrip()


def line_of_row(row):
    cells = [row["runner"], text_of_seconds(row["online"]["prepare"])]
    cells += [text_of_seconds(np.median(row[way]["seconds"])) for way in ("online", "batch")]
    losses = [row[way]["loss"] for way in ("online", "batch")]
    cells += [f"{loss[0]:.4f} {loss[-1]:.4f}" for loss in losses]
    if "accuracies" in row:
        folds = np.array(row["accuracies"])
        cells.append(f"{folds.mean():.4f} +- {folds.std(ddof=1) / np.sqrt(len(folds)):.4f}")
    return line_of(cells)


def export_line(export):
    mega = {name: value / 2**20 for name, value in export.items() if name.endswith("bytes")}
    return (f"export of the raw network: {export['seconds']:.2f} s, after "
            f"{export['build_seconds']:.2f} s of building it\n"
            f"  Java holds {mega['heap_bytes']:.0f} MB, without the export "
            f"{mega['build_heap_bytes']:.0f} MB; the process held at most "
            f"{mega['peak_bytes']:.0f} MB, {mega['build_peak_bytes']:.0f} MB")


def write_files(known, title, export, rows):
    if known.json:
        text = json.dumps({"settings": vars(known), "export": export, "rows": rows}, indent=1)
        Path(known.json).write_text(text + "\n", encoding="utf-8")
    if known.svg:
        panels = [(f"{way}: loss by epoch", [(row["runner"], row[way]["loss"]) for row in rows])
                  for way in ("online", "batch")]
        Path(known.svg).write_text(loss_chart(title, panels), encoding="utf-8")


def main(arguments):
    known = parse_arguments(arguments)
    neuralogic.manual_seed(known.seed)
    with tempfile.TemporaryDirectory(prefix="vecc-bench-") as name:
        folder = Path(name)
        os.chdir(folder)  # NeuraLogic leaves files where its JVM was started
        neuralogic.initialize()
        quiet_java()
        runners, export = make_runners(known, make_problem(known, folder), folder)
        raw = runners[1]
        other = sorted(set(raw.targets) - {0.0, 1.0})
        if other:
            sys.exit(f"targets are 0 and 1 here, but the data have {other[0]:g}")
        # Files have the samples of a class together: online training would forget the others.
        order = np.random.default_rng(known.seed).permutation(len(raw.samples))
        folds = np.argsort(order) % max(known.folds, 1)  # by sample
        rows = [measure(runner, raw, known, order, folds) for runner in runners]
    title = (f"{Path(known.template).stem}: {export['neurons']:,} neurons, {len(raw.samples)} "
             f"samples, {known.epochs} epochs")
    print("\n".join([title, line_of(TITLES), *map(line_of_row, rows), export_line(export)]))
    write_files(known, title, export, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
