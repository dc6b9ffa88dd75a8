"""The loaders of original formats, and that a sub-set is a data set of the same format."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import paths  # noqa: F401
import odd_sets
from data_hgb import load_hgb
from data_rdf import load_rdf
from data_triples import load_triples
from data_tu import load_tu, node_features
from subset import make_subset


class Loaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def load(self, loader, name):
        odd_sets.MAKERS[name](self.folder)
        return loader(self.folder)

    def test_tu(self):
        data = self.load(load_tu, "odd_graphs")
        self.assertEqual((data.name, data.graphs, data.nodes, len(data.source)), ("odd", 7, 17, 13))
        self.assertEqual(list(zip(data.source[:3], data.target[:3])), [(0, 1), (1, 2), (5, 5)])
        np.testing.assert_array_equal(node_features(data, "auto")[:3],
                                      [[0, 1, 0], [1, 0, 0], [0, 0, 1]])
        np.testing.assert_array_equal(node_features(data, "degree")[:4], [[0], [1], [1], [0]])

    def test_tu_attributes(self):
        data = self.load(load_tu, "odd_classes")
        np.testing.assert_array_equal(node_features(data, "attributes")[1], [-0.75, -0.5, 2e-3])

    def test_triples(self):
        data = self.load(load_triples, "odd_triples")
        self.assertEqual(data.node_names, ["a", "b", "c, d", "e)", "žluť", "late"])
        self.assertEqual(data.relation_names, ["r", "s(x, y)", "t"])
        self.assertEqual(data.edge_split.count("train"), 9)  # one of ten is repeated
        source, relation, target, names = data.messages(inverse=True)
        self.assertEqual((len(source), names[3:]), (28, ["r^-1", "s(x, y)^-1", "t^-1"]))
        self.assertEqual((source[14], relation[14], target[14]), (0, 3, 0))
        self.assertEqual((source[15], relation[15], target[15]), (1, 3, 0))

    def test_rdf(self):
        data = self.load(load_rdf, "odd_rdf")
        self.assertEqual((data.nodes, len(data.source), len(data.relation_names)), (10, 12, 2))
        self.assertIn('"with a " quote, \\ and é"', data.node_names)  # spelled in two ways
        self.assertIn('"a literal"@en', data.node_names)
        self.assertEqual(data.label_names, ["one", "three", "two"])
        self.assertEqual(data.labels[3:], [(8, 1, "test"), (4, 2, "test")])

    def test_hgb(self):
        data = self.load(load_hgb, "odd_hgb")
        self.assertEqual((data.node_type.tolist(), len(data.source)), ([0, 0, 0, 1, 1, 2, 2], 10))
        self.assertEqual(data.node_names, list("0123456"))
        self.assertEqual((data.type_names, data.relation_names, data.label_names),
                         (["a paper", "b, c", "2", "none"], ["cites", "1", "2", "unused"],
                          ["0", "first", "2", "never"]))
        self.assertEqual({t: f.shape for t, f in data.features.items()}, {0: (3, 3), 1: (2, 2)})
        self.assertEqual(data.labels[:3], [(2, 1, "train"), (0, 0, "train"), (0, 2, "train")])


class Subsets(unittest.TestCase):
    def subset(self, kind, name, loader, size):
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "source", Path(folder) / "target"
            source.mkdir()
            odd_sets.MAKERS[name](source)
            make_subset(kind, source, target, size)
            return loader(source), loader(target)

    def test_graphs(self):
        whole, part = self.subset("tu", "odd_classes", load_tu, 2)
        self.assertEqual(part.graph_labels.tolist(), [10, 3])
        self.assertEqual((part.nodes, len(part.source)), (3, 2))
        np.testing.assert_array_equal(part.node_attributes[2], whole.node_attributes[5])

    def test_all_of_it(self):
        for kind, name, loader in (("tu", "odd_graphs", load_tu),
                                   ("kg", "odd_triples", load_triples),
                                   ("rdf", "odd_rdf", load_rdf)):
            whole, part = self.subset(kind, name, loader, 100)
            self.assertEqual((part.nodes, len(part.source)), (whole.nodes, len(whole.source)), name)

    def test_labelled_nodes_and_what_is_near(self):
        _, part = self.subset("hgb", "odd_hgb", load_hgb, 2)
        self.assertEqual(len({node for node, _, _ in part.labels}), 2)
        _, part = self.subset("rdf", "odd_rdf", load_rdf, 2)
        self.assertEqual([part.node_names[node] for node, _, _ in part.labels],
                         ["http://x.org/a", "http://x.org/e"])


if __name__ == "__main__":
    unittest.main()
