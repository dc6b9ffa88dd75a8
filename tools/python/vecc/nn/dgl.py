"""DGL's graphs, which need not be installed: only what a graph is asked is there."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from vecc.error import usage_error
from vecc.nn.data import Data, EdgeKey, any_array
from vecc.nn.trace import Domain

MASKS = {"train": "train_mask", "validation": "val_mask", "test": "test_mask"}
LABELS = ("label", "labels", "y")
Marked = Tuple[str, Any, Dict[str, Any]]  #: a set of nodes, its labels (or None), its masks


def from_dgl(source: Any) -> Data:
    """ndata and edata are features by their names; `label` (or `labels`, `y`) of the only set of
    nodes that has it is the label, with its train_mask, val_mask, test_mask. What DGL calls _N and
    _E is node and to. A batched graph is its graphs."""
    data = Data("data")
    labelled: List[Marked] = []
    masked: List[Marked] = []
    batched = int(getattr(source, "batch_size", 1)) > 1
    for name in source.ntypes:
        own = dict(source.nodes[name].data)
        label = next((key for key in LABELS if key in own), None)
        masks = {split: own.pop(key, None) for split, key in MASKS.items()}
        if label is not None:
            labelled.append((_node(name), own.pop(label), masks))
        elif any(mask is not None for mask in masks.values()):
            masked.append((_node(name), None, masks))
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
    with_masks_of(data, labelled, masked)
    return data


def with_masks_of(data: Data, labelled: List[Marked], masked: List[Marked]) -> None:
    """Labels of the only set of nodes that has some, with its masks; or the masks of the only set
    that has some, which stay for labels that come later."""
    for name, y, masks in labelled or masked[:1]:
        data.with_masks(y, masks, Domain("node", name), late=True)
    if not labelled and len(masked) > 1:
        data.splits, data.refused = None, usage_error(
            "labels", f"several sets have masks, and none has labels: {[one[0] for one in masked]}; "
            "labels(y, train=..., test=...) says those of y")


def from_dgl_pairs(pairs: List[Tuple[Any, Any]]) -> List[Data]:
    """Graphs with their labels, as DGL's datasets of graphs have them."""
    return [from_dgl(graph).graphs(1).labels(np.atleast_1d(_label(label)), masks=False)
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
