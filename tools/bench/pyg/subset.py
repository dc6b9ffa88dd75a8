#!/usr/bin/env python3
"""Writes a smaller data set of the same format: a sample of graphs, of triples, of labelled nodes
with what is around them. Both sides of a comparison then read the same files.

    subset.py tu  tu_DD    small/tu_DD    --size=10   10 graphs, evenly spread over the set
    subset.py kg  kg_WN18  small/kg_WN18  --size=500  triples between the most frequent entities
    subset.py rdf rdf_AIFB small/rdf_AIFB --size=20   labelled nodes, triples up to two steps away
    subset.py hgb hgb_ACM  small/hgb_ACM  --size=20   labelled nodes and their neighbours
"""

import argparse
import gzip
import sys
from collections import Counter
from pathlib import Path

import data_hgb
import data_rdf
from data_triples import FILES


def lines_of(path):
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def spread(items, size):
    """`size` of the items, evenly spread."""
    size = min(size, len(items))
    return [items[i * len(items) // size] for i in range(size)]


def subset_tu(source, target, size):
    (edge_file,) = source.glob("*_A.txt")
    name = edge_file.name[:-len("_A.txt")]
    indicator = [int(line) for line in lines_of(source / f"{name}_graph_indicator.txt")]
    graphs = {graph: i for i, graph in enumerate(spread(range(1, indicator[-1] + 1), size), 1)}
    nodes = [row for row, graph in enumerate(indicator) if graph in graphs]
    number = {row + 1: i for i, row in enumerate(nodes, 1)}
    ends = [tuple(map(int, line.split(","))) for line in lines_of(edge_file)]
    edges = [row for row, (a, b) in enumerate(ends) if a in number and b in number]
    write_lines(target / edge_file.name,
                [f"{number[a]}, {number[b]}" for a, b in map(ends.__getitem__, edges)])
    write_lines(target / f"{name}_graph_indicator.txt",
                [str(graphs[indicator[row]]) for row in nodes])
    kept = {"graph_labels": [graph - 1 for graph in graphs], "node_labels": nodes,
            "node_attributes": nodes, "edge_labels": edges}
    for kind, rows in kept.items():
        path = source / f"{name}_{kind}.txt"
        if path.exists():
            lines = lines_of(path)
            write_lines(target / path.name, [lines[row] for row in rows])


def subset_kg(source, target, size):
    triples = [(name, tuple(line.split("\t"))) for name in FILES.values()
               for line in lines_of(source / name)]
    count = Counter(entity for _, (h, _, t) in triples for entity in (h, t))
    most = 2  # grows until enough triples stand between the most frequent entities
    kept = []
    while len(kept) < size and most < 2 * len(count):
        most *= 2
        chosen = {entity for entity, _ in count.most_common(most)}
        kept = [row for row in triples if row[1][0] in chosen and row[1][2] in chosen]
    kept = spread(kept, size)
    for name in FILES.values():
        write_lines(target / name, ["\t".join(triple) for file, triple in kept if file == name])


def subset_rdf(source, target, size):
    tables = {name: lines_of(source / name) for name in data_rdf.LABEL_FILES.values()}
    triples = list(data_rdf.read_triples(source))
    near = set()
    for name, (header, *rows) in tables.items():
        rows = spread(rows, size // len(tables))
        write_lines(target / name, [header] + rows)
        near |= {f"<{cell}>" for row in rows for cell in row.split("\t")}
    kept = set()
    for most in (8, 2):  # triples of each node one step away, then two
        seen = Counter()
        for i, (_, a, _, b) in enumerate(triples):
            if any(end in near and seen[end] < most for end in (a, b)):
                seen.update({a, b})
                kept.add(i)
        near |= {end for i in kept for end in triples[i][1::2]}
    text = "".join(triples[i][0].rstrip("\n") + "\n" for i in sorted(kept))
    (target / "subset.nt.gz").write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


MOST_FEATURES = 24


def subset_hgb(source, target, size):
    tables = {name: data_hgb.read_rows(source / name) for name in data_hgb.LABEL_FILES.values()}
    chosen = {name: spread(rows, size // len(tables)) for name, rows in tables.items()}
    links = data_hgb.read_rows(source / "link.dat")
    centre = {row[0] for rows in chosen.values() for row in rows}
    touching = spread([row for row in links if row[0] in centre or row[1] in centre], 20 * size)
    kept = centre | {end for row in touching for end in row[:2]}
    nodes = [row for row in data_hgb.read_rows(source / "node.dat") if row[0] in kept]
    number = {row[0]: str(i) for i, row in enumerate(nodes)}
    write_lines(target / "node.dat", ["\t".join(
        [number[row[0]], *row[1:3], *[",".join(f.split(",")[:MOST_FEATURES]) for f in row[3:]]])
        for row in nodes])
    write_lines(target / "link.dat", ["\t".join([number[row[0]], number[row[1]], *row[2:]])
                                      for row in links if row[0] in kept and row[1] in kept])
    for name, rows in chosen.items():
        write_lines(target / name, ["\t".join([number[row[0]], *row[1:]]) for row in rows])
    if (source / "info.dat").exists():
        (target / "info.dat").write_bytes((source / "info.dat").read_bytes())


MAKERS = {"tu": subset_tu, "kg": subset_kg, "rdf": subset_rdf, "hgb": subset_hgb}


def make_subset(kind, source, target, size):
    Path(target).mkdir(parents=True, exist_ok=True)
    MAKERS[kind](Path(source), Path(target), size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kind", choices=MAKERS)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--size", type=int, required=True)
    known = parser.parse_args()
    make_subset(known.kind, known.source, known.target, known.size)
    sys.exit()
