"""Which way a model's networks come: vecc grounds, or the JVM."""

from __future__ import annotations

import sys
from typing import Any, Set, Union

from vecc.error import usage_error
from vecc.neuralogic_jvm import Network, TemplateNetwork
from vecc.neuralogic_native import NativeNetwork
from vecc.neuralogic_template import Template
from vecc.neuralogic_words import NotNative

AnyNetwork = Union[Network, NativeNetwork]
GROUNDERS = ("auto", "native", "jvm")

_said: Set[str] = set()


def networks(model: Any, dataset: Any, grounder: str, *, exact_steps: bool = False,
             names: bool = False) -> AnyNetwork:
    """`exact_steps`: NativeNetwork's; `names`: the neurons have to have some. One line on stderr
    says the way of a Template, each once."""
    if grounder not in GROUNDERS:
        raise usage_error("grounder", f'"{grounder}" is none of {", ".join(GROUNDERS)}')
    if not isinstance(model, Template):
        if grounder == "native":
            raise usage_error("grounder", "native is for a vecc.neuralogic.Template: a Model and "
                              "what it has built are the JVM's")
        return Network(model, dataset)
    reason = 'grounder="jvm"'
    if grounder != "jvm":
        try:
            if names:
                raise NotNative("names of neurons")
            network = NativeNetwork(model, dataset, exact_steps, own_order=grounder == "native")
            _say(model, "native", None)
            return network
        except NotNative as found:
            if grounder == "native":
                raise usage_error("grounder", f"native cannot do {found}") from None
            reason = str(found)
    _say(model, "jvm", reason)
    return TemplateNetwork(model, dataset)


def _say(template: Template, grounder: str, reason: Any) -> None:
    template.grounder, template.reason = grounder, reason
    line = "vecc.neuralogic: grounds natively, without the JVM" if reason is None else \
        f"vecc.neuralogic: grounds in the JVM, for {reason}"
    if line not in _said:
        _said.add(line)
        print(line, file=sys.stderr)
