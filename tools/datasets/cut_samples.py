#!/usr/bin/env python3
"""Cuts samples out of a graph.pb: they, and the neurons that their outputs depend on.

    cut_samples.py datasets/mutagenesis.pb SAMPLE... -o datasets/molecule.pb

Neurons and weights keep their ids, groups their text; groups that lose every neuron are left out.
Reads the fields of proto/vecc/graph.proto with Python's standard library; graphs with vocabularies,
offsets, learnable facts, words by neuron or ids of 64 bits are refused.
"""

import argparse
import gzip
import sys
from array import array
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
import graph_writer as w  # noqa: E402

HEADER, WEIGHT_TABLE, GROUP, SAMPLES, END = 2, 3, 4, 5, 15
FAN_IN, INPUTS, WEIGHTS = 14, 15, 17
REFUSED = {13: "learnable facts", 16: "ids of 64 bits", 18: "offsets", 19: "words", 20: "names"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, wire type, value) of a message: an integer, or the bytes of everything else."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == w.VARINT:
            value, at = varint(data, at)
        else:
            size, at = (8, at) if wire == w.FIXED64 else (4, at) if wire == w.FIXED32 else varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, wire, value


def varints(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def column(code, data):
    values = array(code, data)
    if sys.byteorder == "big":
        values.byteswap()
    return list(values)


class Chunk:
    """One Group message: its columns, and the other fields as they were written."""

    def __init__(self, payload):
        found = {number: value for number, _, value in fields(payload)}
        for number, what in REFUSED.items():
            if number in found:
                sys.exit(f"the graph has {what}, which this script does not cut")
        self.found, self.first, self.count = found, found.get(8, 0), found.get(9, 0)
        fan_in = varints(found.get(FAN_IN, b""))
        self.fan_in = fan_in * self.count if len(fan_in) == 1 else fan_in
        self.inputs = column("I", found.get(INPUTS, b""))
        self.weights = column("I", found.get(WEIGHTS, b""))
        self.begin = [0]
        for n in self.fan_in:
            self.begin.append(self.begin[-1] + n)

    def reads(self, neuron):
        i = neuron - self.first
        return self.inputs[self.begin[i]:self.begin[i + 1]] if self.fan_in else []

    def runs(self, kept):
        """Runs of neurons that stay, each a chunk of consecutive ids."""
        run = []
        for i in range(self.count):
            if self.first + i in kept:
                run.append(i)
            elif run:
                yield run
                run = []
        if run:
            yield run

    def encode(self, run, continued):
        found, count = self.found, len(run)
        parts = [w.encode_uint(1, found.get(1, 0)), w.encode_uint(2, continued)]
        if not continued:
            parts += [w.encode_uint(3, found.get(3, 0)), w.encode_bytes(4, found.get(4, b"")),
                      w.encode_bytes(5, found.get(5, b""))]
        parts += [w.encode_bytes(n, found[n]) for n in (6, 7) if n in found]
        parts += [w.encode_uint(8, self.first + run[0]), w.encode_uint(9, count),
                  w.encode_uint(10, found.get(10, 0))]
        for number in (11, 12):
            if number in found:
                size = len(found[number]) // self.count
                parts.append(w.encode_bytes(number, found[number][run[0] * size:(run[-1] + 1) * size]))
        if not self.fan_in:
            return b"".join(parts), 0
        begin, end = self.begin[run[0]], self.begin[run[-1] + 1]
        fan_in = self.fan_in[run[0]:run[-1] + 1]
        parts.append(w.encode_varint_column(FAN_IN, fan_in[:1] if len(set(fan_in)) == 1 else fan_in))
        parts.append(w.encode_column(INPUTS, "I", self.inputs[begin:end]))
        if self.weights:
            parts.append(w.encode_column(WEIGHTS, "I", self.weights[begin:end]))
        return b"".join(parts), end - begin


def read_samples(payload):
    """(id, output, shape and values of the target) of each sample with a scalar target."""
    ids, outputs, shapes, targets = [], [], [], []
    for number, _, value in fields(payload):
        if number == 1:
            outputs = column("I", value)
        elif number == 3:
            ids.append(value.decode())
        elif number == 4:
            shapes.append(value)
        elif number == 5:
            targets = column("d", value)
    if len(targets) != len(outputs) or not ids:
        sys.exit("samples without ids or without scalar targets are not cut by this script")
    return {i: w.Sample(i, o, ((), [t])) for i, o, t in zip(ids, outputs, targets)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("graph")
    parser.add_argument("samples", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    data = Path(options.graph).read_bytes()
    top = list(fields(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
    chunks = [Chunk(value) for number, _, value in top if number == GROUP]
    samples = {}
    for number, _, value in top:
        if number == SAMPLES:
            samples.update(read_samples(value))
    wanted = [samples.get(name) or sys.exit(f"no sample {name!r}") for name in options.samples]

    chunk_of = {c.first + i: c for c in chunks for i in range(c.count)}
    kept, open_ = set(), [s.output for s in wanted]
    while open_:
        neuron = open_.pop()
        if neuron not in kept:
            kept.add(neuron)
            open_ += chunk_of[neuron].reads(neuron)

    writer = w.GraphWriter(f"cut_samples.py of {Path(options.graph).name}")
    for number, _, value in top:
        if number == WEIGHT_TABLE:
            writer._add(WEIGHT_TABLE, value)
            writer._weights += next((v for n, _, v in fields(value) if n == 3), 0)
    begun = set()
    for chunk in chunks:
        group = chunk.found.get(1, 0)
        for run in chunk.runs(kept):
            payload, edges = chunk.encode(run, group in begun)
            begun.add(group)
            writer._neurons += len(run)
            writer._edges += edges
            writer._add(GROUP, payload)
    writer.samples(wanted)
    Path(options.output).write_bytes(writer.finish())


if __name__ == "__main__":
    main()
