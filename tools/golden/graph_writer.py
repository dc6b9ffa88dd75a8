"""Writes graph.pb, vecc's wire format, with nothing but Python's standard library.

The format (proto/vecc/graph.proto, explained in docs/format.md) is a stream of top-level fields of
one Protocol Buffers message. A field is a varint `number << 3 | wire type` and its payload; a
column is one length-delimited payload of numbers one after another ("packed"). That is all an
exporter needs, in any language.

    writer = GraphWriter(producer="my exporter 1.0")
    writer.weight_table("w0", first_id=0, shape=(3, 3), values=[...], learnable=True)
    writer.group(Group(...))
    writer.samples([Sample("s0", output=7, target=((), [0.3]))])
    data = writer.finish()
"""

import struct
import sys
import zlib
from array import array
from dataclasses import dataclass, field
from typing import List, Optional, Sequence, Tuple

MAGIC = 0x43434556  # the bytes "VECC"
SCHEMA_VERSION = 1
NONE = 0xFFFFFFFF  # no weight, no offset, to the end of a side, no target

# A value's shape: () is a scalar, else (rows, cols).
Shape = Tuple[int, ...]

NEURON_CLASSES = {
    "Fact": 0,
    "Rule": 1,
    "WeightedRule": 2,
    "Aggregation": 3,
    "Atom": 4,
    "WeightedAtom": 5,
    "Negation": 6,
    "SplittableAggregation": 7,
}

