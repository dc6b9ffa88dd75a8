"""Products of a weight with features that are mostly 0, as words of a text: only what is not 0 is
read, and the weight is a table of its columns."""

from __future__ import annotations

from typing import Collection, Dict, Mapping, NamedTuple, Optional, Set, Tuple

import numpy as np

from vecc.nn.binding import Binding
from vecc.nn.trace import Domain, Trace, Value

LEAST_COLUMNS = 32
MOST_FULL = 1 / 8  #: share of entries that are not 0, up to which a product is by entries


class Entries(NamedTuple):
    """Of a matrix, row after row."""

    offsets: np.ndarray  #: [rows + 1]
    columns: np.ndarray
    values: np.ndarray


class SparseFeatures:
    """Which products of a trace are by entries, with this data: W @ x, where x is a feature that is
    mostly 0 and W a weight that is read by nothing else. Features in `placed` tables stay tables."""

    def __init__(self, trace: Trace, binding: Binding, placed: Collection[str] = ()) -> None:
        self._binding, self._placed = binding, placed
        #: Features by their sets and names, as several values may read one.
        self._entries: Dict[Tuple[Domain, str], Optional[Entries]] = {}
        readers: Dict[Value, Set[Value]] = {}
        for value in trace.values:
            for arg in value.args:
                readers.setdefault(arg, set()).add(value)
        self.products = {value: entries for value in trace.values
                         if (entries := self._of(value, readers)) is not None}

    def _of(self, value: Value, readers: Mapping[Value, Set[Value]]) -> Optional[Entries]:
        if value.op != "matmul":
            return None
        weight, x = value.args
        is_product = (weight.op == "weight" and len(weight.shape) == 2 and weight.shape[0] > 1
                      and readers[weight] == {value} and x.op == "feature")
        if not is_product or len(x.shape) != 1 or x.shape[0] < LEAST_COLUMNS:
            return None
        key = (x.domain, x.attributes["name"])
        if x.domain.table_of(key[1]) in self._placed:
            return None
        if key not in self._entries:
            self._entries[key] = self._read(self._binding.numbers(*key, x.shape))
        return self._entries[key]

    @staticmethod
    def _read(rows: np.ndarray) -> Optional[Entries]:
        full = int(np.count_nonzero(rows))
        if full == 0 or full > MOST_FULL * rows.size:
            return None
        row, columns = np.nonzero(rows)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))])
        return Entries(offsets, columns, rows[row, columns])


def columns_of(weight: np.ndarray) -> np.ndarray:
    """[1, m, n] as the table [n, m, 1] of its columns."""
    return np.ascontiguousarray(weight[0].T[:, :, None])


def weight_of(columns: np.ndarray) -> np.ndarray:
    """columns_of() undone."""
    return np.ascontiguousarray(columns[:, :, 0].T[None])
