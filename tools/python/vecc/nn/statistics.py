"""Statistics of rows that a training step takes (batch norm), and a sum for each: of all rows, or
of those of the step's graphs."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional

import numpy as np

from vecc.error import usage_error
from vecc.nn.binding import Binding
from vecc.nn.data import SPLITS, Data
from vecc.nn.targets import Block, Handle, Sides, Target
from vecc.nn.trace import GRAPHS, Domain, Endpoint


def _nodes_of(domain: Domain) -> Domain:
    """That tell the graph of a row."""
    return Domain("node", domain.key[2]) if domain.kind == "edge" else domain


def has_graphs(data: Data, domain: Domain) -> bool:
    """Whether each row is of a graph of the data."""
    return GRAPHS in data.counts and (
        domain == GRAPHS or data.counts[GRAPHS] == 1 or _nodes_of(domain).key in data.graph_of)


def check_whole(data: Data, options: Mapping[str, Any]) -> None:
    """Of a training whose statistics are those of all rows."""
    marks = data.splits is not None and len(np.unique(data.splits)) > 1
    if data.counts.get(GRAPHS, 1) > 1 and (marks or options.get("validate") is not None):
        raise usage_error("fit", "batch norm takes the statistics of all rows, also of those that "
                          "masks or validate= leave out, where the model's outputs are no graphs: "
                          "fit the graphs to train on, evaluate() the others")


def check_batches(data: Data, domains: Iterable[Domain], options: Mapping[str, Any]) -> None:
    """Of a training whose steps have statistics of their own graphs."""
    marked = 0 if data.splits is None else int(np.count_nonzero(data.splits))
    if 0 < marked < data.counts[GRAPHS]:
        raise usage_error("fit", f"no mask marks {data.counts[GRAPHS] - marked} of the "
                          f"{data.counts[GRAPHS]} graphs: batch norm takes the statistics of the "
                          "graphs to train on, expected a mask for each, or those graphs alone")
    size, fraction = options.get("batch_size"), options.get("validate")
    if not isinstance(size, int) or size < 1:  # all; what is none is refused where it is read
        return
    training = data.counts[GRAPHS] if marked == 0 else int(
        np.count_nonzero(data.splits == SPLITS["train"]))
    if isinstance(fraction, float):
        training -= math.floor(fraction * training + 0.5)
    last = training % size or size
    for domain in domains:
        rows = _rows_by_graph(data, domain)
        if size < training and int(np.sort(rows)[:last].sum()) < 2:
            raise usage_error("fit", f"batch_size={size} of {training} graphs to train on leaves "
                              f"{last} for the last batch, which may have fewer than two {domain}: "
                              "batch norm takes two or more, expected another batch_size=")


def _rows_by_graph(data: Data, domain: Domain) -> np.ndarray:
    graphs = data.counts[GRAPHS]
    if domain == GRAPHS:
        return np.ones(graphs, np.int64)
    if domain.loops is not None:  # one a node, at least
        domain = _nodes_of(domain)
    if graphs == 1:
        return np.array([data.counts[domain]])
    graph = data.graph_of[_nodes_of(domain).key]
    if domain.kind == "edge":
        graph = graph[data.ends[domain.key][1]]
    return np.bincount(graph, minlength=graphs)


class _Rows(NamedTuple):
    """Those that count."""

    weights: Optional[Handle]  #: a scalar a row, 1 or 0; none: all rows count
    total: Optional[Handle]  #: the sum of the weights
    share: Handle  #: 1 / total


class Statistics:
    def __init__(self, binding: Binding, target: Target, of_samples: bool) -> None:
        """`of_samples`: of rows of the graphs that a step has, which are its samples."""
        self._binding, self._target, self._of_samples = binding, target, of_samples
        self._rows: Dict[Domain, _Rows] = {}

    def mean(self, x: Block, domain: Domain) -> Block:
        weights = self._of(domain).weights
        if weights is None:
            return self._mean(x.handle, x, domain)
        return self._mean(self._target.map("elproduct($0, $1)", [x.handle, weights]), x, domain)

    def variance(self, x: Block, mean: Block, domain: Domain) -> Block:
        """One map of a row: of what it is made nothing is kept for the gradient, so that sums of a
        batch leave out other rows (src/batch)."""
        centred = "sum($0, elproduct(-1, $1))"
        weights, values = self._of(domain).weights, [x.handle, mean.handle]
        factors = f"{centred}, {centred}" + ("" if weights is None else ", $2")
        values += [] if weights is None else [weights]
        return self._mean(self._target.map(f"elproduct({factors})", values), x, domain)

    def _mean(self, values: Handle, like: Block, domain: Domain) -> Block:
        total = self._sum(values, like.rows, like.sides)
        handle = self._target.map("elproduct($0, $1)", [total, self._of(domain).share])
        return Block(handle, 1, like.sides)

    def unbiased(self, domain: Domain) -> Block:
        """n / (n - 1) of n rows."""
        count = self._binding.rows(domain)
        if count < 2:
            raise usage_error(self._binding.data.name, f"has {count} {domain}: batch norm is "
                              "trained with two or more")
        rows = self._of(domain)
        if rows.total is None:
            return Block(self._number(count / (count - 1)), 1, ())
        text = "elproduct($0, inverse(sum($0, -1)))"
        return Block(self._target.map(text, [rows.total]), 1, ())

    def _of(self, domain: Domain) -> _Rows:
        if domain not in self._rows:
            count = self._binding.rows(domain)
            if self._of_samples:
                self._rows[domain] = self._of_step(domain, count)
            else:
                self._rows[domain] = _Rows(None, None, self._number(1 / count if count else 0.0))
        return self._rows[domain]

    def _of_step(self, domain: Domain, rows: int) -> _Rows:
        graphs = self._target.step_samples(self._binding.data.counts[GRAPHS])
        weights = graphs if domain == GRAPHS else self._target.gather(graphs, self._graph(domain))
        count = self._sum(weights, rows, ())
        # Of one row it is no number, as torch refuses to train with one.
        share = "elproduct(inverse($0), sum($0, -1), inverse(sum($0, -1)))"
        return _Rows(weights, count, self._target.map(share, [count]))

    def _graph(self, domain: Domain) -> np.ndarray:
        """Of each row."""
        if domain.kind == "node":
            return self._binding.index(Endpoint(domain, GRAPHS, "graph"))
        graphs: np.ndarray = self._graph(_nodes_of(domain))[self._binding.edges(domain).dst]
        return graphs

    def _sum(self, values: Handle, rows: int, sides: Sides) -> Handle:
        """By sums of about as many rows as there are sums, which run side by side."""
        part = 1 << (rows.bit_length() // 2 + 1)
        ends = np.append(np.arange(0, rows, part), rows)
        sums = self._target.segment(values, ends, "sum", sides)
        if len(ends) > 2:
            sums = self._target.segment(sums, np.array([0, len(ends) - 1]), "sum", sides)
        return sums

    def _number(self, value: float) -> Handle:
        return self._target.fact(np.array([value]), 1, ())
