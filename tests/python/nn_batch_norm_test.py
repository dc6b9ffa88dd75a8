"""vecc.nn: batch norm in training on parts of a set of graphs, beside PyTorch Geometric's loop."""

import os
import tempfile
import unittest

import numpy as np
import torch
import torch.nn.functional as functional
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import BatchNorm, GINEConv, global_mean_pool

from command_line import VECC  # noqa: F401  takes the arguments
from nn_peer_training import train

import vecc
from vecc import nn

WIDTH = 5


def graphs(count=20, seed=0, least=3):
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(count):
        nodes = int(rng.integers(least, least + 5))
        edges = int(rng.integers(2, 3 * nodes))
        result.append(Data(x=torch.tensor(rng.normal(size=(nodes, 4))),
                           edge_index=torch.tensor(rng.integers(0, nodes, (2, edges))),
                           edge_attr=torch.tensor(rng.normal(size=(edges, 4))),
                           y=torch.tensor([int(rng.integers(0, 3))])))
    return result


class Peer(torch.nn.Module):
    """Batch norms of nodes, of edges and of graphs."""

    def __init__(self):
        super().__init__()
        self.norm_e = BatchNorm(4)
        self.conv = GINEConv(torch.nn.Sequential(torch.nn.Linear(4, WIDTH), torch.nn.ReLU(),
                                                 torch.nn.Linear(WIDTH, WIDTH)))
        self.norm = BatchNorm(WIDTH, momentum=0.3)
        self.norm_g = BatchNorm(WIDTH, affine=False)
        self.last = torch.nn.Linear(WIDTH, 3)

    def forward(self, data):
        h = self.conv(data.x, data.edge_index, self.norm_e(data.edge_attr))
        h = torch.relu(self.norm(h))
        return self.last(self.norm_g(global_mean_pool(h, data.batch)))


def ported(g):
    e = nn.batch_norm(g.edge_attr, name="norm_e")
    h = nn.layers.gine(g, g.x, lambda x: nn.layers.mlp(x, WIDTH, WIDTH), e, name="conv")
    h = nn.relu(nn.batch_norm(h, momentum=0.3, name="norm"))
    h = nn.batch_norm(nn.mean(h, over=g.graph), affine=False, name="norm_g")
    return nn.linear(h, 3, bias=True, name="last")


def peer(seed=0):
    torch.manual_seed(seed)
    made = Peer().double()
    for parameter in (*made.norm.parameters(), *made.norm_e.parameters()):
        torch.nn.init.normal_(parameter)
    return made


FIT = {"epochs": 4, "lr": 0.05, "optimizer": "sgd", "momentum": 0.9, "shuffle": False}


