"""vecc-import graph of an .npz beside vecc.nn on the same file: the same model, samples, splits.

import_graph_test.py VECC DATASETS
"""

import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC  # takes the arguments

import vecc
from vecc import nn

VECC_IMPORT = Path(VECC).with_name("vecc-import")
NODES = 30


def network(g):
    """gcn-norm of dim 4 and two layers, as docs/architectures.md has it."""
    h = nn.relu(nn.layers.gcn(g, g.x, 4, name="conv1"))
    return nn.linear(nn.layers.gcn(g, h, 4, name="conv2"), 3, name="predict")


class ImportGraphTest(unittest.TestCase):
    def test_is_the_same_model(self):
        rng = np.random.default_rng(0)
        ends = np.unique(rng.integers(0, NODES, (2, 80)), axis=1)
        y = rng.integers(0, 3, NODES)
        y[4] = -1
        part = rng.integers(0, 4, NODES)
        with tempfile.TemporaryDirectory() as folder:
            file, graph = Path(folder) / "g.npz", Path(folder) / "g.pb"
            np.savez_compressed(file, edge_index=ends, x=rng.normal(size=(NODES, 5)), y=y,
                                train_mask=part == 1, val_mask=part == 2, test_mask=part == 3)
            subprocess.run([VECC_IMPORT, "graph", file, "--model=gcn-norm", "--dim=4", "--quiet",
                            "--features=attributes", "--output-function=identity", "-o", graph],
                           check=True)
            imported, data = vecc.load(graph), nn.from_npz(file)
        model = nn.Model(network, dtype="f64", backend="interpreter").trace(data)
        own = imported.weights
        model.set_weights({"conv1/lin/weight": own["h1.W"], "conv1/bias": own["h1.b"],
                           "conv2/lin/weight": own["h2.W"], "conv2/bias": own["h2.b"],
                           "predict/weight": own["predict.W"]})
        program = imported.compile(backend="interpreter", dtype="f64")
        np.testing.assert_allclose(program(), model(data), atol=1e-12)
        for split in ("train", "validation", "test", "all"):
            found = program.evaluate(split=split, loss="softentropy")
            expected = model.evaluate(data, split=split)
            self.assertEqual(found["samples"], expected["samples"], split)
            self.assertAlmostEqual(found["loss"], expected["loss"], places=10)
            self.assertEqual(found["accuracy"], expected["accuracy"])


if __name__ == "__main__":
    unittest.main()
