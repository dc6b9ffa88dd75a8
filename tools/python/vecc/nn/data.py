"""Typed graphs as arrays: sets of nodes and edges, their features, labels and masks."""

from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

import numpy as np

from vecc.arrays import as_array
from vecc.error import Error, usage_error
from vecc.nn.trace import GRAPHS, PAIR, Domain

if TYPE_CHECKING:
    import torch

EdgeKey = Tuple[str, str, str]  #: source nodes, relation, target nodes
FeatureKey = Tuple[Domain, str]
SPLITS = {"train": 1, "validation": 2, "test": 3}


def any_array(value: Any) -> np.ndarray:
    """NumPy's, or a view of what torch, SciPy or DLPack have."""
    if hasattr(value, "toarray"):
        value = value.toarray()
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(getattr(value, "layout", "torch.strided")) != "torch.strided":
            value = value.to_dense()
        kind = str(value.dtype)
        dtype = (bool if kind == "torch.bool" else np.int64 if "int" in kind else
                 np.complex128 if "complex" in kind else
                 np.float64 if kind == "torch.float64" else np.float32)
        return as_array(value, dtype)
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value)


class Feature(NamedTuple):
    """Rows of floats (f32 or f64), or whole numbers 0 .. count-1."""

    values: np.ndarray
    kinds: int = 0  #: of categories; 0: floats


def _feature(place: str, name: str, value: Any, rows: int) -> Feature:
    array = any_array(value.values if isinstance(value, Feature) else value)
    if array.ndim == 0 or len(array) != rows:
        raise usage_error(place, f"{name} has shape {list(array.shape)}, expected {rows} rows")
    if array.ndim > 3 or 0 in array.shape[1:]:
        raise usage_error(place, f"{name} has shape {list(array.shape)}: rows are scalars, vectors "
                          "or matrices")
    if array.dtype.kind in "iu":
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim > 1:
            raise usage_error(place, f"{name} has {array.shape[1]} whole numbers a row: give each "
                              "column a name of its own (categories), or .astype(float) (numbers)")
        if rows and (array.min() < 0 or array.max() >= 2**32 - 1):
            raise usage_error(place, f"{name} has {array.min()} to {array.max()}, expected "
                              "categories from 0; .astype(float) makes numbers of them")
        kinds = int(array.max()) + 1 if rows else 1
        return Feature(array.astype(np.uint32),
                       max(kinds, value.kinds) if isinstance(value, Feature) else kinds)
    if array.dtype.kind not in "fb":
        raise usage_error(place, f"{name} is {array.dtype}, expected floats or whole numbers")
    if not np.isfinite(array).all():
        raise usage_error(place, f"{name} has numbers that are not finite")
    dtype = np.float64 if array.dtype == np.float64 else np.float32
    return Feature(np.require(array, dtype, "C"))


def _ids(place: str, name: str, value: Any, bound: int) -> np.ndarray:
    array = any_array(value).ravel()
    if array.size and array.dtype.kind not in "iu":
        raise usage_error(place, f"{name} is {array.dtype}, expected whole numbers")
    if array.size and (array.min() < 0 or array.max() >= bound):
        raise usage_error(place, f"{name} has {array.min()} to {array.max()}, expected 0 to "
                          f"{bound - 1}")
    return array.astype(np.uint32)


def _both_ends(place: str, value: Any) -> Tuple[Any, Any]:
    """Of an array [2, count], or of two lists."""
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return value[0], value[1]
    array = any_array(value)
    if array.ndim != 2 or len(array) != 2:
        raise usage_error(place, f"have the shape {list(array.shape)}, expected [2, count]: sources, "
                          "then targets")
    return array[0], array[1]


def splits_of(masks: Mapping[str, Any], count: int) -> np.ndarray:
    """Of each row what it is for (SPLITS), by masks or row numbers of each; 0: for nothing."""
    splits = np.zeros(count, np.uint8)
    for split, mask in masks.items():
        if split not in SPLITS:
            raise usage_error("labels", f"mask {split!r} is none of {', '.join(SPLITS)}")
        if mask is None:
            continue
        rows = any_array(mask)
        if rows.dtype.kind == "f" and rows.size:  # [] has no kind of its own
            raise usage_error("labels", f"{split} is {rows.dtype}, expected bool, a mask, or whole "
                              "numbers of rows")
        if rows.dtype != bool:
            picked, rows = _ids("labels", split, rows, count), np.zeros(count, bool)
            rows[picked] = True
            if rows.sum() != len(picked):
                raise usage_error("labels", f"{split} has row numbers twice; a mask is bool")
        if rows.shape != (count,):
            raise usage_error("labels", f"{split} has shape {list(rows.shape)}, expected [{count}]"
                              + (": one mask of several, as train_mask[:, 0]"
                                 if rows.shape[:1] == (count,) else ""))
        for other, number in SPLITS.items():
            both = int((rows & (splits == number)).sum())
            if both:
                raise usage_error("labels", f"{both} rows are in {other} and in {split}, expected "
                                  "each in one of them")
        splits[rows] = SPLITS[split]
    return splits


