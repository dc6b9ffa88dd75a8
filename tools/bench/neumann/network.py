"""A graph.pb as the neuron network that Neumann's compiler takes (its from_dict): a layer a chunk of a group, ordered
from inputs to outputs. NeuraLogic, which normally hands it over, is not needed."""

import sys
import types
import typing
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from graph_file import read_graph
from neuron_file import Chunk, read_chunks
from peer_runs import Absent

REPOSITORY = "https://github.com/neumannjan/nn-structural-graph-vectorizer-compiler"
LAYER_TYPES = {"Fact": "FactLayer", "Rule": "RuleLayer", "WeightedRule": "WeightedRuleLayer",
               "Aggregation": "AggregationLayer", "SplittableAggregation": "AggregationLayer",
               "Atom": "AtomLayer", "WeightedAtom": "WeightedAtomLayer"}
TRANSFORMATIONS = ("identity", "tanh", "relu", "sigmoid")
COMBINATIONS = {"sum": "sum", "avg": "mean"}


def load_compiler(folder):
    """Makes its package importable; returns what stands in for what is not installed."""
    source = Path(folder) / "src"
    if not (source / "compute_graph_vectorize").is_dir():
        raise Absent(f"{folder} has no src/compute_graph_vectorize",
                     f"git clone {REPOSITORY}; then --neumann=FOLDER")
    sys.path.insert(0, str(source))
    # Its modules import names of an older NeuraLogic's, which nothing here calls.
    add_stub("neuralogic.core.builder.builder", NeuralSample=object)
    add_stub("neuralogic.core.template", Iterable=typing.Iterable)
    add_stub("neuralogic.core.settings", Settings=object)
    add_stub("jpype", JClass=type)
    if find_spec("torch_scatter") is not None:
        return ""
    import torch_index_sums
    sys.modules["torch_scatter"] = torch_index_sums
    return ", with torch.index_add in place of torch_scatter"


def add_stub(name, **members):
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        module = sys.modules.setdefault(".".join(parts[:count]),
                                        types.ModuleType(".".join(parts[:count])))
        module.__path__ = []
    vars(module).update(members)


class Graph:
    """A graph.pb, and its network once the compiler is loaded."""

    def __init__(self, path):
        self.file = read_graph(path)
        self.chunks = read_chunks(path)
        for chunk in self.chunks:
            self.check(chunk)
        self.order = self.topological_order()

    @staticmethod
    def check(chunk):
        if chunk.fact_weights is not None:
            raise Absent("it has no learnable facts (embeddings)", "")
        if chunk.words or (chunk.offsets is not None and np.any(chunk.offsets >= 0)):
            raise Absent(f"it has no offsets and no functions like those of {chunk.head}", "")
        if (chunk.neuron_class not in LAYER_TYPES or chunk.combination not in COMBINATIONS or
                chunk.transformation not in TRANSFORMATIONS):
            raise Absent(f"its adapter knows no {chunk.neuron_class} of {chunk.combination} and "
                         f"{chunk.transformation}", "")

    def topological_order(self):
        """Chunks, what they read first; the one with the outputs last."""
        first = np.array([chunk.first_id for chunk in self.chunks])
        by_first = np.argsort(first)
        order, state = [], [0] * len(self.chunks)

        def readers_inputs(number):
            found = np.searchsorted(first[by_first], self.chunks[number].inputs, "right") - 1
            return by_first[np.unique(found)]

        def visit(number):
            if state[number] == 1:
                raise Absent("it has no recursion", "")
            if state[number] == 0:
                state[number] = 1
                for source in readers_inputs(number):
                    visit(source)
                state[number] = 2
                order.append(number)

        (last,) = {int(by_first[np.searchsorted(first[by_first], output, "right") - 1])
                   for output in self.file.samples.outputs}
        visit(last)
        return [self.chunks[number] for number in order]

    def output_rows(self):
        """By sample, its row in the last layer."""
        return torch.tensor(self.file.samples.outputs) - self.order[-1].first_id

    def network(self):
        from compute_graph_vectorize.sources import from_dict
        from compute_graph_vectorize.sources.base import LayerDefinition
        self.weights = self.make_weights()
        zeros = self.add_zeros()
        layers = [LayerDefinition(id=f"g{number}", type=LAYER_TYPES[chunk.neuron_class])
                  for number, chunk in enumerate(zeros + self.order)]
        return from_dict(layers, [self.make_neurons(chunk) for chunk in zeros + self.order])

    def add_zeros(self):
        """It has no sums of nothing: a neuron without inputs gets one, a zero of its shape."""
        zeros, free = [], self.file.neurons
        for chunk in self.order:
            empty = chunk.fan_in == 0
            if chunk.fact or not empty.any():
                continue
            zeros.append(Chunk(first_id=free, count=1, fact=True,
                               values=np.zeros((1,) + chunk.shape)))
            begin = (np.cumsum(chunk.fan_in) - chunk.fan_in)[empty]
            chunk.inputs = np.insert(chunk.inputs, begin, free)
            if chunk.weights is not None:
                chunk.weights = np.insert(chunk.weights, begin, -1)
            chunk.fan_in = np.where(empty, 1, chunk.fan_in)
            free += 1
        return zeros

    def make_weights(self):
        from compute_graph_vectorize.sources.minimal_api.dict import WeightDefinitionImpl
        weights = {-1: WeightDefinitionImpl(-1, np.ones(()), learnable=False)}
        for table in self.file.tables.values():
            for row, value in enumerate(table.values):
                number = table.first_id + row
                weights[number] = WeightDefinitionImpl(number, np.asarray(value, np.float32),
                                                       learnable=table.learnable)
        return weights

    def make_neurons(self, chunk):
        from compute_graph_vectorize.sources.minimal_api.dict import Neuron
        if chunk.fact:
            return [Neuron(chunk.first_id + row, None, None, value=np.asarray(value, np.float32))
                    for row, value in enumerate(chunk.values)]
        ends = np.cumsum(chunk.fan_in)
        neurons = []
        for row, (begin, end) in enumerate(zip(ends - chunk.fan_in, ends)):
            weights = [] if chunk.weights is None else [
                self.weights[number] for number in chunk.weights[begin:end].tolist()]
            neurons.append(Neuron(chunk.first_id + row, chunk.transformation,
                                  COMBINATIONS[chunk.combination],
                                  chunk.inputs[begin:end].tolist(), weights))
        return neurons

    def gradients(self, model):
        """By learnable table: [count, elements]; zeros where no output depends on it. Its parameter
        w_003_014 holds the weights 3 and 14."""
        found = {}
        for name, parameter in model.params_module.params.items():
            if name.startswith("w_") and parameter.grad is not None:
                numbers = map(int, name.removeprefix("w_").split("_"))
                found.update(zip(numbers, parameter.grad.numpy()))
        return {name: np.stack([found.get(table.first_id + row, np.zeros(value.shape)).ravel()
                                for row, value in enumerate(table.values)])
                for name, table in self.file.tables.items() if table.learnable}
