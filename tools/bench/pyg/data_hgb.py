"""HGB: node.dat, link.dat, label.dat, label.dat.test, info.dat of a heterogeneous graph.

Nodes are named by their ids (titles are not unique). Types, relations and classes are the numbers
that the files use or info.dat names, ascending."""

import json
import lzma
from pathlib import Path

import numpy as np

from data_typed import TypedData, edge_columns

LABEL_FILES = {"train": "label.dat", "test": "label.dat.test"}


def load_hgb(directory):
    directory = Path(directory)
    types, kinds, classes = named_numbers(directory)
    rows = read_rows(directory / "node.dat")
    ids = {row[0]: node for node, row in enumerate(rows)}
    types = numbering(types, [row[2] for row in rows])
    node_type = np.array([types[int(row[2])][0] for row in rows])
    links = [(a, kind, b) for a, b, kind, *_ in read_rows(directory / "link.dat")]
    kinds = numbering(kinds, [kind for _, kind, _ in links])
    source, relation, target, _ = edge_columns(
        (ids[a], kinds[int(kind)][0], ids[b]) for a, kind, b in links)
    data = TypedData(directory.name, list(ids), [name for _, name in kinds.values()], source,
                     relation, target, node_type, [name for _, name in types.values()])
    for number in range(len(types)):
        columns = [row[3] for row, kind in zip(rows, node_type) if kind == number and len(row) > 3]
        if columns and columns[0]:
            data.features[number] = np.array([text.split(",") for text in columns], np.float64)
    read_labels(directory, ids, classes, data)
    return data


def read_rows(path):
    opener = open
    if not path.exists() and path.with_name(path.name + ".xz").exists():
        path, opener = path.with_name(path.name + ".xz"), lzma.open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip("\n")]


def numbering(names, found):
    """By number of the files, ascending: (index, name)."""
    numbers = sorted({int(text) for text in found} | set(names))
    return {n: (index, names.get(n, str(n))) for index, n in enumerate(numbers)}


def named_numbers(directory):
    """What info.dat calls node types, link types and classes, by number."""
    path = directory / "info.dat"
    info = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    types = info.get("node.dat", {}).get("node type", {})
    kinds = {number: link["meaning"]
             for number, link in info.get("link.dat", {}).get("link type", {}).items()}
    labelled = list(info.get("label.dat", {}).get("node type", {}).values())
    classes = labelled[0] if len(labelled) == 1 else {}
    return [{int(number): name for number, name in names.items()}
            for names in (types, kinds, classes)]


def read_labels(directory, ids, classes, data):
    rows = []
    for split, name in LABEL_FILES.items():
        path = directory / name
        if path.exists():
            rows += [(ids[row[0]], label, split) for row in read_rows(path)
                     for label in row[3].split(",")]
    classes = numbering(classes, [label for _, label, _ in rows])
    data.labels = [(node, classes[int(label)][0], split) for node, label, split in rows]
    data.label_names = [name for _, name in classes.values()]
