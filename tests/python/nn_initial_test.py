"""vecc.nn: what weights begin as (docs/models.md), without torch."""

import unittest

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn

RNG = np.random.default_rng(0)
DATA = nn.Data().nodes(x=RNG.normal(size=(8, 5)), kind=np.arange(8)).edges(
    RNG.integers(0, 8, (2, 20))).labels(np.arange(8) % 3)


def weights(network, seed=0, data=DATA, **options):
    return nn.Model(network, seed=seed, **options).trace(data).weights


def of(shape, init):
    """4,000 rows of this shape."""
    def network(g):
        nn.table("w", 4000, shape, init)[g.kind]
        return g.x
    return weights(network)["w"]


class InitialTest(unittest.TestCase):
    def test_bounds(self):
        for shape, init, bound in (
                ((6, 10), "glorot", 6 / 16), (10, "glorot", 6 / 11), ((1, 10), "glorot", 6 / 11),
                ((10, 1), "glorot", 6 / 11), ((), "glorot", 3), ((1, 1), "glorot", 3),
                ((6, 10), "kaiming_uniform", 1 / 10), ((10, 1), "kaiming_uniform", 1),
                (10, "kaiming_uniform", 1 / 10), ((), "kaiming_uniform", 1),
                ((6, 10), nn.uniform(0.25), 1 / 16), ((), nn.uniform(0.25), 1 / 16)):
            with self.subTest(shape=shape, init=init):
                drawn, bound = of(shape, init), bound ** 0.5
                self.assertLessEqual(np.abs(drawn).max(), bound)
                self.assertGreater(np.abs(drawn).max(), 0.995 * bound)
                self.assertLess(abs(drawn.mean()), 4 * bound / (3 * drawn.size) ** 0.5)
                self.assertLess(abs(drawn.std() / (bound / 3 ** 0.5) - 1), 0.04)

    def test_normal_and_fixed(self):
        drawn = of(10, "normal")
        self.assertLess(abs(drawn.mean()), 0.02)
        self.assertLess(abs(drawn.std() - 1), 0.02)
        self.assertGreater(np.abs(drawn).max(), 3.5)
        for init, expected in (("zeros", 0), ("ones", 1), (0.25, 0.25), (-3, -3)):
            np.testing.assert_array_equal(of((2, 3), init), np.full((4000, 2, 3), expected))

    def test_linear(self):
        """As torch.nn.Linear; `init` is not of the bias."""
        def network(g):
            h = nn.linear(g.x, 3000, bias=True, name="a")
            return nn.linear(h, 2, bias=True, init="ones", name="b")
        found = weights(network)
        for name, bound in (("a/weight", 5), ("a/bias", 5), ("b/bias", 3000)):
            self.assertLessEqual(np.abs(found[name]).max(), bound ** -0.5)
        for name in ("a/weight", "a/bias"):
            self.assertGreater(np.abs(found[name]).max(), 0.99 * 5 ** -0.5)
        self.assertTrue((found["b/weight"] == 1).all())
        self.assertTrue((found["b/bias"] != 0).all())
        with self.assertRaisesRegex(vecc.Error, "takes no by=, bias= or init="):
            weights(lambda g: nn.linear(g.x, nn.weight("w", (2, 5)), init="ones"))

    def test_bits(self):
        """Of a seed and a name they stay: results repeat from version to version."""
        def network(g):
            return nn.weight("w", 2, nn.uniform(1)) + nn.weight("n", 2, "normal") + g.x[:2]
        found = weights(network, seed=7)
        np.testing.assert_array_equal(found["w"], [-0.9484842775841638, -0.7653153224909595])
        np.testing.assert_array_equal(found["n"], [-1.7395322989018376, -1.4058789907622968])

    def test_other_weights_have_no_part(self):
        def one(g):
            return nn.linear(g.x, 3, name="lin")

        def two(g):
            return nn.linear(nn.linear(g.x, 5, name="first"), 3, name="lin")
        np.testing.assert_array_equal(weights(one)["lin/weight"], weights(two)["lin/weight"])
        more = nn.Data().nodes(x=np.ones((9, 5)), kind=np.arange(9)).edges([0], [1])
        embedded = [weights(lambda g: nn.embedding(g.kind, 4), data=data)["embedding"]
                    for data in (DATA, more)]
        np.testing.assert_array_equal(embedded[0], embedded[1][:8])

    def test_streams_are_apart(self):
        """Of seeds that follow one another, and of names."""
        def network(g):
            return nn.weight("a", 2000) + nn.weight("b", 2000) + nn.sum(g.x)
        drawn = [array for seed in range(8) for array in weights(network, seed).values()]
        correlation = np.corrcoef(drawn) - np.eye(len(drawn))
        self.assertLess(np.abs(correlation).max(), 0.1)

    def test_ways_and_backends(self):
        def network(g):
            h = nn.layers.sage(g, nn.embedding(g.kind, 4) + nn.linear(g.x, 4, bias=True), 4)
            return nn.linear(h, 3)
        first = weights(network, seed=3)
        for options in ({"dtype": "f64"}, {"backend": "cpu"}, {"backend": "interpreter"},
                        {"backend": "cpu", "dtype": "f32"}):
            model = nn.Model(network, seed=3, **options).trace(DATA)
            for way in ("direct", "neurons"):
                tables = model.program(DATA, way).weights
                for name, array in first.items():
                    np.testing.assert_array_equal(tables[name].ravel(), array.ravel())

    def test_seeds(self):
        def network(g):
            return nn.linear(g.x, 3, bias=True)
        seeds = [2, 5]
        expected = []
        for seed in seeds:
            model = nn.Model(network, seed=seed).trace(DATA)
            model.fit(DATA, epochs=2)
            expected.append(model.evaluate(DATA)["loss"])
        model = nn.Model(network)
        self.assertEqual(model.fit_seeds(DATA, seeds, epochs=2)["loss"][0], np.mean(expected))
        model.initialize(5)
        np.testing.assert_array_equal(model.weights["linear/weight"],
                                      weights(network, 5)["linear/weight"])
        for seed in (-1, 1 << 64, 0.5, True, "1"):
            with self.assertRaisesRegex(vecc.Error, "initialize: .*seed=.* from 0, below 2.64"):
                model.initialize(seed)
        for high in (1 << 32, 1 << 63):  # all bits of a seed count
            self.assertFalse(np.array_equal(weights(network, 5)["linear/weight"],
                                            weights(network, 5 + high)["linear/weight"]))
        model.initialize((1 << 64) - 1)
        with self.assertRaisesRegex(vecc.Error, "fit_seeds: .*seed=-1"):
            model.fit_seeds(DATA, [1, -1], epochs=1)
        np.testing.assert_array_equal(model.weights["linear/weight"],  # nothing was trained
                                      weights(network, (1 << 64) - 1)["linear/weight"])
        model.fit_seeds(DATA, np.arange(2), epochs=1)


if __name__ == "__main__":
    unittest.main()
