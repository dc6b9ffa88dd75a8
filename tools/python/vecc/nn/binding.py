"""A graph's arrays in the order of rows: edges by their targets, so that sums need no index."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional

import numpy as np

from vecc import _core
from vecc.error import usage_error
from vecc.nn.data import Data
from vecc.nn.trace import GRAPHS, ONE, Category, Domain, Endpoint, Shape


class Edges(NamedTuple):
    src: np.ndarray
    dst: np.ndarray
    order: np.ndarray  #: which edge of the data each row is; a loop: the number of edges + its node
    offsets: np.ndarray  #: where the rows of each target begin, and the last end


class Groups(NamedTuple):
    """Rows by what they are reduced to."""

    order: Optional[np.ndarray]  #: None: rows stand in order already
    offsets: np.ndarray


class Binding:
    def __init__(self, data: Data) -> None:
        self.data = data
        self._edges: Dict[Domain, Edges] = {}
        self._groups: Dict[Endpoint, Groups] = {}

    def rows(self, domain: Domain) -> int:
        if domain == ONE:
            return 1
        if domain.kind == "edge" and domain.loops is not None:
            return len(self.edges(domain).src)
        self._check_there(domain)
        return self.data.counts[domain]

    def _check_there(self, domain: Domain) -> None:
        if domain._replace(loops=None) not in self.data.counts:
            empty = "; a set without edges is torch.empty(2, 0)" if domain.kind == "edge" else ""
            raise usage_error(self.data.name, f"has no {domain}, which the model reads{empty}")

    def edges(self, domain: Domain) -> Edges:
        if domain not in self._edges:
            self._check_there(domain)
            src, dst = self.data.ends[domain.key]
            order = None
            if domain.loops is not None:
                nodes = np.arange(self.data.counts[Domain("node", domain.key[0])], dtype=np.uint32)
                kept = np.flatnonzero(src != dst)
                order = np.concatenate([kept, len(src) + nodes])
                src = np.concatenate([src[kept], nodes])
                dst = np.concatenate([dst[kept], nodes])
            by_target, offsets = _core.row_groups(
                dst, self.data.counts[Domain("node", domain.key[2])])
            if by_target is not None:
                src, dst = (_core.take_numbers(ends, by_target) for ends in (src, dst))
                order = by_target if order is None else order[by_target]
            if order is None:
                order = np.arange(len(src))
            self._edges[domain] = Edges(src, dst, order, offsets.astype(np.int64))
        return self._edges[domain]

    def index(self, end: Endpoint) -> np.ndarray:
        """Of each row of the source the row of the target."""
        if end.role != "graph":
            edges = self.edges(end.source)
            return edges.src if end.role == "src" else edges.dst
        if end.source.key in self.data.graph_of:
            return self.data.graph_of[end.source.key]
        if self.data.counts[GRAPHS] == 1:
            return np.zeros(self.data.counts[end.source], np.uint32)
        raise usage_error(self.data.name, f"{end.source} have no graph=, so they cannot be pooled")

    def groups(self, end: Endpoint) -> Groups:
        if end.role == "dst":
            return Groups(None, self.edges(end.source).offsets)
        if end not in self._groups:
            order, offsets = _core.row_groups(self.index(end), self.rows(end.target))
            self._groups[end] = Groups(order, offsets.astype(np.int64))
        return self._groups[end]

    def feature(self, domain: Domain, name: str) -> np.ndarray:
        own = self.data.features.get(domain._replace(loops=None), {})
        if name not in own:
            raise usage_error(self.data.name, f"there is no feature {name!r} of {domain}, which "
                              f"the model reads; there are: {', '.join(sorted(own)) or 'none'}")
        values: np.ndarray = own[name].values
        if domain.kind != "edge":
            return values
        edges = self.edges(domain)
        values = values if domain.loops is None else self._filled(domain, values)
        if values.dtype == np.uint32 and edges.order.dtype == np.uint32:
            return _core.take_numbers(values, edges.order)
        return np.take(values, edges.order, axis=0)

    def numbers(self, domain: Domain, name: str, shape: Shape) -> np.ndarray:
        """A feature of floats."""
        values = self.feature(domain, name)
        found = ("whole numbers" if values.dtype == np.uint32 else
                 f"rows of {list(values.shape[1:])}")
        if values.dtype == np.uint32 or values.shape[1:] != shape:
            raise usage_error(self.data.name, f"feature {name!r} of {domain} are {found}, but the "
                              "model was traced with " +
                              (f"{list(shape)}" if values.dtype != np.uint32 else "floats"))
        return values

    def _filled(self, domain: Domain, values: np.ndarray) -> np.ndarray:
        """With a row a loop: its own, a number, or the mean of the edges into its node."""
        assert domain.loops is not None
        src, dst = self.data.ends[domain.key]
        count = self.data.counts[Domain("node", domain.key[0])]
        loops = np.zeros((count, *values.shape[1:]))
        if domain.loops.fill == "mean":
            kept = src != dst
            np.add.at(loops, dst[kept], values[kept])
            degree = np.maximum(np.bincount(dst[kept], minlength=count), 1)
            loops /= degree.reshape(-1, *[1] * (values.ndim - 1))
        else:
            loops += domain.loops.fill
        if domain.loops.kept:
            own = np.flatnonzero(src == dst)
            loops[src[own]] = values[own]
        return np.concatenate([values, loops])

    def categories(self, category: Category) -> np.ndarray:
        values = self.feature(category.domain, category.name)
        if values.dtype != np.uint32:
            raise usage_error(self.data.name, f"feature {category.name!r} of {category.domain} is "
                              f"{values.dtype}, expected whole numbers, as the model was traced")
        if len(values) and values.max() >= category.count:
            raise usage_error(self.data.name, f"feature {category.name!r} of {category.domain} has "
                              f"{values.max()}, but the model was traced with {category.count} "
                              "values: trace it with data that has all of them, or say how many "
                              f"there are, g.{category.name}.with_count(n)")
        return values

    def same_category(self, end: Endpoint, category: Category) -> np.ndarray:
        """Of each row how many rows of its target have its category."""
        return _core.count_pairs(self.index(end), self.rows(end.target), self.categories(category))

    def output_rows(self, domain: Domain) -> np.ndarray:
        """In the data's own order."""
        rows = np.arange(self.rows(domain))
        if domain.kind != "edge":
            return rows
        result = np.empty_like(rows)
        result[self.edges(domain).order] = rows
        return result