# Wire types.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def encode_varint(value: int) -> bytes:
    """7 bits a byte, the lowest first; all but the last byte have the top bit set."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_tag(number: int, wire_type: int) -> bytes:
    return encode_varint(number << 3 | wire_type)


def encode_uint(number: int, value: int) -> bytes:
    """An integer, bool or enum field; zero is the default and is left out."""
    return encode_tag(number, VARINT) + encode_varint(value) if value else b""


def encode_sint(number: int, value: int) -> bytes:
    """A sint32 field (zigzag: 0, -1, 1, -2 become 0, 1, 2, 3), written even if zero."""
    return encode_tag(number, VARINT) + encode_varint(value * 2 if value >= 0 else -value * 2 - 1)


def encode_fixed32(number: int, value: int) -> bytes:
    return encode_tag(number, FIXED32) + struct.pack("<I", value)


def encode_fixed64(number: int, value: int) -> bytes:
    return encode_tag(number, FIXED64) + struct.pack("<Q", value)


def encode_double(number: int, value: float) -> bytes:
    return encode_tag(number, FIXED64) + struct.pack("<d", value)


def encode_bytes(number: int, payload: bytes) -> bytes:
    return encode_tag(number, BYTES) + encode_varint(len(payload)) + payload


def encode_text(number: int, text: str) -> bytes:
    return encode_bytes(number, text.encode("utf-8")) if text else b""


def encode_column(number: int, type_code: str, values: Sequence) -> bytes:
    """A packed column of fixed-width little-endian numbers (`array` type codes I, f, d)."""
    if not values:
        return b""
    column = array(type_code, values)
    if sys.byteorder == "big":
        column.byteswap()
    return encode_bytes(number, column.tobytes())


def encode_varint_column(number: int, values: Sequence[int]) -> bytes:
    return encode_bytes(number, b"".join(map(encode_varint, values))) if values else b""


def encode_shape(number: int, shape: Shape) -> bytes:
    rows, cols = shape if shape else (0, 0)
    return encode_bytes(number, encode_uint(1, rows) + encode_uint(2, cols))


def encode_values(f32_number: int, f64_number: int, values: Sequence[float]) -> bytes:
    """Values as float where every one of them is exactly a float, else as double."""
    try:
        exact = all(a == b for a, b in zip(array("f", values), values))
    except OverflowError:
        exact = False
    return encode_column(f32_number, "f", values) if exact else encode_column(f64_number, "d", values)


@dataclass(frozen=True)
class Function:
    """value = transformation(combination([offset] ++ [weight_i * input_i])), by text names."""

    combination: str = "sum"
    transformation: str = "identity"
    slope: Optional[float] = None  # leakyrelu
    axis: Optional[int] = None  # concat
    target: Optional[Shape] = None  # reshape
    expression: str = ""  # functiongraph

    def encode(self) -> bytes:
        out = encode_text(1, self.combination) + encode_text(2, self.transformation)
        if self.slope is not None:
            out += encode_double(3, self.slope)
        if self.axis is not None:
            out += encode_sint(4, self.axis)
        if self.target is not None:
            out += encode_shape(5, self.target)
        return out + encode_text(6, self.expression)


@dataclass
class Group:
    """One chunk of a group: neurons first_id .. first_id + count - 1, in columns."""

    group_id: int
    first_id: int
    count: int
    continued: bool = False
    # The first chunk of a group only.
    neuron_class: str = "Fact"
    head_predicate: str = ""
    rule_text: str = ""
    # Every chunk.
    function: Optional[Function] = None
    shape: Optional[Shape] = None
    fact: bool = False
    values: List[float] = field(default_factory=list)
    fact_weights: List[int] = field(default_factory=list)
    fan_in: List[int] = field(default_factory=list)
    inputs: List[int] = field(default_factory=list)
    weights: List[int] = field(default_factory=list)
    offsets: List[int] = field(default_factory=list)
    words: List[int] = field(default_factory=list)
    names: List[str] = field(default_factory=list)

    def encode(self) -> bytes:
        parts = [encode_uint(1, self.group_id), encode_uint(2, self.continued)]
        if not self.continued:
            parts.append(encode_uint(3, NEURON_CLASSES[self.neuron_class]))
            parts.append(encode_text(4, self.head_predicate))
            parts.append(encode_text(5, self.rule_text))
        if self.function is not None:
            parts.append(encode_bytes(6, self.function.encode()))
        if self.shape is not None:
            parts.append(encode_shape(7, self.shape))
        # One fan-in stands for all neurons where they agree.
        fan_in = self.fan_in[:1] if len(set(self.fan_in)) == 1 else self.fan_in
        wide = any(i > 0xFFFFFFFF for i in self.inputs)
        parts += [
            encode_uint(8, self.first_id),
            encode_uint(9, self.count),
            encode_uint(10, self.fact),
            encode_values(11, 12, self.values),
            encode_column(13, "I", self.fact_weights),
            encode_varint_column(14, fan_in),
            encode_column(16, "Q", self.inputs) if wide else encode_column(15, "I", self.inputs),
            encode_column(17, "I", self.weights),
            encode_column(18, "I", self.offsets),
            encode_varint_column(19, self.words),
        ]
        # A repeated string keeps its empty entries, unlike a single one.
        parts += [encode_bytes(20, name.encode("utf-8")) for name in self.names]
        return b"".join(parts)


@dataclass
class Sample:
    id: str
    output: int
    target: Optional[Tuple[Shape, List[float]]] = None


class GraphWriter:
    """Builds the bytes of a graph.pb: header, then tables, groups and samples, then finish()."""

    def __init__(self, producer: str):
        self._parts: List[bytes] = []
        self._neurons = self._edges = self._weights = self._samples = 0
        self._parts.append(encode_fixed32(1, MAGIC))
        self._add(2, encode_uint(1, SCHEMA_VERSION) + encode_text(2, producer))

    def _add(self, number: int, payload: bytes) -> None:
        if len(payload) >= 1 << 31:
            raise ValueError(f"top-level field {number} has {len(payload)} bytes; 2 GiB is the limit")
        self._parts.append(encode_bytes(number, payload))

    def weight_table(self, name: str, first_id: int, shape: Shape, values: Sequence[float],
                     learnable: bool, count: int = 1) -> None:
        """`count` weights under one unique name; no values: they are to be initialised."""
        self._weights += count
        self._add(3, encode_text(1, name) + encode_uint(2, first_id) + encode_uint(3, count) +
                  encode_shape(4, shape) + encode_uint(5, not learnable) +
                  encode_values(7, 8, values))

    def group(self, group: Group) -> None:
        self._neurons += group.count
        self._edges += len(group.inputs)
        self._add(4, group.encode())

    def samples(self, samples: Sequence[Sample]) -> None:
        self._samples += len(samples)
        wide = any(s.output > 0xFFFFFFFF for s in samples)
        outputs = [s.output for s in samples]
        parts = [encode_column(2, "Q", outputs) if wide else encode_column(1, "I", outputs)]
        parts += [encode_bytes(3, s.id.encode("utf-8")) for s in samples]
        if any(s.target for s in samples):
            shapes = [s.target[0] if s.target else (NONE, NONE) for s in samples]
            shapes = shapes[:1] if len(set(shapes)) == 1 else shapes
            parts += [encode_shape(4, shape) for shape in shapes]
            parts.append(encode_column(5, "d", [x for s in samples if s.target for x in s.target[1]]))
        self._add(5, b"".join(parts))

    def finish(self) -> bytes:
        """The whole file; the End record holds the counts and the CRC-32 of all bytes before it."""
        crc = 0
        for part in self._parts:
            crc = zlib.crc32(part, crc)
        self._add(15, encode_fixed64(1, self._neurons) + encode_fixed64(2, self._edges) +
                  encode_fixed64(3, self._weights) + encode_fixed64(4, self._samples) +
                  encode_fixed32(5, crc))
        return b"".join(self._parts)
