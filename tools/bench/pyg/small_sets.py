"""What check.py --small reads: sampled sub-sets of the real sets, and the odd ones."""

from pathlib import Path

import odd_sets
from cases import SETS
from subset import make_subset

SIZES = {"MUTAG": 40, "ENZYMES": 18, "PROTEINS": 16, "NCI1": 24, "DD": 4, "REDDIT-BINARY": 6,
         "FB15k-237": 400, "WN18": 300, "AIFB": 24, "MUTAG-RDF": 24, "ACM": 16}


def make_small_sets(source, target, names):
    """Writes those of the named sets that are not there yet; returns those that have no source."""
    missing = set()
    for name in names:
        kind, folder, _ = SETS[name]
        done = target / folder / ".complete"
        if Path(folder).is_absolute() or done.exists():  # a shipped set is small as it is
            continue
        (target / folder).mkdir(parents=True, exist_ok=True)
        if folder in odd_sets.MAKERS:
            odd_sets.MAKERS[folder](target / folder)
        elif (Path(source) / folder).is_dir():
            make_subset(kind, Path(source) / folder, target / folder, SIZES[name])
        else:
            missing.add(name)
            continue
        done.touch()
    return missing
