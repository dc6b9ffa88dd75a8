"""Reads the weights and the samples of a graph.pb; neurons are only counted.

The format is proto/vecc/graph.proto; docs/format.md explains it. tools/golden/graph_writer.py is
the writing twin. Plain or gzip.

    graph = read_graph("mutag.pb")
    graph.tables["h1.W"].values      # numpy [count, rows, cols]; [count] for scalars
    graph.samples.ids[0], graph.samples.targets[0]
"""

import gzip
import zlib
from dataclasses import dataclass, field

import numpy as np

import wire

MAGIC = 0x43434556
NONE = 0xFFFFFFFF
SPLITS = ("", "train", "validation", "test")
ROLES = ("", "positive", "negative")


@dataclass
class Table:
    """`count` weights of one shape: () is a scalar, else (rows, cols)."""

    name: str
    first_id: int
    count: int
    shape: tuple
    learnable: bool
    values: np.ndarray = None  # [count, *shape] float64; None: the file has none
    row_names: list = field(default_factory=list)


@dataclass
class Samples:
    """One entry a sample in every column; an absent column is empty."""

    outputs: list = field(default_factory=list)  # neuron ids
    ids: list = field(default_factory=list)
    targets: list = field(default_factory=list)  # numpy arrays of the target's shape, or None
    splits: list = field(default_factory=list)   # one of SPLITS
    groups: list = field(default_factory=list)   # -1 is none
    roles: list = field(default_factory=list)    # one of ROLES


@dataclass
class GraphFile:
    tables: dict = field(default_factory=dict)  # by name, in the order of the file
    samples: Samples = field(default_factory=Samples)
    neurons: int = 0
    edges: int = 0
    heads: list = field(default_factory=list)  # head predicates of the groups, in file order


def read_graph(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return parse_graph(data)


def parse_graph(data):
    """Checks the magic, the schema version and the End record; vecc itself checks the rest."""
    graph, at_end = GraphFile(), None
    for number, _, payload in wire.fields(data):
        if at_end is not None:
            raise wire.WireError("something follows the End record")
        if number == 1:
            if payload != MAGIC:
                raise wire.WireError("not a graph.pb: the magic number is another")
        elif number == 2:
            check_version(payload)
        elif number == 3:
            add_table(graph, payload)
        elif number == 4:
            add_group(graph, payload)
        elif number == 5:
            add_samples(graph.samples, payload)
        elif number == 6:
            continue  # vocabularies: no value depends on them
        elif number == 15:
            at_end = payload
        else:
            raise wire.WireError(f"unknown top-level field {number}")
    if at_end is None:
        raise wire.WireError("no End record: the file is cut off")
    check_end(graph, data, at_end)
    return graph


def check_version(payload):
    version = {n: v for n, _, v in wire.fields(payload)}.get(1, 0)
    if version not in (1, 2):
        raise wire.WireError(f"schema version {version}; this reads versions 1 and 2")


def check_end(graph, data, payload):
    end = {n: v for n, _, v in wire.fields(payload)}
    counted = {1: graph.neurons, 3: sum(t.count for t in graph.tables.values()),
               4: len(graph.samples.outputs)}
    for number, count in counted.items():
        if end.get(number, 0) != count:
            raise wire.WireError(f"End says {end.get(number, 0)} in field {number}, found {count}")
    # The End record's tag and length byte stand before its payload.
    if end.get(5) != zlib.crc32(memoryview(data)[:len(data) - len(payload) - 2]):
        raise wire.WireError("the checksum is wrong: the file is damaged")
    graph.edges = end.get(2, 0)


def read_shape(payload):
    sides = {n: v for n, _, v in wire.fields(payload)}
    rows, cols = sides.get(1, 0), sides.get(2, 0)
    return (rows, cols) if rows or cols else ()


def add_table(graph, payload):
    table, values, continued = Table("", 0, 0, (), True), None, False
    for number, _, value in wire.fields(payload):
        if number == 1:
            table.name = wire.text(value)
        elif number == 2:
            table.first_id = value
        elif number == 3:
            table.count = value
        elif number == 4:
            table.shape = read_shape(value)
        elif number == 5:
            table.learnable = not value
        elif number == 6:
            continued = bool(value)
        elif number in (7, 8):
            values = wire.numbers(value, np.float32 if number == 7 else np.float64)
        elif number == 9:
            table.row_names.append(wire.text(value))
    if values is not None:
        table.values = values.astype(np.float64).reshape((table.count,) + table.shape)
    if not continued:
        if table.name in graph.tables:
            raise wire.WireError(f"two weight tables have the name {table.name!r}")
        graph.tables[table.name] = table
        return
    first = graph.tables[table.name]
    first.count += table.count
    first.row_names += table.row_names
    if first.values is not None:
        first.values = np.concatenate([first.values, table.values])


def add_group(graph, payload):
    head, continued = "", False
    for number, _, value in wire.fields(payload):
        if number == 2:
            continued = bool(value)
        elif number == 4:
            head = wire.text(value)
        elif number == 9:
            graph.neurons += value
    if not continued:
        graph.heads.append(head)


def add_samples(samples, payload):
    shapes, values, first = [], np.zeros(0), len(samples.outputs)
    for number, _, value in wire.fields(payload):
        if number in (1, 2):
            samples.outputs += wire.numbers(value, np.uint32 if number == 1 else np.uint64).tolist()
        elif number == 3:
            samples.ids.append(wire.text(value))
        elif number == 4:
            shapes.append(read_shape(value))
        elif number == 5:
            values = wire.numbers(value, np.float64)
        elif number == 6:
            samples.splits += [SPLITS[i] for i in wire.varints(value)]
        elif number == 7:
            groups = wire.numbers(value, np.uint32)
            samples.groups += [-1 if group == NONE else int(group) for group in groups]
        elif number == 8:
            samples.roles += [ROLES[i] for i in wire.varints(value)]
    samples.targets += split_targets(shapes, values, len(samples.outputs) - first)


def split_targets(shapes, values, count):
    if len(shapes) < 2:
        shapes = (shapes or [(NONE, NONE)]) * count
    targets, at = [], 0
    for shape in shapes:
        if shape == (NONE, NONE):
            targets.append(None)
            continue
        size = int(np.prod(shape))
        targets.append(values[at:at + size].reshape(shape))
        at += size
    if at != len(values):
        raise wire.WireError(f"{len(values)} target values for shapes of {at}")
    return targets
