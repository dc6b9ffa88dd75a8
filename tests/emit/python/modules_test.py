"""modules_test.py FOLDER: the modules that make_cases wrote there compute what is expected, also
after torch.compile and torch.export."""

import re
import struct
import sys
import unittest
from pathlib import Path

import torch

from emitted import by_sample, difference, gradients, load

FOLDER = Path(sys.argv[1])
TOLERANCE = 1e-9
# Every helper function, loops, parts; outputs of one shape and of several.
SOME = ["mutagenesis/O2", "functions-transformations/O2", "functions-combinations/O0",
        "functions-aggregations/O1", "random-graph-18/O2", "random-graph-36/O0",
        "random-program-24/program"]
TRACED_BACK = ["random-graph-18/O2", "random-program-24/program"]
COMPILED_TO_CODE = "xor/O2"


def check(case, folder):
    """The largest difference of outputs and of gradients."""
    module = load(folder)
    expected, _ = module.read_safetensors(case / "expected.safetensors")
    model = module.Model(dtype=torch.float64)
    outputs = by_sample(module, model, model())
    worst = {"outputs": difference(outputs, expected["outputs"])}
    if outputs.requires_grad:
        outputs.backward(expected["directions"])
    found = gradients(model)
    for attribute, name in module.WEIGHTS.items():
        worst[f"gradient by {name!r}"] = difference(found[attribute],
                                                    expected["gradient/" + name])
    return worst


def run(module, forward, model):
    """Outputs and gradients, by another way of calling the model."""
    model.zero_grad()
    outputs = by_sample(module, model, forward())
    if outputs.requires_grad:
        outputs.sum().backward()
    return [outputs.detach().clone(), *(g.clone() for g in gradients(model).values())]


class Agreement(unittest.TestCase):
    def test_outputs_and_gradients(self):
        largest, count = 0.0, 0
        for case in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
            for folder in sorted(path for path in case.iterdir() if path.is_dir()):
                with self.subTest(module=f"{case.name}/{folder.name}"):
                    worst = check(case, folder)
                    place = max(worst, key=worst.get)
                    self.assertLessEqual(worst[place], TOLERANCE, place)
                    largest, count = max(largest, worst[place]), count + 1
        print(f"{count} modules, largest difference {largest:.1e}")

    def test_single_precision(self):
        for name in SOME:
            with self.subTest(module=name):
                module = load(FOLDER / name)
                double, single = module.Model(dtype=torch.float64), module.Model()
                self.assertEqual({p.dtype for p in single.parameters()}, {torch.float32})
                for a, b in zip(run(module, single, single), run(module, double, double)):
                    self.assertLessEqual(difference(a, b), 1e-3)

    def test_double_afterwards(self):
        module = load(FOLDER / "xor/O2")
        model = module.Model().double()
        exact = module.Model(dtype=torch.float64)
        self.assertLessEqual(difference(model(), exact()), 1e-6)

    def test_moves_to_another_device(self):
        for name in SOME:
            with self.subTest(module=name):
                model = load(FOLDER / name).Model().to("meta")
                outputs = model()
                outputs = list(outputs.values()) if isinstance(outputs, dict) else [outputs]
                self.assertEqual({output.device.type for output in outputs}, {"meta"})
                sum(output.sum() for output in outputs).backward()

    def test_repeats_bit_by_bit(self):
        for name in ("mutagenesis/O0", "attention/O2"):
            module = load(FOLDER / name)
            model = module.Model()
            first = run(module, model, model)
            for _ in range(3):
                for a, b in zip(first, run(module, model, model)):
                    self.assertTrue(torch.equal(a, b), name)


class Tracing(unittest.TestCase):
    def test_some_are_enough(self):
        def names(text):
            return set(re.findall(r"^class \w+|^def \w+|^SAMPLES|for level in", text, re.MULTILINE))

        seen = set().union(*(names((FOLDER / name / "model.py").read_text()) for name in SOME))
        for path in FOLDER.glob("*/*/model.py"):
            self.assertLessEqual(names(path.read_text()), seen, path)

    def check(self, name, wrap, trains=True):
        torch.compiler.reset()
        module = load(FOLDER / name)
        model = module.Model(dtype=torch.float64)
        expected = run(module, model, model)
        found = run(module, wrap(model), model) if trains else [
            by_sample(module, model, wrap(model)())]
        for a, b in zip(found, expected):
            self.assertLessEqual(difference(a, b), TOLERANCE)

    def test_compiles_as_one_graph(self):
        for name in SOME:
            with self.subTest(module=name):
                self.check(name, lambda model: torch.compile(model, fullgraph=True,
                                                             backend="eager"))

    def test_compiles_with_its_derivatives(self):
        for name in TRACED_BACK:
            with self.subTest(module=name):
                self.check(name, lambda model: torch.compile(model, fullgraph=True,
                                                             backend="aot_eager"))

    def test_compiles_to_code(self):
        self.check(COMPILED_TO_CODE, lambda model: torch.compile(model, fullgraph=True))

    def test_exports(self):
        for name in SOME:
            with self.subTest(module=name):
                self.check(name, lambda model: torch.export.export(model, ()).module(),
                           trains=False)


class Numbers(unittest.TestCase):
    def test_texts_are_those_of_vecc(self):
        module = load(FOLDER / "xor/O2")
        lines = (FOLDER / "numbers.tsv").read_text().splitlines()
        self.assertGreater(len(lines), 1000)
        for line in lines:
            bits, double, single = line.split("\t")
            (value,) = struct.unpack("<d", bytes.fromhex(bits))
            self.assertEqual(module.text_of_number(value, False), double)
            rounded = torch.tensor(value, dtype=torch.float64).float().item()
            self.assertEqual(module.text_of_number(rounded, True), single)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
