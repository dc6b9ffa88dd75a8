"""Loading and comparing emitted modules."""

import importlib.util
import sys

import torch


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


def gradients(model):
    return {name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            for name, parameter in model.named_parameters()}


def difference(found, expected):
    """The largest difference, relative above 1; infinite where only one is no number."""
    found, expected = found.detach().flatten().double(), expected.detach().flatten().double()
    if found.shape != expected.shape:
        return float("inf")
    same = (found == expected) | (found.isnan() & expected.isnan())
    gap = (found - expected).abs() / expected.abs().clamp(min=1)
    gap = torch.where(same, 0.0, torch.where(gap.isnan(), torch.inf, gap))
    return gap.max().item() if len(gap) else 0.0
