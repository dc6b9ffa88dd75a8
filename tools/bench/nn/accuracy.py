#!/usr/bin/env python3
"""Test accuracies of vecc.nn and PyTorch Geometric with the same settings: over folds of sets of
graphs, over seeds of small generated graphs. Both begin with weights that PyTorch Geometric draws,
of different seeds; with --own-weights vecc begins with its own, of the same laws.

    PYTHONPATH=build/python .venv/bin/python tools/bench/nn/accuracy.py FOLDER [--folds=10]
        [--seeds=20] [--first-seed=0] [--own-weights]

Folds have the seeds from --first-seed on, the same folds for any; generated graphs as many as
--seeds says. FOLDER: where PyTorch Geometric's TUDataset has MUTAG and ENZYMES, or puts them. Prints means and
standard errors, and the standard error of their difference: over folds, which both have, that of
the differences; over seeds, which are others, that of two independent means.
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


def show(name, own, peer, same_rows):
    """`same_rows`: each pair was tested on rows of its own, so the difference's error is that of
    the pairs' differences; else of two independent means."""
    own, peer = np.array(own), np.array(peer)
    errors = [each.std(ddof=1) / len(each) ** 0.5 for each in (own, peer, own - peer)]
    error = errors[2] if same_rows else np.hypot(*errors[:2])
    print(f"{name}: vecc {own.mean():.4f} +- {errors[0]:.4f}, PyG {peer.mean():.4f} +- "
          f"{errors[1]:.4f}, difference {own.mean() - peer.mean():+.4f} +- "
          f"{error:.4f} ({len(own)})", flush=True)


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


def begun(network, make, data, seed, own_weights):
    model = nn.Model(network, seed=seed).trace(data)
    if not own_weights:
        torch.manual_seed(10_000 + seed)
        assert model.set_weights(make()) == []
    return model


def right(outputs, y):
    return (outputs.argmax(-1) == y).float().mean().item()


def sets(data, network, peer, folds, epochs, batch_size, first, own_weights):
    def make():
        return peer(data.num_features, data.num_classes)
    torch.manual_seed(0)
    order = torch.randperm(len(data))
    own, other = [], []
    for fold in range(folds):
        seed = first + fold
        is_test = torch.arange(len(data)) % folds == fold
        train, test = data[order[~is_test]], data[order[is_test]]
        model = begun(network(data.num_classes), make, train, seed, own_weights)
        model.fit(train, epochs=epochs, lr=0.01, batch_size=batch_size, seed=seed)
        own.append(model.evaluate(test)["accuracy"])
        torch.manual_seed(seed)
        module = make()
        optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
        for _ in range(epochs):
            for batch in DataLoader(train, batch_size, shuffle=True):
                optimizer.zero_grad()
                functional.cross_entropy(module(batch), batch.y).backward()
                optimizer.step()
        batch = next(iter(DataLoader(test, len(test))))
        other.append(right(module.eval()(batch), batch.y))
    show(f"{peer.__name__}, {data.name}", own, other, same_rows=True)


def nodes(name, network, peer, data, inputs, labelled, seeds, own_weights, epochs=40):
    own, other = [], []
    y, train, test = labelled.y, labelled.train_mask, labelled.test_mask
    for seed in seeds:
        model = begun(network, peer, data, seed, own_weights)
        model.fit(data, epochs=epochs, lr=0.02)
        own.append(model.evaluate(data, split="test")["accuracy"])
        torch.manual_seed(seed)
        module = peer()
        optimizer = torch.optim.Adam(module.parameters(), lr=0.02)
        for _ in range(epochs):
            optimizer.zero_grad()
            functional.cross_entropy(module(*inputs)[train], y[train]).backward()
            optimizer.step()
        other.append(right(module(*inputs)[test], y[test]))
    show(name, own, other, same_rows=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--own-weights", action="store_true")
    options = parser.parse_args()
    first, own = options.first_seed, options.own_weights
    seeds = range(first, first + options.seeds), own
    torch.set_num_threads(1)
    sys.argv = [sys.argv[0], "", ""]  # a test takes a program and a folder, which are not used
    import nn_peers_test as peers  # its models and generated graphs
    one, typed = peers.nodes_data(), peers.typed_data()
    nodes("GATv2, generated", peers.gatv2, peers.Gatv2, one, (one.x, one.edge_index), one,
          *seeds)
    nodes("RGCN, generated", peers.rgcn, peers.Rgcn, one,
          (one.x, one.edge_index, one.edge_type), one, *seeds)
    nodes("HGT, generated", peers.hgt, lambda: peers.Hgt(typed.metadata()), typed,
          (typed.x_dict, typed.edge_index_dict), typed["paper"], *seeds)
    sets(TUDataset(options.folder, "MUTAG"), gin, Gin, options.folds, 60, 32, first, own)
    sets(TUDataset(options.folder, "ENZYMES", use_node_attr=True), gatv2, Gatv2, options.folds, 40,
         64, first, own)


if __name__ == "__main__":
    main()
