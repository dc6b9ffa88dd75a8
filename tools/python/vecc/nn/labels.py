"""What outputs should be, as samples: classes, several labels, numbers."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from vecc.error import usage_error
from vecc.arrays import as_array
from vecc.nn.data import SPLITS, Data
from vecc.nn.lower import sides_of
from vecc.nn.targets import Samples
from vecc.nn.trace import GRAPHS, Value, describe

NO_SPLITS, NO_WEIGHTS = np.zeros(0, np.uint8), np.zeros(0, np.float32)


def _wrong(output: Value, message: str) -> Exception:
    return usage_error("labels", f"{message}, but the model's output is {describe(output)}")


def _way_out(count: int, data: Data, output: Value, rows: int) -> str:
    """Of labels of so many rows, for an output of others."""
    kind = output.domain.kind
    if count == rows * output.size:
        return f": give each {kind}'s y one row, [1, {output.size}]"
    if kind == "node" and count == data.counts.get(GRAPHS):
        return ": they have a row a graph, so pool with nn.mean(v, over=g.graph)"
    return ""


def _class_rows(y: np.ndarray, output: Value) -> Tuple[np.ndarray, np.ndarray]:
    """Which rows have a class, and of those the place of the 1 in a one-hot row; of two classes a
    number of one output."""
    has = y >= 0
    known, size = y[has], output.size
    most = int(known.max()) + 1 if len(known) else 0
    if most > max(size, 2):
        raise _wrong(output, f"there are {most} classes (numbers to regress are floats, y.float())"
                     if size == 1 else f"there are {most} classes")
    if size == 1:
        return has, known.astype(np.float64)
    return has, known.astype(np.uint32)


def _number_rows(y: np.ndarray, output: Value) -> Tuple[np.ndarray, np.ndarray]:
    rows = y.reshape(len(y), -1).astype(np.float64)
    if rows.shape[1] != output.size:
        raise _wrong(output, f"they have {rows.shape[1]} numbers a row"
                     + (" (classes are whole numbers, y.long())" if rows.shape[1] == 1 else ""))
    missing: np.ndarray = np.isnan(rows)
    if (missing.any(1) != missing.all(1)).any():
        raise usage_error("labels", "some rows are NaN in part: a row has all its labels or none; "
                          "a loop of torch takes those that are there, model.to_torch() and "
                          "loss(out[~y.isnan()], y[~y.isnan()])")
    has = np.asarray(~missing.all(1))
    if not np.isfinite(rows[has]).all():
        raise usage_error("labels", "there are infinite numbers")
    return has, rows[has]


def targets_of(data: Data, output: Value) -> Optional[np.ndarray]:
    """The labels, unless they are known to be of other rows than the output's."""
    return data.targets if data.labelled in (None, output.domain) else None


def samples_of(data: Data, output: Value, rows: np.ndarray, with_labels: bool = True) -> Samples:
    """One sample a row of the output, in the data's order."""
    sides = sides_of(output.shape)
    none = np.zeros(0)
    if len(rows) == 0:
        raise usage_error(data.name, f"there are no {output.domain}, of which the output is")
    y = targets_of(data, output) if with_labels else None
    if y is None:
        return Samples(rows, sides, none.astype(np.uint8), none, NO_SPLITS, NO_WEIGHTS,
                       data.classes)
    _check_masks(data, output)
    if len(y) != len(rows):
        raise usage_error("labels", f"they have {len(y)} rows, but the model's output is "
                          f"{describe(output)}, of {len(rows)} rows"
                          + _way_out(len(y), data, output, len(rows)))
    if y.dtype.kind not in "iubf":
        raise usage_error("labels", f"are {y.dtype}, expected whole numbers or floats")
    is_class = y.ndim == 1 and y.dtype.kind in "iub"
    splits = NO_SPLITS if data.splits is None else data.splits
    if data.splits is not None:  # a row that no mask has is for nothing
        y = np.where((splits == 0).reshape(-1, *[1] * (y.ndim - 1)), -1 if is_class else np.nan,
                     y.astype(np.int64) if is_class else y.astype(np.float64))
    has, targets = (_class_rows(y.astype(np.int64), output) if is_class else
                    _number_rows(y, output))
    classes = data.classes
    if classes and len(classes) != max(output.size, 2):
        raise _wrong(output, f"they name {len(classes)} classes")
    weights = NO_WEIGHTS if data.sample_weights is None else data.sample_weights
    if data.class_weights is not None:
        if not is_class:
            raise usage_error("labels", "class_weights are of classes, and the labels are none")
        weights = _by_class(y.astype(np.int64), data, weights)
    return Samples(rows, sides, has.astype(np.uint8), targets.ravel(), splits, weights, classes)


