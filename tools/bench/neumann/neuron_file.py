"""The neurons of a graph.pb, group by group: what graph_file.py only counts."""

import gzip
from dataclasses import dataclass, field

import numpy as np

import wire
from graph_file import NONE, read_shape

CLASSES = ("Fact", "Rule", "WeightedRule", "Aggregation", "Atom", "WeightedAtom", "Negation",
           "SplittableAggregation")


@dataclass
class Chunk:
    """Neurons first_id .. first_id + count - 1: one function, one fan-in column."""

    group: int = 0
    continued: bool = False
    neuron_class: str = "Fact"  # of the group's first chunk
    head: str = ""
    combination: str = "sum"
    transformation: str = "identity"
    shape: tuple = ()
    first_id: int = 0
    count: int = 0
    fact: bool = False
    values: np.ndarray = None        # of constant facts: [count, *shape]
    fact_weights: np.ndarray = None  # of learnable ones
    fan_in: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    inputs: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    weights: np.ndarray = None       # weight ids like inputs; -1: the unit
    offsets: np.ndarray = None
    words: bool = False              # functions with parameters of their own


def ids(payload):
    column = wire.numbers(payload, np.uint32).astype(np.int64)
    return np.where(column == NONE, -1, column)


# By number: where in a Chunk a field goes, and how it is read.
FIELDS = {
    1: ("group", int),
    2: ("continued", bool),
    3: ("neuron_class", CLASSES.__getitem__),
    4: ("head", wire.text),
    7: ("shape", read_shape),
    8: ("first_id", int),
    9: ("count", int),
    10: ("fact", bool),
    11: ("values", lambda payload: wire.numbers(payload, np.float32)),
    12: ("values", lambda payload: wire.numbers(payload, np.float64)),
    13: ("fact_weights", ids),
    14: ("fan_in", wire.varints),
    15: ("inputs", ids),
    16: ("inputs", lambda payload: wire.numbers(payload, np.uint64).astype(np.int64)),
    17: ("weights", ids),
    18: ("offsets", ids),
    19: ("words", lambda payload: True),
}


def read_chunks(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    chunks = [read_chunk(payload) for number, _, payload in wire.fields(data) if number == 4]
    first = {chunk.group: chunk for chunk in chunks if not chunk.continued}
    for chunk in chunks:
        chunk.neuron_class, chunk.head = first[chunk.group].neuron_class, first[chunk.group].head
    return chunks


def read_chunk(payload):
    chunk = Chunk()
    for number, _, value in wire.fields(payload):
        if number == 6:
            read_function(chunk, value)
        elif number in FIELDS:
            name, read = FIELDS[number]
            setattr(chunk, name, read(value))
    return finish_chunk(chunk)


def read_function(chunk, payload):
    for number, _, value in wire.fields(payload):
        if number == 1:
            chunk.combination = wire.text(value) or "sum"
        elif number == 2:
            chunk.transformation = wire.text(value) or "identity"
        else:
            chunk.words = True


def finish_chunk(chunk):
    """Columns of one entry become columns of one a neuron."""
    if chunk.fact:
        if chunk.values is None and chunk.fact_weights is None:
            chunk.values = np.ones(chunk.count)
        if chunk.values is not None:
            chunk.values = np.asarray(chunk.values, np.float64).reshape((chunk.count,) + chunk.shape)
    elif len(chunk.fan_in) == 1:
        chunk.fan_in = np.repeat(chunk.fan_in, chunk.count)
    return chunk
