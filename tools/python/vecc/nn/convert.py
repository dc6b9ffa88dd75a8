"""Data as people have it: PyTorch Geometric, NetworkX, SciPy, NumPy."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy as np

from vecc.error import Error, usage_error
from vecc.nn.data import SPLITS, Data, batch, joined
from vecc.nn.dgl import MASKS, Marked, from_dgl, from_dgl_pairs, is_dgl, with_masks_of
from vecc.nn.trace import GRAPHS, PAIR, Domain

PAIRS, PAIR_LABELS = "edge_label_index", "edge_label"  #: as PyG's RandomLinkSplit has them
ROWS_OF = {"x": "node", "edge_attr": "edge", "edge_weight": "edge", "edge_type": "edge"}
NO_FEATURES = {"edge_index", "adj_t", "ptr", "num_nodes", "batch", "y", PAIRS, *MASKS.values()}
_LEFT = " beside the adj_t: ToSparseTensor(remove_edge_index=False) leaves it"
Kinds = Mapping[str, str]  #: "node", "edge" or "graph" by the names of attributes
NO_KINDS: Kinds = MappingProxyType({})
Attribute = Tuple[str, Any, List[str]]  #: its name, its rows, what it may be of


def as_data(source: Any, known: Kinds = NO_KINDS) -> Data:
    """A Data; a PyG Data, Batch, HeteroData; a DGL graph; a NetworkX graph; or a list or dataset of
    them, of DGL's also with labels. `known`: see from_pyg()."""
    if isinstance(source, Data):
        return source
    if is_dgl(source):
        return from_dgl(source)
    if _is_hetero(source):
        return from_hetero(source)
    if _is_pyg(source):
        return from_pyg(source, known)
    if hasattr(source, "adj") and hasattr(source, "is_directed"):
        return from_networkx(source)
    if _is_list(source):
        return batch(_parts_of(source, known))
    if hasattr(source, "dataset") and hasattr(source, "batch_size"):
        graphs = not (hasattr(source, "node_sampler") or hasattr(source, "link_sampler")
                      or isinstance(source.dataset, range))  # RandomNodeLoader's
        raise usage_error("data", f"{type(source).__name__} draws batches itself: give its " + (
            ".dataset, and fit(..., batch_size=32)" if graphs else
            ".data, whose train_mask says of which nodes batches are (of links its edge_label_index)"
            ", and fit(..., batch_size=1024, fanout=[15, 10])"))
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
            not hasattr(source, "__array__") and
            not isinstance(source, (Data, str, bytes, dict)))


def _parts_of(source: Any, known: Kinds = NO_KINDS) -> List[Data]:
    """Of a list of graphs. Some show what an attribute is of where others do not: a graph may have
    as many edges as nodes."""
    items = [source[i] for i in range(len(source))]
    if items and all(isinstance(item, tuple) and len(item) == 2 and is_dgl(item[0])
                     for item in items):
        return from_dgl_pairs(items)
    attributes = {number: list(_attributes(item)) for number, item in enumerate(items)
                  if _is_pyg(item) and not _is_hetero(item)}
    shown = {name: kinds[0] for own in attributes.values() for name, _, kinds in own
             if len(kinds) == 1}
    shown.update(known)
    parts = [from_pyg(item, shown, attributes[number]) if number in attributes else
             as_data(item, shown) for number, item in enumerate(items)]
    typed = [part.features.get(GRAPHS, {}) for item, part in zip(items, parts) if _is_hetero(item)]
    common = set.intersection(*map(set, typed)) if typed else set()
    for features in typed:  # what is no feature in one of them is none
        for name in features.keys() - common:
            del features[name]
    return parts


def with_validation(source: Any, validation: Any, known: Kinds = NO_KINDS) -> Data:
    """Two sets of graphs (two graphs) as one, whose second is marked to validate with."""
    first = as_data(source, known)
    shown = {name: domain.kind for domain, own in first.features.items() for name in own
             if not domain.are_pairs}
    second = as_data(validation, {**shown, **known})
    if _is_set(source, first) != _is_set(validation, second):
        raise usage_error("validate", "expected a list of graphs beside a list of graphs, as "
                          "fit([train], validate=[other]), or a part of all (0.2); of one graph "
                          "val_mask says it, too")
    marked = any(each.splits is not None or each.refused for each in (first, second))
    both = joined([first, second]) if not marked else None
    if both is None or both.targets is None:
        raise usage_error("validate", "expected graphs with labels and without masks, which say "
                          "as well what a graph is for")
    assert first.targets is not None
    both.splits = np.where(np.arange(len(both.targets)) < len(first.targets), SPLITS["train"],
                           SPLITS["validation"]).astype(np.uint8)
    return both


