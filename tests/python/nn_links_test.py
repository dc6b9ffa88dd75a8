"""vecc.nn where labels are of pairs of nodes: links of a graph, as PyTorch Geometric splits them."""

import tempfile
import unittest

import numpy as np
import torch
import torch.nn.functional as functional
import torch_geometric.nn as pyg
from torch_geometric.data import Data, HeteroData
from torch_geometric.transforms import RandomLinkSplit

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn


def split_links(nodes=60, **options):
    """(to train, to test with) of a graph whose links are between nodes of like features."""
    torch.manual_seed(3)
    group = torch.randint(0, 4, (nodes,))
    ends = torch.randint(0, nodes, (2, 14 * nodes))
    ends = ends[:, group[ends[0]] == group[ends[1]]]
    x = functional.one_hot(group, 4) + 0.3 * torch.randn(nodes, 4)
    data = Data(x=x, edge_index=ends, edge_attr=torch.randn(ends.shape[1], 2), y=group)
    train, _, test = RandomLinkSplit(num_val=0.0, num_test=0.2, **options)(data)
    return train, test


class Peer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = pyg.SAGEConv(4, 8), pyg.SAGEConv(8, 8)

    def forward(self, data):
        h = functional.relu(self.conv1(data.x.double(), data.edge_index))
        h = self.conv2(h, data.edge_index)
        return (h[data.edge_label_index[0]] * h[data.edge_label_index[1]]).sum(-1)


def links(g):
    h = nn.relu(nn.layers.sage(g, g.x, 8, name="conv1"))
    h = nn.layers.sage(g, h, 8, name="conv2")
    return nn.sum(h[g.pairs.src] * h[g.pairs.dst])


def refused(test, words, call):
    with test.assertRaisesRegex(vecc.Error, words):
        call()


