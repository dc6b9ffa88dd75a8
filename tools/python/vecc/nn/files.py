"""Graphs in files: NumPy's .npz, lists of edges."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Union

import numpy as np

from vecc.error import usage_error
from vecc.nn.convert import add_pairs, take_pairs
from vecc.nn.data import Data

Path = Union[str, "os.PathLike[str]"]
MASKS = {"train": ("train_mask", "idx_train"), "validation": ("val_mask", "idx_val"),
         "test": ("test_mask", "idx_test")}
LABELS = ("y", "labels", "label")


def from_npz(path: Path) -> Data:
    """Edges: `edge_index` [2, n], or `src` and `dst`, or a matrix adj_data, adj_indices,
    adj_indptr, adj_shape in compressed rows, as may be `x` (attr_data, ...). Labels: `y`,
    `labels`; masks train_mask, val_mask, test_mask (or idx_train, ...); other arrays are features,
    of edges if they begin with `edge` or have as many rows as edges alone have, else of nodes.
    Pickled objects are refused."""
    name = os.fspath(path)
    try:
        with np.load(name, allow_pickle=False) as file:
            arrays = {key.removesuffix(".npy"): file[key] for key in file.files}
    except ValueError as error:
        raise usage_error(name, f"is no .npz of plain arrays: {error}") from None
    ends = _ends(name, arrays)
    if "attr_data" in arrays:
        arrays["x"] = _dense(name, arrays, "attr")
    y = next((arrays.pop(key) for key in LABELS if key in arrays), None)
    masks: Dict[str, Any] = {split: next((arrays.pop(key) for key in keys if key in arrays), None)
                             for split, keys in MASKS.items()}
    pairs, pair_labels = take_pairs(arrays)
    count = arrays.pop("num_nodes", None)
    nodes = int(count) if count is not None else _node_count(arrays, ends, y)
    of_nodes: Dict[str, np.ndarray] = {}
    of_edges: Dict[str, np.ndarray] = {}
    for key, value in arrays.items():
        if value.ndim == 0:
            continue
        is_edge = len(value) == ends.shape[1] and (key.startswith("edge") or len(value) != nodes)
        if not is_edge and len(value) != nodes:
            raise usage_error(name, f"{key} has {len(value)} rows: there are {nodes} nodes and "
                              f"{ends.shape[1]} edges")
        (of_edges if is_edge else of_nodes)[key] = value
    data = Data(name).nodes(count=nodes, features=of_nodes).edges(ends, features=of_edges)
    if pairs is not None and add_pairs(data, pairs, pair_labels):
        return data
    return data.with_masks(y, masks, late=True)


def _ends(name: str, arrays: Dict[str, np.ndarray]) -> np.ndarray:
    if "edge_index" in arrays:
        ends = arrays.pop("edge_index")
    elif "src" in arrays and "dst" in arrays:
        ends = np.stack([arrays.pop("src"), arrays.pop("dst")])
    elif "adj_indptr" in arrays:
        lengths, columns = np.diff(arrays.pop("adj_indptr")), arrays.pop("adj_indices")
        arrays["num_nodes"] = np.asarray(arrays.pop("adj_shape")[0])
        weights = arrays.pop("adj_data")
        if len(weights) and (weights != 1).any():
            arrays["edge_weight"] = weights
        if lengths.sum() != len(columns):
            raise usage_error(name, "adj_indptr does not fit adj_indices")
        ends = np.stack([np.repeat(np.arange(len(lengths)), lengths), columns])
    else:
        raise usage_error(name, "has no edges: expected edge_index, src and dst, or adj_indptr; "
                          f"there are: {', '.join(sorted(arrays)) or 'no arrays'}")
    if ends.ndim != 2 or len(ends) != 2 or ends.dtype.kind not in "iu":
        raise usage_error(name, f"edges are {list(ends.shape)} of {ends.dtype}, expected [2, n] "
                          "whole numbers")
    return ends


def _dense(name: str, arrays: Dict[str, np.ndarray], prefix: str) -> np.ndarray:
    data, indices, indptr, shape = (arrays.pop(f"{prefix}_{part}", None)
                                    for part in ("data", "indices", "indptr", "shape"))
    if data is None or indices is None or indptr is None or shape is None:
        raise usage_error(name, f"{prefix}_data needs {prefix}_indices, {prefix}_indptr and "
                          f"{prefix}_shape")
    rows, lengths = np.zeros(tuple(shape), np.float32), np.diff(indptr)
    if lengths.sum() != len(indices) or len(indices) != len(data) or len(lengths) != shape[0] or (
            len(indices) and not 0 <= indices.min() <= indices.max() < shape[1]):
        raise usage_error(name, f"{prefix}_indptr, {prefix}_indices and {prefix}_shape do not fit")
    rows[np.repeat(np.arange(len(lengths)), lengths), indices] = data
    return rows


def _node_count(arrays: Dict[str, np.ndarray], ends: np.ndarray, y: Optional[np.ndarray]) -> int:
    if "x" in arrays and arrays["x"].ndim > 0:
        return len(arrays["x"])
    return max(int(ends.max(initial=-1)) + 1, 0 if y is None else len(y))


def from_edge_list(path: Path, x: Any = None, *, count: Optional[int] = None, y: Any = None,
                   masks: Any = None, directed: bool = True) -> Data:
    """Lines `source target` or `source target weight`, between spaces, tabs, commas or semicolons;
    # and % begin comments. Nodes are whole numbers from 0. `directed` false: each edge goes both
    ways. The weights are the feature `weight`."""
    name, rows, width = os.fspath(path), [], 0
    with open(name, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.replace(",", " ").replace(";", " ").split()
            if not words or words[0][0] in "#%":
                continue
            width = width or len(words)
            rows.append(_edge_row(f"{name}:{number}", words, width))
    ends = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2).T
    features: Dict[str, np.ndarray] = {}
    if width == 3:
        features["weight"] = np.array([row[2] for row in rows], np.float64)
    if not directed:
        back = ends[0] != ends[1]
        ends = np.concatenate([ends, ends[::-1][:, back]], axis=1)
        features = {key: np.concatenate([value, value[back]]) for key, value in features.items()}
    if count is None and x is None:
        count = max(int(ends.max(initial=-1)) + 1, 0 if y is None else len(y))
    data = Data(name).nodes(count=count, features={} if x is None else {"x": x})
    data.edges(ends, features=features)
    return data.with_masks(y, masks or {})


def _edge_row(place: str, words: List[str], width: int) -> List[float]:
    if len(words) != width or width not in (2, 3):
        raise usage_error(place, f"has {len(words)} columns, expected " +
                          (f"{width}, as the lines before" if width in (2, 3) else "2 or 3"))
    if not (words[0].isascii() and words[0].isdecimal() and words[1].isascii()
            and words[1].isdecimal()):
        raise usage_error(place, f"{words[0][:40]!r} {words[1][:40]!r}: nodes are whole numbers "
                          "from 0")
    row: List[float] = [int(words[0]), int(words[1])]
    if width == 3:
        try:
            row.append(float(words[2]))
        except ValueError:
            raise usage_error(place, f"weight {words[2][:40]!r} is no number") from None
    return row