def _rows_of(y: Any) -> np.ndarray:
    array = np.atleast_1d(any_array(y))
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


class Data:
    """One graph, or several side by side.

        data = nn.Data()
        data.nodes(x=features)                                # [n, k]; or a count: nodes(count=n)
        data.edges(src, dst, edge_attr=weights, edge_type=t)  # floats; whole numbers: categories
        data.labels(y, train=mask, validation=mask, test=mask)

    Several sets have names: nodes("paper", x=...), edges(src, dst, type=("author", "writes",
    "paper")). Sets of graphs: nodes(..., graph=g) says which graph each node is of. Labels of links:
    pairs(a, b), with a label each.
    """

    def __init__(self, name: str = "data") -> None:
        self.name = name
        self.counts: Dict[Domain, int] = {}
        self.features: Dict[Domain, Dict[str, Feature]] = {}
        #: Features that are torch tensors which require a gradient: to_torch() gives it to them.
        self.tensors: Dict[FeatureKey, "torch.Tensor"] = {}
        self.ends: Dict[EdgeKey, Tuple[np.ndarray, np.ndarray]] = {}
        self.graph_of: Dict[str, np.ndarray] = {}  #: by set of nodes
        self.labelled: Optional[Domain] = None  #: what the labels are of, where the source says it
        self.targets: Optional[np.ndarray] = None
        self.splits: Optional[np.ndarray] = None
        self.marked: Optional[Domain] = None  #: what the splits are of, where the source says it
        #: Why a source's masks are none, which stops what reads labels alone.
        self.refused: Optional[Error] = None
        self.sample_weights: Optional[np.ndarray] = None
        self.classes: List[str] = []
        self.class_weights: Any = None

    def nodes(self, name: str = "node", *, count: Optional[int] = None, graph: Any = None,
              features: Mapping[str, Any] = {}, **more: Any) -> "Data":
        """A set of nodes with features [count, ...], by keyword or in a mapping; `graph`: the graph
        of each."""
        domain = Domain("node", name)
        self._add(domain, count, {**features, **more})
        if graph is not None:
            ids = _ids(str(domain), "graph", graph, 2**31)
            if len(ids) != self.counts[domain]:
                raise usage_error(str(domain), f"graph has {len(ids)} entries, expected "
                                  f"{self.counts[domain]}: one a node")
            self.graph_of[name] = ids
            most = int(ids.max()) + 1 if len(ids) else 0
            self.counts[GRAPHS] = max(self.counts.get(GRAPHS, 0), most)
        return self

    def edges(self, src: Any, dst: Any = None, *, type: EdgeKey = ("node", "to", "node"),
              features: Mapping[str, Any] = {}, **more: Any) -> "Data":
        """Edges from src[i] to dst[i] (or an array [2, count]), with features [count, ...]."""
        domain = Domain("edge", tuple(type))
        if domain.are_pairs:
            raise usage_error(str(domain), "pairs(src, dst, type=(source, target)) makes them")
        return self._add_edges(domain, src, dst, {**features, **more})

    def pairs(self, src: Any, dst: Any = None, *, type: Tuple[str, str] = ("node", "node"),
              features: Mapping[str, Any] = {}, **more: Any) -> "Data":
        """Pairs of nodes that the labels are of, as links to predict; layers send nothing along
        them. g.pairs are edges otherwise: h[g.pairs.src], g.pairs.feature."""
        if len(type) != 2 or isinstance(type, str):
            raise usage_error("pairs", f"type={type!r}: expected (source, target)")
        if any(domain.are_pairs for domain in self.counts):
            raise usage_error("pairs", "are there already: labels are of one set")
        return self._add_edges(Domain("edge", (type[0], PAIR, type[1])), src, dst,
                               {**features, **more})

    def _add_edges(self, domain: Domain, src: Any, dst: Any, features: Dict[str, Any]) -> "Data":
        if dst is None:
            src, dst = _both_ends(str(domain), src)
        ends = []
        for role, nodes, ids in (("src", domain.key[0], src), ("dst", domain.key[2], dst)):
            there = Domain("node", nodes)
            if there not in self.counts:
                raise usage_error(str(domain), f"there are no nodes {nodes!r} yet: nodes() first")
            ends.append(_ids(str(domain), role, ids, self.counts[there]))
        if len(ends[0]) != len(ends[1]):
            raise usage_error(str(domain), f"src has {len(ends[0])} entries, dst {len(ends[1])}")
        self._add(domain, len(ends[0]), features)
        self.ends[domain.key] = (ends[0], ends[1])
        return self

    def graphs(self, count: int, *, features: Mapping[str, Any] = {}, **more: Any) -> "Data":
        """How many graphs there are, and their features."""
        self._add(GRAPHS, max(count, self.counts.get(GRAPHS, 0)), {**features, **more})
        return self

    def labels(self, y: Any = None, *, train: Any = None, validation: Any = None, test: Any = None,
               classes: Sequence[str] = (), weights: Any = None, class_weights: Any = None,
               masks: bool = True) -> "Data":
        """What the model's output should be, a row each: whole numbers are classes (-1: none),
        floats numbers (NaN: none), 0 and 1 in columns several labels. Masks, or row numbers, say
        what each row is for; with masks, rows in none have no part. `weights`: what each row's
        error counts; `class_weights`: what those of each class do, as weight= of torch's losses, or
        "balanced": as much as the other classes. Their mean over the rows of each mask is 1 (over
        all rows, where fit(validate=0.2) draws a part of them).
        Without y the labels of the data stay, and what else is not given; with another y of as many
        rows its masks stay. masks=False, weights=False and class_weights=False drop them."""
        given = {"train": train, "validation": validation, "test": test}
        targets = self.targets if y is None else _rows_of(y)
        if targets is None:
            raise usage_error("labels", "there are none yet: labels(y)")
        is_marked = any(mask is not None for mask in given.values())
        splits = splits_of(given, len(targets)) if is_marked else self.splits
        row_weights = None if weights is None or weights is False else as_array(weights, np.float32)
        # What is refused leaves the data as it was.
        if y is not None:
            self.labelled, self.targets, self.classes = None, targets, []
            self.sample_weights = self.class_weights = None
        if classes:
            self.classes = list(map(str, classes))
        if weights is not None:
            self.sample_weights = row_weights
        if class_weights is not None:
            self.class_weights = None if class_weights is False else class_weights
        if is_marked or not masks:
            self.marked = self.refused = None
        keeps = is_marked or (masks and splits is not None and len(splits) == len(targets))
        self.splits = splits if keeps else None
        return self

    def with_masks(self, y: Any, masks: Mapping[str, Any], of: Domain = Domain("node", "node"), *,
                   late: bool = False) -> "Data":
        """labels(), if there are some, and masks, which are of these rows without: they stay for
        those of labels(). `late`: masks that do not fit stop what reads labels alone."""
        if y is not None:
            self.labels(y)
        if all(mask is None for mask in masks.values()):
            return self
        count = self.counts[of] if self.targets is None else len(self.targets)
        try:
            self.splits = splits_of(masks, count)
        except Error as error:
            if not late:
                raise
            self.refused = error
            return self
        others = [domain for domain, rows in self.counts.items() if rows == count]
        self.marked = of if self.targets is None or others == [of] else None
        return self

    def _add(self, domain: Domain, count: Optional[int], features: Dict[str, Any]) -> None:
        if count is None:
            if not features:
                raise usage_error(str(domain), "needs features or a count")
            count = len(any_array(next(iter(features.values()))))
        if domain in self.counts and domain != GRAPHS:
            raise usage_error(str(domain), "is there already")
        self.counts[domain] = count
        own = self.features.setdefault(domain, {})
        for name, value in features.items():
            own[name] = _feature(str(domain), name, value, count)
            if getattr(value, "requires_grad", False):
                self.tensors[domain, name] = value

    def _repr_html_(self) -> str:
        """Sets with their features, and what the labels are."""
        from vecc.nn.html import data_table
        return data_table(self)

    def __repr__(self) -> str:
        sets = ", ".join(f"{count:,} {domain}" for domain, count in self.counts.items())
        return f"<vecc.nn.Data {self.name}: {sets}>"


