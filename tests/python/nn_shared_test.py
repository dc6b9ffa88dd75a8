"""vecc.nn: layers that are called several times, with the same weights."""

import unittest

import numpy as np
import torch
import torch.nn.functional as functional
import torch_geometric.nn as pyg
from torch_geometric.data import Data

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn


def graph(nodes=20, width=8):
    torch.manual_seed(nodes)
    return Data(x=torch.randn(nodes, width).double(), y=torch.randint(0, 3, (nodes,)),
                edge_index=torch.randint(0, nodes, (2, 3 * nodes)))


class Peer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = pyg.SAGEConv(8, 8), torch.nn.Linear(8, 3)

    def forward(self, data):
        h = data.x
        for _ in range(3):
            h = torch.tanh(self.conv(h, data.edge_index))
        return self.head(h)


def network(g, shared=True):
    h = g.x
    for _ in range(3):
        h = nn.tanh(nn.layers.sage(g, h, 8, name="conv", shared=shared))
    return nn.linear(h, 3, bias=True, name="head")


@nn.layer
def twice(x):
    """Weights without names of their own, in their order."""
    return nn.linear(nn.tanh(nn.linear(x, 8)), 8)


class SharedTest(unittest.TestCase):
    def check(self, network, message):
        with self.assertRaisesRegex(vecc.Error, message):
            nn.Model(network).trace(graph())

    def test_a_module_that_calls_a_layer_again(self):
        """Outputs, losses of a training, and weights in the end, which go back."""
        data, peer = graph(), Peer().double()
        model = nn.Model(network, dtype="f64", backend="cpu").trace(data)
        self.assertEqual(model.set_weights(peer), [])
        np.testing.assert_allclose(model(graph(30)), peer(graph(30)).detach(), atol=1e-12)
        optimizer, losses = torch.optim.Adam(peer.parameters(), lr=0.01), []
        for _ in range(10):
            optimizer.zero_grad()
            loss = functional.cross_entropy(peer(data), data.y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        found = model.fit(data, epochs=10, lr=0.01).history
        np.testing.assert_allclose([epoch["loss"] for epoch in found], losses, rtol=1e-9)
        for name, tensor in model.state_dict_of(peer).items():
            np.testing.assert_allclose(tensor, peer.state_dict()[name], atol=1e-9)

    def test_both_ways_and_unnamed_weights(self):
        data = graph()

        def unrolled(g):
            v, w = (nn.weight(f"all/linear{end}/weight", (8, 8)) for end in ("", "_2"))
            x = g.x
            for _ in range(2):
                x = w @ nn.tanh(v @ x)
            return x
        model = nn.Model(lambda g: twice(twice(g.x, name="all"), name="all", shared=True),
                         dtype="f64").trace(data)
        other = nn.Model(unrolled, dtype="f64").trace(data)
        self.assertEqual(list(model.weights), list(other.weights))
        other.set_weights(model.weights)
        np.testing.assert_allclose(model(data), other(data), atol=1e-12)
        np.testing.assert_allclose(model.graph(data, "neurons").evaluate(), model(data), atol=1e-12)
        names = list(nn.Model(lambda g: twice(twice(twice(g.x, name="a", shared=True), name="a"),
                                              name="a", shared=True)).trace(data).weights)
        self.assertEqual([name.partition("/")[0] for name in names], ["a", "a", "a_2", "a_2"])

    def test_features_that_are_mostly_0(self):
        """Once by their entries elsewhere; here their weight is read by another product, too."""
        data = graph(40, 64)
        data.x[torch.rand(40, 64) < 0.95] = 0

        def both(g):
            h = nn.layers.gcn(g, g.x, 64, name="conv", shared=True)
            return nn.linear(nn.layers.gcn(g, h, 64, name="conv", shared=True), 3)
        sparse, dense = (nn.Model(both, dtype="f64").trace(data) for _ in range(2))
        source = nn.as_data(data)
        found = sparse.fit(source, epochs=3).history
        expected = dense.program(source).train(epochs=3, lr=0.01, loss="softentropy", seed=0).history
        np.testing.assert_allclose([epoch["loss"] for epoch in found],
                                   [epoch["loss"] for epoch in expected], rtol=1e-9)

    def test_what_is_refused(self):
        sage, data = nn.layers.sage, graph()
        self.check(lambda g: sage(g, g.x, 8, shared=True), "shared=.: found bool True, expected True "
                   "beside the name= of a layer")
        self.check(lambda g: sage(g, g.x, 8, name="a", shared=1), "shared=.: found int 1, expected")
        self.check(lambda g: sage(g, sage(g, g.x, 5, name="a"), 5, name="a", shared=True),
                   r"shared weights 'a/lin_l/weight' are \[1, 5, 8\], expected \[1, 5, 5\] as this")
        self.check(lambda g: nn.batch_norm(nn.batch_norm(g.x, name="n"), name="n", shared=True),
                   "'n/running_mean' is of a batch norm")
        twofold = nn.Model(lambda g: network(g, shared=False)).trace(data)
        with self.assertRaisesRegex(vecc.Error, "the module has no conv_2/lin_l/weight, of a second "
                                    "layer of its name: .* has the same name= and shared=True"):
            twofold.set_weights(Peer())
        self.assertEqual(len(twofold.set_weights(Peer().state_dict())), 6)


if __name__ == "__main__":
    unittest.main()