class LinksTest(unittest.TestCase):
    def test_training_as_torch_trains(self):
        """Scores of all pairs in their order, the loss of every epoch, and metrics."""
        (train, test), peer = split_links(), Peer().double()
        model = nn.Model(links, dtype="f64", backend="cpu").trace(train)
        self.assertEqual(model.set_weights(peer), [])
        np.testing.assert_allclose(model(test), peer(test).detach(), rtol=0, atol=1e-10)
        optimizer = torch.optim.Adam(peer.parameters(), lr=0.01)
        losses = []
        for _ in range(15):
            optimizer.zero_grad()
            loss = functional.binary_cross_entropy_with_logits(peer(train), train.edge_label.double())
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        found = model.fit(train, epochs=15, lr=0.01).history
        np.testing.assert_allclose([epoch["loss"] for epoch in found], losses, rtol=0, atol=1e-9)
        scores, truth = peer(test).detach(), test.edge_label == 1
        accuracy = float(((scores > 0) == truth).double().mean())
        metrics = model.evaluate(test)
        self.assertAlmostEqual(metrics["accuracy"], accuracy)
        self.assertEqual(metrics["samples"], len(scores))
        np.testing.assert_array_equal(model.predict(test).predicted, scores > 0)

    def test_one_graph_to_validate_with(self):
        """As in lists of one graph each."""
        train, test = split_links()
        of_lists = nn.Model(links).fit([train], epochs=3, validate=[test]).history
        model = nn.Model(links)
        found = model.fit(train, epochs=3, validate=test).history
        self.assertEqual([epoch["validation_loss"] for epoch in found],
                         [epoch["validation_loss"] for epoch in of_lists])
        self.assertAlmostEqual(found[-1]["validation_loss"], model.evaluate(test)["loss"], places=6)

    def test_links_are_learned(self):
        train, test = split_links(nodes=200)
        for options in ({}, {"batch_size": 64}, {"batch_size": 64, "fanout": [6, 4]}):
            model = nn.Model(links, seed=1, backend="cpu")
            model.fit(train, epochs=60, lr=0.01, **options)
            self.assertGreater(model.evaluate(test)["auroc"], 0.8, options)

    def test_both_ways_down(self):
        train, _ = split_links()
        model = nn.Model(links, dtype="f64", backend="cpu", seed=2).trace(train)
        direct, neurons = (model.program(train, way=way)() for way in ("direct", "neurons"))
        np.testing.assert_allclose(direct, neurons, rtol=0, atol=1e-12)

    def test_pairs_have_features(self):
        rng = np.random.default_rng(0)
        src, dst, weight = rng.integers(0, 9, 20), rng.integers(0, 9, 20), rng.random(20)
        data = nn.Data().nodes(x=rng.random((9, 3))).edges([0, 1], [2, 3], a=[0.5, 0.25])
        data.pairs(src, dst, w=weight)
        model = nn.Model(lambda g: nn.sum(g.x[g.pairs.src] - g.x[g.pairs.dst]) * g.pairs.w +
                         nn.sum(nn.sum(g.a, over=g.dst)[g.pairs.dst] * g.x[g.pairs.src]),
                         dtype="f64")
        x = data.features[next(iter(data.features))]["x"].values
        sums = np.zeros(9)
        sums[[2, 3]] = 0.5, 0.25
        np.testing.assert_allclose(model(data), (x[src] - x[dst]).sum(1) * weight +
                                   (sums[dst, None] * x[src]).sum(1), rtol=1e-12)

    def test_sets_of_graphs(self):
        """Pairs of each graph, side by side."""
        parts = [split_links(nodes=20 + 5 * k)[0] for k in range(4)]
        model = nn.Model(links, dtype="f64", backend="cpu", seed=4).trace(parts)
        alone = np.concatenate([model([part]) for part in parts])
        np.testing.assert_allclose(model(parts), alone, rtol=0, atol=1e-12)

    def test_several_sets_of_nodes(self):
        torch.manual_seed(0)
        data = HeteroData()
        data["user"].x, data["film"].x = torch.randn(30, 3), torch.randn(20, 5)
        ends = torch.stack([torch.randint(0, 30, (150,)), torch.randint(0, 20, (150,))])
        data["user", "rates", "film"].edge_index = ends
        data["film", "rated", "user"].edge_index = ends.flip(0)
        train, _, test = RandomLinkSplit(
            num_val=0.0, num_test=0.2, edge_types=[("user", "rates", "film")],
            rev_edge_types=[("film", "rated", "user")])(data)

        def network(g):
            self.assertEqual(len(g.edge_types), 2)
            x = {"user": nn.linear(g["user"].x, 8), "film": nn.linear(g["film"].x, 8)}
            h = nn.layers.hgt(g, x, 8, heads=2)
            return nn.sum(h["user"][g.pairs.src] * h["film"][g.pairs.dst])
        model = nn.Model(network, seed=1, backend="cpu")
        history = model.fit(train, epochs=30, lr=0.02).history
        self.assertLess(history[-1]["loss"], 0.7 * history[0]["loss"])
        self.assertEqual(len(model.predict(test).values), test["user", "rates", "film"]
                         .edge_label_index.shape[1])

    def test_what_is_refused(self):
        train, _ = split_links(add_negative_train_samples=False)
        refused(self, "all pairs to train on are 1", lambda: nn.Model(links).fit(train))
        lone = nn.Data().nodes(x=np.ones((3, 4))).edges([0], [1])
        refused(self, "no pairs: nn.Data...pairs", lambda: nn.Model(links)(lone))
        refused(self, "pairs of node and node: error: dst has 3 to 3, expected 0 to 2",
                lambda: lone.pairs([0], [3]))
        refused(self, "shape .3, 2., expected .2, count.", lambda: lone.pairs(np.zeros((3, 2), int)))
        refused(self, "expected .source, target.", lambda: lone.pairs([0], [1], type=(
            "node", "rates", "node")))
        refused(self, "are there already", lambda: nn.Data().nodes(count=2).pairs([0], [1])
                .pairs([1], [0]))
        refused(self, "has no pairs of node and node, which the model reads", lambda: nn.Model(
            lambda g: nn.sum(g.x[g.pairs.src], over=g.pairs.dst)).trace(train)(
                nn.Data().nodes(x=np.ones((3, 4))).edges([0], [1])))
        refused(self, "two sets of pairs",
                lambda: nn.as_data(split_links(split_labels=True)[0]))

    def test_positives_alone_are_no_training(self):
        """Wherever they are: of a list beside pairs to validate with, of rows that masks leave."""
        train, test = split_links(add_negative_train_samples=False)
        refused(self, "all pairs to train on are 1",
                lambda: nn.Model(links).fit([train], validate=[test]))
        data = nn.as_data(test)
        data.labels(data.targets, train=data.targets == 1, test=data.targets == 0)
        refused(self, "all pairs to train on are 1", lambda: nn.Model(links).fit(data))
        model = nn.Model(links, seed=1).trace(train)
        loss = functional.binary_cross_entropy_with_logits(
            torch.tensor(model(train)), train.edge_label)
        self.assertAlmostEqual(model.evaluate(train)["loss"], loss.item(), places=5)

    def test_labels_of_pairs_are_no_others(self):
        """Though there are as many pairs as edges, or as nodes."""
        data = nn.as_data(split_links()[0])
        count = data.counts[next(domain for domain in data.counts if domain.kind == "edge")]
        torch.manual_seed(0)
        same = Data(x=torch.ones(60, 4), edge_index=torch.randint(0, 60, (2, count)),
                    edge_label_index=torch.randint(0, 60, (2, count)),
                    edge_label=torch.randint(0, 2, (count,)).double())
        model = nn.Model(lambda g: nn.linear(g.x[g.src] * g.x[g.dst], ()))
        refused(self, "are of pairs of node and node, but the model's output is .* on edges",
                lambda: model.fit(same))
        self.assertEqual(model(same).shape, (count,))
        self.assertEqual(nn.Model(lambda g: nn.linear(g.x, 3))(same).shape, (60, 3))

    def test_a_feature_called_edge_label(self):
        """Of edges, where there are no pairs."""
        data = Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1], [2, 2]]),
                    edge_label=torch.tensor([2.0, 3.0]))
        model = nn.Model(lambda g: nn.sum(g.edge_label, over=g.dst))
        np.testing.assert_array_equal(model(data), [0, 0, 5])

    def test_a_relation_called_pair(self):
        data = nn.Data().nodes(x=np.ones((3, 2))).edges([0], [1], type=("node", "pair", "node"))
        model = nn.Model(lambda g: nn.sum(g.x[g.src], over=g.dst))
        np.testing.assert_array_equal(model(data), [[0, 0], [1, 1], [0, 0]])

    def test_files_have_pairs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/links.npz"
            train, _ = split_links()
            np.savez(path, **{name: value.numpy() for name, value in train.to_dict().items()})
            read = nn.from_npz(path)
        model = nn.Model(links, dtype="f64")
        np.testing.assert_array_equal(model(read), model(train))
        self.assertEqual(model.evaluate(read), model.evaluate(train))

    def test_a_feature_of_the_only_nodes(self):
        """Beside several sets of edges, of which none is meant."""
        data = nn.Data().nodes(x=np.ones((3, 2))).edges([0], [1])
        data.edges([1], [2], type=("node", "likes", "node"))
        model = nn.Model(lambda g: nn.sum(g.x[g["node", "likes", "node"].src],
                                          over=g["node", "likes", "node"].dst))
        np.testing.assert_array_equal(model(data), [[0, 0], [0, 0], [1, 1]])
        refused(self, "no feature 'edge_attr'; there are: x", lambda: nn.Model(
            lambda g: g.edge_attr)(data))
        data = nn.Data().nodes(count=3).edges([0], [1], a=[1.0])
        data.edges([1], [2], type=("node", "likes", "node"), a=[2.0])
        refused(self, "2 sets of edges", lambda: nn.Model(lambda g: g.a)(data))


if __name__ == "__main__":
    unittest.main()
