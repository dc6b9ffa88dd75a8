#!/usr/bin/env python3
"""Cross-validated accuracy of vecc --train --folds beside that of PyTorch Geometric's own loop.

    fold_accuracy.py --data build/data/tu_MUTAG --models gcn,gin --epochs 300 --seeds 20 --jobs 8

Both train the same architecture on the same folds (vecc draws them) with Adam on the cross-entropy
of all samples, from Glorot's uniform initial values. Each draws its own: a seed's are the same for
all of its folds. Prints, by model, either's mean accuracy and its standard error over the folds of
all seeds; their difference, and how many of these standard errors it is; the standard error of the
difference with folds in pairs. With --same-weights PyG begins with vecc's initial weights.
"""

import argparse
import json
import multiprocessing
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COLUMNS = ("{:<6}", "{:>18}", "{:>18}", "{:>11}", "{:>16}", "{:>21}")
TITLES = ("model", "vecc", "PyG", "difference", "standard errors", "of paired differences")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], allow_abbrev=False)
    add = parser.add_argument
    add("--vecc", default=str(ROOT / "build/bin/vecc"))
    add("--vecc-import", default=str(ROOT / "build/bin/vecc-import"))
    add("--data", required=True, help="folder of a TUDataset")
    add("--models", default="gcn,gin", help="of gcn and gin; default both")
    add("--run", default="cpu:cpu:f32", metavar="BACKEND[:DEVICE[:DTYPE]]",
        help="what trains vecc's; PyG's dtype is the same, its device the CPU")
    add("--dim", type=int, default=10)
    add("--folds", type=int, default=10)
    add("--seeds", type=int, default=10, help="of folds and initial weights: 1, 2, ...")
    add("--epochs", type=int, default=300)
    add("--lr", type=float, default=0.01)
    add("--threads", type=int, default=1, help="of PyG and of vecc")
    add("--jobs", type=int, default=1, help="seeds at the same time")
    add("--same-weights", action="store_true", help="PyG begins with vecc's initial weights")
    add("--json", help="write the numbers here")
    known = parser.parse_args(arguments)
    known.models = known.models.split(",")
    if set(known.models) - {"gcn", "gin"}:
        parser.error("--models takes gcn and gin")
    missing = [path for path in (known.vecc, known.vecc_import) if not shutil.which(path)]
    if missing:
        parser.error(f"not there or not executable: {', '.join(missing)}")
    if known.folds < 2 or min(known.seeds, known.epochs, known.dim, known.threads, known.jobs) < 1:
        parser.error("at least two folds, and one seed, epoch, dimension, thread and job")
    return known


def train_seed(known, tools, molecules, model, seed, folder):
    """Accuracies by fold: of vecc, of PyG."""
    import torch
    from fold_training import train_pyg, train_vecc
    from peer_places import copy_weights, molecule_places
    from graph_file import read_graph
    from vecc_run import Run, import_graph
    run, path = Run.parse(known.run), folder / "graph.pb"
    import_graph(tools, "tu", known.data, model, {"dim": str(known.dim), "seed": str(seed)}, path)
    vecc = train_vecc(tools, path, folder, {
        "folds": known.folds, "seed": seed, "epochs": known.epochs, "lr": known.lr,
        "loss": "crossentropy", "log-every": known.epochs, "threads": known.threads,
        "backend": run.backend, "device": run.device, "dtype": run.dtype})

    def network():
        torch.manual_seed(seed)
        result = molecules.network(model, known.dim)
        if known.same_weights:
            copy_weights(read_graph(path), molecule_places(model, result))
        return result

    pyg = train_pyg(molecules, vecc.fold, network, known.lr, known.epochs)
    targets = molecules.targets.numpy()
    for name, folds in (("vecc", vecc), ("PyG", pyg)):
        last = sum(losses[-1] for losses in folds.losses) / known.folds
        accuracies = folds.accuracies(targets)
        print(f"{model} seed {seed} {name}: accuracy {sum(accuracies) / len(accuracies):.4f}, "
              f"loss of the last epoch {last:.4f}", file=sys.stderr, flush=True)
    return vecc.accuracies(targets), pyg.accuracies(targets)


def summarize(model, pairs):
    """`pairs`: by seed, (accuracies of vecc, of PyG) by fold."""
    import numpy as np

    def standard_error(values):
        return float(np.std(values, ddof=1) / np.sqrt(values.size))

    vecc, pyg = np.array(pairs).transpose(1, 0, 2)
    errors = [standard_error(vecc), standard_error(pyg)]
    difference = float(vecc.mean() - pyg.mean())
    return {
        "model": model,
        "vecc": {"mean": float(vecc.mean()), "standard_error": errors[0], "by_seed": vecc.tolist()},
        "pyg": {"mean": float(pyg.mean()), "standard_error": errors[1], "by_seed": pyg.tolist()},
        "difference": difference,
        "in_standard_errors": difference / max(float(np.sqrt(np.mean(np.square(errors)))), 1e-300),
        "paired_standard_error": standard_error(vecc - pyg),
    }


def line_of(cells):
    return "  ".join(form.format(cell) for form, cell in zip(COLUMNS, cells)).rstrip()


def line_of_row(row):
    means = [f"{row[side]['mean']:.4f} +- {row[side]['standard_error']:.4f}"
             for side in ("vecc", "pyg")]
    return line_of([row["model"], *means, f"{row['difference']:+.4f}",
                    f"{row['in_standard_errors']:+.2f}", f"{row['paired_standard_error']:.4f}"])


def train_alone(known, model, seed):
    """train_seed() in a process of its own."""
    import torch
    from data_tu import load_tu
    from fold_training import MoleculeSet
    from vecc_run import Run, Tools
    torch.set_num_threads(known.threads)
    dtype = {"f32": torch.float32, "f64": torch.float64}[Run.parse(known.run).dtype]
    molecules = MoleculeSet(load_tu(known.data), dtype)
    tools = Tools(known.vecc, known.vecc_import)
    try:
        with tempfile.TemporaryDirectory(prefix="vecc-folds-") as folder:
            return train_seed(known, tools, molecules, model, seed, Path(folder))
    finally:
        tools.close()


def main(arguments):
    known = parse_arguments(arguments)
    spawn = multiprocessing.get_context("spawn")  # torch does not survive a fork
    with ProcessPoolExecutor(known.jobs, mp_context=spawn) as pool:
        work = {model: [pool.submit(train_alone, known, model, seed)
                        for seed in range(1, known.seeds + 1)] for model in known.models}
        rows = [summarize(model, [seed.result() for seed in seeds])
                for model, seeds in work.items()]
    print("\n".join([line_of(TITLES)] + [line_of_row(row) for row in rows]))
    if known.json:
        text = json.dumps({"settings": vars(known), "rows": rows}, indent=1)
        Path(known.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
