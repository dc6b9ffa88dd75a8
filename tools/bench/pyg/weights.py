"""A graph.pb's weight tables as torch tensors that PyTorch Geometric's layers use in place of their
own parameters. Autograd then gives d(outputs)/d(table) in the table's own layout: transposing for
a layer is part of the computation."""

from dataclasses import dataclass

import torch
from torch.func import functional_call


@dataclass
class TableSpec:
    """What docs/architectures.md says of a table."""

    name: str
    shape: tuple
    count: int = 1
    row_names: list = None  # None: not compared


class Weights:
    """weights["h1.W"] is [count, rows, cols]; one("h1.W") the matrix of a table of one."""

    def __init__(self, graph, specs, dtype, device):
        self.tensors = {}
        for spec in specs:
            values = graph.tables[spec.name].values.reshape((spec.count,) + tuple(spec.shape))
            self.tensors[spec.name] = torch.tensor(values, dtype=dtype,
                                                   device=device).requires_grad_()
        self.dtype, self.device = dtype, device

    def __getitem__(self, name):
        return self.tensors[name]

    def one(self, name):
        (value,) = self.tensors[name]
        return value

    def column(self, name):
        """A table of one column vector, as a vector."""
        return self.one(name)[:, 0]

    def rows(self, name):
        """A table of column vectors, one a row of the result."""
        return self.tensors[name][:, :, 0]

    def constant(self, values):
        return torch.as_tensor(values, dtype=self.dtype, device=self.device)

    def index(self, values):
        return torch.as_tensor(values, dtype=torch.int64, device=self.device)

    def gradients_of_sum(self, outputs):
        """By table: d(sum of all outputs)/d(table), zero where nothing depends on it."""
        names, leaves = zip(*self.tensors.items())
        grads = torch.autograd.grad(outputs.sum(), leaves, allow_unused=True)
        return {name: torch.zeros_like(leaf) if grad is None else grad
                for name, leaf, grad in zip(names, leaves, grads)}


def call(layer, parameters, *inputs):
    """The layer's forward pass with these tensors for parameters, by the layer's own names."""
    own = dict(layer.named_parameters())
    for name, value in parameters.items():
        if own[name].shape != value.shape:
            raise ValueError(f"{layer}: {name} is {tuple(own[name].shape)}, "
                             f"the weights are {tuple(value.shape)}")
    return functional_call(layer, parameters, inputs)


def canonical(shape):
    """In NeuraLogic, and so in the files, a 1x1 value is a scalar."""
    return () if tuple(shape) == (1, 1) else tuple(shape)


def compare_tables(specs, graph):
    """How the file's learnable tables differ from what they should be, in words; empty: not at all.
    (Constants of a formula, such as a row of ones, are tables as well, but no weights.)"""
    problems = []
    found = [name for name, table in graph.tables.items() if table.learnable]
    expected = [spec.name for spec in specs]
    if found != expected:
        problems.append(f"weight tables {found}, expected {expected}")
    for spec in specs:
        table = graph.tables.get(spec.name)
        if table is None:
            continue
        if (table.count, canonical(table.shape)) != (spec.count, canonical(spec.shape)):
            problems.append(f"table {spec.name}: {table.count} x {list(table.shape)}, "
                            f"expected {spec.count} x {list(spec.shape)}")
        if spec.row_names is not None and table.row_names != spec.row_names:
            problems.append(f"table {spec.name}: its row names are not the expected ones")
        if table.values is None:
            problems.append(f"table {spec.name}: has no values")
    return problems
