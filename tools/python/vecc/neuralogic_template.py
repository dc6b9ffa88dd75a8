"""vecc.neuralogic.Template: rules of PyNeuraLogic that need no JVM."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Union

import numpy as np
from neuralogic.core import Model, Settings
from neuralogic.nn.module.module import Module

from vecc.arrays import as_array
from vecc.error import usage_error
from vecc.neuralogic_text import TemplateText
from vecc.neuralogic_words import NotNative


class Template:
    """What neuralogic.core.Model is before build(), and the weights: the rules, relations, metadata
    and modules of PyNeuraLogic, or a file of rules, with its Settings. A Model starts the JVM when
    it is made; this does where train() and the others have to ground in it.

    The networks are what the rules say: NeuraLogic's chain pruning, which drops neurons of one input
    with their functions, and its compression are off, whatever the Settings say."""

    def __init__(self, rules: Iterable[Any] = (), *, settings: Optional[Settings] = None,
                 file: Union[str, "os.PathLike[str]", None] = None):
        self.settings = Settings() if settings is None else settings
        self.file = None if file is None else os.path.abspath(file)
        #: By names, those of Model.state_dict(): what was set, learned, or drawn where a data set
        #: first needed it.
        self.weights: Dict[str, np.ndarray] = {}
        #: How the last call grounded: "native" or "jvm"; and why the JVM.
        self.grounder: Optional[str] = None
        self.reason: Optional[str] = None
        self._entries: List[Any] = []
        self.__iadd__(rules)

    def __iadd__(self, rules: Any) -> Template:
        added = rules() if isinstance(rules, Module) else rules
        entries = list(added) if isinstance(added, Iterable) else [added]
        if self.file is not None and entries:
            raise usage_error("template", f"is the file {self.file}: rules cannot be added to it")
        self._entries += entries
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def text(self) -> str:
        """The rules in NeuraLogic's language. Error: they say what it cannot."""
        if self.file is not None:
            with open(self.file, encoding="utf-8") as file:
                return file.read()
        try:
            return str(TemplateText(self._entries))
        except NotNative as reason:
            raise usage_error("template", f"has {reason}: no text") from None

    def set_weights(self, weights: Mapping[str, Any]) -> None:
        """By name; names that no rule has are refused by the next call that grounds."""
        for name, value in weights.items():
            self.weights[name] = as_array(value, np.float64).copy()

    def to_model(self) -> Model:
        """A built Model with these weights: starts the JVM. What is missing here it has drawn."""
        model = Model(model_file=self.file)
        if self.file is None:
            model += self._entries
        model.build(self._unpruned())
        self.store(model)
        return model

    def _unpruned(self) -> Settings:
        settings = Settings(**{**self.settings.params, "chain_pruning": False,
                               "iso_value_compression": False})
        for name, value in self.settings.kw_params.items():
            settings[name] = value
        return settings

    def store(self, model: Model) -> None:
        """Puts the weights into a built Model, by name. Error: it has no such weight, or of another
        size; then nothing changes."""
        state = model.state_dict()
        index_of = {name: index for index, name in state["weight_names"].items()}
        for name, value in self.weights.items():
            if name not in index_of:
                raise usage_error("weights", f'the model has no weight "{name}"')
            old = np.asarray(state["weights"][index_of[name]])
            if old.size != value.size:
                raise usage_error("weights", f'"{name}" has {value.size} elements, the model\'s '
                                  f"{old.size}")
            state["weights"][index_of[name]] = value.reshape(old.shape).tolist()
        model.load_state_dict(state)

    def take(self, model: Model) -> None:
        """All learnable weights of a built Model."""
        state = model.state_dict()
        for index, value in state["weights"].items():
            name = state["weight_names"][index]
            array = np.asarray(value, np.float64)
            old = self.weights.get(name)
            self.weights[name] = array if old is None else array.reshape(old.shape)

    def __repr__(self) -> str:
        rules = f"{len(self)} rules" if self.file is None else self.file
        return f"<vecc.neuralogic.Template: {rules}, {len(self.weights)} weights>"
