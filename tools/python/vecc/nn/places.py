"""Where the user's code is that calls this package."""

from __future__ import annotations

import inspect
import os
import sys
from types import FrameType
from typing import Any, Callable, NoReturn, Optional

from vecc.error import usage_error

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def user_frame() -> Optional[FrameType]:
    """The innermost frame that is neither this package's own nor of a library that calls it."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and _is_library(frame):
        frame = frame.f_back
    return frame


def _is_library(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return (module.partition(".")[0] in ("torch", "numpy", "contextlib", "functools")
            or os.path.abspath(frame.f_code.co_filename).startswith(_HERE))


def place() -> str:
    frame = user_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "model"


def place_of(function: Callable[..., Any]) -> str:
    """Where it is written."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else "model"


def fail(message: str) -> NoReturn:
    """vecc.Error at the user's line."""
    raise usage_error(place(), message)
