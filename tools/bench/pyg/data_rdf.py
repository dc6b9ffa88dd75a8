"""N-Triples with label files: the RDF node classification sets.

Every IRI, literal and blank node is a node, in order of appearance; predicates are relations."""

import csv
import gzip
import re
from pathlib import Path

from data_typed import Numbering, TypedData, edge_columns

IRI = r"<[^<>]*>"
BLANK = r"_:\S+"
LITERAL = r'"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[A-Za-z0-9-]+)?'
LINE = re.compile(rf"\s*({IRI}|{BLANK})\s*({IRI})\s*({IRI}|{BLANK}|{LITERAL})\s*\.\s*(?:#.*)?$")
LABEL_FILES = {"train": "trainingSet.tsv", "test": "testSet.tsv"}


def read_triples(directory):
    """(line, subject, predicate, object) of each triple of the one .nt or .nt.gz file."""
    (path,) = list(directory.glob("*.nt")) + list(directory.glob("*.nt.gz"))
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            match = LINE.match(line)
            if not match:
                raise ValueError(f"{path}: line {number} is not a triple: {line!r}")
            yield line, *match.groups()


def load_rdf(directory):
    directory = Path(directory)
    nodes, relations, edges = Numbering(), Numbering(), []
    for _, *terms in read_triples(directory):
        subject, predicate, value = map(name_of, terms)
        edges.append((nodes[subject], relations[predicate], nodes[value]))
    source, relation, target, _ = edge_columns(edges)
    data = TypedData(directory.name, nodes.names, relations.names, source, relation, target)
    read_labels(directory, nodes.index, data)
    return data


ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def name_of(term):
    """An IRI without its brackets, a blank node, a literal with its quotes and what follows;
    escapes are the characters that they stand for."""
    term = term[1:-1] if term.startswith("<") else term
    return ESCAPE.sub(lambda m: chr(int(m[1] or m[2], 16)) if m[1] or m[2]
                      else LETTERS.get(m[3], m[3]), term)


def read_labels(directory, index, data):
    """trainingSet.tsv and testSet.tsv: the column whose cells are nodes, and the label column.
    Classes are numbered in the order of their names."""
    rows_read = []
    for split, name in LABEL_FILES.items():
        path = directory / name
        if not path.exists():
            continue
        with open(path, encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        label = next(i for i, title in enumerate(header) if title.startswith("label"))
        instance = next(i for i in range(len(header)) if i != label and rows[0][i] in index)
        for row in rows:
            if row:
                rows_read.append((index[row[instance]], row[label], split))
    data.label_names = sorted({label for _, label, _ in rows_read})
    data.labels = [(node, data.label_names.index(label), split)
                   for node, label, split in rows_read]
