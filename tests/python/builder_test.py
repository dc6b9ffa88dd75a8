"""vecc.GraphBuilder: columns to graphs and files."""

import pickle
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import DATASETS, flat, outputs

import vecc

sys.path.insert(0, str(DATASETS.parent / "tools" / "python" / "examples"))
import tree_lstm  # noqa: E402


def five_neurons():
    """The example of docs/format.md."""
    builder = vecc.GraphBuilder("hand")
    w = builder.weights("w", [0.5, -1, 2], count=3)
    x = builder.facts("in", [1.0, 3.0])
    hidden = builder.neurons("hid", [x[0], x[1], x[1]], fan_in=[2, 1],
                             weights=[w[0], w[1], -1], transformation="tanh", rule="hid :- w in.")
    out = builder.neurons("out", hidden[None, :], combination="avg", offsets=w[2],
                          kind="weighted atom")
    builder.samples(out, ids=["q"], targets=[1.0], splits="train")
    return builder


def naive_tree_lstm(words, parents, weights):
    """The formulas of the example, node by node."""
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    dim = weights["embedding"].shape[1]
    h, c = np.zeros((len(words), dim)), np.zeros((len(words), dim))
    w = {name: value[0] for name, value in weights.items()}
    x = weights["embedding"][words, :, 0]
    for j in range(len(words)):
        children = np.flatnonzero(parents == j)

        def gate(name, hidden):
            return w[f"W_{name}"] @ x[j] + w[f"U_{name}"] @ hidden + w[f"b_{name}"][:, 0]

        total = h[children].sum(0)
        c[j] = sigmoid(gate("i", total)) * np.tanh(gate("u", total))
        for k in children:
            c[j] += sigmoid(gate("f", h[k])) * c[k]
        h[j] = sigmoid(gate("o", total)) * np.tanh(c[j])
    return sigmoid(h[parents < 0] @ w["W_out"][0])


class BuilderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "graph.pb"

    def check_error(self, call, code, message):
        """Where the mistake is, not when the graph is written."""
        with self.assertRaisesRegex(vecc.Error, message) as raised:
            call()
        self.assertEqual(raised.exception.code, code)
        self.assertIsInstance(raised.exception, ValueError)

    def test_the_formats_example(self):
        """Byte for byte."""
        text = (DATASETS.parent / "docs" / "format.md").read_text()
        dump = text.split("```hexdump\n")[1].split("```")[0]
        expected = bytes.fromhex("".join(line[6:43] for line in dump.splitlines()))
        five_neurons().save(self.path)
        self.assertEqual(self.path.read_bytes(), expected)

    def test_values(self):
        graph = five_neurons().build()
        np.testing.assert_allclose(graph.evaluate(), [0.66948], atol=1e-5)
        np.testing.assert_array_equal(graph.targets, [1.0])
        self.assertEqual((graph.sample_ids, graph.producer), (["q"], "hand"))
        self.assertEqual([g["class"] for g in graph.groups],
                         ["fact", "weighted rule", "weighted atom"])

    def test_compressed_files(self):
        for compression in ("none", "gzip", "zstd"):
            five_neurons().save(self.path, compression)
            np.testing.assert_allclose(flat(vecc.load(self.path).evaluate()),
                                       outputs(self.path, "--dtype=f64"), atol=1e-12)
        with self.assertRaisesRegex(vecc.Error, "none of none, gzip, zstd"):
            five_neurons().save(self.path, "zip")

    def test_compression_levels(self):
        for compression, levels in (("gzip", (1, 9)), ("zstd", (1, 22))):
            for level in levels:
                five_neurons().save(self.path, compression, level)
                self.assertEqual(vecc.load(self.path).sample_ids, ["q"])
        for compression, level, words in (
                ("gzip", 10, "level=10: error: gzip has levels 1 to 9"),
                ("zstd", 23, "level=23: error: zstd has levels 1 to 22"),
                ("zstd", 0, "level=0: error: zstd"), ("zstd", -3, "level=-3"),
                ("none", 3, "level=3: error: the output is not compressed"),
                ("zstd", 2**32 + 1, "level=4294967297: error: zstd")):
            with self.assertRaisesRegex(vecc.Error, words):
                five_neurons().save(self.path, compression, level)

    def test_shapes(self):
        builder = vecc.GraphBuilder()
        scalars = builder.facts("a", [1.0, 2.0])
        columns = builder.facts("b", np.arange(6.0).reshape(2, 3))
        matrices = builder.facts("c", np.arange(8.0).reshape(2, 2, 2))
        units = builder.facts("d", count=2)
        own = builder.facts("e", weights=builder.weights("e", [[5.0], [6.0]], count=2))
        ids = np.concatenate([scalars, columns, matrices, units, own])
        builder.samples(ids, targets=[1.0, None] + [np.ones(3)] * 2 + [np.ones((2, 2))] * 2
                        + [0.0] * 2 + [np.zeros(1)] * 2)
        graph = builder.build()
        shapes = [value.shape for value in graph.evaluate()]
        self.assertEqual(shapes, [()] * 2 + [(3,)] * 2 + [(2, 2)] * 2 + [()] * 2 + [(1,)] * 2)
        self.assertEqual([t.shape for t in graph.targets], shapes)
        self.assertTrue(np.isnan(graph.targets[1]))

    def test_functions(self):
        builder = vecc.GraphBuilder()
        x = builder.facts("x", np.array([[3.0, -1.0, 2.0], [1.0, 4.0, 1.0]]))
        pair = np.array([[x[0], x[1]]])
        for name, options, expected in (
                ("max", {"combination": "max"}, [1, 4, 1]),
                ("mean", {"combination": "avg", "transformation": "relu"}, [2, 1.5, 1.5]),
                ("concat", {"combination": "concat"}, [3, -1, 2, 1, 4, 1]),
                ("leaky", {"transformation": "leakyrelu(0.5)"}, [4, 3, 3]),
                ("slice", {"transformation": "slice", "words": [1, 3, 0, 1]}, [3, 3]),
                ("tree", {"combination": "functiongraph",
                          "expression": "elproduct($0, $1)"}, [3, -4, 2])):
            with self.subTest(name=name):
                part = vecc.GraphBuilder()
                part._parts, part._neurons = list(builder._parts), builder._neurons
                part._groups = dict(builder._groups)
                part.samples(part.neurons(name, pair, **options))
                np.testing.assert_allclose(part.build().evaluate()[0], expected)

    def test_samples(self):
        builder = vecc.GraphBuilder()
        w = builder.weights("w", 2.0)
        out = builder.neurons("y", builder.facts("x", np.arange(4.0))[:, None], weights=w)
        builder.samples(out, ids=list("abcd"), groups=[0, 0, 1, -1],
                        roles=["positive", "negative", "", ""], weights=[1, 2, 3, 4])
        graph = builder.build()
        self.assertIsNone(graph.targets)
        np.testing.assert_array_equal(graph.evaluate(), [0, 2, 4, 6])
        training = graph.compile(backend="interpreter").train(epochs=1, loss="margin_ranking")
        self.assertIn("train_sampled_mrr", training.history[0])
        with self.assertRaisesRegex(vecc.Error, "'left' is none of train, validation, test"):
            builder.samples(out, splits=["left"] * 4)
        with self.assertRaisesRegex(vecc.Error, r"did you mean train\?"):
            builder.samples(out, splits=["trian"] * 4)

    def test_tree_lstm(self):
        """Against the formulas, node by node."""
        forest = tree_lstm.random_forest(np.random.default_rng(3), 30)
        graph = tree_lstm.tree_lstm(*forest, dim=4).build()
        graph.initialize("glorot", 5)
        expected = naive_tree_lstm(*forest[:2], graph.weights).ravel()
        np.testing.assert_allclose(np.ravel(graph.evaluate()), expected, atol=1e-12)
        program = graph.compile(dtype="f64")
        np.testing.assert_allclose(np.ravel(program()), expected, atol=1e-9)

    def test_bad_columns(self):
        builder = vecc.GraphBuilder()
        x = builder.facts("x", [1.0, 2.0])
        self.check_error(lambda: builder.neurons("y", [x[0]], fan_in=[1, 1]), "E010",
                         r'group 1 "y": error: inputs has 1 entries, expected 2')
        self.check_error(lambda: builder.facts("z", [1.0, 2.0], names=["only one"]), "E010",
                         "names has 1 entries, expected 2: one a neuron")
        self.check_error(lambda: builder.samples(x, targets=[1.0], ids=["a"]), "E010",
                         "ids has 1 entries, expected 2: one a sample")
        self.check_error(lambda: builder.neurons("y", x[:, None], weights=[3]), "E050",
                         "weights has 3, but there are 0 weights")
        builder.weights("w", 1.0)
        self.check_error(lambda: builder.weights("w", 2.0), "E050", "of that name already")

    def test_bad_functions(self):
        for options, code, message in (
                ({"combination": "maxx"}, "E019", r"is none of .*sum.*; did you mean max\?"),
                ({"combination": "mode"}, "E019", '"mode" is none of .*avg'),
                ({"transformation": "sigmiod"}, "E019", r"; did you mean sigmoid\?"),
                ({"transformation": "leakyrellu(0.5)"}, "E019", r"; did you mean leakyrelu\?"),
                ({"transformation": "leakyrelu(x)"}, "E018", "leakyrelu"),
                ({"kind": "rul"}, "E050", r"did you mean rule\?"),
                ({"kind": "ghost"}, "E050", "none of fact, rule"),
                ({"expression": "sum("}, "E030", "error")):
            builder = vecc.GraphBuilder()
            x = builder.facts("x", [1.0])[:, None]
            with self.subTest(**options):
                self.check_error(lambda: builder.neurons("y", x, **options), code, message)

    def test_a_bad_call_leaves_no_trace(self):
        builder = five_neurons()
        with self.assertRaises(vecc.Error):
            builder.neurons("more", [[0]], combination="smu")
        builder.save(self.path)
        expected = self.path.read_bytes()
        five_neurons().save(self.path)
        self.assertEqual(self.path.read_bytes(), expected)

    def test_a_builder_is_not_pickled(self):
        with self.assertRaisesRegex(TypeError, r"pickle or copy the Graph of its build\(\)"):
            pickle.dumps(five_neurons())

    def test_bad_references(self):
        """What only the whole graph shows, in the importer's words."""
        builder = vecc.GraphBuilder()
        builder.samples(builder.neurons("y", [[7]]))
        with self.assertRaisesRegex(
                vecc.Error, 'vecc.GraphBuilder: group 0 "y", neuron 0, input 0: error: .* neuron 7'
        ) as raised:
            builder.build()
        self.assertEqual(raised.exception.code, "E012")

    def test_bad_numbers(self):
        builder = vecc.GraphBuilder()
        for call in (lambda: builder.neurons("y", [[0.5]]), lambda: builder.neurons("y", [[-2]]),
                     lambda: builder.weights("w", shape=(1, 2, 3)),
                     lambda: builder.weights("w", [1.0, 2.0], shape=(3,)),
                     lambda: builder.facts("f"), lambda: builder.neurons("y", [0]),
                     lambda: builder.facts("f", [1.0, 2.0], ids=builder.reserve(2)[::-1])):
            with self.assertRaises(vecc.Error) as raised:
                call()
            self.assertEqual(raised.exception.code, "E050")


