"""What notebooks show of data and models."""

from __future__ import annotations

import os
from html import escape
from typing import Dict, Iterable, List, Sequence

import numpy as np

from vecc.nn.data import SPLITS, Data
from vecc.nn.trace import Trace

MOST = 60  #: rows of a table


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """All text escaped; the first MOST rows."""
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{escape(cell)}</{tag}>"
                                for cell in cells) + "</tr>"
    lines = [line(row, "td") for row in rows]
    more = f"<p>and {len(lines) - MOST:,} more</p>" if len(lines) > MOST else ""
    return (f"<p>{escape(title)}</p><table><thead>{line(head, 'th')}</thead><tbody>"
            f"{''.join(lines[:MOST])}</tbody></table>{more}")


def data_table(data: Data) -> str:
    rows: List[Sequence[str]] = []
    for domain, count in data.counts.items():
        features = ", ".join(
            f"{name}: {feature.kinds} categories" if feature.kinds else
            f"{name} {list(feature.values.shape[1:])} {feature.values.dtype}"
            for name, feature in data.features.get(domain, {}).items())
        rows.append((str(domain), f"{count:,}", features))
    if data.targets is not None:
        rows.append(("labels", f"{len(data.targets):,}", _labels(data)))
    return table(data.name, ("rows", "count", "features"), rows)


def _labels(data: Data) -> str:
    y = data.targets
    assert y is not None
    if y.ndim == 1 and y.dtype.kind in "iub":
        words = f"{int(y.max(initial=-1)) + 1} classes"
    else:
        words = f"numbers {list(y.shape[1:])}" if y.dtype.kind == "f" else f"{y.shape[-1]} labels"
    if data.splits is not None:
        words += "; " + ", ".join(f"{split} {int((data.splits == number).sum()):,}"
                                  for split, number in SPLITS.items())
    return words


def weights_table(title: str, trace: Trace, weights: Dict[str, np.ndarray]) -> str:
    tracked = {running.attributes["table"].name for running, _ in trace.tracked}
    lines: Dict[str, str] = {}
    for value in trace.values:
        if "table" in value.attributes:
            path, _, number = value.where.rpartition(":")
            lines.setdefault(value.attributes["table"].name, f"{os.path.basename(path)}:{number}")
    return table(title, ("weight", "shape", "line"), (
        (name + (" (running)" if name in tracked else ""), str(list(value.shape)),
         lines.get(name, "")) for name, value in weights.items()))
