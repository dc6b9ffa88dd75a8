"""vecc.nn: maxima and softmax of each element in training on parts of a set of graphs, beside
PyTorch Geometric's loop."""

import os
import unittest

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GENConv, SAGEConv, global_max_pool

from command_line import VECC  # noqa: F401  takes the arguments
from nn_peer_training import train

from vecc import nn

WIDTH = 6


def graphs(count=18):
    """Some have nodes that no edge leads to, and edges twice."""
    rng = np.random.default_rng(3)
    result = []
    for _ in range(count):
        nodes = int(rng.integers(3, 9))
        ends = rng.integers(0, nodes, (2, int(rng.integers(2, 3 * nodes))))
        result.append(Data(x=torch.tensor(rng.normal(size=(nodes, 4))),
                           edge_index=torch.tensor(ends),
                           y=torch.tensor([int(rng.integers(0, 3))])))
    return result


class Peer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = SAGEConv(4, WIDTH, aggr="max")
        self.conv2 = GENConv(WIDTH, WIDTH)
        self.conv2.mlp = torch.nn.Sequential(torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.ReLU(),
                                             torch.nn.Linear(2 * WIDTH, WIDTH))
        self.last = torch.nn.Linear(WIDTH, 3)

    def forward(self, data):
        h = torch.tanh(self.conv1(data.x, data.edge_index))
        h = self.conv2(h, data.edge_index)
        return self.last(global_max_pool(h, data.batch))


def ported(g):
    h = nn.tanh(nn.layers.sage(g, g.x, WIDTH, "max", name="conv1"))
    h = nn.layers.gen(g, h, WIDTH, lambda m: nn.layers.mlp(m, 2 * WIDTH, WIDTH), name="conv2")
    return nn.linear(nn.max(h, over=g.graph), 3, bias=True, name="last")


class MaximaTest(unittest.TestCase):
    def test_batches(self):
        data = graphs()
        ways = [{"backend": backend, "opt": opt} for backend in ("cpu", "interpreter")
                for opt in (0, 2)]
        if "VECC_CUDA_DRIVER" in os.environ:  # tests/cuda/emulator
            ways.append({"backend": "cuda"})
        for way in ways:
            for batch_size in (5, len(data)):
                with self.subTest(**way, batch_size=batch_size):
                    torch.manual_seed(1)
                    module = Peer().double()
                    model = nn.Model(ported, dtype="f64", **way).trace(data)
                    model.set_weights({
                        name.replace(".", "/").replace("/mlp/", "/nn/"): weight.numpy()
                        for name, weight in module.state_dict().items()})
                    run = model.fit(data, epochs=3, lr=0.05, optimizer="sgd", shuffle=False,
                                    batch_size=batch_size)
                    losses = train(module, data, 3, batch_size, 0.05)
                    np.testing.assert_allclose([epoch["loss"] for epoch in run.history], losses,
                                               rtol=1e-10)


if __name__ == "__main__":
    unittest.main()
