"""Protocol Buffers' wire format, read with numpy: the fields of a message, and packed columns.

A message is a row of fields: a varint `number << 3 | wire type`, then the payload. Nothing here
knows a schema; graph_file.py does.
"""

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
WIDTH = {FIXED64: 8, FIXED32: 4}


class WireError(ValueError):
    """Bytes that are not a message."""


def read_varint(data, at):
    """The varint that begins at `at`, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise WireError(f"the file ends inside the number at byte {at}")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise WireError(f"a number of more than 10 bytes ends at byte {at}")


def fields(data):
    """(number, wire type, payload) of each field: an int for numbers, a memoryview for bytes."""
    data = memoryview(data)
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
        elif kind == BYTES:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        elif kind in WIDTH:
            value, at = data[at:at + WIDTH[kind]], at + WIDTH[kind]
        else:
            raise WireError(f"wire type {kind} at byte {at}")
        if at > len(data):
            raise WireError(f"field {number} ends {at - len(data)} bytes after the data")
        yield number, kind, int.from_bytes(value, "little") if kind in WIDTH else value


def numbers(payload, dtype):
    """A packed column of fixed-width little-endian numbers."""
    width = np.dtype(dtype).itemsize
    if len(payload) % width:
        raise WireError(f"a column of {len(payload)} bytes cannot hold numbers of {width} bytes")
    return np.frombuffer(payload, dtype=np.dtype(dtype).newbyteorder("<"))


def varints(payload):
    """A packed column of varints, as int64, without a loop over its entries."""
    data = np.frombuffer(payload, dtype=np.uint8)
    if not data.size:
        return np.zeros(0, np.int64)
    ends = np.flatnonzero(data < 0x80)
    if not ends.size or ends[-1] != data.size - 1:
        raise WireError("the last number of a column has no end")
    starts = np.concatenate([[0], ends[:-1] + 1])
    place = np.arange(data.size) - np.repeat(starts, ends - starts + 1)
    if place.max() > 9:
        raise WireError("a number of more than 10 bytes in a column")
    parts = (data & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.add.reduceat(parts, starts).astype(np.int64)


def text(payload):
    return bytes(payload).decode("utf-8")
