"""PyTorch Geometric's training loop over parts of a set of graphs, which tests of vecc.nn run beside
theirs."""

import torch
import torch.nn.functional as functional
from torch_geometric.loader import DataLoader


def train(module, parts, epochs, batch_size, lr, momentum=0.0):
    """The mean loss of each epoch: cross-entropy, by SGD, in the order of `parts`."""
    optimizer = torch.optim.SGD(module.parameters(), lr=lr, momentum=momentum)
    losses = []
    module.train()
    for _ in range(epochs):
        total = 0.0
        for batch in DataLoader(parts, batch_size=batch_size):
            optimizer.zero_grad()
            loss = functional.cross_entropy(module(batch), batch.y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch.y)
        losses.append(total / len(parts))
    return losses
