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
        gcn, gat, gin = nn.layers.gcn, nn.layers.gat, nn.layers.gin
        for call, says in (
                (lambda g: sage(g, gcn(g, g.x, 8, name="c"), 8, name="c", shared=True),
                 r"sage\(name='c'\) has the weights of gcn\(name='c'\): expected the same layer"),
                (lambda g: gcn(g, gcn(g, g.x, 8, bias=False, name="c"), 8, name="c", shared=True),
                 r"of gcn\(name='c'\), .* one call has c/bias and the other one has not"),
                (lambda g: gcn(g, gcn(g, g.x, 8, name="c"), 8, bias=False, name="c", shared=True),
                 "one call has c/bias and the other one has not: expected the same options"),
                (lambda g: gin(g, gin(g, g.x, nn.relu, 3.0, name="c"), nn.relu, 0.5, name="c",
                               shared=True), "'c/eps' is 0.5, but 3.0 in the call before"),
                (lambda g: gin(g, gin(g, g.x, nn.relu, name="c"), nn.relu, train_eps=True, name="c",
                               shared=True), "one call has c/eps and the other")):
            self.check(call, says)

        def options(g):
            h = gat(g, g.x, 8, slope=0.01, name="c")
            return gat(g, h, 8, slope=0.5, name="c", shared=True)
        for slope, says in ((0.5, "slope=0.01"), (0.01, "slope=0.5")):
            peer = torch.nn.ModuleDict({"c": pyg.GATConv(8, 8, negative_slope=slope)})
            with self.assertRaisesRegex(vecc.Error, rf"but the model calls gat\({says}"):
                nn.Model(options).trace(data).set_weights(peer)

    def test_functions_behind_each_call(self):
        peer = torch.nn.ModuleDict({"c": pyg.GINConv(torch.nn.Sequential(torch.nn.Linear(8, 8),
                                                                         torch.nn.Tanh()))})
        mlp = nn.layers.mlp
        for first, second in ((nn.tanh, nn.tanh), (nn.tanh, nn.relu), (nn.relu, nn.tanh)):
            model = nn.Model(lambda g: nn.layers.gin(g, nn.layers.gin(
                g, g.x, lambda v: first(mlp(v, 8)), name="c"), lambda v: second(mlp(v, 8)), name="c",
                shared=True)).trace(graph())
            if first is second:
                self.assertEqual(model.set_weights(peer), [])
                continue
            with self.assertRaisesRegex(vecc.Error, r"nn.tanh\(nn.layers.mlp\(...\)\)"):
                model.set_weights(peer)

    def test_layers_that_modules_call_again(self):
        data = graph()
        twofold = nn.Model(lambda g: network(g, shared=False)).trace(data)
        with self.assertRaisesRegex(vecc.Error, "the module has no conv_2/lin_l/weight, of a second "
                                    "layer of its name: .* has the same name= and shared=True"):
            twofold.set_weights(Peer())
        self.assertEqual(len(twofold.set_weights(Peer().state_dict())), 6)

        def twice_linear(g):
            return nn.linear(nn.linear(g.x, 8, bias=True, name="head"), 8, bias=True, name="head")

        @nn.layer
        def once(x):
            return nn.weight("weight", (8, 8)) @ x + nn.weight("bias", 8)
        peer = torch.nn.ModuleDict({"head": torch.nn.Linear(8, 8)}).double()
        with self.assertRaisesRegex(vecc.Error, "no head_2/weight, .* in a layer of one's own, @nn.lay"
                                    "er, which has name= and shared=True"):
            nn.Model(twice_linear).trace(data).set_weights(peer)
        model = nn.Model(lambda g: once(once(g.x, name="head"), name="head", shared=True),
                         dtype="f64").trace(data)
        self.assertEqual(model.set_weights(peer), [])
        np.testing.assert_allclose(model(data), peer["head"](peer["head"](data.x)).detach(),
                                   atol=1e-12)

    def test_names_like_those_of_second_layers(self):
        """The user's own, which the module does not have: they stay."""
        sage = nn.layers.sage
        model = nn.Model(lambda g: sage(g, sage(g, g.x, 8, name="conv"), 8, name="conv_2")).trace(
            graph())
        peer = torch.nn.ModuleDict({"conv": pyg.SAGEConv(8, 8)})
        self.assertEqual(model.set_weights(peer), [
            f"conv_2/{name}" for name in ("lin_l/weight", "lin_l/bias", "lin_r/weight")])

    def test_arguments_of_the_same_name(self):
        """`shared` of the user's own functions is theirs."""
        seen = []

        @nn.layer
        def block(x, shared=False):
            seen.append(shared)
            return nn.linear(x, 8)
        names = list(nn.Model(lambda g: block(block(block(g.x), shared=True, name="b"), True, name="b")
                              ).trace(graph()).weights)
        self.assertEqual(seen, [False, True, True])
        self.assertEqual(names, ["block/linear/weight", "b/linear/weight", "b_2/linear/weight"])


if __name__ == "__main__":
    unittest.main()
