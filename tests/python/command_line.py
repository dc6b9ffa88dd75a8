"""The command line beside the package: what both must say."""

import subprocess
import sys
from pathlib import Path

import numpy as np

VECC, DATASETS = sys.argv[1], Path(sys.argv[2])
del sys.argv[1:]
GRAPHS = sorted(DATASETS.glob("*.pb"))
MUTAGENESIS, XOR = DATASETS / "mutagenesis.pb", DATASETS / "xor.pb"


def run(*words, status=0):
    """stdout and stderr."""
    done = subprocess.run([VECC, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"{words}: {done.returncode}, {done.stderr}")
    return done.stdout, done.stderr


def outputs(graph, *words):
    """By sample, flat."""
    lines = run(graph, "--quiet", *words)[0].splitlines()
    texts = (line.split("\t")[1].translate(str.maketrans("[],", "   ")).split() for line in lines)
    return [np.array([float(text) for text in numbers]) for numbers in texts]


def flat(values):
    """The package's outputs in the same form."""
    return [np.ravel(value) for value in values]