class BatchNormTest(unittest.TestCase):
    def model(self, module, **options):
        model = nn.Model(ported, dtype="f64", **options).trace(graphs())
        model.set_weights(module)
        return model

    def assert_same(self, model, module, data):
        for name, value in module.state_dict().items():
            if not name.endswith(("num_batches_tracked", "eps")):
                own = name.replace(".", "/").replace("/module/", "/")
                np.testing.assert_allclose(model.weights[own].ravel(), value.ravel(), rtol=1e-10,
                                           atol=1e-10, err_msg=name)
        module.eval()
        expected = torch.cat([module(batch) for batch in DataLoader(data, batch_size=3)])
        np.testing.assert_allclose(model(data), expected.detach(), atol=1e-10)

    def test_batches(self):
        """Statistics are those of each batch, also of the last, smaller one."""
        data = graphs()
        has_cuda = "VECC_CUDA_DRIVER" in os.environ  # tests/cuda/emulator
        devices = [({"backend": "cuda"}, {"batch_size": 6})] if has_cuda else []
        for options, fit in (*devices, ({"backend": "cpu"}, {"batch_size": 6}),
                             ({"backend": "cpu", "opt": 0}, {"batch_size": 7}),
                             ({"backend": "cpu", "threads": 2}, {"batch_size": 6, "batch": "mask"}),
                             ({"backend": "interpreter"}, {"batch_size": 7}),
                             ({"backend": "torch"}, {"batch_size": 6})):
            with self.subTest(**options, **fit):
                module = peer()
                model = self.model(module, **options)
                losses = train(module, data, 4, fit["batch_size"], 0.05, 0.9)
                result = model.fit(data, **FIT, **fit)
                np.testing.assert_allclose([e["loss"] for e in result.history], losses,
                                           rtol=1e-10)
                self.assert_same(model, module, data)

    def test_all_at_once(self):
        data, module = graphs(), peer(1)
        for backend in ("cpu", "interpreter"):
            module = peer(1)
            model = self.model(module, backend=backend)
            losses = train(module, data, 4, len(data), 0.05, 0.9)
            result = model.fit(data, **FIT)
            np.testing.assert_allclose([e["loss"] for e in result.history], losses, rtol=1e-10)
            self.assert_same(model, module, data)

    def test_masks(self):
        """Graphs to validate and to test with have no part in statistics."""
        data = graphs(24, seed=3)
        split = np.arange(24) % 3
        training = [each for each, part in zip(data, split) if part == 0]
        rest = [each for each, part in zip(data, split) if part == 1]
        whole = nn.as_data(data)
        marked = whole.labels(whole.targets, train=split == 0, validation=split == 1,
                              test=split == 2)
        for backend in ("cpu", "interpreter"):
            for batch_size in (3, "all"):
                with self.subTest(backend=backend, batch_size=batch_size):
                    module = peer(2)
                    model = self.model(module, backend=backend)
                    losses = train(module, training, 4, 8 if batch_size == "all" else 3, 0.05, 0.9)
                    result = model.fit(marked, batch_size=batch_size, **FIT)
                    np.testing.assert_allclose([e["loss"] for e in result.history], losses,
                                               rtol=1e-10)
                    self.assert_same(model, module, data)
                    batch = next(iter(DataLoader(rest, batch_size=8)))
                    loss = functional.cross_entropy(module(batch), batch.y)
                    self.assertAlmostEqual(result.history[-1]["validation_loss"], loss.item(), 10)

    def test_a_part_validates(self):
        """fit(validate=) draws the graphs; what it leaves out does not count."""
        data = graphs(10, seed=5)
        def trained(parts, **options):
            model = nn.Model(ported, dtype="f64", seed=1)
            return model, model.fit(parts, epochs=2, lr=0.01, batch_size=4, **options)
        model, result = trained(data, validate=0.2, seed=1)
        self.assertIn("validation_loss", result.history[-1])
        self.assertTrue(np.isfinite(result.history[-1]["validation_loss"]))
        other = [each.clone() for each in data]
        changed = 0
        for each in other:  # a graph that is not trained on may be anything
            kept = each.x.clone()
            each.x *= 100
            again, _ = trained(other, validate=0.2, seed=1)
            if all(np.array_equal(again.weights[name], value)
                   for name, value in model.weights.items()):
                changed += 1
            each.x = kept
        self.assertEqual(changed, 2)

    def test_a_training_is_repeated_and_resumed(self):
        data = graphs(21, seed=6)
        def trained(epochs, threads=1, dtype="f64", **options):
            model = nn.Model(ported, dtype=dtype, seed=4, threads=threads)
            model.fit(data, epochs=epochs, lr=0.01, batch_size=4, seed=2, **options)
            return model.weights
        with self.assertRaisesRegex(vecc.Error, "leaves 1 for the last batch"):
            trained(1)
        data = data[:20]
        once = trained(6)
        for name, value in trained(6, threads=2).items():
            np.testing.assert_array_equal(value, once[name], err_msg=name)
        with tempfile.TemporaryDirectory() as folder:
            trained(3, checkpoint=folder)
            for name, value in trained(6, checkpoint=folder, resume=True).items():
                np.testing.assert_array_equal(value, once[name], err_msg=name)

    def test_seeds(self):
        found = nn.Model(ported, seed=4).fit_seeds(graphs(), range(3), epochs=2, batch_size=5)
        self.assertTrue(np.isfinite(found["loss"]).all())

    def test_a_program_trains_so(self):
        data, module = graphs(), peer()
        model = self.model(module)
        program = model.program(data)
        before = program()
        np.testing.assert_allclose(before, model(data), atol=1e-12)
        losses = train(module, data, 4, 6, 0.05, 0.9)
        result = program.train(batch_size=6, loss="softentropy", **FIT)
        np.testing.assert_allclose([each["loss"] for each in result.history], losses, rtol=1e-10)
        model.set_weights({name: program.weights[name] for name in model.weights})
        self.assert_same(model, module, data)
        with self.assertRaises(vecc.Error):  # a batch of one graph
            model.program(data).train(batch_size=19, epochs=1, loss="softentropy")

    def test_layers(self):
        """Of several layers, with self loops too, in training: the cpu's kernels and the interpreter
        of the Program without the optimizer."""
        layers = nn.layers
        def network(conv):
            def model(g):
                h = nn.tanh(nn.batch_norm(conv(g, nn.linear(g.x, 4))))
                return nn.linear(nn.mean(h, over=g.graph), 3)
            return model
        for name, conv in (("gcn", lambda g, h: layers.gcn(g, h, 4)),
                           ("gatv2", lambda g, h: layers.gatv2(g, h, 4)),
                           ("sage", lambda g, h: layers.sage(g, h, 4, "max")),
                           ("gin", lambda g, h: layers.gin(g, h, lambda v: layers.mlp(v, 4, 4))),
                           ("transformer", lambda g, h: layers.transformer(g, h, 4)),
                           ("gen", lambda g, h: layers.gen(g, h, 4, lambda v: layers.mlp(v, 8, 4)))):
            found = []
            for options in ({"backend": "cpu"}, {"backend": "cpu", "opt": 0},
                            {"backend": "interpreter", "opt": 0}):
                model = nn.Model(network(conv), dtype="f64", seed=3, **options)
                result = model.fit(graphs(), epochs=3, batch_size=6, lr=0.05, optimizer="sgd")
                found.append([each["loss"] for each in result.history])
            np.testing.assert_allclose(found[0], found[2], rtol=1e-9, err_msg=name)
            np.testing.assert_allclose(found[1], found[2], rtol=1e-9, err_msg=name)

    def test_what_is_refused(self):
        def nodes(g):
            return nn.linear(nn.batch_norm(g.x), 3)
        parts = [Data(x=each.x, edge_index=each.edge_index, y=torch.zeros(len(each.x), dtype=int))
                 for each in graphs()]
        for options, message in (({"validate": 0.2}, "outputs are no graphs"),
                                 ({"batch_size": 9}, "its samples are no graphs: expected all")):
            with self.assertRaisesRegex(vecc.Error, message):
                nn.Model(nodes).fit(parts, epochs=1, **options)
        whole = nn.as_data(graphs())
        marked = whole.labels(whole.targets, train=np.arange(20) < 10, test=np.arange(20) > 12)
        with self.assertRaisesRegex(vecc.Error, "no mask marks 3 of the 20 graphs"):
            nn.Model(ported).fit(marked, epochs=1)
        for size, message in ((1, "leaves 1 for the last"), (19, "fewer than two graphs")):
            with self.assertRaisesRegex(vecc.Error, message):
                nn.Model(ported).fit(graphs(), epochs=1, batch_size=size)
        def one_node(g):
            return nn.linear(nn.mean(nn.batch_norm(g.x), over=g.graph), 3)
        nn.Model(one_node).fit(graphs(), epochs=1, batch_size=19)  # of three nodes or more
        with self.assertRaisesRegex(vecc.Error, "fewer than two nodes of node"):
            nn.Model(one_node).fit(graphs(least=1), epochs=1, batch_size=1)


if __name__ == "__main__":
    unittest.main()
