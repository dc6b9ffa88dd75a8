"""fold_accuracy.py, and vecc --train --folds against PyTorch Geometric's loop from the same initial weights: the losses
of every epoch and the out-of-fold predictions, on the shipped molecules.

    folds_test.py VECC VECC_IMPORT
"""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import paths
import torch
from data_tu import load_tu
from fold_accuracy import summarize
from fold_training import Folds, MoleculeSet, train_pyg, train_vecc
from graph_file import read_graph
from peer_places import copy_weights, molecule_places
from vecc_run import Tools, import_graph

MOLECULES = paths.ROOT / "datasets" / "molecules"
EPOCHS, RATE, DIM = 20, 0.01, 10
TOLERANCE = 1e-9  # both in f64: what is left is the order of sums


class SameWeights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = Tools(*TOOLS)
        cls.addClassCleanup(cls.tools.close)
        cls.data = load_tu(MOLECULES)

    def check(self, model):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graph.pb"
            import_graph(self.tools, "tu", MOLECULES, model, {"dim": str(DIM), "seed": "3"}, path)
            vecc = train_vecc(self.tools, path, folder, {
                "folds": 2, "epochs": EPOCHS, "lr": RATE, "backend": "interpreter", "dtype": "f64"})
            graph = read_graph(path)
        molecules = MoleculeSet(self.data, torch.float64)

        def network():
            result = molecules.network(model, DIM)
            copy_weights(graph, molecule_places(model, result))
            return result

        pyg = train_pyg(molecules, vecc.fold, network, RATE, EPOCHS)
        self.assertEqual(np.shape(vecc.losses), (2, EPOCHS))
        self.assertGreater(vecc.losses[0][0] - vecc.losses[0][-1], 0.01)  # it learns
        np.testing.assert_allclose(vecc.losses, pyg.losses, rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(vecc.predictions, pyg.predictions, rtol=0, atol=TOLERANCE)

    def test_gcn(self):
        self.check("gcn")

    def test_gin(self):
        self.check("gin")


class Numbers(unittest.TestCase):
    def test_accuracies_of_one_output(self):
        folds = Folds(np.array([2, 1, 1, 2]), np.array([[0.6], [0.5], [0.2], [0.1]]), [])
        self.assertEqual(folds.accuracies(np.array([[1.0], [1.0], [0.0], [0.0]])), [0.5, 1.0])

    def test_accuracies_of_classes(self):
        folds = Folds(np.array([1, 1, 2]), np.array([[0.6, 0.7], [0.9, 0.8], [0.1, 0.2]]), [])
        self.assertEqual(folds.accuracies(np.array([[0, 1], [0, 1], [0, 1]])), [0.5, 1.0])

    def test_standard_errors(self):
        row = summarize("gcn", [([0.5, 1.0], [0.5, 0.5]), ([1.0, 0.5], [1.0, 1.0])])
        error = np.sqrt(0.25 / 3) / 2  # of four numbers, each 0.25 from their mean
        self.assertEqual((row["vecc"]["mean"], row["pyg"]["mean"], row["difference"]), (0.75, 0.75, 0))
        self.assertAlmostEqual(row["vecc"]["standard_error"], error)
        self.assertAlmostEqual(row["pyg"]["standard_error"], error)
        self.assertAlmostEqual(row["paired_standard_error"], np.sqrt(0.5 / 3) / 2)
        row = summarize("gcn", [([0.5, 1.0], [0.25, 0.75])])
        self.assertAlmostEqual(row["in_standard_errors"], 1)


if __name__ == "__main__":
    TOOLS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
