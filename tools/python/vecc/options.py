"""Keyword arguments as words of the command line, which has one parser and one set of messages."""

from __future__ import annotations

import os
from typing import Any, List


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