def label_graph(names):
    """One-hot facts by label, a weight of a column a label, classes by a row each."""
    builder = vecc.GraphBuilder()
    columns = [[10 * ord(n) + k for n in names] for k in range(2)]
    w = builder.weights("w", np.array(columns, float))
    x = builder.facts("x", np.eye(len(names)))
    builder.samples(builder.neurons("out", x[:, None], weights=w), targets=np.eye(2)[[0] * len(x)])
    builder.vocabulary("label", names, columns="w", fact_rows="x")
    builder.vocabulary("class", ["no", "yes"], rows=[("w", 1)], outputs=True)
    return builder.build()


class Vocabularies(unittest.TestCase):
    def test_are_read_back(self):
        graph = label_graph("013")
        self.assertEqual(graph.vocabularies, {"label": ["0", "1", "3"], "class": ["no", "yes"]})
        self.assertEqual(graph.classes, ["no", "yes"])
        self.assertIsNone(five_neurons().build().classes)
        self.assertEqual(five_neurons().build().vocabularies, {})

    def test_weights_are_loaded_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.safetensors"
            label_graph("013").compile().save_weights(path)
            for names in ("013", "31", "0"):
                graph = label_graph(names)
                expected = graph.weights["w"]
                program = graph.compile()
                for loads in (graph, program):
                    loads.set_weights({"w": np.zeros_like(expected)})
                    loads.set_weights(path)
                    np.testing.assert_array_equal(loads.weights["w"], expected)
            for loads in (label_graph("012"), label_graph("012").compile()):
                with self.assertRaisesRegex(
                        vecc.Error, '3 names: "0", "1", "2"; the weights have 3 names: "0", "1", '
                        '"3": the weights know nothing of "2"'):
                    loads.set_weights(path)

    def test_what_does_not_fit_is_refused(self):
        builder = five_neurons()
        with self.assertRaisesRegex(vecc.Error, 'there are no facts "y"'):
            builder.vocabulary("a", "ab", fact_rows="y")
        builder.vocabulary("a", "ab", entries="w")
        with self.assertRaisesRegex(vecc.Error, "is there already"):
            builder.vocabulary("a", "ab")
        with self.assertRaisesRegex(vecc.Error, "has 3 weights, expected 2 names, or a multiple"):
            builder.build()


if __name__ == "__main__":
    unittest.main()
