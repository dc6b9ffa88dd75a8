"""vecc.nn: where tables are (`place`, `gpu_memory`), on the CPU and on an emulated GPU."""

import os
import tempfile
import unittest
from contextlib import contextmanager

import numpy as np

from command_line import XOR  # takes the arguments, too

import vecc
from vecc import nn

NODES = 300


def data():
    rng = np.random.default_rng(0)
    papers = nn.Data().nodes("paper", x=rng.normal(size=(NODES, 8)).astype(np.float32))
    papers.edges(rng.integers(0, NODES, 900), rng.integers(0, NODES, 900),
                 type=("paper", "cites", "paper"), w=rng.normal(size=(900, 2)).astype(np.float32))
    return papers.labels(rng.integers(0, 3, NODES))


def network(g):
    papers = g["paper"]
    edges = g["paper", "cites", "paper"]
    h = nn.relu(nn.linear(papers.x, 6, name="a"))
    messages = h[edges.src] * nn.linear(edges.w, 6, name="b")
    return nn.linear(nn.sum(messages, over=edges.dst), 3, name="c")


def fitted(backend, fit, **options):
    model = nn.Model(network, backend=backend, dtype="f32", seed=3, **options)
    training = model.fit(data(), **{"epochs": 3, "seed": 5, **fit})
    return model.weights, [epoch["loss"] for epoch in training.history]


@contextmanager
def stderr_of_the_process():
    """A file that has what is written there."""
    with tempfile.TemporaryFile("w+") as said:
        before = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(before, 2)
            os.close(before)


class PlacesTest(unittest.TestCase):
    def assert_same(self, backend, fit, **options):
        weights, losses = fitted(backend, fit)
        with stderr_of_the_process() as said:
            placed, placed_losses = fitted(backend, fit, **options)
            said.seek(0)
            table_of_places = said.read()
        self.assertEqual(losses, placed_losses)
        for name in weights:
            np.testing.assert_array_equal(weights[name], placed[name], err_msg=name)
        return table_of_places

    def test_files_on_a_cpu(self):
        place = {"paper.x": "file", "paper cites paper.w": "file", "adam.m/a/weight": "file"}
        for fit in ({}, {"batch_size": 64, "fanout": [3]}):
            said = self.assert_same("cpu", fit, place=place)
            self.assertRegex(said, r"paper\.x .* file")

    def test_host_memory_of_a_gpu(self):
        for fit in ({}, {"batch_size": 64, "fanout": [3]}):
            said = self.assert_same("cuda", fit, place={"paper.x": "host", "a/weight": "host"})
            self.assertRegex(said, r"paper\.x .* host")

    def test_features_that_are_mostly_0(self):
        """Those that are placed are read as a table, by a training and by all that follows it."""
        rng = np.random.default_rng(4)
        x = np.where(rng.random((60, 64)) < 0.06, rng.normal(size=(60, 64)), 0).astype(np.float32)
        words = nn.Data().nodes(x=x).edges(np.arange(60), np.arange(60)[::-1].copy())
        words = words.labels(np.arange(60) % 3)

        def net(g):
            h = nn.relu(nn.linear(g.x, 8))
            return nn.linear(nn.sum(h[g.src], over=g.dst), 3)
        found = []
        for options in ({}, {"place": {"node.x": "file"}}):
            model = nn.Model(net, backend="cpu", dtype="f64", seed=1, **options)
            with stderr_of_the_process():
                for fit in ({}, {"batch_size": 16, "fanout": [2]}):
                    model.fit(words, epochs=2, seed=2, **fit)
                found.append(model(words))
                model.evaluate(words)
        np.testing.assert_allclose(found[0], found[1], rtol=1e-9)

    def test_what_does_not_fit_goes_to_the_host(self):
        with self.assertRaisesRegex(vecc.Error, "E063"):
            fitted("cuda", {}, gpu_memory=1000)
        for limit in ("120K", 120 * 1024):
            self.assertRegex(self.assert_same("cuda", {}, gpu_memory=limit), r"paper\.x .* host")

    def test_what_is_refused(self):
        program = nn.Model(network, backend="cpu")
        for options, says in (
                ({"place": {"x": "file"}}, '"a/weight", .*"paper cites paper.w", "paper.x"'),
                ({"place": {"paper.x": "disk"}}, "disk"),
                ({"place": {"paper.x": "device"}},
                 'place={"TABLE": "device"} is not of backend="cpu"'),
                ({"place": ["paper.x"]}, "place: .*by the name of each table"),
                ({"place": {"paper.x": 1}}, "place: .*by the name of each table"),
                ({"gpu_memory": "8G"}, 'gpu_memory needs backend="cuda"'),
                ({"place_folder": "/tmp"}, r'place_folder needs place={"TABLE": "file"} \[E050')):
            with self.subTest(options), self.assertRaisesRegex(vecc.Error, says):
                nn.Model(network, backend="cpu", **options).fit(data(), epochs=1)
        self.assertEqual(program(data()).shape, (NODES, 3))

    def test_tables_of_a_graph(self):
        graph = vecc.load(XOR)
        with stderr_of_the_process():
            placed = graph.compile(backend="cpu", place={name: "file" for name in graph.weights})
        np.testing.assert_array_equal(graph.compile(backend="cpu")(), placed())


if __name__ == "__main__":
    unittest.main()
