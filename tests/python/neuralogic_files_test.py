"""vecc.neuralogic: graphs and weights in files, and what is refused."""

import sys
import unittest

import jpype
import numpy as np
from neuralogic.core import Model, R
from neuralogic.dataset import Dataset, Sample

from neuralogic_models import EXACT, RAW, NeuraLogicTest, build, rules, samples, weights_of

import vecc
import vecc.neuralogic as vn

class FilesTest(NeuraLogicTest):
    def test_export(self):
        model, built = build()
        path = self.folder / "graph.pb"
        vn.export(model, built, path)
        small = path.stat().st_size
        graph = vecc.load(path)
        np.testing.assert_allclose(graph.evaluate(), model.test(built), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(graph.targets, [0, 1, 0, 1, 0])
        vn.export(model, built, path, names=True)
        self.assertGreater(path.stat().st_size, small)

    def test_weights_back(self):
        model, built = build(learnable_facts=True)
        graph, weights = self.folder / "graph.pb", self.folder / "w.safetensors"
        vn.export(model, built, graph)
        program = vecc.load(graph).compile(**EXACT)
        program.train(epochs=10, lr=0.1)
        program.save_weights(weights)
        vn.import_weights(model, built, weights)
        np.testing.assert_allclose(model.test(built), program(), rtol=0, atol=1e-9)

    def test_wrong_weights_change_nothing(self):
        model, built = build()
        before = weights_of(model)
        b = vecc.GraphBuilder()
        b.weights("w0", np.zeros((3, 2)))
        b.weights("more", np.zeros(2))
        b.samples(b.facts("x", np.zeros(1)))
        weights = self.folder / "w.safetensors"
        b.build().save_weights(weights)
        with self.assertRaises(vecc.Error) as raised:
            vn.import_weights(model, built, weights)
        self.assertEqual((raised.exception.code, raised.exception.exit_code), ("E027", 3))
        for text in ("nothing was changed", '"w1" is not in the file',
                     '"w0" has shape [1, 3, 2] in the file, expected [1, 3, 3]',
                     'tensor "more" is no weight table of the model'):
            self.assertIn(text, str(raised.exception))
        self.assert_unchanged(model, before)

    def test_short_weights_change_nothing(self):
        model, built = build()
        before, weights = weights_of(model), self.folder / "w.safetensors"
        with self.assertRaisesRegex(vecc.Error, "w.safetensors: cannot be read"):
            vn.import_weights(model, built, weights)
        graph = self.folder / "graph.pb"
        vn.export(model, built, graph)
        vecc.load(graph).save_weights(weights)
        weights.write_bytes(weights.read_bytes()[:-8])
        with self.assertRaisesRegex(vecc.Error, "ends beyond the file"):
            vn.import_weights(model, built, weights)
        self.assert_unchanged(model, before)


class BadCallsTest(NeuraLogicTest):
    def test_models_and_data_sets(self):
        model, built = build()
        other, _ = build()
        unbuilt = Model()
        unbuilt += rules()
        static = model.build_static_dataset(samples())
        queries = [R.other[1.0], R.more[1.0]]
        underivable = model.build_dataset(Dataset([Sample(queries, [R.a(0)[[1, 2, 3]]])]))
        path = self.folder / "graph.pb"
        for args, error, message in (
                ((unbuilt, built), vecc.Error, "model: error: is not built: model.build"),
                ((None, built), TypeError, "neuralogic.core.Model, not NoneType"),
                ((model, static), vecc.Error, "is a static graph"),
                ((model, [1]), TypeError, "or a list of built samples, not list"),
                ((model, []), vecc.Error, "no sample whose query follows"),
                ((model, underivable), vecc.Error, "no sample whose query follows"),
                ((other, built), vecc.Error, "weight w0, which is not of the given model")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                vn.export(*args, path)
            with self.subTest(message), self.assertRaisesRegex(error, message):
                vn.train(*args)
        self.assertFalse(path.exists())

    def test_unknown_functions(self):
        model, built = build(**RAW)
        network = built[0]._java_sample.query.evidence.allNeuronsTopologic
        atom = next(n for n in network if n.getClass().getSimpleName() == "WeightedAtomNeuron")
        functions = jpype.JPackage("cz").cvut.fel.ida.algebra.functions
        atom.getRawState().setFcnState(functions.aggregation.Maximum().getState(True))
        path = self.folder / "graph.pb"
        path.write_text("what was there")
        message = r"no graph of this network.*\n *transformation Maximum"
        with self.assertRaisesRegex(vecc.Error, message) as raised:
            vn.export(model, built, path)
        self.assertEqual((raised.exception.code, raised.exception.exit_code), ("E019", 3))
        self.assertEqual(path.read_text(), "what was there")

    def test_outputs_that_cannot_be_written(self):
        model, built = build()
        for path, message in ((self.folder / "none" / "graph.pb", "there is no folder"),
                              (self.folder, "is a folder"),
                              ("/proc/graph.pb", "cannot be written")):
            with self.subTest(message), self.assertRaisesRegex(vecc.Error, message) as raised:
                vn.export(model, built, path)
            self.assertEqual(raised.exception.code, "E051")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
