#!/usr/bin/env python3
"""Makes datasets/molecules (TUDataset text) from the mutagenesis molecules as NeuraLogic ships them.

    make_molecules.py FOLDER datasets/molecules

FOLDER holds examples.txt (one molecule a line, as facts) and queries.txt. As in MUTAG, hydrogen atoms
are left out. The result is the same byte for byte every time.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

ELEMENTS = ["c", "n", "o", "f", "i", "cl", "br"]
BONDS = ["1", "2", "3", "4", "5", "7"]
_FACT = re.compile(r"(\w+)\(([^)]*)\)")


class Molecule(NamedTuple):
    elements: List[int]                  # by atom
    bonds: List[Tuple[int, int, int]]    # source, target, kind; both directions


def read_molecule(line: str) -> Molecule:
    element_of: Dict[str, str] = {}
    kind_of: Dict[str, str] = {}
    bonds: List[Tuple[str, str, str]] = []
    for predicate, text in _FACT.findall(line):
        arguments = [argument.strip() for argument in text.split(",")]
        if predicate == "bond":
            bonds.append((arguments[0], arguments[1], arguments[2]))
        elif predicate.startswith("b_"):
            kind_of[arguments[0]] = predicate[2:]
        else:
            element_of[arguments[0]] = predicate
    # Atoms by their number, `d59_23` is 23, so that the order does not depend on the facts'.
    atoms = sorted((a for a, e in element_of.items() if e != "h"), key=lambda a: int(a.split("_")[1]))
    number = {atom: i for i, atom in enumerate(atoms)}
    kept = {(number[a], number[b], BONDS.index(kind_of[bond]))
            for a, b, bond in bonds if a in number and b in number}
    return Molecule([ELEMENTS.index(element_of[a]) for a in atoms], sorted(kept))


def write(folder: Path, molecules: List[Molecule], labels: List[int]) -> None:
    columns: Dict[str, List[str]] = {"A": [], "edge_labels": [], "graph_indicator": [],
                                     "graph_labels": [], "node_labels": []}
    first = 1
    for index, (molecule, label) in enumerate(zip(molecules, labels)):
        columns["graph_labels"].append(str(label))
        for element in molecule.elements:
            columns["node_labels"].append(str(element))
            columns["graph_indicator"].append(str(index + 1))
        for source, target, kind in molecule.bonds:
            columns["A"].append(f"{first + source}, {first + target}")
            columns["edge_labels"].append(str(kind))
        first += len(molecule.elements)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in columns.items():
        (folder / f"molecules_{name}.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{len(molecules)} graphs, {first - 1} nodes, {len(columns['A'])} directed edges")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path, help="the folder with examples.txt and queries.txt")
    parser.add_argument("out_dir", type=Path)
    options = parser.parse_args()
    lines = (options.source / "examples.txt").read_text(encoding="utf-8").splitlines()
    queries = (options.source / "queries.txt").read_text(encoding="utf-8").splitlines()
    molecules = [read_molecule(line) for line in lines if line.strip()]
    labels = [int(float(query.split()[0])) for query in queries if query.strip()]
    if len(molecules) != len(labels):
        print(f"{len(molecules)} molecules, but {len(labels)} queries", file=sys.stderr)
        return 3
    write(options.out_dir, molecules, labels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
