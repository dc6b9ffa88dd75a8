"""vecc.nn: fit(fanout=), neighbour sampling of programs without neurons."""

import unittest

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn

NODES = 40


def graph_of(neighbours, seed=0):
    """Node n has the edges from neighbours[n]; two classes."""
    rng = np.random.default_rng(seed)
    dst = np.repeat(np.arange(len(neighbours)), [len(each) for each in neighbours])
    src = np.concatenate(neighbours).astype(np.int64)
    data = nn.Data().nodes(x=rng.normal(size=(len(neighbours), 4)))
    return data.edges(src, dst).labels(rng.integers(0, 2, len(neighbours)))


def random_neighbours(seed=1, most=7):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, NODES, n % (most + 1)) for n in range(NODES)]


def sage(aggregation):
    def network(g):
        h = nn.relu(nn.layers.sage(g, g.x, 6, aggregation=aggregation, name="one"))
        return nn.layers.sage(g, h, 2, aggregation=aggregation, name="two")
    return network


def attention(g):
    h = nn.relu(nn.layers.gat(g, g.x, 3, heads=2, dropout=0.25, self_loops=False, name="one"))
    return nn.layers.gat(g, h, 2, self_loops=False, name="two")


def pna(g):
    return nn.layers.pna(g, nn.layers.sage(g, g.x, 4), 2, mean_log_degree=1.5)


def graph_pooling(g):
    h = nn.layers.gin(g, g.x, lambda x: nn.layers.mlp(x, 6, 6))
    return nn.linear(nn.mean(h, over=g.graph), 2, bias=True)


MODELS = {"mean": sage("mean"), "sum": sage("sum"), "max": sage("max"), "gat": attention,
          "pna": pna,
          "gcn": lambda g: nn.layers.gcn(g, nn.relu(nn.layers.gcn(g, g.x, 5, name="a")), 2,
                                         name="b")}


def fitted(network, data, **options):
    model = nn.Model(network, dtype="f64", backend="cpu", seed=3).trace(data)
    model.fit(data, **{"epochs": 2, "batch_size": 16, "seed": 5, **options})
    return model.weights