def batch(parts: Sequence[Data], name: str = "graphs") -> Data:
    """Graphs side by side: their labels, marks and weights one after another."""
    for part in parts:
        if part.counts.get(GRAPHS, 1) > 1:
            raise usage_error(name, f"a part has {part.counts[GRAPHS]} graphs, expected one each: "
                              "a set of graphs goes in by itself, or as the list of its graphs")
    return joined(parts, name)


def joined(parts: Sequence[Data], name: str = "graphs") -> Data:
    """batch() of parts which may be sets of graphs."""
    if not parts:
        raise usage_error(name, "is empty")
    result = Data(name)
    first = parts[0]
    for part in parts:
        if set(part.counts) - {GRAPHS} != set(first.counts) - {GRAPHS}:
            raise usage_error(name, "graphs have different sets of nodes or edges: a set may be "
                              "empty, nodes(count=0)")
    for domain in first.counts:
        if domain.kind == "node":
            _batch_nodes(result, parts, domain)
    for domain in first.counts:
        if domain.kind == "edge":
            _batch_edges(result, parts, domain)
    result.graphs(sum(_graphs_in(part) for part in parts), features=_stack(parts, GRAPHS))
    for domain, feature in dict.fromkeys(key for part in parts for key in part.tensors):
        result.tensors[domain, feature] = _stack_tensors(parts, domain, feature)
    if all(part.targets is not None for part in parts):
        result.labels(np.concatenate([part.targets for part in parts]), classes=first.classes,
                      class_weights=first.class_weights)
        result.labelled = first.labelled
    elif any(part.targets is not None for part in parts):
        raise usage_error(name, "some graphs have labels, some have none: -1 or NaN says none")
    result.refused = next((part.refused for part in parts if part.refused is not None), None)
    result.marked = first.marked if all(part.marked == first.marked for part in parts) else None
    for column in ("splits", "sample_weights") if result.refused is None else ():
        if all(getattr(part, column) is not None for part in parts):
            setattr(result, column, np.concatenate([getattr(part, column) for part in parts]))
        elif any(getattr(part, column) is not None for part in parts):
            raise usage_error(name, f"some graphs have {column}, some have none")
    return result


