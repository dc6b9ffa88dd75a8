"""Training in vecc against NeuraLogic's own, and weights back into a model of PyNeuraLogic.

    py_model_test.py BRIDGE_JAR VECC
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jpype
import numpy as np
from neuralogic.core import Aggregation as A
from neuralogic.core import Model, R, Settings, V
from neuralogic.core import Transformation as T
from neuralogic.dataset import Dataset, Sample
from neuralogic.nn.loss import MSE, SoftEntropy
from neuralogic.nn.optim import SGD, Adam
from py_cases import FEATURES, java_samples, quiet_java, start
sys.path.append(str(Path(__file__).parents[1] / "support"))
from safetensors_file import read_tensors, write_tensors

BRIDGE_JAR, VECC = sys.argv[1:3]
RULES = [(R.h(V.X)[3, 3] <= (R.a(V.X), R.e(V.X, V.Y), R.a(V.Y)[3, 3])) | [T.TANH, A.AVG], R.h / 1 | [T.TANH],
         R.q[1, 3] <= R.h(V.X), R.q / 0 | [T.IDENTITY]]


def samples():
    out = []
    for i in range(4):
        facts = [R.a(n)[list(FEATURES[(i + n) % 5])] for n in range(3)] + [R.e(0, 1), R.e(1, 2), R.e(2, i % 2)]
        out.append(Sample(R.q[float(i % 2)], facts))
    return Dataset(out)


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.neuron_graph = start(BRIDGE_JAR)
        quiet_java()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.graph, self.weights = [Path(folder.name) / name for name in ("graph.pb", "w.safetensors")]

    def build(self, learnable_facts=False, **settings):
        model = Model()
        model += RULES
        self.model = model.build(Settings(chain_pruning=False, iso_value_compression=False, **settings))
        self.built = self.model.build_dataset(samples(), learnable_facts=learnable_facts)
        exported = self.neuron_graph(self.model._neural_model, java_samples(self.built))
        exported.write(str(self.graph), False)
        return exported

    def train_vecc(self, *options):
        """Outputs with the weights that it wrote."""
        done = subprocess.run([VECC, self.graph, "--train", "--epochs=3", "--batch-size=online", "--dtype=f64",
                               "--quiet", f"--save-weights={self.weights}", *options], capture_output=True,
                              text=True, check=True)
        return [float(line.split("\t")[1]) for line in done.stdout.splitlines()]

    def model_weights(self):
        state = self.model.state_dict()
        return {state["weight_names"][index]: np.ravel(value) for index, value in state["weights"].items()}

    def compare_training(self, vecc_options, **settings):
        self.build(**settings)
        self.train_vecc(*vecc_options)
        before = self.model_weights()
        self.model.train(self.built, 3)
        after, trained = self.model_weights(), read_tensors(self.weights)
        self.assertEqual(set(after), set(trained))
        for name, value in after.items():
            self.assertGreater(np.abs(value - before[name]).max(), 1e-4)
            np.testing.assert_allclose(trained[name][2], value, rtol=0, atol=1e-9)

    def test_sgd(self):
        self.compare_training(["--optimizer=sgd", "--lr=0.1", "--loss=squared_diff"], optimizer=SGD(lr=0.1),
                              error_function=MSE())

    def test_adam(self):
        self.compare_training(["--optimizer=lazy-adam", "--lr=0.01", "--loss=squared_diff"],
                              optimizer=Adam(lr=0.01), error_function=MSE())

    def test_soft_entropy(self):
        self.compare_training(["--optimizer=sgd", "--lr=0.1", "--loss=softentropy"], optimizer=SGD(lr=0.1),
                              error_function=SoftEntropy())

    def test_weights_back(self):
        exported = self.build()
        outputs = self.train_vecc("--optimizer=sgd", "--lr=0.1")
        self.assertGreater(np.abs(np.subtract(self.model.test(self.built), outputs)).max(), 1e-4)
        exported.loadWeights(str(self.weights))
        np.testing.assert_allclose(self.model.test(self.built), outputs, rtol=0, atol=1e-9)

    def test_learnable_facts_back(self):
        exported = self.build(learnable_facts=True)
        outputs = self.train_vecc("--optimizer=sgd", "--lr=0.1")
        shapes = {name: tensor[1] for name, tensor in read_tensors(self.weights).items()}
        self.assertEqual(shapes["a/1"], [12, 3, 1])
        exported.loadWeights(str(self.weights))
        np.testing.assert_allclose(self.model.test(self.built), outputs, rtol=0, atol=1e-9)

    def test_wrong_weights_change_nothing(self):
        exported = self.build()
        self.train_vecc()
        before = self.model_weights()
        tensors = read_tensors(self.weights)
        tensors["more"] = tensors[min(tensors)]
        write_tensors(self.weights, tensors)
        with self.assertRaisesRegex(jpype.JException, 'nothing was changed:\n *tensor "more" is no weight table'):
            exported.loadWeights(str(self.weights))
        np.testing.assert_equal(self.model_weights(), before)

    def test_what_cannot_be_exported_is_named_before_anything_is_written(self):
        self.build()
        self.graph.unlink()
        network = self.built[0]._java_sample.query.evidence.allNeuronsTopologic
        atom = next(n for n in network if n.getClass().getSimpleName() == "WeightedAtomNeuron")
        functions = jpype.JPackage("cz").cvut.fel.ida.algebra.functions
        atom.getRawState().setFcnState(functions.aggregation.Maximum().getState(True))
        with self.assertRaisesRegex(jpype.JException, r"no graph of this network.*\n *transformation Maximum \(in: "):
            self.neuron_graph(self.model._neural_model, java_samples(self.built))
        self.assertFalse(self.graph.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
