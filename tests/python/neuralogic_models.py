"""Models and data sets of PyNeuraLogic for the tests of vecc.neuralogic."""

import tempfile
import unittest
from pathlib import Path

import jpype
import numpy as np
from neuralogic.core import Aggregation, Model, R, Settings, Transformation, V
from neuralogic.dataset import Dataset

import vecc.neuralogic as vn

FEATURES = ((0.5, -0.2, 0.9), (0.1, 0.7, -0.4), (-0.3, 0.2, 0.6), (0.8, -0.6, 0.3),
            (-0.1, 0.4, -0.9))
EXACT = {"dtype": "f64", "backend": "interpreter"}
RAW = {"chain_pruning": False, "iso_value_compression": False}


def rules(output=Transformation.IDENTITY, size=1):
    layer = R.h(V.X)[3, 3] <= (R.a(V.X), R.e(V.X, V.Y), R.a(V.Y)[3, 3])
    return [layer | [Transformation.TANH, Aggregation.AVG], R.h / 1 | [Transformation.TANH],
            R.q[size, 3] <= R.h(V.X), R.q / 0 | [output]]


def samples(count=5, size=1):
    out = Dataset()
    for i in range(count):
        facts = [R.a(n)[list(FEATURES[(i + n) % 5])] for n in range(3)]
        target = float(i % 2) if size == 1 else [float(i % size == k) for k in range(size)]
        out.add(R.q[target], facts + [R.e(0, 1), R.e(1, 2), R.e(2, i % 2)])
    return out


def build(output=Transformation.IDENTITY, size=1, batch_size=1, learnable_facts=False, **settings):
    model = Model()
    model += rules(output, size)
    model.build(Settings(**settings))
    return model, model.build_dataset(samples(size=size), batch_size=batch_size,
                                      learnable_facts=learnable_facts)


def build_ancestors(batch_size=1, **settings):
    """Examples with several queries, whose networks are one; one of them needs no recursion."""
    model = Model()
    model += [(R.anc(V.X, V.Y) <= R.par(V.X, V.Y)["base":1,]) | [Transformation.TANH],
              (R.anc(V.X, V.Y) <= (R.par(V.X, V.Z)["step":1,], R.anc(V.Z, V.Y)["rec":1,]))
              | [Transformation.TANH]]
    model.build(Settings(**settings))
    dataset = Dataset()
    for queries in ([R.anc("a", "d")[0.9]], [R.anc("a", "d")[0.9], R.anc("b", "f")[0.2]]):
        dataset.add(queries, [R.par(*pair) for pair in ("ab", "bc", "cd", "bf")])
    return model, model.build_dataset(dataset, batch_size=batch_size)


def weights_of(model, built=()):
    """Flat, by name."""
    state = model.state_dict()
    out = {state["weight_names"][index]: value for index, value in state["weights"].items()}
    if built:
        out.update(built.state_dict()["weights"])
    return {name: np.ravel(value) for name, value in out.items()}


def largest_change(after, before):
    return max(np.abs(after[name] - before[name]).max() for name in after)


def quiet_java():
    nothing = jpype.JClass("java.io.OutputStream").nullOutputStream()
    jpype.java.lang.System.setOut(jpype.java.io.PrintStream(nothing))
    jpype.java.util.logging.LogManager.getLogManager().reset()


class NeuraLogicTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Model()
        quiet_java()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_same(self, ours, theirs, tolerance=1e-9):
        self.assertEqual(set(ours), set(theirs))
        for name, values in ours.items():
            np.testing.assert_allclose(values, theirs[name], rtol=0, atol=tolerance)

    def assert_unchanged(self, model, before):
        self.assert_same(weights_of(model), before, 0)

    def assert_predicts_the_same(self, model, built):
        np.testing.assert_allclose(model.test(built), vn.evaluate(model, built, **EXACT), rtol=0,
                                   atol=1e-9)
