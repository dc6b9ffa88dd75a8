"""vecc.nn: features that are mostly 0 are read by their entries, with the numbers of all of them.

nn_sparse_test.py VECC DATASETS
"""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

from vecc import nn
from vecc.nn import sparse

NODES, WORDS = 25, 40


def data(seed=0, ones=False, nodes=NODES):
    rng = np.random.default_rng(seed)

    def words(rows):
        found = (rng.random((rows, WORDS)) < 0.08) * (1 if ones else rng.normal(size=(rows, WORDS)))
        found[3] = 0
        return found.astype(float)
    ends = rng.integers(0, nodes, (2, 3 * nodes))
    return nn.Data().nodes(x=words(nodes)).edges(ends, a=words(3 * nodes)).labels(
        rng.integers(0, 3, nodes), train=np.arange(nodes) % 2 == 0, test=np.arange(nodes) % 2 == 1)


def network(g):
    h = nn.layers.gcn(g, g.x, 5, name="conv1") + nn.mean(
        nn.relu(nn.linear(g.a, 5, bias=True, name="edges")), over=g.dst)
    return nn.layers.sage(g, nn.dropout(nn.relu(h), 0.3), 3, name="conv2")


class SparseTest(unittest.TestCase):
    def both(self, work):
        """work(model) by entries, then by all elements; the first's kernels read entries."""
        lowered = []
        of = sparse.SparseFeatures.__init__

        def watched(self, *args):
            of(self, *args)
            lowered.append(len(self.products))
        with mock.patch.object(sparse.SparseFeatures, "__init__", watched):
            found = work(nn.Model(network, dtype="f64", seed=1))
            products, lowered[:] = max(lowered), []
            with mock.patch.object(sparse, "MOST_FULL", 0):
                expected = work(nn.Model(network, dtype="f64", seed=1))
        self.assertEqual((products, max(lowered)), (2, 0))
        return found, expected

    def test_outputs_and_training(self):
        for ones in (True, False):
            with self.subTest(ones=ones):
                source = data(ones=ones)

                def work(model):
                    before = model.trace(source)(source)
                    history = model.fit(source, epochs=6, lr=0.02, weight_decay=1e-3).history
                    return (before, [each["loss"] for each in history], model.weights,
                            model.evaluate(source, split="test"), model.predict(source).values)
                found, expected = self.both(work)
                for one, other in zip(found[:2], expected[:2]):
                    np.testing.assert_allclose(one, other, atol=1e-10)
                self.assertEqual(found[2].keys(), expected[2].keys())
                for name, value in expected[2].items():
                    np.testing.assert_allclose(found[2][name], value, atol=1e-10)
                for name, value in expected[3].items():
                    self.assertAlmostEqual(found[3][name], value, places=10)
                np.testing.assert_allclose(found[4], expected[4], atol=1e-10)

    def test_seeds(self):
        def work(model):
            return model.fit_seeds(data(), range(2), epochs=3), model.weights
        (found, weights), (expected, others) = self.both(work)
        for name, pair in expected.items():
            np.testing.assert_allclose(found[name], pair, atol=1e-10)
        for name, value in others.items():
            np.testing.assert_allclose(weights[name], value, atol=1e-10)

    def test_files_and_programs_have_the_weights_themselves(self):
        source = data()
        model = nn.Model(network, dtype="f64").trace(source)
        model.fit(source, epochs=2)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.safetensors"
            model.save(path)
            again = nn.Model(network, dtype="f64").load(path, source)
        np.testing.assert_array_equal(again(source), model(source))
        program = model.program(source)
        self.assertEqual(program.weights["conv1/lin/weight"].shape, (1, 5, WORDS))
        np.testing.assert_allclose(program(), model(source), atol=1e-12)
        dense = nn.Data().nodes(x=np.ones((4, WORDS))).edges([0, 1], [1, 2], a=np.ones((2, WORDS)))
        np.testing.assert_allclose(model(dense), model.program(dense)(), atol=1e-12)

    def test_what_else_reads_the_weight_or_the_features(self):
        source = data()

        def shared(g):
            w = nn.weight("w", (4, WORDS))
            return w @ g.x + nn.sum(w @ g.a, over=g.dst) + nn.linear(g.x, 4) * nn.mean(g.x)
        model = nn.Model(shared, dtype="f64").trace(source)
        np.testing.assert_allclose(model(source), model.program(source)(), atol=1e-12)


if __name__ == "__main__":
    unittest.main()