def _is_set(source: Any, data: Data) -> bool:
    """Of graphs, maybe of one: a list, a Batch, nn.Data whose nodes say which graph they are of."""
    return _is_list(source) or bool(data.graph_of)


def from_arrays(edge_index: Any, x: Any = None, *, count: Any = None, y: Any = None,
                masks: Any = None, **edge_features: Any) -> Data:
    """Edges [2, n], features of nodes [count, k], labels; `masks`: train, validation, test."""
    data = Data()
    data.nodes(count=count, **({} if x is None else {"x": x}))
    data.edges(edge_index, **edge_features)
    return data.with_masks(y, masks or {})


def from_scipy(adjacency: Any, x: Any = None, *, y: Any = None, masks: Any = None,
               weighted: bool = False) -> Data:
    """An edge i -> j for each stored A[i, j]; `weighted`: its value is the feature weight."""
    entries = adjacency.tocoo()
    features = {"weight": entries.data} if weighted else {}
    return from_arrays((entries.row, entries.col), x, count=adjacency.shape[0], y=y, masks=masks,
                       **features)


def _attributes(source: Any) -> Iterator[Attribute]:
    """Arrays of PyG's Data that may be features, and what each may be of by its rows; what it is
    without knowing more comes first."""
    _check_dense(source.edge_index)
    counts = {"edge": int(source.num_edges), "node": int(source.num_nodes),
              "graph": int(getattr(source, "num_graphs", 1) or 1)}
    if counts["edge"] == counts["node"]:
        counts = {kind: counts[kind] for kind in ("node", "edge", "graph")}
    for name, value in dict(source.to_dict()).items():
        if name in NO_FEATURES or not hasattr(value, "shape") or len(value.shape) == 0:
            continue
        kinds = [kind for kind, count in counts.items() if len(value) == count]
        if name.startswith("edge") and "edge" in kinds:
            kinds = ["edge"]
        check_rows("data", name, value, counts[ROWS_OF[name]] if name in ROWS_OF else None)
        yield name, value, kinds


def _check_dense(edge_index: Any, place: str = "data") -> None:
    """PyG's layers take sparse matrices in its place, as an adj_t: targets are rows."""
    if str(getattr(edge_index, "layout", "torch.strided")) != "torch.strided":
        raise usage_error(place, f"edge_index is a sparse tensor ({edge_index.layout}), which is an "
                          "adj_t to PyTorch Geometric's layers, expected [2, count]: "
                          "torch_geometric.utils.to_edge_index(edge_index)[0].flip(0), and [1] are "
                          "edge weights")


def from_pyg(source: Any, known: Kinds = NO_KINDS,
             attributes: Optional[List[Attribute]] = None) -> Data:
    """x, edge_index, edge_attr, edge_type, y, masks, batch; any other attribute of one row a node
    is a feature of nodes, of one row an edge of edges, of one row a graph of graphs. With an
    edge_label_index labels are the pairs' edge_label, and y has no part. `known`: "node", "edge" or
    "graph" of attributes' names, which decides where their rows are as many as of two of these.
    `attributes`: what _attributes() says of the source, if that is there."""
    if source.edge_index is None:
        raise usage_error("data", "there is no edge_index" + (
            _LEFT if getattr(source, "adj_t", None) is not None else
            "; of a graph without edges it is torch.empty(2, 0, dtype=torch.long)"))
    stored = dict(source.to_dict())
    nodes, graphs = int(source.num_nodes), int(getattr(source, "num_graphs", 1) or 1)
    data, graph = Data("data"), stored.get("batch")
    if f"pos_{PAIRS}" in stored:
        raise usage_error("data", f"pos_{PAIRS} and neg_{PAIRS} are two sets of pairs: expected one "
                          f"{PAIRS} with its {PAIR_LABELS} (RandomLinkSplit's split_labels=False)")
    masks = {split: stored.get(name) for split, name in MASKS.items()}
    pairs, pair_labels = take_pairs(stored)
    features: Dict[str, Dict[str, Any]] = {"node": {}, "edge": {}, "graph": {}}
    for name, value, kinds in _attributes(source) if attributes is None else attributes:
        if kinds and name in stored:
            features[known[name] if known.get(name) in kinds else kinds[0]][name] = value
    node_features, edge_features, graph_features = features.values()
    data.nodes(count=nodes, graph=graph, features=node_features)
    data.edges(source.edge_index, features=edge_features)
    if graph_features or graph is not None:
        data.graphs(graphs, features=graph_features)
    if pairs is not None and add_pairs(data, pairs, pair_labels):
        return data
    return data.with_masks(stored.get("y"), masks, late=True)


