"""Data as people have it: PyTorch Geometric, NetworkX, SciPy, NumPy."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from vecc.error import usage_error
from vecc.nn.data import SPLITS, Data, batch
from vecc.nn.dgl import from_dgl, from_dgl_pairs, is_dgl
from vecc.nn.trace import PAIR, Domain

MASKS = {"train": "train_mask", "validation": "val_mask", "test": "test_mask"}
PAIRS, PAIR_LABELS = "edge_label_index", "edge_label"  #: as PyG's RandomLinkSplit has them


def as_data(source: Any) -> Data:
    """A Data; a PyG Data, Batch, HeteroData; a DGL graph; a NetworkX graph; or a list or dataset of
    them, of DGL's also with labels."""
    if isinstance(source, Data):
        return source
    if is_dgl(source):
        return from_dgl(source)
    if _is_hetero(source):
        return from_hetero(source)
    if _is_pyg(source):
        return from_pyg(source)
    if hasattr(source, "adj") and hasattr(source, "is_directed"):
        return from_networkx(source)
    if _is_list(source):
        return batch(_parts_of(source))
    if hasattr(source, "dataset") and hasattr(source, "batch_size"):
        raise usage_error("data", f"{type(source).__name__} draws batches itself: give its "
                          ".dataset, and fit(..., batch_size=32)")
    raise usage_error("data", f"{type(source).__name__} is none of vecc.nn.Data, PyG's Data or "
                      "HeteroData, a DGL or NetworkX graph, or a list of them; nn.from_arrays() "
                      "and nn.from_scipy() take arrays, nn.from_npz() and nn.from_edge_list() "
                      "files")


def _is_hetero(source: Any) -> bool:
    return hasattr(source, "node_types") and hasattr(source, "edge_types")


def _is_pyg(source: Any) -> bool:
    return hasattr(source, "edge_index") and hasattr(source, "to_dict")


def _is_list(source: Any) -> bool:
    return (hasattr(source, "__len__") and hasattr(source, "__getitem__") and
            not _is_hetero(source) and not _is_pyg(source) and
            not isinstance(source, (Data, str, bytes, dict, np.ndarray)))


def _parts_of(source: Any) -> List[Data]:
    """Of a list of graphs."""
    items = [source[i] for i in range(len(source))]
    if items and all(isinstance(item, tuple) and len(item) == 2 and is_dgl(item[0])
                     for item in items):
        return from_dgl_pairs(items)
    return [as_data(item) for item in items]


def with_validation(source: Any, validation: Any) -> Data:
    """Two lists of graphs as one, whose second is marked to validate with."""
    if not _is_list(source) or not _is_list(validation):
        raise usage_error("validate", "expected a list of graphs beside a list of graphs, as "
                          "fit([train], validate=[other]), or a part of all (0.2); of one graph "
                          "val_mask says it, too")
    parts, others = _parts_of(source), _parts_of(validation)
    both = batch(parts + others)
    if both.targets is None or both.splits is not None:
        raise usage_error("validate", "expected graphs with labels and without masks, which say "
                          "as well what a graph is for")
    rows = sum(len(part.targets) for part in parts if part.targets is not None)
    both.splits = np.where(np.arange(len(both.targets)) < rows, SPLITS["train"],
                           SPLITS["validation"]).astype(np.uint8)
    return both


def from_arrays(edge_index: Any, x: Any = None, *, count: Any = None, y: Any = None,
                masks: Any = None, **edge_features: Any) -> Data:
    """Edges [2, n], features of nodes [count, k], labels; `masks`: train, validation, test."""
    data = Data()
    data.nodes(count=count, **({} if x is None else {"x": x}))
    data.edges(edge_index, **edge_features)
    if y is not None:
        data.labels(y, **(masks or {}))
    return data


def from_scipy(adjacency: Any, x: Any = None, *, y: Any = None, masks: Any = None,
               weighted: bool = False) -> Data:
    """An edge i -> j for each stored A[i, j]; `weighted`: its value is the feature weight."""
    entries = adjacency.tocoo()
    features = {"weight": entries.data} if weighted else {}
    return from_arrays((entries.row, entries.col), x, count=adjacency.shape[0], y=y, masks=masks,
                       **features)


