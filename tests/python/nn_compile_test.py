"""vecc.nn: what is compiled and when; what notebooks show.

nn_compile_test.py VECC DATASETS
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

from vecc import nn

# Trains, does it again, with other weights, and runs on a larger graph; after each prints how often
# the compiler was called (but for --version).
RUN = """
import os
import numpy as np
from vecc import nn

def network(g):
    return nn.layers.gatv2(g, nn.relu(nn.layers.gcn(g, g.x, 8)), 3, heads=2)

def data(nodes):
    rng = np.random.default_rng(nodes)
    return nn.Data().nodes(x=rng.normal(size=(nodes, 4))).edges(
        rng.integers(0, nodes, (2, 3 * nodes))).labels(rng.integers(0, 3, nodes))

def count():
    print(sum("--version" not in line for line in open(os.environ["CALLS"])))

model, first = nn.Model(network, backend="cpu", threads=2), data(20)
model.program(first)(); model.fit(first, epochs=2); model(first); count()
model.program(first)(); model.fit(first, epochs=2); model(first); count()
other = nn.Model(network, backend="cpu", threads=2, seed=3)
other.fit(first, epochs=2); count()
model(data(31)); model.evaluate(data(50)); model.predict(data(51)); count()
"""


class CompileTest(unittest.TestCase):
    def test_twice_compiles_once(self):
        """By calls of the compiler, with an empty cache: none for the same model again, for other
        weights, or to run on graphs of other sizes."""
        with tempfile.TemporaryDirectory() as folder:
            compiler, calls = Path(folder) / "c++", Path(folder) / "calls"
            compiler.write_text(f'#!/bin/sh\necho "$@" >>"$CALLS"\nexec {shutil.which("c++")} "$@"\n')
            compiler.chmod(0o755)
            environment = {**os.environ, "VECC_CXX": str(compiler), "CALLS": str(calls),
                           "VECC_CACHE_DIR": str(Path(folder) / "cache")}
            done = subprocess.run([sys.executable, "-B", "-c", RUN], env=environment,
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = list(map(int, done.stdout.split()))
        self.assertGreater(counts[0], 0)
        self.assertEqual(counts, counts[:1] * 4)


class NotebookTest(unittest.TestCase):
    def test_data(self):
        data = nn.Data("a <b>").nodes(x=np.zeros((4, 2), np.float32)).edges(
            [0, 1], [1, 2], kind=[0, 2]).labels([0, 1, 1, 0], train=[0, 1], test=[2])
        text = data._repr_html_()
        for part in ("a &lt;b&gt;", "nodes of node", "x [2] float32", "kind: 3 categories",
                     "2 classes; train 2, validation 0, test 1"):
            self.assertIn(part, text)
        self.assertIn("4 nodes of node", repr(data))

    def test_models(self):
        data = nn.Data().nodes(x=np.zeros((4, 2)))

        def network(g):
            return nn.linear(nn.batch_norm(g.x), 3, name="<last>")
        model = nn.Model(network)
        self.assertEqual(model._repr_html_(), "&lt;vecc.nn.Model network: not traced&gt;")
        text = model.trace(data)._repr_html_()
        line = network.__code__.co_firstlineno + 1
        for part in ("&lt;last&gt;/weight", "[3, 2]", "batch_norm/running_mean (running)",
                     f"nn_compile_test.py:{line}"):
            self.assertIn(part, text)

    def test_views(self):
        seen = []
        data = nn.Data().nodes(x=np.zeros((4, 2))).edges([0], [1], a=[1.0])
        nn.Model(lambda g: seen.extend(map(repr, (g, g.nodes, g.edges, g.x, g.src))) or g.x).trace(data)
        self.assertEqual(seen[:4], [
            "<graph of nodes of node; edges of node to node>", "<nodes of node: x>",
            "<edges of node to node: a>", "<feature [2] on nodes of node>"])

    def test_docstrings(self):
        """Everything public has one; those of layers say shapes."""
        for name in nn.__all__:
            self.assertTrue(getattr(nn, name).__doc__, name)
        layers = "gcn sage gin gine gat transformer rgcn rgat hgt film gated_graph edge nn_conv " \
                 "appnp gen pna"
        for name in layers.split():
            self.assertRegex(getattr(nn.layers, name).__doc__, r"x \[n\].* \[", name)


if __name__ == "__main__":
    unittest.main()
