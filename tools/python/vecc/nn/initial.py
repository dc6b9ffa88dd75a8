"""What weights begin as. A table's values depend on its law, the seed, its name and its shape
alone: not on other weights, the data, the backend or the way down. Laws and bounds are those of
torch and of PyTorch Geometric's `inits`; the draws are others than torch's."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple, Union

import numpy as np

from vecc.error import usage_error
from vecc.nn.trace import Shape, Table
from vecc.options import is_whole

SEEDS = 1 << 64  #: from 0
_FIXED = {"zeros": 0.0, "ones": 1.0}
LAWS = ("glorot", "kaiming_uniform", "normal", *_FIXED)


class Uniform(NamedTuple):
    """Between -bound and bound."""

    bound: float


Init = Union[str, float, Uniform]  #: a law, or what all elements are


def check_seed(seed: Any, place: str) -> int:
    if not is_whole(seed, 0) or seed >= SEEDS:
        raise usage_error(place, f"seed={seed!r}: expected a whole number from 0, below 2^64")
    return int(seed)


def first_values(table: Table, seed: int) -> np.ndarray:
    """[count, *shape], drawn row by row: a table of more rows begins with the same ones."""
    shape, init = (table.count, *table.shape), table.init
    if isinstance(init, str) and init in _FIXED:
        init = _FIXED[init]
    if not isinstance(init, (str, Uniform)):
        return np.full(shape, float(init))
    generator = _generator(seed, table.name)
    if init == "normal":
        return generator.standard_normal(shape)
    bound = init.bound if isinstance(init, Uniform) else _bound(init, table.shape)
    values = np.asarray(generator.random(shape))
    values -= 0.5  # in place, as tables may be large
    values *= 2
    values *= bound
    return values


def _bound(law: str, shape: Shape) -> float:
    """Of a weight of this shape, as nn.linear has it: [outputs, inputs]. A vector is one of inputs
    to one output, or an embedding; a scalar has one of both."""
    inputs = shape[-1] if shape else 1
    outputs = shape[0] if len(shape) == 2 else 1
    square = 6 / (inputs + outputs) if law == "glorot" else 1 / inputs
    return float(square ** 0.5)


def _generator(seed: int, name: str) -> np.random.Generator:
    """A stream of its own for each seed and name, by counters: the bits of one say nothing of
    another's, however near the seeds are."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    key = int.from_bytes(digest[:8], "little") << 64 | seed
    return np.random.Generator(np.random.Philox(key=key))