def check_rows(place: str, name: str, value: Any, count: Optional[int]) -> None:
    """Of what nothing else can be meant: without the check it would be left out, or be a feature of
    others."""
    if count is not None and len(value) != count:
        raise usage_error(place, f"{name} has {len(value)} rows, expected {count}: one "
                          f"{'a node' if ROWS_OF[name] == 'node' else 'an edge'}")


def from_hetero(source: Any) -> Data:
    """Every set of nodes and edges, and of graphs what is of no set; labels are those of the only
    set that has y, else of the graphs, or of the only set of pairs (an edge_label_index)."""
    data, paired = Data("data"), []
    labelled: List[Marked] = []
    masked: List[Marked] = []
    of_graphs = dict(source.to_dict().get("_global_store", {}))
    graph_labels = of_graphs.pop("y", None)
    for name in source.node_types:
        store = source[name]
        own = dict(store.items())
        y, graph = own.pop("y", None), own.pop("batch", None)
        masks = {split: own.pop(key, None) for split, key in MASKS.items()}
        if y is not None:
            labelled.append((name, y, masks))
        elif any(mask is not None for mask in masks.values()):
            masked.append((name, None, masks))
        count = int(store.num_nodes)
        own.pop("ptr", None)
        data.nodes(name, count=count, graph=graph, features=_rows(name, own, count))
    for key in source.edge_types:
        own = dict(source[key].items())
        if own.get("edge_index") is None:
            raise usage_error(" ".join(key), "there is no edge_index" + _LEFT * ("adj_t" in own))
        own.pop("adj_t", None)
        if missing := [end for end in (key[0], key[2]) if end not in source.node_types]:
            raise usage_error("data", f"there are edges {' '.join(key)}, but no nodes of {missing[0]}"
                              f": expected data[{missing[0]!r}].x or .num_nodes")
        ends, (pairs, pair_labels) = own.pop("edge_index"), take_pairs(own)
        _check_dense(ends, " ".join(key))
        data.edges(ends, type=tuple(key), features=_rows(
            " ".join(key), own, int(ends.shape[1])))
        if pairs is not None:
            paired.append((pairs, pair_labels, (key[0], key[2])))
    graphs = int(getattr(source, "num_graphs", 1) or 1)
    features = _features_of_graphs(_rows("graphs", of_graphs, graphs), graphs)
    if features or graphs > 1:
        data.graphs(graphs, features=features)
    if len(paired) > 1:
        raise usage_error("data", f"several sets of edges have {PAIRS}; take one away, or "
                          "nn.from_hetero(data) without them and its pairs()")
    if paired and add_pairs(data, *paired[0]):
        return data
    if len(labelled) > 1:
        raise usage_error("data", f"several sets have y: {[one[0] for one in labelled]}; expected "
                          f"one: del data[{labelled[1][0]!r}].y")
    if not labelled and graph_labels is not None:
        return data.labels(graph_labels)
    with_masks_of(data, labelled, masked)
    return data


def _features_of_graphs(values: Dict[str, Any], graphs: int) -> Dict[str, Any]:
    """Without what is no feature (numbers of something, marks of -1), which nothing reads then."""
    def is_feature(name: str) -> bool:
        try:
            Data().graphs(graphs, features={name: values[name]})
        except Error:
            return False
        return True
    return {name: value for name, value in values.items() if is_feature(name)}


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


def _rows(place: str, values: Dict[str, Any], count: int) -> Dict[str, Any]:
    arrays = {name: value for name, value in values.items()
              if hasattr(value, "shape") and len(value.shape) > 0}
    for name, value in arrays.items():
        check_rows(place, name, value, count if name in ROWS_OF else None)
    return {name: value for name, value in arrays.items() if len(value) == count}


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
