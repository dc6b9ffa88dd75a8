"""Words and numbers of NeuraLogic's language (docs/templates.md), and NotNative."""

from __future__ import annotations

import re
from typing import Any

NAME = re.compile(r"[a-z][A-Za-z0-9_-]*")
VARIABLE = re.compile(r"[A-Z_][A-Za-z0-9_-]*")
CONSTANT = re.compile(NAME.pattern + r"|[+-]?[0-9]+(\.[0-9]+)?")
TYPE = re.compile(r"[A-Za-z0-9_-]+")
CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class NotNative(Exception):
    """Why vecc does not ground it."""


def match_word(pattern: "re.Pattern[str]", text: str, what: str) -> str:
    if not pattern.fullmatch(text):
        raise NotNative(f"{what} {text!r}, which NeuraLogic's texts cannot say")
    return text


def constant_text(text: str) -> str:
    """In quotes where it is neither a name nor a number; NeuraLogic's own texts have none."""
    if CONSTANT.fullmatch(text):
        return text
    if CONTROL.search(text):
        raise NotNative(f"the term {text!r}, which has control characters")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def real_text(value: Any) -> str:
    """All digits; an exponent stands only behind a dot."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    return mantissa if not exponent else f"{mantissa}{'' if '.' in mantissa else '.0'}e{int(exponent)}"
