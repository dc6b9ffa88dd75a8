"""The reader of graph.pb against the writer of tools/golden, and on damaged bytes."""

import gzip
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np

import paths
import graph_writer as writer
import wire
from graph_file import parse_graph, read_graph


def end_of(body, neurons, edges, weights, samples):
    payload = b"".join(writer.encode_fixed64(i, n) for i, n in
                       enumerate((neurons, edges, weights, samples), 1))
    return writer.encode_bytes(15, payload + writer.encode_fixed32(5, zlib.crc32(body)))


def header():
    return writer.encode_fixed32(1, writer.MAGIC) + writer.encode_bytes(2, writer.encode_uint(1, 1))


def whole_graph():
    graph = writer.GraphWriter("test")
    graph.weight_table("w", 0, (2, 1), [1, 2, 3, 4.1], learnable=True, count=2)
    graph.weight_table("s", 5, (), [0.5], learnable=False)
    graph.weight_table("none", 9, (1, 3), [], learnable=True)
    graph.group(writer.Group(0, 0, 3, head_predicate="x/1", fact=True, shape=(), values=[1, 2, 3]))
    graph.group(writer.Group(1, 3, 2, neuron_class="Rule", head_predicate="q/0", fan_in=[1, 2],
                             function=writer.Function("sum"), inputs=[0, 1, 2]))
    graph.group(writer.Group(1, 5, 1, continued=True, function=writer.Function("sum"),
                             fan_in=[1], inputs=[0]))
    graph.samples([writer.Sample("a", 3, ((2, 1), [1.0, 0.0])), writer.Sample("b", 4)])
    return graph.finish()


class Reader(unittest.TestCase):
    def test_tables(self):
        tables = parse_graph(whole_graph()).tables
        self.assertEqual(list(tables), ["w", "s", "none"])
        np.testing.assert_array_equal(tables["w"].values, [[[1], [2]], [[3], [4.1]]])
        self.assertEqual((tables["s"].shape, tables["s"].learnable), ((), False))
        np.testing.assert_array_equal(tables["s"].values, [0.5])
        self.assertIsNone(tables["none"].values)

    def test_counts_and_samples(self):
        graph = parse_graph(whole_graph())
        self.assertEqual((graph.neurons, graph.edges, graph.heads), (6, 4, ["x/1", "q/0"]))
        self.assertEqual((graph.samples.ids, graph.samples.outputs), (["a", "b"], [3, 4]))
        np.testing.assert_array_equal(graph.samples.targets[0], [[1], [0]])
        self.assertIsNone(graph.samples.targets[1])

    def test_columns_of_samples(self):
        samples = writer.encode_column(1, "I", [0, 0, 0])
        samples += b"".join(writer.encode_bytes(3, name) for name in (b"a", b"", b"c"))
        samples += writer.encode_shape(4, ()) + writer.encode_column(5, "d", [1, 0, 0.5])
        samples += writer.encode_varint_column(6, [1, 2, 3])
        samples += writer.encode_column(7, "I", [0, 300, writer.NONE])
        samples += writer.encode_varint_column(8, [1, 2, 0])
        body = header() + writer.encode_bytes(5, samples)
        read = parse_graph(body + end_of(body, 0, 0, 0, 3)).samples
        self.assertEqual(read.ids, ["a", "", "c"])
        self.assertEqual([float(target) for target in read.targets], [1, 0, 0.5])
        self.assertEqual(read.splits, ["train", "validation", "test"])
        self.assertEqual(read.groups, [0, 300, -1])
        self.assertEqual(read.roles, ["positive", "negative", ""])

    def test_a_table_in_chunks(self):
        def chunk(first, values, names, continued):
            return writer.encode_bytes(3, b"".join(
                [writer.encode_text(1, "e"), writer.encode_uint(2, first),
                 writer.encode_uint(3, len(names)), writer.encode_shape(4, (1, 2)),
                 writer.encode_uint(6, continued), writer.encode_values(7, 8, values)] +
                [writer.encode_bytes(9, name.encode()) for name in names]))
        body = header() + chunk(0, [1, 2], ["é"], False)
        body += chunk(4, [3, 4, 5, 6.1], ["", "c"], True)
        table = parse_graph(body + end_of(body, 0, 0, 3, 0)).tables["e"]
        self.assertEqual((table.count, table.row_names), (3, ["é", "", "c"]))
        np.testing.assert_array_equal(table.values[:, 0], [[1, 2], [3, 4], [5, 6.1]])

    def test_gzip(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graph.pb.gz"
            path.write_bytes(gzip.compress(whole_graph()))
            self.assertEqual(read_graph(path).neurons, 6)

    def test_shipped_graphs(self):
        for path in sorted((paths.ROOT / "datasets").glob("*.pb")):
            graph = read_graph(path)
            self.assertEqual(len(graph.samples.targets), len(graph.samples.outputs), path)


class Damage(unittest.TestCase):
    def test_every_cut_is_noticed(self):
        data = whole_graph()
        for size in range(len(data)):
            with self.assertRaises(wire.WireError, msg=f"cut to {size} bytes"):
                parse_graph(data[:size])

    def test_a_changed_value_is_noticed(self):
        data = bytearray(whole_graph())
        data[data.index(b"q/0")] ^= 1
        with self.assertRaises(wire.WireError):
            parse_graph(bytes(data))

    def test_not_a_graph(self):
        with self.assertRaises(wire.WireError):
            parse_graph(writer.encode_fixed32(1, 7))


class Wire(unittest.TestCase):
    def test_varints(self):
        values = [0, 1, 127, 128, 300, 0xFFFFFFFF, 1 << 40]
        data = b"".join(map(writer.encode_varint, values))
        self.assertEqual(wire.varints(data).tolist(), values)
        self.assertEqual(wire.varints(b"").tolist(), [])

    def test_varints_without_end(self):
        for data in (b"\x80", b"\x01\x80", b"\x80" * 11 + b"\x01"):
            with self.assertRaises(wire.WireError):
                wire.varints(data)

    def test_a_column_of_another_width(self):
        with self.assertRaises(wire.WireError):
            wire.numbers(b"123", np.float32)


if __name__ == "__main__":
    unittest.main()
