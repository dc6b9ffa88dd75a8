"""A template's networks without a JVM: its texts, grounded by vecc."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Tuple, Union

import neuralogic.setup
import numpy as np
from neuralogic.dataset import Dataset, FileDataset
from neuralogic.dataset.base import ConvertibleDataset
from neuralogic.nn import init
from neuralogic.nn.optim import Adam

from vecc import _core
from vecc.error import Error, usage_error
from vecc.graph import Graph, load
from vecc.neuralogic_settings import TrainingSettings
from vecc.neuralogic_template import Template
from vecc.neuralogic_text import TemplateText, dataset_text
from vecc.neuralogic_words import NotNative
from vecc.program import Program

#: Codes of what the language or vecc's grounder has not, and the JVM may.
NOT_IN_VECC = ("E019", "E024")
#: Settings by name, beside those that Settings() takes, that change no value of a network.
FREE_SETTINGS = {"isoValueCompression", "chainPruning", "pruneOnlyIdentities"}
INITIALIZERS = {init.Uniform: "uniform", init.Normal: "normal", init.Constant: "constant",
                init.Glorot: "glorot", init.He: "he"}


def initializer_of(settings: Any) -> str:
    """vecc's name; NotNative where the Settings say what only Java knows."""
    names = sorted(set(settings.kw_params) - FREE_SETTINGS)
    if names:
        raise NotNative(f'settings["{names[0]}"], which Java reads')
    if str(settings.error_function) == "CROSSENTROPY":
        raise NotNative("CrossEntropy(with_logits=False), for which Java infers the outputs' function")
    chosen = settings.initializer
    is_standard = getattr(chosen, "scale", 2) == 2 and getattr(chosen, "value", 0.1) == 0.1
    if type(chosen) not in INITIALIZERS or not is_standard:
        raise NotNative(f"the initializer {chosen}, or this scale or value of it")
    return INITIALIZERS[type(chosen)]


class NativeNetwork:
    """As neuralogic_jvm.Network, for a Template. NotNative: why it cannot be."""

    batch_size = 1

    def __init__(self, template: Template, dataset: Any, exact_steps: bool = False,
                 own_order: bool = False):
        """`exact_steps`: a training has to move what PyNeuraLogic's optimizer moves. `own_order`:
        lists of groundings may be in another order than NeuraLogic's."""
        self._template = template
        self._own_order = own_order
        self._holder = tempfile.TemporaryDirectory(prefix="vecc-neuralogic-")
        try:
            self._ground(dataset)
            if exact_steps:
                self._refuse_other_steps()
        except BaseException:
            self._holder.cleanup()
            raise

    def _ground(self, dataset: Any) -> None:
        initializer = initializer_of(self._template.settings)
        if isinstance(dataset, ConvertibleDataset):
            dataset = dataset.to_dataset()
        path = self.folder() / "graph.pb"
        try:
            answers, names = _core.ground(*self._texts(dataset), str(path),
                                   init=initializer, seed=neuralogic.setup._seed,
                                   double_rules=self._template.file is None,
                                   double_facts=not isinstance(dataset, FileDataset))
        except Error as error:
            if error.code not in NOT_IN_VECC:
                raise
            raise NotNative(f"what vecc does not ground ({error.place}: {error.message})") from None
        self._graph = load(path)
        path.unlink()
        self.has_output = [derived for _, derived in answers]
        if sum(self.has_output) != self._graph.sample_count:  # queries with variables, in files
            self.has_output = [True] * self._graph.sample_count
        omitted = self.has_output.count(False)
        if omitted:
            warnings.warn(f"{omitted} of {len(answers)} samples left out: their queries do not "
                          "follow from template and example", stacklevel=5)
        self._examples = [example for example, _ in answers]
        self._give_weights(names)

    def _refuse_other_steps(self) -> None:
        optimizer = self._template.settings.optimizer
        moves_more = type(optimizer) is Adam or optimizer.weight_decay > 0
        if moves_more and len(set(self._examples)) < len(self._examples):
            raise NotNative("several queries on one example, where PyNeuraLogic's optimizer also "
                            "moves weights that a step does not read (optimizer=\"lazy-adam\" or "
                            "\"sgd\" moves those that it reads)")

    def _texts(self, dataset: Any) -> Tuple[str, str, str]:
        """The files of rules, examples and queries; "": the examples have theirs."""
        rules, domain = self._template.file, None
        if rules is None:
            text = TemplateText(self._template, self._own_order)
            rules, domain = self._write("template.txt", [str(text)]), text.domain
        if isinstance(dataset, FileDataset) and dataset.examples_file is not None:
            if domain is not None:
                raise NotNative("a variable that nothing binds, over a data set of files")
            return rules, dataset.examples_file, dataset.queries_file or ""
        if type(dataset) is not Dataset:
            raise NotNative(f"a data set that is a {type(dataset).__name__}, not a Dataset of "
                            "samples or a FileDataset with examples")
        return rules, self._write("examples.txt", dataset_text(dataset, domain)), ""

    def _write(self, name: str, lines: Iterable[str]) -> str:
        path = self.folder() / name
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return str(path)

    def _give_weights(self, names: Sequence[str]) -> None:
        """Those of the template to the graph, and to the template those that were drawn. `names`:
        of all that the rules have; the networks may have fewer."""
        drawn, weights = self._graph.weights, self._template.weights
        unknown = sorted(set(weights) - set(names))
        if unknown:
            raise usage_error("weights", f'the template has no weight "{unknown[0]}"')
        given = {}
        for name in self._graph._core.learnable():
            own = drawn[name]
            assert own is not None, "initialize() gave it values"
            if name not in weights:
                weights[name] = own[0].copy()
            elif weights[name].size == own.size:
                given[name] = weights[name].reshape(own.shape)
            else:
                raise usage_error("weights", f'"{name}" has {weights[name].size} elements, the '
                                  f"template's {own.size}")
        self._graph.set_weights(given)

    def __enter__(self) -> NativeNetwork:
        return self

    def __exit__(self, *_: Any) -> None:
        self._holder.cleanup()

    def folder(self) -> Path:
        return Path(self._holder.name)

    def load(self) -> Graph:
        return self._graph

    def has_vector_targets(self) -> bool:
        targets = self._graph.targets
        return targets is not None and any(np.size(target) > 1 for target in targets)

    def sample_of_other_steps(self, whole_tables: bool) -> Optional[str]:
        """None: `exact_steps` has refused them."""
        return None

    def settings(self) -> TrainingSettings:
        return TrainingSettings.of_settings(self._template.settings)

    def write(self, path: Union[str, "os.PathLike[str]"], names: bool = False) -> None:
        self._graph.save(path, {".gz": "gzip", ".zst": "zstd"}.get(Path(path).suffix, "none"))

    def load_weights(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._graph.set_weights(path)
        self._keep(self._graph.weights)

    def take_weights(self, program: Program) -> None:
        self._keep(program.weights)

    def _keep(self, weights: Mapping[str, Any]) -> None:
        for name in self._graph._core.learnable():
            old = self._template.weights[name]
            self._template.weights[name] = np.array(weights[name], np.float64).reshape(old.shape)
