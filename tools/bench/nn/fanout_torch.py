"""The peer of fanout.py: the same steps in torch, as a user of a GPU writes them.

Neighbours are drawn with replacement, vectorized: 15 of each row of `fanout`'s first number and so
on, layer by layer outwards; rows that are drawn twice are computed once. (vecc draws without
replacement, which in torch would take a sort of each row's neighbours.) Adam is fused.
"""

import time

import numpy as np
import torch
import torch.nn.functional as F


class Sage(torch.nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.own = torch.nn.ModuleList(
            torch.nn.Linear(a, b, bias=False) for a, b in zip(dims, dims[1:]))
        self.means = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x, layers):
        for number, (rows, drawn, is_drawn) in enumerate(layers):
            counts = is_drawn.sum(1, keepdim=True).clamp(min=1)
            means = (x[drawn] * is_drawn.unsqueeze(2)).sum(1) / counts
            x = self.own[number](x[rows]) + self.means[number](means)
            if number + 1 < len(layers):
                x = F.relu(x)
        return x


class Graph:
    """Edges into each node, on the device."""

    def __init__(self, src, dst, nodes, device):
        order = np.argsort(dst, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(dst, minlength=nodes))])
        self.src = torch.from_numpy(src[order].astype(np.int64)).to(device)
        self.begins = torch.from_numpy(begins).to(device)

    def layers(self, rows, fanout):
        """Of each layer, the first one computed first, the numbers of its own rows and of those
        drawn, [rows, k], among the rows before it; and these rows."""
        layers = []
        for k in fanout:
            begins, degrees = self.begins[rows], self.begins[rows + 1] - self.begins[rows]
            chosen = (torch.rand(len(rows), k, device=rows.device) * degrees.unsqueeze(1)).long()
            at = (begins.unsqueeze(1) + chosen).clamp(max=len(self.src) - 1)
            is_drawn = torch.arange(k, device=rows.device) < degrees.unsqueeze(1)
            drawn = torch.where(is_drawn, self.src[at], rows.unsqueeze(1))
            reached, places = torch.unique(torch.cat([rows, drawn.flatten()]), return_inverse=True)
            layers.insert(0, (places[:len(rows)], places[len(rows):].view(len(rows), k), is_drawn))
            rows = reached
        return layers, rows


def step_milliseconds(arrays, dims, fanout, batch_size, steps, device, on_host):
    """Medians of `steps` steps: the clock from one to the next, the device waited for. The arrays
    are x, src, dst, labels."""
    x, src, dst, labels = arrays
    torch.manual_seed(0)
    graph, targets = Graph(src, dst, len(x), device), torch.from_numpy(labels).to(device)
    features = torch.from_numpy(x)
    if not on_host:
        features = features.to(device)
    model = Sage(dims).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, fused=device != "cpu")
    times = []
    for _ in range(steps + 5):
        begin = time.perf_counter()
        rows = torch.randint(0, len(x), (batch_size,), device=device)
        layers, reached = graph.layers(rows, fanout)
        read = features[reached.cpu()].to(device) if on_host else features[reached]
        loss = F.cross_entropy(model(read, layers), targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if device != "cpu":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    return float(np.median(times[5:]))
