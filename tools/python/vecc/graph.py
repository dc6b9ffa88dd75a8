"""vecc.load and vecc.Graph: the neurons of a graph.pb."""

from __future__ import annotations

import mmap
import os
import tempfile
from html import escape
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast

import numpy as np

from vecc import _core
from vecc.arrays import Weights, give_weights
from vecc.error import usage_error
from vecc.options import is_whole, option_words
from vecc.program import Program

Outputs = Union[np.ndarray, List[np.ndarray]]


class Graph:
    """A neuron graph; load() and GraphBuilder make it. Only its weights ever change."""

    def __init__(self, core: _core.Graph, words: Sequence[str] = ()):
        self._core = core
        self._words = list(words)  # of facts that are inputs
        #: what runs a compiled program is made when it first runs: a training has its own
        self._runs_later = False

    neuron_count = property(lambda self: self._core.neuron_count)
    edge_count = property(lambda self: self._core.edge_count)
    sample_count = property(lambda self: self._core.sample_count)
    producer = property(lambda self: self._core.producer)

    @property
    def groups(self) -> List[Dict[str, Any]]:
        """head, class, neurons and rule of every group: the layers of the graph's producer."""
        return self._core.groups()

    @property
    def sample_ids(self) -> List[str]:
        return self._core.sample_ids()

    @property
    def targets(self) -> Optional[Outputs]:
        """As outputs are given; NaN where a sample has none; None if no sample has."""
        return self._core.targets()

    @property
    def vocabularies(self) -> Dict[str, List[str]]:
        """The names of labels, relations, classes, ... in the order of their numbers."""
        return self._core.vocabularies()

    @property
    def classes(self) -> Optional[List[str]]:
        """The names of the outputs' elements; two for outputs of one element (which says how much
        a sample is of the second); None where the graph does not name them."""
        return cast(Optional[List[str]], self._core.classes())

    @property
    def inputs(self) -> np.ndarray:
        """What neurons read, neuron after neuron: a read-only view of the graph's own column."""
        return self._core.inputs()

    @property
    def input_begin(self) -> np.ndarray:
        """Neuron n reads inputs[input_begin[n]:input_begin[n + 1]]; a read-only view."""
        return self._core.input_begin()

    @property
    def weights(self) -> Dict[str, Optional[np.ndarray]]:
        """Copies of all weight tables, [count, rows, cols] or [count]; None: to be initialized."""
        return self._core.weights()

    def initialize(self, init: str = "glorot", seed: int = 0) -> int:
        """Gives weights without values some, as --init does; returns how many."""
        return self._core.initialize(init, seed)

    def set_weights(self, weights: Weights, by_name: bool = False) -> None:
        """Arrays by name (others stay as they are), or a weight file: all of it, or `by_name`."""
        give_weights(self._core, weights, by_name)

    def save_weights(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes all weight tables as safetensors."""
        self._core.save_weights(os.fspath(path))

    def save(self, path: Union[str, "os.PathLike[str]"], compression: str = "none",
             level: Optional[int] = None) -> None:
        """Writes a graph.pb with the weights of now: whole, or not at all. `compression`: none,
        gzip (`level` from 1 to 9, else 6), zstd (1 to 22, else 9)."""
        if self._words:
            raise usage_error("save", "facts of this graph are inputs (bind_facts), which a file "
                              "does not know; save the graph that is loaded without them, and "
                              "bind them when it is loaded again")
        self._core.save(os.fspath(path), compression, level)

    def __copy__(self) -> "Graph":
        """With weights of its own."""
        return Graph(self._core.copy(), self._words)

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Graph":
        return self.__copy__()

    def __reduce__(self) -> Tuple[Any, ...]:
        with tempfile.TemporaryDirectory(prefix="vecc-graph-") as folder:
            path = os.path.join(folder, "graph.pb")
            self.save(path, "zstd")
            with open(path, "rb") as file:
                return _unpickle, (file.read(), self._core.path)

    def evaluate(self) -> Outputs:
        """The samples' outputs by the reference: neuron by neuron, in float64, slow."""
        return self._core.evaluate()

    def compile(self, backend: str = "auto", opt: int = 2, *, device: str = "auto",
                dtype: str = "f32", threads: int = 0, passes: Optional[Sequence[str]] = None,
                disable_pass: Sequence[str] = (), gather_preset: Optional[str] = None,
                pad: Optional[str] = None, torch_reduce: Optional[str] = None,
                matmul_precision: Optional[str] = None, runs: Optional[int] = None,
                cache: bool = True, cache_after: Optional[float] = None,
                gpu_memory: Union[int, str, None] = None,
                place: Optional[Mapping[str, str]] = None,
                place_folder: Union[str, "os.PathLike[str]", None] = None) -> Program:
        """A program with the weights of now, as its own. The options are the command line's.

        `runs`: how often it will be called, if that is known; None: often. A program of very many
        kernels or launches that runs once or twice is then made in less time, and runs slower.

        `cache`: of a graph that load() read from a file, the optimized program and its training's
        steps are looked for in the program cache, and kept there if they took longer than
        `cache_after` seconds, 1 without it (docs/program-cache.md).

        `gpu_memory` ("8G", or bytes): what a GPU may give at most, of this program and of each that
        a training makes of it; tables that do not fit are in the host's memory (docs/cuda.md).
        `place`: where tables are, {"e": "host"}: "device" or "host" of the backend cuda, "host" or
        "file" of cpu; the files are in `place_folder` (docs/cpu.md).
        """
        words = self._words + [f"-O{opt}"] + option_words(
            backend=backend, device=device, dtype=dtype if backend != "reference" else None,
            threads=threads, passes=passes,
            disable_pass=disable_pass, gather_preset=gather_preset, pad=pad,
            torch_reduce=torch_reduce, matmul_precision=matmul_precision, no_cache=not cache,
            cache_after=cache_after, gpu_memory=gpu_memory, place_folder=place_folder)
        words += [f"--place={table}={of}" for table, of in _places(place)]
        return Program(self._core.compile(words, _expected_runs(runs), self._runs_later), words)

    def __repr__(self) -> str:
        return (f"<vecc.Graph {self._core.path}: {self.neuron_count:,} neurons, "
                f"{self.edge_count:,} edges, {self.sample_count:,} samples>")

    def _repr_html_(self) -> str:
        most, groups = 40, self.groups
        lines = "".join(
            f"<tr><td style='text-align:left'>{escape(g['head'])}</td><td>{g['class']}</td>"
            f"<td>{g['neurons']:,}</td><td style='text-align:left'><code>"
            f"{escape(g['rule'][:200])}</code></td></tr>" for g in groups[:most])
        more = f"<p>and {len(groups) - most:,} more groups</p>" if len(groups) > most else ""
        return (f"<p>{escape(repr(self))}</p><table><tr><th>group</th><th>class</th>"
                f"<th>neurons</th><th>rule</th></tr>{lines}</table>{more}")


def _places(place: Optional[Mapping[str, str]]) -> List[Tuple[str, str]]:
    """The tables and the place of each."""
    if place is None:
        return []
    if not isinstance(place, Mapping) or not all(
            isinstance(word, str) for pair in place.items() for word in pair):
        raise usage_error("place", f"found {place!r}, expected a place by the name of each table, "
                          'as {"e": "host"}')
    return list(place.items())


def _expected_runs(runs: Optional[int]) -> int:
    """As ExecutionOptions::expected_runs has it: 0 is often."""
    if runs is None:
        return 0
    if not is_whole(runs, 1) or runs >= 2**63:
        raise usage_error("runs", f"{runs!r} is not a whole number from 1 to {2**63 - 1}: how often "
                          "the program will be called, or None for often")
    return int(runs)


def _unpickle(data: bytes, name: str) -> Graph:
    return load(data, name=name)


def load(source: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, mmap.mmap], *,
         name: str = "graph", bind_facts: Sequence[str] = (),
         group: Literal["file", "auto"] = "file",
         max_neurons: Optional[int] = None, max_edges: Optional[int] = None,
         max_weights: Optional[int] = None, max_input_bytes: Optional[int] = None,
         max_value_size: Optional[int] = None, max_errors: Optional[int] = None) -> Graph:
    """Reads and checks a graph.pb (docs/format.md), plain, gzip or zstd: a path, or its bytes,
    which errors then call `name`.

    Facts of the groups `bind_facts` become weights `fact/GROUP` that no training learns. With
    `group="auto"` groups are found by what neurons compute, for a file that has one for all of
    them, or one for each.
    """
    facts = option_words(bind_facts=bind_facts)
    reading = option_words(group=group, max_neurons=max_neurons, max_edges=max_edges,
                           max_weights=max_weights, max_input_bytes=max_input_bytes,
                           max_value_size=max_value_size, max_errors=max_errors)
    if isinstance(source, (str, os.PathLike)):
        return Graph(_core.load_graph(os.fspath(source), facts + reading), facts)
    data = np.frombuffer(source, np.uint8)
    return Graph(_core.load_graph_bytes(data, name, facts + reading), facts)
