"""Program.evaluate and Program.predict: as the command line says."""

import json
import unittest

import numpy as np

from command_line import MUTAGENESIS, run

import vecc


class PredictTest(unittest.TestCase):
    def setUp(self):
        self.program = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")

    def check(self, loss):
        options = ["--backend=interpreter", "--dtype=f64"] + ([f"--loss={loss}"] if loss else [])
        expected = json.loads(run("evaluate", MUTAGENESIS, "--json", *options)[0])
        found = self.program.evaluate(loss=loss)
        self.assertEqual(found.pop("samples"), expected["samples"])
        self.assertEqual(found, expected["metrics"])
        return json.loads(run("predict", MUTAGENESIS, "--format=json", *options)[0])

    def test_logits_are_classes(self):
        expected = self.check("softentropy")
        found = self.program.predict(loss="softentropy")
        self.assertEqual(found.sample_ids, [each["sample"] for each in expected["predictions"]])
        self.assertEqual(found.classes, expected["classes"])
        self.assertEqual(found.names, [each["class"] for each in expected["predictions"]])
        self.assertRegex(repr(found), r"^<vecc.Predictions: \d+ samples, 2 classes, values \[\d+, 2\]>$")
        np.testing.assert_array_equal(
            found.values, [each["probabilities"] for each in expected["predictions"]])
        np.testing.assert_allclose(found.values.sum(1), 1)
        np.testing.assert_allclose(found.values[:, 1], 1 / (1 + np.exp(-self.program())))
        np.testing.assert_array_equal(found.predicted, self.program() > 0)

    def test_raw_outputs_are_numbers(self):
        expected = self.check(None)
        found = self.program.predict()
        self.assertIsNone(found.classes)
        self.assertIsNone(found.predicted)
        self.assertEqual(repr(found), f"<vecc.Predictions: {len(found.values)} samples, numbers, "
                         f"values [{len(found.values)}]>")
        np.testing.assert_array_equal(found.values, self.program())
        np.testing.assert_array_equal(found.values,
                                      [each["value"] for each in expected["predictions"]])
        with self.assertRaises(ValueError):
            _ = found.names

    def test_weights_of_now(self):
        before = self.program.evaluate(loss="softentropy")
        self.program.train(epochs=20, lr=0.05, loss="softentropy")
        after = self.program.evaluate(loss="softentropy")
        self.assertLess(after["loss"], before["loss"])
        self.assertGreaterEqual(after["accuracy"], before["accuracy"])

    def test_bad_words(self):
        with self.assertRaisesRegex(vecc.Error, "none of train, validation, test, all"):
            self.program.evaluate(split="tests")
        with self.assertRaisesRegex(vecc.Error, "marks no sample so"):
            self.program.predict(split="test")
        with self.assertRaisesRegex(vecc.Error, "none of squared_diff"):
            self.program.predict(loss="mse")


if __name__ == "__main__":
    unittest.main()