def _stack(parts: Sequence[Data], domain: Domain) -> Dict[str, Feature]:
    own = [part.features.get(domain, {}) for part in parts]
    for number, features in enumerate(own):
        if features.keys() != own[0].keys():
            raise usage_error(str(domain), "features differ from graph to graph: graph 0 has "
                              f"{sorted(own[0])}, graph {number} {sorted(features)}")
    return {name: _stacked(domain, name, [features[name] for features in own]) for name in own[0]}


def _stacked(domain: Domain, name: str, parts: Sequence[Feature]) -> Feature:
    """Of graphs that have rows; one without edges may have features of any shape."""
    having = [number for number, part in enumerate(parts) if len(part.values)] or [0]
    first = parts[having[0]]
    for number in having:
        part = parts[number]
        if part.values.shape[1:] != first.values.shape[1:] or bool(part.kinds) != bool(first.kinds):
            texts = [f"graph {which} has {'whole numbers' if parts[which].kinds else 'floats'} of "
                     f"{list(parts[which].values.shape[1:])}" for which in (having[0], number)]
            raise usage_error(str(domain), f"rows of {name!r} differ from graph to graph: "
                              + ", ".join(texts))
    return Feature(np.concatenate([parts[number].values for number in having]),
                   max(parts[number].kinds for number in having))


def _stack_tensors(parts: Sequence[Data], domain: Domain, name: str) -> "torch.Tensor":
    """Of graphs whose features require gradients, and of others."""
    import torch
    return torch.cat([part.tensors.get((domain, name), torch.from_numpy(
        part.features[domain][name].values)).reshape(part.features[domain][name].values.shape)
        for part in parts])


def _batch_nodes(result: Data, parts: Sequence[Data], domain: Domain) -> None:
    counts = [part.counts.get(domain, 0) for part in parts]
    begins = np.cumsum([0, *map(_graphs_in, parts)])
    own = [part.graph_of.get(domain.key, np.zeros(count, np.int64) if _graphs_in(part) == 1 else None)
           for part, count in zip(parts, counts)]
    graph = None if any(each is None for each in own) else np.concatenate(
        [each.astype(np.int64) + begin for each, begin in zip(own, begins) if each is not None])
    result.nodes(domain.key, count=sum(counts), graph=graph, features=_stack(parts, domain))


def _graphs_in(part: Data) -> int:
    return part.counts.get(GRAPHS, 1)


def _batch_edges(result: Data, parts: Sequence[Data], domain: Domain) -> None:
    ends = []
    for end, nodes in ((0, domain.key[0]), (1, domain.key[2])):
        counts = [part.counts.get(Domain("node", nodes), 0) for part in parts]
        begins = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        ends.append(np.concatenate([part.ends[domain.key][end] + begin
                                    for part, begin in zip(parts, begins)]))
    result._add_edges(domain, ends[0], ends[1], dict(_stack(parts, domain)))


Source = Union[Data, Any]  #: what vecc.nn.convert.as_data reads
