"""Reachability with learned hop weights (vecc-import kg --model=reach), level by level in torch."""

import numpy as np
import torch

from twin import Twin
from weights import TableSpec


def build(data, options):
    start = data.node_names.index(options.take("source", ""))
    depth = options.take("depth", 3)
    source, relation, target, names = data.messages(
        options.on("inverse", True), options.take("message-edges", "all") == "train")
    ends = np.zeros((depth + 1, data.nodes), bool)  # by level: where walks of so many hops end
    ends[0, start] = True
    for level in range(depth):
        ends[level + 1, target[ends[level, source]]] = True
    reached = np.flatnonzero(ends.any(axis=0))

    def forward(w):
        hop = w["reach.w"][w.index(relation)]
        values = torch.tanh(w.constant(ends[0]))
        levels = [values]
        for _ in range(depth):
            messages = hop * values[w.index(source)]
            sums = torch.zeros_like(values).index_add(0, w.index(target), messages)
            values = torch.tanh(sums)  # zero where no walk ends: no message comes from there
            levels.append(values)
        there = w.index(ends) > 0
        absent = w.constant(-torch.inf)
        best = torch.where(there, torch.stack(levels), absent).max(dim=0).values
        return best[w.index(reached)][:, None]

    return Twin(nodes=data.nodes, edges=len(source), forward=forward, output_shape=(),
                tables=[TableSpec("reach.w", (), len(names), names)],
                ids=[data.node_names[node] for node in reached])
