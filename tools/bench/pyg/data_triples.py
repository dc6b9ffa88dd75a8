"""Triples `head TAB relation TAB tail`: train.txt, valid.txt, test.txt of a knowledge graph."""

from pathlib import Path

from data_typed import Numbering, TypedData, edge_columns

FILES = {"train": "train.txt", "validation": "valid.txt", "test": "test.txt"}


def load_triples(directory):
    entities, relations, edges, splits = Numbering(), Numbering(), [], []
    for split, name in FILES.items():
        path = Path(directory) / name
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line:
                continue
            head, relation, tail = line.split("\t")
            edges.append((entities[head], relations[relation], entities[tail]))
            splits.append(split)
    source, relation, target, rows = edge_columns(edges)
    return TypedData(Path(directory).name, entities.names, relations.names, source, relation,
                     target, edge_split=[splits[row] for row in rows])
