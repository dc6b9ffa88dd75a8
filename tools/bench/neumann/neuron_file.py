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


def ids(payload):
    column = wire.numbers(payload, np.uint32).astype(np.int64)
    return np.where(column == NONE, -1, column)


def read_chunk(payload):
    chunk = Chunk()
    for number, _, value in wire.fields(payload):
        if number == 1:
            chunk.group = value
        elif number == 2:
            chunk.continued = bool(value)
        elif number == 3:
            chunk.neuron_class = CLASSES[value]
        elif number == 4:
            chunk.head = wire.text(value)
        elif number == 6:
            read_function(chunk, value)
        elif number == 7:
            chunk.shape = read_shape(value)
        elif number == 8:
            chunk.first_id = value
        elif number == 9:
            chunk.count = value
        elif number == 10:
            chunk.fact = bool(value)
        else:
            read_column(chunk, number, value)
    return finish_chunk(chunk)


def read_function(chunk, payload):
    for number, _, value in wire.fields(payload):
        if number == 1:
            chunk.combination = wire.text(value) or "sum"
        elif number == 2:
            chunk.transformation = wire.text(value) or "identity"
        else:
            chunk.words = True


def read_column(chunk, number, value):
    if number in (11, 12):
        chunk.values = wire.numbers(value, np.float32 if number == 11 else np.float64)
    elif number == 13:
        chunk.fact_weights = ids(value)
    elif number == 14:
        chunk.fan_in = wire.varints(value)
    elif number == 15:
        chunk.inputs = ids(value)
    elif number == 16:
        chunk.inputs = wire.numbers(value, np.uint64).astype(np.int64)
    elif number == 17:
        chunk.weights = ids(value)
    elif number == 18:
        chunk.offsets = ids(value)
    elif number == 19:
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
