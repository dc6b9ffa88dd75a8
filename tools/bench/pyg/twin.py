"""What every model here is: the tables and samples that vecc-import should have written for the
same data and options, and the outputs, computed by PyTorch Geometric or plain torch."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Twin:
    nodes: int
    edges: int          # that the model uses: with inverse relations, without self loops it adds
    tables: list        # TableSpec
    output_shape: tuple
    forward: object     # Weights -> tensor [samples, elements]
    ids: list
    targets: list = field(default_factory=list)  # numpy arrays; empty: no sample has one
    splits: list = field(default_factory=list)   # empty: none
    check_samples: object = None  # Samples -> problems: instead of ids, where seeds decide
    triples: list = field(default_factory=list)  # scores: what check_samples found in the samples


def compare_samples(twin, samples):
    """How the file's samples differ from what they should be, in words; empty: not at all."""
    if twin.check_samples is not None:
        return twin.check_samples(samples)
    problems = []
    if samples.ids != twin.ids:
        problems.append(f"{len(samples.ids)} samples {samples.ids[:3]}..., expected "
                        f"{len(twin.ids)} samples {twin.ids[:3]}...")
    targets = twin.targets or [None] * len(samples.ids)
    for name, found, expected in zip(samples.ids, samples.targets, targets):
        same = found is expected is None or (
            found is not None and expected is not None and
            np.array_equal(found, expected.reshape(found.shape)))
        if not same:
            problems.append(f"sample {name!r}: target {found}, expected {expected}")
            break
    if twin.splits and samples.splits != twin.splits:
        problems.append("the samples' splits are not those of the files")
    return problems


class Options(dict):
    """vecc-import's options by name, as text; those that no model has taken are errors."""

    def __init__(self, given):
        super().__init__(given)
        self.known = {"init", "seed"}

    def take(self, name, default):
        self.known.add(name)
        value = self.get(name, default)
        return type(default)(value) if default is not None and value is not None else value

    def on(self, name, default):
        value = self.take(name, "on" if default else "off")
        if value not in ("on", "off"):
            raise ValueError(f"--{name}={value}: on or off")
        return value == "on"

    def check(self):
        unknown = set(self) - self.known
        if unknown:
            raise ValueError(f"no such option here: --{', --'.join(sorted(unknown))}")
