"""Molecules from SMILES, by RDKit where it is installed."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from vecc.error import usage_error
from vecc.nn.data import Data, Feature, batch

#: Categories of atoms and bonds, with how many of each there can be: new molecules have the same.
ATOMS: Dict[str, int] = {"atomic_number": 119, "degree": 11, "charge": 17, "hydrogens": 9,
                         "hybridization": 9, "aromatic": 2, "in_ring": 2, "chirality": 9}
BONDS: Dict[str, int] = {"bond_type": 22, "conjugated": 2, "stereo": 8}


def from_smiles(smiles: Sequence[str], y: Any = None) -> Data:
    """A graph a molecule, its label y[i]. Atoms have the categories atomic_number, degree, charge
    (from -8, so that 8 is none), hydrogens, hybridization, aromatic, in_ring, chirality; bonds, in
    both directions, bond_type, conjugated, stereo; the numbers are RDKit's."""
    try:
        from rdkit import Chem
    except ImportError:
        raise usage_error("from_smiles", "needs RDKit: pip install rdkit") from None
    if isinstance(smiles, str):
        raise usage_error("from_smiles", "takes a list of SMILES, one a molecule")
    parts: List[Data] = []
    for number, text in enumerate(smiles):
        molecule = Chem.MolFromSmiles(text)
        if molecule is None:
            raise usage_error(f"molecule {number}", f"{text[:80]!r} is no SMILES that RDKit reads")
        parts.append(_graph(molecule, f"molecule {number}"))
    data = batch(parts, "molecules")
    return data if y is None else data.labels(y)


def _graph(molecule: Any, place: str) -> Data:
    atoms = [(a.GetAtomicNum(), a.GetTotalDegree(), a.GetFormalCharge() + 8, a.GetTotalNumHs(),
              int(a.GetHybridization()), a.GetIsAromatic(), a.IsInRing(), int(a.GetChiralTag()))
             for a in molecule.GetAtoms()]
    ends: List[Tuple[int, int]] = []
    bonds: List[Tuple[int, ...]] = []
    for bond in molecule.GetBonds():
        a, b = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        row = (int(bond.GetBondType()), bond.GetIsConjugated(), int(bond.GetStereo()))
        ends += [(a, b), (b, a)]
        bonds += [row, row]
    data = Data(place).nodes(count=len(atoms), features=_columns(atoms, ATOMS, place))
    edges = np.array(ends, np.int64).reshape(-1, 2).T
    return data.edges(edges, features=_columns(bonds, BONDS, place)).graphs(1)


def _columns(rows: Sequence[Tuple[int, ...]], kinds: Dict[str, int],
             place: str) -> Dict[str, Feature]:
    table = np.array(rows, np.int64).reshape(-1, len(kinds))
    for column, (name, count) in zip(table.T, kinds.items()):
        if len(column) and not 0 <= column.min() <= column.max() < count:
            raise usage_error(place, f"{name} {column.max()}: expected 0 to {count - 1}")
    return {name: Feature(column.astype(np.uint32), count)
            for column, (name, count) in zip(table.T, kinds.items())}
