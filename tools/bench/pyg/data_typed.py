"""One graph with typed edges, and typed nodes where the data has them: what the three loaders of
typed graphs (data_triples.py, data_rdf.py, data_hgb.py) give."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class TypedData:
    name: str
    node_names: list
    relation_names: list
    source: np.ndarray    # by edge, in file order, no repeated edges
    relation: np.ndarray
    target: np.ndarray
    node_type: np.ndarray = None                             # by node; None: all of one type
    type_names: list = field(default_factory=lambda: [""])
    features: dict = field(default_factory=dict)             # type number: [nodes of it, f]
    labels: list = field(default_factory=list)               # (node, label, split)
    label_names: list = field(default_factory=list)
    edge_split: list = field(default_factory=list)           # by edge: "train", ...

    @property
    def nodes(self):
        return len(self.node_names)

    def types(self):
        """By node, the number of its type."""
        return np.zeros(self.nodes, np.int64) if self.node_type is None else self.node_type

    def messages(self, inverse, train_only=False):
        """(source, relation, target, names): the edges, and each reversed as r^-1, number R + r."""
        source, relation, target = self.source, self.relation, self.target
        if train_only and self.edge_split:
            kept = np.array([split == "train" for split in self.edge_split])
            source, relation, target = source[kept], relation[kept], target[kept]
        if not inverse:
            return source, relation, target, list(self.relation_names)
        count = len(self.relation_names)
        return (np.concatenate([source, target]), np.concatenate([relation, relation + count]),
                np.concatenate([target, source]),
                self.relation_names + [name + "^-1" for name in self.relation_names])


class Numbering:
    """Numbers names in the order in which they are first asked for."""

    def __init__(self):
        self.names = []
        self.index = {}

    def __getitem__(self, name):
        number = self.index.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number


def edge_columns(edges):
    """Distinct (source, relation, target) in file order, as three columns; and their rows."""
    first = {}
    for row, edge in enumerate(edges):
        first.setdefault(edge, row)
    columns = np.array(list(first), dtype=np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2], list(first.values())
