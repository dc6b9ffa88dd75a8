"""The exported mutagenesis networks against the golden dumps, which another version of NeuraLogic made: the
same outputs, sample by sample, and the same values of all neurons. Its neurons stand in another order: each
is compared with the one of the same rank among those of its shape.

    golden_test.py EXPORTS GOLDEN
"""

import os
import sys
from pathlib import Path

TOLERANCE = 1e-9


def read(path):
    neurons, samples = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, _, _, shape, values = line.rstrip("\n").split("\t")
            row = (shape, *map(float, values.split()))
            (neurons if kind == "neuron" else samples).append(row)
    return sorted(neurons), samples


def largest_difference(ours, theirs):
    if [row[0] for row in ours] != [row[0] for row in theirs]:
        return float("inf")
    return max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x[1:], y[1:]))


def main():
    exports, golden = map(Path, sys.argv[1:])
    for name in ("simple", "dims"):
        known = golden / f"mutagenesis-{name}.expected"
        if not known.exists():
            print(f"{known} is not there: skipped")
            sys.exit(1 if os.environ.get("CI") == "true" else 77)
        ours, theirs = read(exports / f"mutagenesis_{name}.expected"), read(known)
        for what, mine, other in zip(("neurons", "samples"), ours, theirs):
            difference = largest_difference(mine, other)
            print(f"{name}: {len(mine)} {what}, {difference:.1e}")
            if not difference <= TOLERANCE:
                sys.exit(f"{name}: the {what} differ")


if __name__ == "__main__":
    main()
