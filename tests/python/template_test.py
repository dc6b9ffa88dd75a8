"""Program.template, vecc.load_program: other graphs, nothing compiled."""

import os
import tempfile
import unittest

import numpy as np

from command_line import MUTAGENESIS, run

import vecc

MOLECULE = os.path.join(os.path.dirname(MUTAGENESIS), "molecule.pb")
XOR = os.path.join(os.path.dirname(MUTAGENESIS), "xor.pb")


class TemplateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = vecc.load(MUTAGENESIS)
        cls.molecule = vecc.load(MOLECULE)

    def program(self):
        return self.graph.compile(backend="cpu", dtype="f64")

    def test_another_graph(self):
        program = self.program()
        whole = dict(zip(program.sample_ids, program()))
        found = program(self.molecule)
        self.assertEqual(found.dtype, np.float64)
        np.testing.assert_allclose(found, [whole[i] for i in self.molecule.sample_ids],
                                   rtol=0, atol=1e-12)
        np.testing.assert_allclose(program(self.graph), program(), rtol=0, atol=1e-12)

    def test_several_at_once(self):
        model = self.program().template
        both = model([self.molecule, self.graph, self.molecule])
        self.assertEqual(len(both), 2 + self.graph.sample_count)
        np.testing.assert_array_equal(both[:1], model(self.molecule))
        np.testing.assert_array_equal(both[-1:], model(self.molecule))
        self.assertEqual(model.counts["interpreted"], 0)

    def test_weights_of_now(self):
        program = self.program()
        before = program(self.molecule)
        program.train(epochs=5, lr=0.05, loss="softentropy")
        whole = dict(zip(program.sample_ids, program()))
        after = program(self.molecule)
        self.assertNotEqual(before[0], after[0])
        np.testing.assert_allclose(after, [whole[i] for i in self.molecule.sample_ids],
                                   rtol=0, atol=1e-12)

    def test_predictions(self):
        program = self.program()
        own = program.predict(loss="softentropy")
        found = program.predict(self.molecule, loss="softentropy")
        at = own.sample_ids.index(found.sample_ids[0])
        self.assertEqual(found.classes, own.classes)
        np.testing.assert_allclose(found.values[0], own.values[at], rtol=0, atol=1e-12)

    def test_saved(self):
        program = self.program()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.vecc")
            program.save_program(path)
            model = vecc.load_program(path)
            np.testing.assert_array_equal(model(self.molecule), program(self.molecule))
            self.assertEqual(vecc.load_program(path, dtype="f32")(self.molecule).dtype, np.float32)
            self.assertEqual(model.weights.keys(), program.weights.keys())
            line = run("run", path, MOLECULE, "-q")[0].split("\t")
            self.assertEqual(float(line[1]), model(self.molecule)[0])

    def test_on_a_gpu(self):
        if "VECC_CUDA_DRIVER" not in os.environ:
            self.skipTest("needs tests/cuda/emulator")
        expected = self.program()(self.molecule)
        program = self.graph.compile(backend="cuda", dtype="f64")
        np.testing.assert_allclose(program(self.molecule), expected, rtol=0, atol=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.vecc")
            program.save_program(path)
            model = vecc.load_program(path, device="cuda")
            before = model.counts
            np.testing.assert_array_equal(model(self.molecule), program(self.molecule))
            self.assertEqual(model.counts, before)
            lines = run("run", path, MOLECULE, "--backend=cuda")[1]
            self.assertIn("cuda (a saved program)", lines)

    def test_what_does_not_fit(self):
        program = self.program()
        with self.assertRaisesRegex(vecc.Error, "is no group of the template"):
            program(vecc.load(XOR))
        with self.assertRaisesRegex(vecc.Error, "by the backends cpu and cuda"):
            self.graph.compile(backend="interpreter")(self.molecule)


if __name__ == "__main__":
    unittest.main()
