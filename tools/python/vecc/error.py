"""What vecc raises for bad input, as the command line says it."""

from __future__ import annotations

import errno
import os
from functools import lru_cache
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple


class Diagnostic(NamedTuple):
    code: str  #: "E012"; docs/errors.md explains each
    place: str  #: file, group, neuron: 'graph.pb: group 3 "layer_1", neuron 345'
    message: str


class Error(Exception):
    """Bad input, a limit, a device: everything that is no bug of vecc's own.

    str() is what the command line prints, a line a diagnostic. `code`, `place` and `message` are
    those of the first; `exit_code` is what the command line ends with. Where a file cannot be read
    or written it is an OSError as well (the one that open() raises: FileNotFoundError, ...), and a
    ValueError where arguments or files are wrong.
    """

    def __new__(cls, text: str, diagnostics: Sequence[Tuple[int, str, str]], exit_code: int) -> "Error":
        if cls is Error:
            cls = _class_of(diagnostics[0][0], diagnostics[0][2], exit_code)
        return super().__new__(cls, text)

    def __init__(self, text: str, diagnostics: Sequence[Tuple[int, str, str]], exit_code: int):
        super().__init__(text)
        self.diagnostics = [Diagnostic(f"E{code:03}", place, message)
                            for code, place, message in diagnostics]
        self.exit_code = exit_code
        if isinstance(self, OSError):
            self.errno = _errno_of(self.message)
            self.strerror, self.filename = self.message, self.place

    @property
    def code(self) -> str:
        return self.diagnostics[0].code

    @property
    def place(self) -> str:
        return self.diagnostics[0].place

    @property
    def message(self) -> str:
        return self.diagnostics[0].message

    def read_at(self, place: str) -> "Error":
        """The same with the line of a model that reads what is wrong."""
        return self.rewritten(lambda each: each._replace(
            message=f"{each.message}; read at {place}"))

    def rewritten(self, change: Callable[[Diagnostic], Diagnostic]) -> "Error":
        """The same with other places and messages."""
        found = [(int(each.code[1:]), each.place, each.message)
                 for each in map(change, self.diagnostics)]
        return Error("\n".join(f"{where}: error: {message} [E{code:03}]"
                               for code, where, message in found), found, self.exit_code)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> Tuple[Any, ...]:
        numbers = [(int(d.code[1:]), d.place, d.message) for d in self.diagnostics]
        return Error, (str(self), numbers, self.exit_code)


FILE_CODES = (1, 51)  # E001, E051: the system's reason ends their message
USAGE, BAD_INPUT, LIMIT = 2, 3, 4  # exit codes
_NUMBERS = {os.strerror(number): number for number in sorted(errno.errorcode, reverse=True)}


def _errno_of(message: str) -> Optional[int]:
    return _NUMBERS.get(message.rpartition(": ")[2])


def _class_of(code: int, message: str, exit_code: int) -> type:
    if code in FILE_CODES:
        number = _errno_of(message)
        return _error_that_is(OSError if number is None else type(OSError(number, "")))
    return _error_that_is(ValueError) if exit_code in (USAGE, BAD_INPUT, LIMIT) else Error


@lru_cache(maxsize=None)
def _error_that_is(*bases: type) -> type:
    """Shown as vecc.Error: a handler names that, or a base."""
    return type("Error", (Error, *bases), {"__module__": "vecc", "__doc__": Error.__doc__})


def usage_error(place: str, message: str, *bases: type) -> Error:
    """As the extension makes them; a ValueError, and what else it is said to be."""
    kind: Any = _error_that_is(*bases, ValueError)
    error: Error = kind(f"{place}: error: {message} [E050]", [(50, place, message)], USAGE)
    return error
