"""docs/models.md alone: the page's two models of molecules, PyTorch Geometric's and the ported one,
are made of its own text, trained side by side, evaluated, and predict new graphs."""

import re
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import BatchNorm, GINEConv, MessagePassing, global_add_pool, global_mean_pool

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


def of_page(words):
    """The page's blocks with these words, run, but for calls of a model."""
    names = {"nn": nn, "torch": torch, "F": functional, "MessagePassing": MessagePassing,
             "BatchNorm": BatchNorm, "GINEConv": GINEConv, "global_add_pool": global_add_pool,
             "global_mean_pool": global_mean_pool}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        if any(word in block for word in words):
            exec(compile(block.split("\nmodel = ")[0], "models.md", "exec"), names)
    return names


NAMES = of_page(("class Gated", "def gated"))


def graphs(count, seed):
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(count):
        nodes, edges = int(rng.integers(3, 8)), int(rng.integers(3, 12))
        z = torch.tensor(np.append(rng.integers(0, 5, nodes - 1), 4))
        attr = torch.tensor(rng.normal(size=(edges, 3)))
        result.append(Data(z=z, edge_index=torch.tensor(rng.integers(0, nodes, (2, edges))),
                           edge_attr=attr, y=(z.double().mean() + attr.sum() / 9).reshape(1),
                           num_nodes=nodes))
    return result


TRAIN, HELD_OUT, TEST = graphs(40, 0), graphs(12, 1), graphs(15, 2)


def outputs(module, parts):
    with torch.no_grad():
        return module.eval()(next(iter(DataLoader(parts, batch_size=len(parts)))))


def labels(parts):
    return torch.cat([part.y for part in parts])


class PortTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.peer = NAMES["MoleculePeer"]().double()
        self.model = nn.Model(NAMES["molecules"], dtype="f64").trace(TRAIN)
        self.model.set_weights(self.peer)

    def test_training(self):
        """Losses of every epoch, then weights, metrics and what new graphs get."""
        optimizer, losses, held_out = torch.optim.Adam(self.peer.parameters(), lr=0.01), [], []
        for _ in range(5):
            total = 0.0
            self.peer.train()
            for batch in DataLoader(TRAIN, batch_size=16):
                optimizer.zero_grad()
                loss = functional.mse_loss(self.peer(batch), batch.y)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(batch.y)
            losses.append(total / len(TRAIN))
            held_out.append(functional.mse_loss(outputs(self.peer, HELD_OUT), labels(HELD_OUT)))
        history = self.model.fit(TRAIN, epochs=5, lr=0.01, batch_size=16, shuffle=False,
                                 validate=HELD_OUT).history
        np.testing.assert_allclose([each["loss"] for each in history], losses, rtol=1e-8)
        np.testing.assert_allclose([each["validation_loss"] for each in history], held_out,
                                   rtol=1e-8)
        expected = outputs(self.peer, TEST)
        np.testing.assert_allclose(self.model.predict(TEST).values.ravel(), expected, rtol=1e-7)
        np.testing.assert_allclose(self.model.predict(TEST[0]).values.ravel(), expected[:1],
                                   rtol=1e-7)
        found = self.model.evaluate(TEST)
        self.assertEqual(found["samples"], 15)
        self.assertAlmostEqual(found["loss"],
                               functional.mse_loss(expected, labels(TEST)).item(), 6)
        self.assertAlmostEqual(found["mae"],
                               functional.l1_loss(expected, labels(TEST)).item(), 6)
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(folder + "/w.safetensors")
            again = nn.Model(NAMES["molecules"], dtype="f64").load(folder + "/w.safetensors", TRAIN)
            np.testing.assert_array_equal(again(TEST), self.model(TEST))

    def test_early_stop(self):
        result = self.model.fit(TRAIN, epochs=200, lr=0.02, batch_size=16, validate=HELD_OUT,
                                early_stop=3)
        self.assertLess(result.epochs, 200)
        self.assertLess(self.model.evaluate(HELD_OUT)["r2"], 1)

    def test_lists_to_validate_with(self):
        model = nn.Model(NAMES["molecules"])
        whole = nn.as_data(HELD_OUT)
        masked = nn.as_data(HELD_OUT).labels(train=np.arange(12))
        unlabelled = [Data(z=g.z, edge_index=g.edge_index, edge_attr=g.edge_attr,
                           num_nodes=g.num_nodes) for g in HELD_OUT]
        for source, validation, message in (
                (TRAIN, HELD_OUT[0], "beside a list of graphs, .* or a part of all"),
                (TRAIN[0], HELD_OUT, "of one graph val_mask says it"),
                (TRAIN, masked, "and without masks, which say as well what a graph is for"),
                (TRAIN, unlabelled, "some graphs have labels, some have none")):
            with self.assertRaisesRegex(vecc.Error, message):
                model.fit(source, epochs=1, validate=validation)
        with self.assertRaisesRegex(vecc.Error, "a part has 12 graphs, expected one each"):
            nn.batch([whole, whole])

    def test_words_of_pyg(self):
        for name, instead in (("edge_index", r"x\[g.src\]"), ("batch", "over=g.graph"),
                              ("num_nodes", r"nn.count\(g.graph\)"), ("y", "labels are no features")):
            with self.assertRaisesRegex(vecc.Error, rf"{__file__}:\d+: .*{instead}"):
                nn.Model(lambda g: nn.linear(getattr(g, name), 1)).trace(TRAIN)


if __name__ == "__main__":
    unittest.main()
