"""Program.to_torch, and torch's tensors as weights."""

import inspect
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch

from command_line import GRAPHS, MUTAGENESIS, XOR, flat

import vecc


def changed(hyperparameters):
    """None of them at its default."""
    return {name: True if isinstance(value, bool) else 0.5 * value + 0.1
            for name, value in hyperparameters.items()}


def in_torch(hyperparameters):
    """By torch.optim's names."""
    renamed = {{"epsilon": "eps"}.get(name, name): value for name, value in hyperparameters.items()}
    if "beta1" in renamed:
        renamed["betas"] = (renamed.pop("beta1"), renamed.pop("beta2"))
    return renamed


OF_TORCH = {name: (getattr(torch.optim, each["torch"]), each["hyperparameters"])
            for name, each in vecc.optimizers().items() if each["torch"]}


class OptimizerTest(unittest.TestCase):
    """Every optimizer that torch.optim has, too."""

    def test_defaults(self):
        self.assertLessEqual({"sgd", "adam"}, OF_TORCH.keys())
        for name, (cls, hyperparameters) in OF_TORCH.items():
            with self.subTest(optimizer=name):
                defaults = inspect.signature(cls).parameters
                for parameter, value in in_torch(hyperparameters).items():
                    self.assertEqual(defaults[parameter].default, value, parameter)

    def check_steps(self, name, backend, hyperparameters):
        program = vecc.load(XOR).compile(backend=backend, device="cpu", dtype="f64")
        model = program.to_torch(loss="squared_diff")
        cls, defaults = OF_TORCH[name]
        steps = cls(model.parameters(), lr=0.02, **in_torch({**defaults, **hyperparameters}))
        for _ in range(20):
            steps.zero_grad()
            model.loss().backward()
            steps.step()
        before = program.weights
        program.train(epochs=20, lr=0.02, loss="squared_diff", optimizer=name, **hyperparameters)
        learned = program.weights
        self.assertGreater(max(np.abs(w - before[t]).max() for t, w in learned.items()), 1e-3)
        program.set_weights(model)
        for table, w in program.weights.items():
            np.testing.assert_allclose(learned[table], w, atol=1e-8, err_msg=table)

    def test_20_steps(self):
        for backend in sorted({"interpreter", "cpu", "torch"} & {*vecc.backends("cpu")}):
            for name, (_, hyperparameters) in OF_TORCH.items():
                all_given = [{}, changed(hyperparameters)]
                if backend == "interpreter":  # the others run the same ops
                    all_given += [{h: value} for h, value in all_given[1].items()]
                for given in all_given:
                    with self.subTest(backend=backend, optimizer=name, given=given):
                        self.check_steps(name, backend, given)


class TorchTest(unittest.TestCase):
    def test_outputs_and_gradients(self):
        for path in GRAPHS:
            with self.subTest(graph=path.stem):
                graph = vecc.load(path)
                graph.initialize()
                program = graph.compile(backend="interpreter", dtype="f64")
                model = program.to_torch()
                outputs = model()
                rows = [None] * program.sample_count
                for values, samples in model.by_sample(outputs):
                    for sample, value in zip(samples.tolist(), values):
                        rows[sample] = value
                for a, b in zip(rows, flat(program()), strict=True):
                    np.testing.assert_allclose(a.detach().numpy().ravel(), b, atol=1e-9)
                torch.cat([row.ravel() for row in rows]).sum().backward()
                names = __import__(type(model).__module__).WEIGHTS
                expected = program.gradients()
                for attribute, name in names.items():
                    found = getattr(model, attribute).grad
                    if name in expected and found is not None:
                        np.testing.assert_allclose(found.numpy(), expected[name], atol=1e-9)

    def test_weights_come_back(self):
        program = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        model = program.to_torch(loss="softentropy")
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        for _ in range(5):
            optimizer.zero_grad()
            model.loss().backward()
            optimizer.step()
        np.testing.assert_allclose(program(model), model().detach().numpy(), atol=1e-9)
        other = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        other.train(epochs=5, lr=0.05, loss="softentropy")
        for name, w in other.weights.items():
            np.testing.assert_allclose(program.weights[name], w, atol=1e-9)

    def test_has_the_weights_of_now(self):
        program = vecc.load(XOR).compile(backend="interpreter")
        program.train(epochs=3)
        model = program.to_torch()
        self.assertEqual(next(model.parameters()).dtype, torch.float32)
        np.testing.assert_allclose(model().detach().numpy(), program(), atol=1e-6)
        again = program.to_torch(torch.float64)
        again.load_state_dict(model.state_dict())
        np.testing.assert_allclose(again().detach().numpy(), program(), atol=1e-6)

    def test_tensors_as_weights(self):
        program = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        expected = program()
        for kind in (torch.float64, torch.float32, torch.bfloat16):
            tensors = {name: torch.tensor(w, dtype=kind, requires_grad=True)
                       for name, w in program.weights.items()}
            found = torch.from_dlpack(program(tensors))
            np.testing.assert_allclose(found.numpy(), expected, atol=0.1)

    def test_module_source_is_there(self):
        """For tracebacks and torch.compile; a folder of its own for each module."""
        program = vecc.load(XOR).compile(backend="interpreter")
        one, two = program.to_torch(), program.to_torch()
        self.assertIsNot(type(one), type(two))
        code = Path(type(one).forward.__code__.co_filename).read_text()
        self.assertIn("class Model(nn.Module)", code)
        with tempfile.TemporaryDirectory() as folder:
            one.save_weights(Path(folder) / "w.safetensors")
            program.set_weights(Path(folder) / "w.safetensors")

    def test_document(self):
        """docs/python-package.md: its code runs, from top to bottom."""
        root = GRAPHS[0].resolve().parents[1]
        blocks = (root / "docs" / "python-package.md").read_text().split("```python\n")[1:]
        random = np.random.default_rng(0)
        names = {"torch": torch, "features": random.normal(size=(20, 3)), "labels": [0.0] * 5,
                 "edges": random.integers(0, 20, (30, 2)), "order": np.arange(30),
                 "counts": [10, 1, 4, 7, 8], "splits": "train"}
        here = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "datasets").symlink_to(root / "datasets")
            os.chdir(folder)
            self.addCleanup(os.chdir, here)
            for block in blocks:
                if "vecc.kg" in block:
                    continue  # of embeddings that were learned before: kg_test.py
                exec(block.split("```")[0], names)  # pylint: disable=exec-used
        self.assertEqual(names["program"]().shape, (5,))

    @unittest.skipUnless("torch" in vecc.backends("cpu"), "built without the torch backend")
    def test_torch_backend_in_the_same_process(self):
        graph = vecc.load(MUTAGENESIS)
        program = graph.compile(backend="torch", device="cpu", dtype="f64")
        np.testing.assert_allclose(program(), graph.evaluate(), atol=1e-9)
        program.train(epochs=2)
        np.testing.assert_allclose(program.to_torch()().detach().numpy(), program(), atol=1e-9)


if __name__ == "__main__":
    unittest.main()
