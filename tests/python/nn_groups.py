"""Data of vecc.nn's tests: nodes of two kinds in one graph, and a model of them."""

import numpy as np

from vecc import nn


def two_groups(seed=0, nodes=60):
    """Nodes of two kinds, features with a hint of it, edges mostly within a kind."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, nodes)
    x = rng.normal(size=(nodes, 4)).astype(np.float32) + kind[:, None] * np.float32(0.8)
    src, dst = rng.integers(0, nodes, (2, 6 * nodes))
    kept = (kind[src] == kind[dst]) | (rng.random(len(src)) < 0.1)
    return nn.Data().nodes(x=x).edges(src[kept], dst[kept]), kind


def network(g):
    h = nn.relu(nn.layers.sage(g, g.x, 8))
    return nn.linear(nn.layers.sage(g, h, 8), 2, bias=True, name="out")
