"""modules_test.py FOLDER: the modules that make_cases wrote there compute what is expected."""

import importlib.util
import sys
import unittest
from pathlib import Path

import torch

FOLDER = Path(sys.argv[1])
TOLERANCE = 1e-9


def load(folder):
    """model.py of a folder as a module of its own."""
    name = "emitted_" + "_".join(folder.parts[-2:]).replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def by_sample(module, model, outputs):
    """All samples' elements one after another, in the order of samples."""
    rows = [None] * module.SAMPLE_COUNT
    for values, samples in model.by_sample(outputs):
        for sample, value in zip(samples.tolist(), values):
            rows[sample] = value.flatten()
    return torch.cat(rows) if rows else torch.zeros(0, dtype=torch.float64)


def difference(found, expected):
    """The largest difference, relative above 1; infinite where only one is no number."""
    found, expected = found.detach().flatten().double(), expected.flatten().double()
    if found.shape != expected.shape:
        return float("inf")
    same = (found == expected) | (found.isnan() & expected.isnan())
    gap = (found - expected).abs() / expected.abs().clamp(min=1)
    gap = torch.where(same, 0.0, torch.where(gap.isnan(), torch.inf, gap))
    return gap.max().item() if len(gap) else 0.0


def check(case, folder):
    """The largest difference of outputs and of gradients."""
    module = load(folder)
    expected, _ = module.read_safetensors(case / "expected.safetensors")
    model = module.Model(dtype=torch.float64)
    outputs = by_sample(module, model, model())
    worst = {"outputs": difference(outputs, expected["outputs"])}
    if outputs.requires_grad:
        outputs.backward(expected["directions"])
    for attribute, name in module.WEIGHTS.items():
        parameter = getattr(model, attribute)
        found = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        worst[f"gradient by {name!r}"] = difference(found, expected["gradient/" + name])
    return worst


class Modules(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
