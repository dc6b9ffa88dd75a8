"""vecc.nn: DGL's graphs, files of arrays and edges, SMILES."""

import importlib.util
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from vecc.nn.trace import GRAPHS, Domain


class DglGraph:
    """What DGL's graphs answer (DGL 2.4), of arrays."""

    def __init__(self, nodes, edges, sizes=None):
        self.ntypes, self.canonical_etypes = list(nodes), list(edges)
        self._nodes, self._edges, self._sizes = nodes, edges, sizes
        self.batch_size = len(next(iter(sizes.values()))) if sizes else 1
        self.nodes = {name: SimpleNamespace(data=data) for name, (_, data) in nodes.items()}

    def num_nodes(self, name):
        return self._nodes[name][0]

    def batch_num_nodes(self, name):
        return np.array(self._sizes[name])

    @property
    def edges(self):
        return _Edges(self._edges)


class _Edges:
    def __init__(self, edges):
        self._edges = edges

    def __call__(self, etype):
        return self._edges[etype][:2]

    def __getitem__(self, etype):
        return SimpleNamespace(data=self._edges[etype][2])


def plain(nodes=4, **data):
    rng = np.random.default_rng(nodes)
    around = np.arange(nodes)
    own = {"feat": rng.normal(size=(nodes, 3)).astype(np.float32), **data}
    return DglGraph({"_N": (nodes, own)}, {("_N", "_E", "_N"): (
        around, (around + 1) % nodes, {"w": np.ones(nodes, np.float32)})})


class DglTest(unittest.TestCase):
    def test_one_graph(self):
        source = plain(label=np.array([0, 1, 1, 0]), train_mask=np.array([1, 1, 0, 0], bool),
                       test_mask=np.array([0, 0, 1, 1], bool))
        data = nn.as_data(source)
        self.assertEqual(data.counts[Domain("node", "node")], 4)
        self.assertEqual(set(data.features[Domain("edge", ("node", "to", "node"))]), {"w"})
        self.assertEqual(data.splits.tolist(), [1, 1, 3, 3])
        model = nn.Model(lambda g: nn.linear(nn.layers.sage(g, g.feat, 8), 2))
        self.assertEqual(model.fit(source, epochs=2).epochs, 2)
        self.assertEqual(model.evaluate(source, split="test")["samples"], 2)

    def test_masks_without_labels(self):
        train = np.array([1, 1, 0, 0], bool)
        masks = {"train_mask": train, "test_mask": ~train}
        self.assertEqual(nn.as_data(plain(**masks)).labels([0, 1, 1, 0]).splits.tolist(),
                         [1, 1, 3, 3])
        self.assertIsNone(nn.as_data([(plain(**masks), 1)] * 2).splits)  # of nodes

    def test_sets_of_graphs_with_labels(self):
        pairs = [(plain(nodes), np.array(nodes % 2)) for nodes in range(3, 7)]
        data = nn.as_data(pairs)
        self.assertEqual((data.counts[GRAPHS], data.targets.tolist()), (4, [1, 0, 1, 0]))
        model = nn.Model(lambda g: nn.linear(nn.mean(g.feat, over=g.graph), 2))
        found = model.trace(pairs)(pairs)
        joined = DglGraph({"_N": (18, {"feat": np.concatenate(
            [pair[0].nodes["_N"].data["feat"] for pair in pairs])})}, {}, {"_N": [3, 4, 5, 6]})
        np.testing.assert_allclose(model(joined), found, atol=1e-6)

    def test_typed_sets(self):
        source = DglGraph(
            {"author": (2, {"x": np.ones((2, 5))}), "paper": (3, {"label": np.array([0, 1, 0])})},
            {("author", "writes", "paper"): (np.array([0, 1, 1]), np.array([0, 1, 2]), {})})
        data = nn.as_data(source)
        self.assertEqual(data.targets.tolist(), [0, 1, 0])
        model = nn.Model(lambda g: nn.linear(nn.sum(
            g["author"].x[g["author", "writes", "paper"].src],
            over=g["author", "writes", "paper"].dst), 2))
        self.assertEqual(model.fit(source, epochs=1).epochs, 1)
        source.nodes["author"].data["label"] = np.array([0, 1])
        with self.assertRaisesRegex(vecc.Error, "several sets of nodes have labels"):
            nn.as_data(source)


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def npz(self, **arrays):
        np.savez(self.folder / "a.npz", **arrays)
        return nn.from_npz(self.folder / "a.npz")

    def edges(self, text, **options):
        (self.folder / "a.txt").write_text(text)
        return nn.from_edge_list(self.folder / "a.txt", **options)

    def ends(self, data):
        return [end.tolist() for end in data.ends["node", "to", "node"]]

    def test_npz(self):
        data = self.npz(edge_index=np.array([[0, 1], [1, 2]]), x=np.ones((3, 4)),
                        edge_attr=np.zeros((2, 5)), y=np.array([0, 1, 0]),
                        train_mask=np.array([True, False, True]), depth=np.array([0, 1, 2]))
        self.assertEqual(self.ends(data), [[0, 1], [1, 2]])
        self.assertEqual(set(data.features[Domain("node", "node")]), {"x", "depth"})
        self.assertEqual(data.splits.tolist(), [1, 0, 1])

    def test_npz_of_compressed_rows(self):
        data = self.npz(adj_data=np.ones(3), adj_indices=np.array([1, 2, 0]),
                        adj_indptr=np.array([0, 2, 2, 3]), adj_shape=np.array([3, 3]),
                        attr_data=np.array([5.0, 6.0]), attr_indices=np.array([1, 0]),
                        attr_indptr=np.array([0, 1, 1, 2]), attr_shape=np.array([3, 2]),
                        labels=np.array([0, 1, 1]), idx_train=np.array([0]),
                        idx_test=np.array([1, 2]))
        self.assertEqual(self.ends(data), [[0, 0, 2], [1, 2, 0]])
        x = data.features[Domain("node", "node")]["x"].values
        np.testing.assert_array_equal(x, [[0, 5], [0, 0], [6, 0]])
        self.assertEqual(data.splits.tolist(), [1, 3, 3])

    def test_npz_that_does_not_fit(self):
        for arrays, message in (
                ({"x": np.ones(3)}, "has no edges: .* there are: x"),
                ({"edge_index": np.ones((3, 2))}, "expected .2, n. whole numbers"),
                ({"edge_index": np.array([[0], [1]]), "x": np.ones((2, 1)), "z": np.ones(7)},
                 "z has 7 rows: there are 2 nodes and 1 edges"),
                ({"edge_index": np.array([[0], [5]]), "x": np.ones((2, 1))}, "expected 0 to 1"),
                ({"adj_data": np.ones(2), "adj_indices": np.array([0]), "adj_shape": np.array(
                    [2, 2]), "adj_indptr": np.array([0, 2, 2])}, "does not fit"),
                ({"edge_index": np.array([[None]], object)}, "no .npz of plain arrays")):
            with self.subTest(message), self.assertRaisesRegex(vecc.Error, message):
                self.npz(**arrays)

    def test_edge_lists(self):
        data = self.edges("# a graph\n0 1\n\n2\t0\n% more\n1, 1\n")
        self.assertEqual(self.ends(data), [[0, 2, 1], [1, 0, 1]])
        data = self.edges("0 1 0.5\n1 1 2\n", directed=False, y=np.array([0, 1, 1]))
        self.assertEqual(self.ends(data), [[0, 1, 1], [1, 1, 0]])
        weights = data.features[Domain("edge", ("node", "to", "node"))]["weight"].values
        self.assertEqual(weights.tolist(), [0.5, 2, 0.5])
        self.assertEqual(data.counts[Domain("node", "node")], 3)

    def test_edge_lists_that_do_not_fit(self):
        for text, message in (("0 1\n1 2 3\n", r"a.txt:2: error: has 3 columns, expected 2"),
                              ("0\n", "1: error: has 1 columns, expected 2 or 3"),
                              ("0 -1\n", "nodes are whole numbers"),
                              ("a b\n", "nodes are whole numbers"),
                              ("0 1 heavy\n", "'heavy' is no number")):
            with self.subTest(text), self.assertRaisesRegex(vecc.Error, message):
                self.edges(text)


