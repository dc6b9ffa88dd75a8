"""Keyword arguments as words of the command line, which has one parser and one set of messages."""

from __future__ import annotations

import inspect
import os
import re
from contextlib import contextmanager
from functools import lru_cache
from numbers import Integral
from typing import Any, FrozenSet, Iterator, List

from vecc.error import Error


def text_of(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(text_of, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def option_words(**options: Any) -> List[str]:
    """`weight_decay=0.1` is `--weight-decay=0.1`, True a flag; None, False and () are left out."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False and value != () and value != []:
            words.append(f"{option}={text_of(value)}")
    return words


#: Of options whose name in Python is another one.
_NAMES = {"no-shuffle": "shuffle=False", "no-cache": "cache=False", "train": "fit()"}


@lru_cache(maxsize=None)
def _keywords() -> FrozenSet[str]:
    """Of what makes, trains and measures a Program."""
    from vecc.graph import Graph
    from vecc.program import Program, training_options
    takers = (Graph.compile, Program.evaluate, Program.predict)
    return frozenset(training_options()).union(
        *(inspect.signature(taker).parameters for taker in takers))


def python_words(text: str) -> str:
    """`--early-stop` as early_stop, `--validate=0.2` as validate=0.2, `--backend=cpu` as
    backend="cpu"; a value in capitals stands for others. Other programs' options stay."""
    def argument(found: "re.Match[str]") -> str:
        name, value = found.groups()
        own = _NAMES.get(name, name.replace("-", "_"))
        if name not in _NAMES and own not in _keywords():
            return found[0]
        if value is None:
            return own
        return f"{own}={value}" if value[0].isdigit() or value.isupper() else f'{own}="{value}"'
    text = text.replace(" or --host-memory", "")  # which Python has not
    text = re.sub(r"--place=TABLE=([a-z]+)", r'place={"TABLE": "\1"}', text)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])(?:=([\w:-]+(?:\.\w+)*))?", argument, text)


def is_whole(thing: Any, least: int) -> bool:
    """Of Python or NumPy."""
    return isinstance(thing, Integral) and not isinstance(thing, bool) and int(thing) >= least


@contextmanager
def errors_of_python() -> Iterator[None]:
    """Errors name options as keyword arguments, not as the command line's words."""
    try:
        yield
    except Error as error:
        said = error.rewritten(lambda each: each._replace(
            place=python_words(each.place), message=python_words(each.message)))
        if said.diagnostics == error.diagnostics:
            raise
        raise said from None
