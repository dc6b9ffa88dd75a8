"""vecc.nn: whole numbers as categories, how many there are, and weights of each."""

import unittest

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn


class CategoriesTest(unittest.TestCase):
    def check(self, call, message):
        with self.assertRaisesRegex(vecc.Error, message):
            call()

    def test_counts_of_categories(self):
        """Values that the first data lacks, and a table of weights for all of them."""
        def network(g):
            kind = g.kind.with_count(5)
            made = nn.embedding(kind, 2, name="e") + nn.linear(g.x, 2, by=kind, name="l")
            return nn.concat(made, nn.one_hot(kind), nn.one_hot(g.kind.with_count(4)))
        first = nn.Data().nodes(x=np.ones((2, 2)), kind=[0, 1])
        later = nn.Data().nodes(x=np.ones((3, 2)), kind=[2, 3, 0])
        model = nn.Model(network, dtype="f64").trace(first)
        model.set_weights({"e": np.arange(10.0).reshape(5, 2), "l/weight": np.ones((5, 2, 2))})
        expected = np.concatenate([np.array([[4, 5], [6, 7], [0, 1]]) + 2, np.eye(5)[[2, 3, 0]],
                                   np.eye(4)[[2, 3, 0]]], axis=1)
        np.testing.assert_allclose(model(later), expected)
        np.testing.assert_allclose(model.graph(later, "neurons").evaluate(), expected)
        self.check(lambda: model(nn.Data().nodes(x=np.ones((1, 2)), kind=[4])),
                   r"with 4 values: .* all of them, or say how many there are, g.kind.with_count")
        for count in (1, "5", 2.5, None):
            self.check(lambda: nn.Model(lambda g: nn.one_hot(g.kind.with_count(count))).trace(first),
                       r"kind.with_count\(.*: expected a whole number of at least 2")
        less = nn.Model(lambda g: nn.embedding(g.kind, 2, name="e")).trace(first)
        self.check(lambda: less.set_weights({"e": np.ones((5, 2))}), r"\[5, 2\], expected \[2, 2\], "
                   r"a row for each value of 'kind' .*: g.kind.with_count\(5\) has more")
        self.check(lambda: less.set_weights({"e": np.ones((2, 3))}), r"expected \[2, 2\] \[E050")

    def test_counts_of_typed_graphs(self):
        """The way out is in the words of the model."""
        data = nn.Data().nodes("a", x=np.ones((2, 2)), kind=[0, 1]).nodes("b", x=np.ones((2, 2)))
        for relation in ("to", "of"):
            data.edges([0, 1], [1, 0], type=("a", relation, "b"), edge_type=[0, 1])

        def network(g):
            e = g["a", "to", "b"]
            h = nn.sum(nn.embedding(e.edge_type, 2, name="e"), over=e.dst)
            return h + nn.sum(nn.embedding(g["a"].kind, 2, name="k")[e.src], over=e.dst)
        model = nn.Model(network).trace(data)
        for name, says in (("e", r"g\['a', 'to', 'b'\].edge_type.with_count\(3\) has more"),
                           ("k", r": g\['a'\].kind.with_count\(3\) has more")):
            self.check(lambda: model.set_weights({name: np.ones((3, 2))}), says)


if __name__ == "__main__":
    unittest.main()