def from_pyg(source: Any) -> Data:
    """x, edge_index, edge_attr, edge_type, y, masks, batch; any other attribute of one row a node
    is a feature of nodes, of one row an edge of edges, of one row a graph of graphs. With an
    edge_label_index labels are the pairs' edge_label, and y has no part."""
    stored = dict(source.to_dict())
    nodes, edges = int(source.num_nodes), int(source.num_edges)
    graphs = int(getattr(source, "num_graphs", 1) or 1)
    data, node_features, edge_features, graph_features = Data("data"), {}, {}, {}
    graph = stored.pop("batch", None)
    for name in ("edge_index", "ptr", "num_nodes"):
        stored.pop(name, None)
    if f"pos_{PAIRS}" in stored:
        raise usage_error("data", f"pos_{PAIRS} and neg_{PAIRS} are two sets of pairs: expected one "
                          f"{PAIRS} with its {PAIR_LABELS} (RandomLinkSplit's split_labels=False)")
    y = stored.pop("y", None)
    masks = {split: stored.pop(name, None) for split, name in MASKS.items()}
    pairs, pair_labels = take_pairs(stored)
    for name, value in stored.items():
        if value is None or not hasattr(value, "shape") or len(value.shape) == 0:
            continue
        is_edge = name.startswith("edge") and len(value) == edges
        if is_edge or (len(value) == edges and edges != nodes):
            edge_features[name] = value
        elif len(value) == nodes:
            node_features[name] = value
        elif len(value) == graphs:
            graph_features[name] = value
    data.nodes(count=nodes, graph=graph, features=node_features)
    data.edges(source.edge_index, features=edge_features)
    if graph_features or graph is not None:
        data.graphs(graphs, features=graph_features)
    if pairs is not None and add_pairs(data, pairs, pair_labels):
        return data
    if y is not None:
        data.labels(y, **masks)
    return data


def from_hetero(source: Any) -> Data:
    """Every set of nodes and edges; labels are those of the only set that has y, or of the only
    set of pairs (an edge_label_index)."""
    data, labelled, paired = Data("data"), [], []
    for name in source.node_types:
        store = source[name]
        own = dict(store.items())
        y = own.pop("y", None)
        masks = {split: own.pop(key, None) for split, key in MASKS.items()}
        if y is not None:
            labelled.append((name, y, masks))
        count = int(store.num_nodes)
        data.nodes(name, count=count, features=_rows(own, count))
    for key in source.edge_types:
        own = dict(source[key].items())
        ends, (pairs, pair_labels) = own.pop("edge_index"), take_pairs(own)
        data.edges(ends, type=tuple(key), features=_rows(own, int(ends.shape[1])))
        if pairs is not None:
            paired.append((pairs, pair_labels, (key[0], key[2])))
    if len(paired) > 1:
        raise usage_error("data", f"several sets of edges have {PAIRS}; take one away, or "
                          "nn.from_hetero(data) without them and its pairs()")
    if paired and add_pairs(data, *paired[0]):
        return data
    if len(labelled) > 1:
        raise usage_error("data", f"several sets of nodes have y: {[one[0] for one in labelled]}; "
                          "take one away, or nn.from_hetero(data).labels(y)")
    if labelled:
        data.labels(labelled[0][1], **labelled[0][2])
    return data


def take_pairs(own: Dict[str, Any]) -> Tuple[Any, Any]:
    """Pairs and their labels, which are no features then; without pairs edge_label is one."""
    pairs = own.pop(PAIRS, None)
    return pairs, None if pairs is None else own.pop(PAIR_LABELS, None)


def add_pairs(data: Data, pairs: Any, labels: Any, ends: Tuple[str, str] = ("node", "node")) -> bool:
    """Whether they have labels, which are then the data's."""
    data.pairs(pairs, type=ends)
    if labels is None:
        return False
    data.labels(labels)
    data.labelled = Domain("edge", (ends[0], PAIR, ends[1]))
    return True


def _rows(values: Dict[str, Any], count: int) -> Dict[str, Any]:
    return {name: value for name, value in values.items()
            if hasattr(value, "shape") and len(value.shape) > 0 and len(value) == count}


def from_networkx(source: Any) -> Data:
    """Attributes that all nodes (all edges) have are features; a node's y is its label, the
    graph's y the graph's. Edges of an undirected graph go both ways."""
    names = list(source.nodes)
    place = {node: number for number, node in enumerate(names)}
    edges = list(source.edges(data=True))
    src = np.array([place[a] for a, _, _ in edges], np.int64)
    dst = np.array([place[b] for _, b, _ in edges], np.int64)
    features = _columns([attributes for _, _, attributes in edges])
    if not source.is_directed():
        back = src != dst
        src, dst = np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]])
        features = {name: np.concatenate([column, column[back]])
                    for name, column in features.items()}
    own = _columns([source.nodes[node] for node in names])
    y = own.pop("y", None)
    if y is None and "y" in source.graph:
        y = np.atleast_1d(np.asarray(source.graph["y"]))
    data = Data("data").nodes(count=len(names), features=own).edges(src, dst, features=features)
    return data if y is None else data.labels(y)


def _columns(rows: List[Dict[Any, Any]]) -> Dict[str, np.ndarray]:
    columns = {}
    for name in rows[0] if rows else ():
        if not isinstance(name, str) or any(name not in row for row in rows):
            continue
        column = np.asarray([row[name] for row in rows])
        if column.dtype.kind in "iufb":
            columns[name] = column
    return columns
