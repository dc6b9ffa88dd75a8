"""vecc.SavedProgram: a program for any graph of a template."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Union

import numpy as np

from vecc import _core
from vecc.predictions import Outputs, Predictions, predictions_of

if TYPE_CHECKING:
    from vecc.graph import Graph

Path = Union[str, "os.PathLike[str]"]


class SavedProgram:
    """What graphs of one kind share: groups, functions, shapes, weights, compiled for the CPU or a GPU.
    load_program() reads one; Program.template makes one.

    Graphs are bound to it: nothing is compiled or planned for them.
    """

    def __init__(self, core: _core.SavedProgram):
        self._core = core

    dtype = property(lambda self: np.dtype({"f32": "float32", "f64": "float64"}[self._core.dtype]))

    @property
    def loss(self) -> Optional[str]:
        """That its weights were trained by; None: unknown."""
        return self._core.loss or None

    @property
    def weights(self) -> Dict[str, Optional[np.ndarray]]:
        """Copies of all weight tables by their names, [count, rows, cols] or [count]."""
        return self._core.weights()

    @property
    def counts(self) -> Dict[str, int]:
        """Kernels: of the template, compiled when it was made, interpreted by now (on the CPU)."""
        return self._core.counts()

    def __call__(self, graphs: Union[Graph, Sequence[Graph]]) -> Outputs:
        """Outputs of the samples of a graph, or of several that run at once, one after another."""
        return self._core.run([graph._core for graph in _list_of(graphs)])

    def predict(self, graph: Graph, *, split: Optional[str] = None,
                loss: Optional[str] = None) -> Predictions:
        """Classes and probabilities of a graph's samples, or numbers, as Program.predict()."""
        return predictions_of(self._core.predict(graph._core, split, loss))

    def save(self, path: Path) -> None:
        """For load_program(), and `vecc run` and `vecc predict`."""
        self._core.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<vecc.SavedProgram: {self.counts['kernels']:,} kernels, {self.dtype}>"


def _list_of(graphs: Union[Graph, Sequence[Graph]]) -> List[Graph]:
    return list(graphs) if isinstance(graphs, (list, tuple)) else [graphs]  # type: ignore[list-item]


def load_program(path: Path, *, dtype: Optional[str] = None, threads: int = 0,
                 device: str = "cpu") -> SavedProgram:
    """What `vecc --save-program` or Program.save_program() wrote. `dtype`: f32 or f64; None: that
    of the program. `threads`: 0 for as many as there are cores. `device`: cpu, cuda or cuda:N."""
    return SavedProgram(_core.load_program(os.fspath(path), dtype, threads, device))