class SmilesTest(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("rdkit"), "RDKit is not installed")
    def test_molecules(self):
        data = nn.from_smiles(["CCO", "c1ccccc1", "[Na+].[Cl-]", "C"], np.array([0, 1, 0, 1]))
        self.assertEqual(data.counts[GRAPHS], 4)
        atoms = data.features[Domain("node", "node")]
        self.assertEqual(atoms["atomic_number"].values[:3].tolist(), [6, 6, 8])
        self.assertEqual(atoms["aromatic"].values[3:9].tolist(), [1] * 6)
        self.assertEqual(atoms["charge"].values[9:11].tolist(), [9, 7])
        self.assertEqual(atoms["atomic_number"].kinds, 119)
        self.assertEqual(len(data.ends["node", "to", "node"][0]), 2 * (2 + 6))
        model = nn.Model(lambda g: nn.linear(nn.mean(nn.relu(nn.embedding(
            g.atomic_number, 8)), over=g.graph), 2))
        model.fit(data, epochs=2)
        self.assertEqual(model(nn.from_smiles(["BrI"])).shape, (1, 2))  # new elements
        with self.assertRaisesRegex(vecc.Error, "molecule 1: .* no SMILES"):
            nn.from_smiles(["C", "C1"])

    @unittest.skipIf(importlib.util.find_spec("rdkit"), "RDKit is installed")
    def test_without_rdkit(self):
        with self.assertRaisesRegex(vecc.Error, "pip install rdkit"):
            nn.from_smiles(["C"])


if __name__ == "__main__":
    unittest.main()
