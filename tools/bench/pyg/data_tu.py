"""TUDataset text: NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt and what is there of
node labels and attributes. Read on its own, so that vecc-import's loader is compared as well."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class GraphSet:
    name: str
    graph_of: np.ndarray      # by node: graph, from 0; ascending
    source: np.ndarray        # by edge, in file order, repeated edges left out
    target: np.ndarray
    graph_labels: np.ndarray  # by graph, as in the file
    node_labels: np.ndarray = None      # by node, as in the file
    node_attributes: np.ndarray = None  # [nodes, attributes]

    @property
    def graphs(self):
        return len(self.graph_labels)

    @property
    def nodes(self):
        return len(self.graph_of)


def load_tu(directory):
    (edge_file,) = Path(directory).glob("*_A.txt")
    name = edge_file.name[:-len("_A.txt")]

    def table(kind, dtype, columns=None):
        path = edge_file.with_name(f"{name}_{kind}.txt")
        if not path.exists():
            return None
        rows = np.loadtxt(path, delimiter=",", dtype=dtype, ndmin=2)
        return rows[:, columns] if columns is not None else rows

    source, target = drop_repeated(table("A", np.int64) - 1).T
    indicator = table("graph_indicator", np.int64, 0) - 1
    if np.any(np.diff(indicator) < 0):
        raise ValueError(f"{name}: the nodes of a graph do not stand together")
    return GraphSet(name, indicator, source, target, table("graph_labels", np.int64, 0),
                    table("node_labels", np.int64, 0), table("node_attributes", np.float64))


def drop_repeated(rows):
    """The first of equal rows, in the order of the file."""
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)]


def one_hot(labels):
    """A row for each label, with a column for each distinct one, ascending."""
    _, index = np.unique(labels, return_inverse=True)
    return np.eye(index.max() + 1)[index]


def node_features(data, kind):
    """[nodes, f] as --features=kind says; kind "auto": the node labels, else the number 1."""
    if kind == "auto":
        kind = "one" if data.node_labels is None else "onehot"
    if kind == "onehot":
        return one_hot(data.node_labels)
    if kind == "one":
        return np.ones((data.nodes, 1))
    if kind == "degree":
        return np.bincount(data.target, minlength=data.nodes).astype(np.float64)[:, None]
    if kind == "attributes":
        return data.node_attributes
    raise ValueError(f"unknown features {kind!r}")
