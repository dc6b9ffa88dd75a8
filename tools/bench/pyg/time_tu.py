#!/usr/bin/env python3
"""Times PyTorch Geometric's own layers on a set of small graphs, the whole set as one batch, eager.

    time_tu.py --data tu_MUTAG --model gcn --dim 10 --device cuda --warmup 20 --repeat 200

Prints one JSON object: the device, and the seconds of every run, the warm-up first: "forward"
(without gradients), "both" (forward, the sum of all outputs, backward to every weight) and of
those runs only the "backward" part. The device is idle before and after each. With --train instead
"epoch": a full-batch step of Adam on the cross-entropy, and "loss", that of each epoch.
"""

import argparse
import json
import time

import numpy as np
import torch
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_add_pool, global_mean_pool

from data_tu import load_tu, node_features
from models_molecule import DEFAULT_LAYERS


def convolution(model, inputs, outputs, slope=0.2):
    if model == "gcn":
        return GCNConv(inputs, outputs, normalize=False, add_self_loops=False, bias=False)
    if model == "sage":
        return SAGEConv(inputs, outputs, bias=False)
    if model == "gcn-norm":
        return GCNConv(inputs, outputs)
    if model == "gat":
        return GATConv(inputs, outputs, negative_slope=slope)
    return GINConv(torch.nn.Sequential(torch.nn.Linear(inputs, outputs, bias=False), torch.nn.ReLU(),
                                       torch.nn.Linear(outputs, outputs, bias=False)))


class Network(torch.nn.Module):
    """The architectures of docs/architectures.md as a user of PyTorch Geometric writes them."""

    def __init__(self, model, features, dim, outputs, layers=0, slope=0.2, pool="mean"):
        super().__init__()
        count = layers or DEFAULT_LAYERS[model]
        self.pool = {"mean": global_mean_pool, "sum": global_add_pool}[pool]
        self.jumping = model == "gin"
        widths = [features] + [dim] * count
        self.layers = torch.nn.ModuleList(
            convolution(model, widths[i], widths[i + 1], slope) for i in range(count))
        heads = count if self.jumping else 1
        self.heads = torch.nn.ModuleList(
            torch.nn.Linear(dim, outputs, bias=False) for _ in range(heads))

    def forward(self, x, edges, batch, graphs):
        total = 0
        for number, layer in enumerate(self.layers):
            last = number + 1 == len(self.layers)
            x = layer(x, edges)
            if self.jumping or not last:
                x = torch.relu(x)
            if self.jumping:
                total = total + self.heads[number](self.pool(x, batch, graphs))
        if not self.jumping:
            total = self.heads[0](self.pool(x, batch, graphs))
        return torch.sigmoid(total) if total.size(1) == 1 else torch.softmax(total, 1)


class Clock:
    """Seconds since the last call, the device idle at both ends."""

    def __init__(self, device):
        self.device = device
        self.last = 0.0
        self.lap()

    def lap(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        seconds, self.last = now - self.last, now
        return seconds


def time_runs(network, arguments, count, device):
    times = {"forward": [], "backward": [], "both": []}
    clock = Clock(device)
    for _ in range(count):
        clock.lap()
        with torch.no_grad():
            network(*arguments)
        times["forward"].append(clock.lap())
    for _ in range(count):
        network.zero_grad(set_to_none=True)
        clock.lap()
        total = network(*arguments).sum()
        forward = clock.lap()
        total.backward()
        backward = clock.lap()
        times["backward"].append(backward)
        times["both"].append(forward + backward)
    return times


def targets_of(labels, outputs, device):
    """0 and 1 for two classes, else one-hot rows; classes in the order of their labels."""
    classes = torch.tensor(np.unique(labels, return_inverse=True)[1], device=device)
    if outputs == 1:
        return classes.float().unsqueeze(1)
    return torch.nn.functional.one_hot(classes, outputs).float()


def time_epochs(network, arguments, targets, rate, count, device):
    """The loop that a user writes: the loss is read every epoch."""
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    clock = Clock(device)
    seconds, losses = [], []
    for _ in range(count):
        clock.lap()
        optimizer.zero_grad()
        outputs = network(*arguments)
        if targets.size(1) == 1:
            loss = torch.nn.functional.binary_cross_entropy(outputs, targets)
        else:
            loss = -(targets * outputs.log()).sum(1).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(clock.lap())
    return {"epoch": seconds, "loss": losses}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--model", required=True, choices=tuple(DEFAULT_LAYERS))
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--lr", type=float, default=0.01)
    known = parser.parse_args()
    if known.threads:
        torch.set_num_threads(known.threads)
    torch.manual_seed(1)
    device = torch.device(known.device)
    data = load_tu(known.data)
    classes = len(np.unique(data.graph_labels))
    x = torch.tensor(node_features(data, "auto"), dtype=torch.float32, device=device)
    edges = torch.tensor(np.stack([data.source, data.target]), device=device)
    batch = torch.tensor(data.graph_of, device=device)
    outputs = 1 if classes == 2 else classes
    network = Network(known.model, x.size(1), known.dim, outputs).to(device)

    count = known.warmup + known.repeat
    arguments = (x, edges, batch, data.graphs)
    if known.train:
        targets = targets_of(data.graph_labels, outputs, device)
        times = time_epochs(network, arguments, targets, known.lr, count, device)
    else:
        times = time_runs(network, arguments, count, device)
    print(json.dumps({
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
        **times,
    }))


if __name__ == "__main__":
    main()
