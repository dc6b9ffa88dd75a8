#!/usr/bin/env python3
"""Test accuracies of vecc.nn and PyTorch Geometric with the same settings: over folds of sets of
graphs, over seeds of small generated graphs. vecc begins with its own weights, then with ones that
PyTorch Geometric draws, of the same laws; all draws are of other seeds than the peer's.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/accuracy.py FOLDER [--folds=10]
        [--fold-seeds=1] [--seeds=20] [--first-seed=0] [--only=NAME[,NAME]]

FOLDER: where PyTorch Geometric's TUDataset has MUTAG and ENZYMES, or puts them. Folds have seeds
from --first-seed on, the same folds for any; with --fold-seeds=N they come N times, with seeds of
100 more each time. Generated graphs have --seeds seeds. --only: parts of the names printed.

Prints means, their standard errors, and in brackets the difference from PyTorch Geometric's:

- Over folds, a mean's error is that of its folds' means over the seeds: accuracies of a fold's rows
  differ together, and more seeds tell nothing of other rows. A difference's error is that of the
  differences of all pairs of a fold and a seed, as means of independent ones: both have the fold's
  rows, and nothing else in common (weights, dropout, order of samples). It tells whether the two
  train alike on these folds, and falls with more seeds.
- Over seeds, all runs are independent: a difference's error is that of two independent means.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
import torch_geometric.nn as pyg
from torch_geometric.datasets import TUDataset
from torch_geometric.loader import DataLoader

from vecc import nn

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "python"))


WAYS = "vecc", "vecc with weights of PyG", "PyG"


def error(values):
    """Of the mean of independent rows."""
    return values.std(0, ddof=1) / len(values) ** 0.5


def show(name, found):
    """`found`: accuracies, [seeds, folds, ways], or [seeds, ways]."""
    found, has_folds = np.array(found), np.ndim(found) == 3
    rows = found.mean(0) if has_folds else found
    means, errors, words = rows.mean(0), error(rows), []
    for way, (words_of, mean) in enumerate(zip(WAYS, means)):
        words.append(f"{words_of} {mean:.4f} +- {errors[way]:.4f}")
        if way < 2:
            of = (error((found[..., way] - found[..., 2]).ravel()) if has_folds
                  else np.hypot(errors[way], errors[2]))
            words[way] += f" ({mean - means[2]:+.4f} +- {of:.4f})"
    print(f"{name}: {', '.join(words)}, of {found[..., 0].size}", flush=True)


class Gin(torch.nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        def mlp(size):
            return torch.nn.Sequential(torch.nn.Linear(size, 32), torch.nn.ReLU(),
                                       torch.nn.Linear(32, 32))
        self.conv1, self.conv2 = pyg.GINConv(mlp(inputs)), pyg.GINConv(mlp(32))
        self.norm1, self.norm2 = pyg.BatchNorm(32), pyg.BatchNorm(32)
        self.lin = torch.nn.Linear(32, classes)

    def forward(self, data):
        h = functional.relu(self.norm1(self.conv1(data.x, data.edge_index)))
        h = functional.relu(self.norm2(self.conv2(h, data.edge_index)))
        h = functional.dropout(pyg.global_add_pool(h, data.batch), 0.5, self.training)
        return self.lin(h)


def gin(classes):
    def network(g):
        h = g.x
        for layer in "12":
            h = nn.layers.gin(g, h, lambda v: nn.layers.mlp(v, 32, 32), name="conv" + layer)
            h = nn.relu(nn.batch_norm(h, name="norm" + layer))
        h = nn.dropout(nn.sum(h, over=g.graph), 0.5)
        return nn.linear(h, classes, bias=True, name="lin")
    return network


class Gatv2(torch.nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        self.conv1 = pyg.GATv2Conv(inputs, 16, heads=4)
        self.conv2 = pyg.GATv2Conv(64, 16, heads=4)
        self.lin = torch.nn.Linear(64, classes)

    def forward(self, data):
        h = functional.elu(self.conv1(data.x, data.edge_index))
        h = functional.elu(self.conv2(h, data.edge_index))
        h = functional.dropout(pyg.global_mean_pool(h, data.batch), 0.2, self.training)
        return self.lin(h)


def gatv2(classes):
    def network(g):
        h = g.x
        for layer in "12":
            h = nn.elu(nn.layers.gatv2(g, h, 16, heads=4, name="conv" + layer))
        h = nn.dropout(nn.mean(h, over=g.graph), 0.2)
        return nn.linear(h, classes, bias=True, name="lin")
    return network


def begun(network, make, data, seed):
    """Models with weights of vecc, of PyTorch Geometric."""
    own, given = (nn.Model(network, seed=seed).trace(data) for _ in range(2))
    torch.manual_seed(10_000 + seed)
    assert given.set_weights(make()) == []
    return own, given


def right(outputs, y):
    return (outputs.argmax(-1) == y).float().mean().item()


def of_fold(network, make, train, test, seed, epochs, batch_size):
    found = []
    for model in begun(network, make, train, seed):
        model.fit(train, epochs=epochs, lr=0.01, batch_size=batch_size, seed=seed)
        found.append(model.evaluate(test)["accuracy"])
    torch.manual_seed(seed)
    module = make()
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(epochs):
        for batch in DataLoader(train, batch_size, shuffle=True):
            optimizer.zero_grad()
            functional.cross_entropy(module(batch), batch.y).backward()
            optimizer.step()
    batch = next(iter(DataLoader(test, len(test))))
    return [*found, right(module.eval()(batch), batch.y)]


def sets(name, data, network, peer, options, epochs, batch_size):
    def make():
        return peer(data.num_features, data.num_classes)
    torch.manual_seed(0)
    order, found = torch.randperm(len(data)), []
    for first in range(options.first_seed, options.first_seed + 100 * options.fold_seeds, 100):
        found.append([])
        for fold in range(options.folds):
            is_test = torch.arange(len(data)) % options.folds == fold
            found[-1].append(of_fold(network(data.num_classes), make, data[order[~is_test]],
                                     data[order[is_test]], first + fold, epochs, batch_size))
        show(f"{name}, seeds from {first}", found[-1:])
    if len(found) > 1:
        show(name, found)


def nodes(name, network, peer, data, inputs, labelled, options, epochs=40):
    found, y, train, test = [], labelled.y, labelled.train_mask, labelled.test_mask
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        found.append([])
        for model in begun(network, peer, data, seed):
            model.fit(data, epochs=epochs, lr=0.02)
            found[-1].append(model.evaluate(data, split="test")["accuracy"])
        torch.manual_seed(seed)
        module = peer()
        optimizer = torch.optim.Adam(module.parameters(), lr=0.02)
        for _ in range(epochs):
            optimizer.zero_grad()
            functional.cross_entropy(module(*inputs)[train], y[train]).backward()
            optimizer.step()
        found[-1].append(right(module(*inputs)[test], y[test]))
    show(name, found)


def runs(options):
    """What is compared, by the name printed."""
    sys.argv = [sys.argv[0], "", ""]  # a test takes a program and a folder, which are not used
    import nn_peers_test as peers  # its models and generated graphs
    one, typed = peers.nodes_data(), peers.typed_data()
    inputs = one.x, one.edge_index

    def read(name, **how):
        return TUDataset(options.folder, name, **how)
    return {
        "GIN on MUTAG": lambda name: sets(name, read("MUTAG"), gin, Gin, options, 60, 32),
        "GATv2 on ENZYMES": lambda name: sets(
            name, read("ENZYMES", use_node_attr=True), gatv2, Gatv2, options, 40, 64),
        "GATv2 on a generated graph": lambda name: nodes(
            name, peers.gatv2, peers.Gatv2, one, inputs, one, options),
        "RGCN on a generated graph": lambda name: nodes(
            name, peers.rgcn, peers.Rgcn, one, (*inputs, one.edge_type), one, options),
        "HGT on a generated graph": lambda name: nodes(
            name, peers.hgt, lambda: peers.Hgt(typed.metadata()), typed,
            (typed.x_dict, typed.edge_index_dict), typed["paper"], options)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--fold-seeds", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.set_num_threads(1)
    all_runs = runs(options)
    names = [name for name in all_runs
             if any(part in name for part in options.only.split(","))]
    if not names:
        parser.error(f"--only={options.only}: expected parts of {', '.join(all_runs)}")
    for name in names:
        all_runs[name](name)


if __name__ == "__main__":
    main()
