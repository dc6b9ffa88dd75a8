"""Trainings of folds, of vecc and of PyTorch Geometric: the same architecture, samples, loss and
optimizer. The PyG side is time_tu.py's: its network, and its loop."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from data_tu import node_features
from time_tu import Network, targets_of, time_epochs
from vecc_run import read_outputs


@dataclass
class Folds:
    """By graph of the set."""

    fold: np.ndarray         # from 1
    predictions: np.ndarray  # out of fold: [graphs, outputs]
    losses: list             # by fold: an epoch's, each before its step

    def numbers(self):
        return range(1, self.fold.max() + 1)

    def accuracies(self, targets):
        """By fold. One output: above 0.5 or not; else the largest entry."""
        if targets.shape[1] == 1:
            right = (self.predictions > 0.5)[:, 0] == (targets > 0.5)[:, 0]
        else:
            right = self.predictions.argmax(1) == targets.argmax(1)
        return [float(right[self.fold == number].mean()) for number in self.numbers()]


class MoleculeSet:
    """A TUDataset as PyG's loop takes it."""

    def __init__(self, data, dtype=torch.float32):
        self.data, self.dtype = data, dtype
        self.features = torch.tensor(node_features(data, "auto"), dtype=dtype)
        classes = len(np.unique(data.graph_labels))
        self.outputs = 1 if classes == 2 else classes
        self.targets = targets_of(data.graph_labels, self.outputs, "cpu").to(dtype)

    def part(self, graphs):
        """Network's arguments, and targets: of the graphs of a mask alone."""
        nodes = graphs[self.data.graph_of]
        number = np.cumsum(nodes) - 1
        edges = nodes[self.data.source]
        ends = number[np.stack([self.data.source, self.data.target])[:, edges]]
        batch = (np.cumsum(graphs) - 1)[self.data.graph_of[nodes]]
        arguments = (self.features[nodes], torch.tensor(ends), torch.tensor(batch),
                     int(graphs.sum()))
        return arguments, self.targets[graphs]

    def network(self, model, dim):
        """Glorot's uniform initial values for every matrix, as vecc's: PyG draws those of Linear
        (GIN, and every readout) as Kaiming's."""
        network = Network(model, self.features.shape[1], dim, self.outputs).to(self.dtype)
        for parameter in network.parameters():
            torch.nn.init.xavier_uniform_(parameter)
        return network


def train_pyg(molecules, fold, make_network, rate, epochs):
    """Folds of these numbers, a network for each."""
    predictions = np.zeros((len(fold), molecules.outputs))
    losses = []
    for number in range(1, fold.max() + 1):
        network = make_network()
        arguments, targets = molecules.part(fold != number)
        losses.append(time_epochs(network, arguments, targets, rate, epochs,
                                  torch.device("cpu"))["loss"])
        with torch.no_grad():
            predictions[fold == number] = network(*molecules.part(fold == number)[0]).numpy()
    return Folds(fold, predictions, losses)


def train_vecc(tools, graph_path, folder, options):
    """vecc --train with these options, --folds among them. The samples are the graphs in order."""
    folder = Path(folder)
    path, log = folder / "folds.json", folder / "losses.jsonl"
    tools.run([tools.vecc, graph_path, "--quiet", "--train", "--json", "-o", path,
               f"--log=jsonl:{log}"] + [f"--{name}={value}" for name, value in options.items()])
    ids, values, _ = read_outputs(path)
    if ids != [f"graph_{i + 1}" for i in range(len(ids))]:
        raise ValueError("vecc's samples are not the graphs in their order")
    samples = json.loads(path.read_text(encoding="utf-8"))["outputs"]
    fold = np.array([sample["fold"] for sample in samples])
    losses = [[json.loads(line)["loss"] for line in
               log.with_suffix(f".fold{number}.jsonl").read_text(encoding="utf-8").splitlines()]
              for number in range(1, fold.max() + 1)]
    return Folds(fold, values, losses)