def _check_masks(data: Data, output: Value) -> None:
    """Refuses those that are none, and those that are of other rows."""
    way_out = "labels(train=..., test=...) gives others, labels(masks=False) drops them"
    if data.refused is not None:
        raise data.refused.with_traceback(None)
    if data.splits is not None and data.marked not in (None, output.domain):
        raise _wrong(output, f"their masks are of {data.marked} ({way_out})")


def check_labels(data: Data, output: Value) -> None:
    """Refuses to learn what other rows are, and from links alone: every pair would become one."""
    y = targets_of(data, output)
    if data.targets is not None and y is None:
        raise usage_error("labels", f"are of {data.labelled}, but the model's output is "
                          f"{describe(output)}")
    if y is not None:
        _check_masks(data, output)
    if y is not None and data.splits is not None and not (data.splits == SPLITS["train"]).any():
        raise usage_error("labels", "there are masks, but none marks a row to train on: train_mask, "
                          "or labels(train=...)")
    if y is None or not output.domain.are_pairs or y.ndim > 1 or output.size > 1:
        return
    if data.splits is not None:
        y = y[data.splits == SPLITS["train"]]
    known = y[y >= 0]  # neither -1 nor NaN
    if len(known) and (known == 1).all():
        raise usage_error("labels", "all pairs to train on are 1, and none is drawn that is 0: "
                          "pairs() takes both, and PyG's RandomLinkSplit("
                          "add_negative_train_samples=True) adds others")


def _by_class(y: np.ndarray, data: Data, weights: np.ndarray) -> np.ndarray:
    """Of each row that of its class, with a mean of 1 over the rows of each split: a loss is the
    weighted mean, as torch's is."""
    has = y >= 0
    trained = has if data.splits is None else has & (data.splits == SPLITS["train"])
    given, most = data.class_weights, int(y.max(initial=-1)) + 1
    if isinstance(given, str):
        if given != "balanced":
            raise usage_error("labels", f"class_weights {given!r}: expected numbers or 'balanced'")
        of_class = 1 / np.maximum(np.bincount(y[trained], minlength=most), 1)
    else:
        try:
            of_class = as_array(given, np.float64).ravel()
        except (TypeError, ValueError):
            raise usage_error("labels", f"class_weights are {describe(given)}, expected {most} "
                              "numbers, one a class, or 'balanced'") from None
        if len(of_class) < most or not (np.isfinite(of_class) & (of_class >= 0)).all():
            raise usage_error("labels", f"class_weights are {len(of_class)} numbers, expected "
                              f"{most} of at least 0, one a class")
    rows = np.where(has, of_class[np.where(has, y, 0)], 1.0) * (weights if len(weights) else 1.0)
    if trained.any() and not rows[trained].mean() > 0:
        raise usage_error("labels", "all weights of the rows to train on are 0")
    for split in [None] if data.splits is None else SPLITS.values():
        own = has if split is None else has & (data.splits == split)
        if rows[own].any():
            rows[own] /= rows[own].mean()
    return np.asarray(rows, np.float32)


def fitting_loss(data: Data, output: Value) -> Optional[str]:
    """Of raw outputs: what fits the labels. None: vecc's own choice."""
    y = targets_of(data, output)
    if y is None or output.attributes.get("function") in ("sigmoid", "softmax"):
        return None
    if y.dtype.kind == "f":
        return "binary_crossentropy" if _are_binary(y, output) else "squared_diff"
    if y.ndim == 1:
        return "softentropy"
    return None if _are_counts(y) else "binary_crossentropy"


def _are_counts(y: np.ndarray) -> bool:
    """Rows of whole numbers that are no labels of 0 and 1: a loss must be said."""
    return y.ndim > 1 and y.dtype.kind in "iu" and bool(((y != 0) & (y != 1)).any())


def check_chosen(data: Data, output: Value) -> None:
    """Refuses labels that say no loss, where none is said."""
    y = targets_of(data, output)
    if y is not None and _are_counts(y):
        raise usage_error("labels", "rows of whole numbers are several labels, each 0 or 1, found "
                          f"{y.min()} to {y.max()}: floats are numbers to regress, y.float(), or "
                          "nn.Model(network, loss=...) says what they are")


def _are_binary(y: np.ndarray, output: Value) -> bool:
    """Labels as torch's binary cross-entropy demands them: floats, each 0 or 1, and both occur
    (of pairs also one alone: those of a model that was trained by both)."""
    known = y[~np.isnan(y)]
    return bool(len(known) and ((known == 0) | (known == 1)).all() and (
        output.domain.are_pairs or (known == 0).any() and (known == 1).any()))
