"""DGL's graphs, which need not be installed: only what a graph is asked is there."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from vecc.error import usage_error
from vecc.nn.data import Data, EdgeKey, any_array

MASKS = {"train": "train_mask", "validation": "val_mask", "test": "test_mask"}
LABELS = ("label", "labels", "y")


def from_dgl(source: Any) -> Data:
    """ndata and edata are features by their names; `label` (or `labels`, `y`) of the only set of
    nodes that has it is the label, with its train_mask, val_mask, test_mask. What DGL calls _N and
    _E is node and to. A batched graph is its graphs."""
    data, labelled = Data("data"), []
    batched = int(getattr(source, "batch_size", 1)) > 1
    for name in source.ntypes:
        own = dict(source.nodes[name].data)
        label = next((key for key in LABELS if key in own), None)
        masks = {split: own.pop(key, None) for split, key in MASKS.items()}
        if label is not None:
            labelled.append((name, own.pop(label), masks))
        graph = None
        if batched:
            sizes = any_array(source.batch_num_nodes(name))
            graph = np.repeat(np.arange(len(sizes)), sizes)
        data.nodes(_node(name), count=int(source.num_nodes(name)), graph=graph, features=own)
    for key in source.canonical_etypes:
        src, dst = source.edges(etype=key)
        own = dict(source.edges[key].data)
        data.edges(src, dst, type=_edge(key), features=own)
    if batched:
        data.graphs(int(source.batch_size))
    if len(labelled) > 1:
        raise usage_error("data", f"several sets of nodes have labels: {[x[0] for x in labelled]}; "
                          "expected one, take the others away")
    for _, y, masks in labelled:
        data.labels(y, **masks)
    return data


def from_dgl_pairs(pairs: List[Tuple[Any, Any]]) -> List[Data]:
    """Graphs with their labels, as DGL's datasets of graphs have them."""
    return [from_dgl(graph).graphs(1).labels(np.atleast_1d(_label(label)))
            for graph, label in pairs]


def _label(label: Any) -> np.ndarray:
    if isinstance(label, dict):
        raise usage_error("data", f"labels by name ({', '.join(map(str, label))}): choose one")
    y = any_array(label)
    return y if y.ndim < 2 else y.reshape(1, -1)


def _node(name: str) -> str:
    return "node" if name == "_N" else name


def _edge(key: EdgeKey) -> EdgeKey:
    names: Dict[str, str] = {"_E": "to"}
    return _node(key[0]), names.get(key[1], key[1]), _node(key[2])


def is_dgl(source: Any) -> bool:
    return hasattr(source, "canonical_etypes") and hasattr(source, "ntypes")
