"""The tolerance, the readers of vecc's output, and what a wrong sample is called."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import paths  # noqa: F401
from compare import compare_gradients, largest_difference
from data_triples import load_triples
from graph_file import Samples
from odd_sets import odd_triples
from score_samples import Ids, check_samples, positives
from vecc_run import Run, read_gradients, read_outputs


class Difference(unittest.TestCase):
    def test_relative_above_one_absolute_below(self):
        self.assertAlmostEqual(largest_difference([0.1], [0.2])[0], 0.1)
        self.assertAlmostEqual(largest_difference([110.0], [100.0])[0], 0.1)
        self.assertEqual(largest_difference([1, 2.0, 5], [1, 4.0, 5]), (0.5, (1,)))

    def test_special_values_in_the_same_places(self):
        self.assertEqual(largest_difference([np.nan, np.inf], [np.nan, np.inf])[0], 0)
        for a, b in ((np.nan, 1), (1, np.nan), (np.inf, -np.inf), (np.inf, 1), (1, np.inf)):
            self.assertEqual(largest_difference([a], [b])[0], np.inf)

    def test_shapes(self):
        self.assertEqual(largest_difference([1.0], [1.0, 2.0])[0], np.inf)
        self.assertEqual(largest_difference([], [])[0], 0)

    def test_gradients_by_table(self):
        self.assertEqual(compare_gradients({"a": [1.0]}, {"a": [1.5]}),
                         (0.5 / 1.5, "gradient of a[0]"))
        self.assertEqual(compare_gradients({"a": [1.0]}, {})[0], np.inf)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "file"
        self.addCleanup(self.folder.cleanup)

    def test_outputs(self):
        self.path.write_text('{"outputs": [{"sample": "a", "value": [0.1, "NaN"], "shape": [2, 1]},'
                             '{"sample": "b", "value": [1e-300, "-Infinity"], "shape": [2, 1]}]}')
        ids, values, shapes = read_outputs(self.path)
        self.assertEqual((ids, shapes), (["a", "b"], {(2, 1)}))
        np.testing.assert_array_equal(values, [[0.1, np.nan], [1e-300, -np.inf]])

    def test_gradients(self):
        self.path.write_text("h1.W\t1\t3 4\nh1.W\t0\t1 2e-3\ns\t0\t5\n")
        found = read_gradients(self.path)
        np.testing.assert_array_equal(found["h1.W"], [[1, 2e-3], [3, 4]])
        np.testing.assert_array_equal(found["s"], [[5]])

    def test_run(self):
        self.assertEqual(str(Run.parse("torch:cuda:f32")), "torch:cuda:f32")
        self.assertEqual(str(Run.parse("reference")), "reference:cpu:f64")


class ScoreSamples(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            odd_triples(Path(folder))
            self.data = load_triples(folder)

    def check(self, *ids):
        samples = Samples(ids=list(ids), targets=[None] * len(ids), splits=["test"] * len(ids),
                          groups=[i // 2 for i in range(len(ids))],
                          roles=["positive", "negative"] * (len(ids) // 2))
        triples = []
        rows = positives(self.data, "test", 0)
        return check_samples(self.data, samples, rows, 1, False, triples), triples

    RIGHT = ('score(late,"s(x, y)",a)', 'score(late,"s(x, y)","c, d")', "score(b,t,late)",
             'score("e)",t,late)')

    def test_right(self):
        problems, triples = self.check(*self.RIGHT)
        self.assertEqual(problems, [])
        self.assertEqual(triples, [(5, 1, 0), (5, 1, 2), (1, 2, 5), (3, 2, 5)])

    def test_wrong(self):
        for at, text in ((0, 'score(late,"s(x, y)",b)'),   # not the positive
                         (1, "score(late,r,a)"),           # another relation
                         (1, 'score(b,"s(x, y)",b)'),      # both ends replaced
                         (1, 'score(late,"s(x, y)",zz)'),  # no such entity
                         (1, 'score(late,"s(x, y)",c, d)'),    # a name that needs quotes
                         (3, "score(b,t,b)"),              # a triple of the data
                         (3, 'score("e)",t,late)~2')):     # the first of its triple
            ids = list(self.RIGHT)
            ids[at] = text
            self.assertEqual(len(self.check(*ids)[0]), 1, text)
        self.assertEqual(len(self.check(*self.RIGHT[:2])[0]), 1)

    def test_ids(self):
        ids = Ids(self.data)
        ids.entities = names = ["a", "", 'q"\\', "(", ",,"]
        ids.entity = {name: i for i, name in enumerate(names)}
        for head in range(len(names)):
            for tail in range(len(names)):
                triple = (head, 1, tail)
                self.assertEqual(ids.triple_of(ids.id_of(triple)), triple)
                self.assertEqual(ids.triple_of(ids.id_of(triple, 3)), triple)
        for text in ("", "score(", 'score("', "score(a", "score(a,r", "score(a,r,b",
                     'score("a,r,b)'):
            self.assertIsNone(ids.triple_of(text))


if __name__ == "__main__":
    unittest.main()
