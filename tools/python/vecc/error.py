"""What vecc raises for bad input, as the command line says it."""

from __future__ import annotations

from typing import NamedTuple, Sequence, Tuple


class Diagnostic(NamedTuple):
    code: str  #: "E012"; docs/errors.md explains each
    place: str  #: file, group, neuron: 'graph.pb: group 3 "layer_1", neuron 345'
    message: str


class Error(Exception):
    """Bad input, a limit, a device: everything that is no bug of vecc's own.

    str() is what the command line prints, a line a diagnostic. `code`, `place` and `message` are
    those of the first; `exit_code` is what the command line ends with.
    """

    def __init__(self, text: str, diagnostics: Sequence[Tuple[int, str, str]], exit_code: int):
        super().__init__(text)
        self.diagnostics = [Diagnostic(f"E{code:03}", place, message)
                            for code, place, message in diagnostics]
        self.exit_code = exit_code

    @property
    def code(self) -> str:
        return self.diagnostics[0].code

    @property
    def place(self) -> str:
        return self.diagnostics[0].place

    @property
    def message(self) -> str:
        return self.diagnostics[0].message

    def __reduce__(self):
        numbers = [(int(d.code[1:]), d.place, d.message) for d in self.diagnostics]
        return Error, (str(self), numbers, self.exit_code)


def usage_error(place: str, message: str) -> Error:
    """As the extension makes them."""
    return Error(f"{place}: error: {message} [E050]", [(50, place, message)], 2)