class FanoutTest(unittest.TestCase):
    def assert_near(self, found, expected, tolerance=1e-12):
        self.assertEqual(found.keys(), expected.keys())
        for name in expected:
            np.testing.assert_allclose(found[name], expected[name], rtol=tolerance,
                                       atol=tolerance, err_msg=name)

    def differ(self, a, b):
        return any((a[name] != b[name]).any() for name in a)

    def test_all_members_are_the_whole_training(self):
        """Bit by bit: nothing is sampled where no node has more neighbours (and a self loop)."""
        data = graph_of(random_neighbours())
        for name, network in MODELS.items():
            with self.subTest(name):
                whole = fitted(network, data)
                for fanout in ([8], [8, "all"]):
                    for array, expected in zip(fitted(network, data, fanout=fanout).values(),
                                               whole.values()):
                        np.testing.assert_array_equal(array, expected)
                self.assertTrue(self.differ(fitted(network, data, fanout=[2]), whole))

    def test_batches_have_labels(self):
        """Rows of no mask are in no batch: as rows to test with, bit by bit."""
        data, marked = graph_of(random_neighbours()), np.arange(NODES) % 5 == 2
        labels = data.targets
        for options in ({}, {"fanout": [3, 2]}, {"fanout": [3, 2], "batch_size": "all"}):
            with self.subTest(**options):
                found, expected = (
                    fitted(MODELS["mean"], graph_of(random_neighbours()).labels(labels, **masks),
                           **{"batch_size": 3, "epochs": 5, **options})
                    for masks in ({"train": marked}, {"train": marked, "test": ~marked}))
                for array, other in zip(found.values(), expected.values()):
                    np.testing.assert_array_equal(array, other)

    def test_threads_and_seeds(self):
        data = graph_of(random_neighbours())
        for name in ("max", "gat"):
            with self.subTest(name):
                found = []
                for threads in (1, 3):
                    model = nn.Model(MODELS[name], dtype="f64", backend="cpu", seed=3,
                                     threads=threads)
                    model.fit(data, epochs=2, batch_size=16, seed=5, fanout=[3, 2])
                    found.append(model.weights)
                for array, expected in zip(found[1].values(), found[0].values()):
                    np.testing.assert_array_equal(array, expected)
                other = fitted(MODELS[name], data, fanout=[3, 2], seed=6)
                self.assertTrue(self.differ(found[0], other))

    def test_one_neighbour_repeated_is_any_draw(self):
        """Where all of a node's neighbours are one node, a mean, a maximum and attention are what
        they are of any of them, and of a sum that is scaled as well: the same but for rounding,
        by neurons too."""
        rng = np.random.default_rng(2)
        data = graph_of([[int(rng.integers(0, NODES))] * (1 + n % 6) for n in range(NODES)])
        for name in ("mean", "sum", "max"):
            with self.subTest(name):
                network = MODELS[name]
                options = {"fanout": [2, 3], "fanout_scale": name == "sum"}
                whole = fitted(network, data)
                self.assert_near(fitted(network, data, **options), whole)
                model = nn.Model(network, dtype="f64", seed=3).trace(data)
                neurons = model.graph(data, way="neurons").compile(dtype="f64", backend="cpu")
                neurons.train(epochs=2, batch_size=16, seed=5, **options)
                self.assert_near({each: neurons.weights[each].reshape(whole[each].shape)
                                  for each in whole}, whole)
        # (Its scores have no gradient but rounding, of which Adam would make steps.)
        without_dropout = lambda g: nn.layers.gat(g, g.x, 2, self_loops=False)  # noqa: E731
        self.assert_near(fitted(without_dropout, data, optimizer="sgd", fanout=[2]),
                         fitted(without_dropout, data, optimizer="sgd"))

    def test_sets_of_graphs_keep_their_pooling(self):
        around = np.arange(9)
        graphs = [nn.Data().nodes(x=np.eye(4)[around % 4]).edges(around, around * (seed + 2) % 9)
                  .labels([seed % 2]) for seed in range(6)]
        whole = fitted(graph_pooling, graphs, batch_size=2)
        kept = fitted(graph_pooling, graphs, batch_size=2, fanout=["all", 9])
        for array, expected in zip(kept.values(), whole.values()):
            np.testing.assert_array_equal(array, expected)

    def test_sparse_features(self):
        """Their entries are no neighbours."""
        rng = np.random.default_rng(4)
        x = (rng.random((NODES, 64)) < 0.05).astype(np.float64)
        neighbours = random_neighbours(most=3)
        data = nn.Data().nodes(x=x).edges(
            np.concatenate(neighbours), np.repeat(np.arange(NODES), [len(n) for n in neighbours])
        ).labels(rng.integers(0, 2, NODES))
        network = lambda g: nn.layers.sage(g, nn.linear(g.x, 5), 2)  # noqa: E731
        self.assert_near(fitted(network, data, fanout=[3]), fitted(network, data), 1e-11)

    def test_what_is_refused(self):
        data = graph_of(random_neighbours())
        with self.assertRaisesRegex(vecc.Error, "reads lists in order"):
            fitted(sage("lstm"), data, fanout=[2])
        with self.assertRaisesRegex(vecc.Error, "reads lists in order"):
            nn.Model(sage("lstm")).graph(data).compile().train(epochs=1, fanout=[2])
        with self.assertRaisesRegex(vecc.Error, "expected numbers of members"):
            fitted(sage("mean"), data, fanout=[0])
        normed = lambda g: nn.batch_norm(nn.layers.sage(g, g.x, 2))  # noqa: E731
        with self.assertRaisesRegex(vecc.Error, "statistics"):
            fitted(normed, data, batch_size=None, fanout=[2])


if __name__ == "__main__":
    unittest.main()
