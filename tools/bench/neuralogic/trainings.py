"""Trainings of one template on one data set, in NeuraLogic and in vecc, from the same weights."""

import time
from dataclasses import dataclass, field

import jpype
import numpy as np
from neuralogic.core import Model
from neuralogic.core.builder.dataset import BuiltDataset
from neuralogic.dataset import FileDataset
from neuralogic.nn.loss import SoftEntropy
from neuralogic.nn.optim import Adam

import vecc.neuralogic as vn
from vecc.neuralogic_jvm import Network

from mutagenesis import tanh_settings

ONLINE = 1  # samples a step


@dataclass
class Curve:
    """By epoch. `prepare`: seconds until the first of them."""

    prepare: float = 0.0
    seconds: list = field(default_factory=list)
    loss: list = field(default_factory=list)  # of its steps, each before its own update


class NeuraLogic:
    """NeuraLogic's own trainer, in its JVM; results are read while the clock stands."""

    def __init__(self, name, problem, raw):
        self.name = name
        settings = tanh_settings(optimizer=Adam(lr=problem.lr), error_function=SoftEntropy(),
                                 chain_pruning=not raw, iso_value_compression=not raw)
        start = time.perf_counter()
        self.model = Model(model_file=problem.template).build(settings)
        built = self.model.build_dataset(FileDataset(problem.examples, problem.queries))
        self.build_seconds = time.perf_counter() - start
        self.samples = list(built)
        self.targets = np.array([float(sample._java_sample.target.value) for sample in built])
        self.initial = self.model.state_dict()

    def restart(self):
        """A new trainer, as an old one goes on counting steps; the weights hold Adam's moments."""
        model = self.model
        model._initialize_neural_module(model._dataset_builder, model._settings,
                                        model._neural_model, False)
        for weight in model._neural_model.getAllWeights():
            weight.momentum = weight.velocity = None
        model.load_state_dict(self.initial)

    def train(self, chosen, epochs, batch):
        self.restart()
        samples = jpype.java.util.ArrayList([self.samples[i]._java_sample for i in chosen])
        curve = Curve()
        for _ in range(epochs):
            start = time.perf_counter()
            results = self.model._strategy.learnSamples(samples, 1, batch)
            curve.seconds.append(time.perf_counter() - start)
            curve.loss.append(float(np.mean([result.errorValue().value for result in results])))
        return curve

    def predict(self, chosen):
        return np.array(self.model.test([self.samples[i] for i in chosen]))


class Vecc:
    """vecc.neuralogic on the networks of a NeuraLogic, which gets the weights."""

    def __init__(self, name, owner, options):
        self.name, self.owner, self.options = name, owner, options

    def data(self, chosen, batch):
        return BuiltDataset([self.owner.samples[i] for i in chosen], batch)

    def train(self, chosen, epochs, batch):
        self.owner.restart()
        start = time.perf_counter()
        result = vn.train(self.owner.model, self.data(chosen, batch), epochs=epochs,
                          log_every=epochs, **self.options)
        total = time.perf_counter() - start
        return Curve(total - result.seconds, [epoch["seconds"] for epoch in result.history],
                     [epoch["loss"] for epoch in result.history])

    def predict(self, chosen):
        return vn.evaluate(self.owner.model, self.data(chosen, ONLINE), **self.options)


def fold_accuracies(runner, order, folds, epochs, targets):
    """By fold: of its samples, predicted by a training on all others. Outputs are logits."""
    result = []
    for number in range(folds.max() + 1):
        runner.train(order[folds[order] != number], epochs, ONLINE)
        left_out = np.flatnonzero(folds == number)
        right = (runner.predict(left_out) > 0) == (targets[left_out] > 0.5)
        result.append(float(right.mean()))
    return result


def measure_export(owner, path):
    """Seconds, and memory beside that of the networks alone: what Java holds after collecting its
    garbage, and the most that the process has held."""
    heap_before, peak_before = _heap_bytes(), _peak_bytes()
    start = time.perf_counter()
    with Network(owner.model, BuiltDataset(owner.samples, ONLINE)) as network:
        network.write(path)
        seconds = time.perf_counter() - start
        heap = _heap_bytes()
    return {"build_seconds": owner.build_seconds, "build_heap_bytes": heap_before,
            "build_peak_bytes": peak_before, "seconds": seconds, "heap_bytes": heap,
            "peak_bytes": _peak_bytes()}


def _heap_bytes():
    jpype.java.lang.System.gc()
    memory = jpype.JClass("java.lang.management.ManagementFactory").getMemoryMXBean()
    return int(memory.getHeapMemoryUsage().getUsed())


def _peak_bytes():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
