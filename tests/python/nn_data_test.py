"""vecc.nn: data, labels, masks; fit, evaluate, predict, save and load."""

import copy
import pickle
import tempfile
import types
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import _core, nn
from nn_groups import network, two_groups


def small_graphs(count, seed=0):
    """Rings and stars: which of both is the label."""
    rng, parts = np.random.default_rng(seed), []
    for number in range(count):
        nodes = int(rng.integers(4, 9))
        around = np.arange(nodes)
        ends = ((around, (around + 1) % nodes) if number % 2 else
                (np.zeros(nodes - 1, int), np.arange(1, nodes)))
        both = np.concatenate([np.stack(ends), np.stack(ends[::-1])], axis=1)
        parts.append(nn.Data().nodes(x=np.ones((nodes, 1))).edges(both).labels([number % 2]))
    return parts


def graph_network(g):
    h = nn.layers.gin(g, g.x, lambda x: nn.layers.mlp(x, 8, 8))
    return nn.linear(nn.mean(nn.relu(h), over=g.graph), 2, bias=True)


class FitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "w.safetensors"

    def test_nodes_with_masks(self):
        data, kind = two_groups()
        train, test = np.arange(60) < 30, np.arange(60) >= 40
        data.labels(kind, train=train, validation=np.arange(30, 40), test=test,
                    classes=["left", "right"])
        model = nn.Model(network)
        training = model.fit(data, epochs=60, lr=0.02)
        self.assertEqual(training.epochs, 60)
        self.assertIn("validation_accuracy", training.history[-1])
        self.assertGreater(training.history[-1]["train_accuracy"], 0.9)
        tested = model.evaluate(data, split="test")
        self.assertEqual(tested["samples"], 20)
        predicted = model.predict(data)
        self.assertEqual(len(predicted.names), 60)
        self.assertEqual(set(predicted.names), {"left", "right"})
        right = np.mean(predicted.predicted[test] == kind[test])
        self.assertAlmostEqual(tested["accuracy"], right)
        np.testing.assert_allclose(predicted.values.sum(1), 1)

    def test_seeds(self):
        """As one training after another; the weights are the last one's."""
        data, kind = two_groups()
        data.labels(kind, train=np.arange(40), test=np.arange(40, 60))
        model = nn.Model(network, dtype="f64")
        found = model.fit_seeds(data, [3, 4, 9], split="test", epochs=4)
        losses = []
        for seed in (3, 4, 9):
            one = nn.Model(network, dtype="f64", seed=seed)
            one.fit(data, epochs=4)
            losses.append(one.evaluate(data, split="test")["loss"])
        np.testing.assert_allclose(found["loss"],
                                   [np.mean(losses), np.std(losses, ddof=1) / 3 ** 0.5])
        self.assertIn("accuracy", found)
        np.testing.assert_allclose(model(data), one(data))
        with self.assertRaisesRegex(vecc.Error, "two or more, each once"):
            model.fit_seeds(data, [1, 1])

    def test_outputs_have_the_model_s_shape(self):
        """As to_torch() has them: [rows, 1] is not [rows], which would broadcast beside labels."""
        data, _ = two_groups()
        for shape in ((), (1,), (2,), (1, 4), (4, 1), (2, 2)):
            size = int(np.prod(shape))
            model = nn.Model(lambda g: nn.reshape(nn.linear(g.x, size), shape)).trace(data)
            self.assertEqual(model(data).shape, (60, *shape))
            data.labels(np.linspace(0, 1, 60 * size).reshape(60, size))
            self.assertEqual(model.predict(data).values.shape, (60, *shape))

    def test_outputs_need_no_labels(self):
        data, kind = two_groups()
        model = nn.Model(network).trace(data)
        expected = model(data)
        for y in (kind[:7], np.full((60, 2), np.nan), np.ones((60, 5))):
            np.testing.assert_array_equal(model(data.labels(y)), expected)

    def test_both_ways_train_alike(self):
        data, kind = two_groups(nodes=20)
        data.labels(kind)
        model = nn.Model(network, dtype="f64", backend="interpreter").trace(data)
        losses = [model.program(data, way=way).train(epochs=5, loss="softentropy").history[-1]
                  for way in ("direct", "neurons")]
        self.assertAlmostEqual(losses[0]["loss"], losses[1]["loss"], 12)

    def test_sets_of_graphs(self):
        """New graphs go in with the weights of before."""
        model = nn.Model(graph_network)
        model.fit(small_graphs(20), epochs=150, lr=0.02, batch_size=5)
        self.assertEqual(model.evaluate(small_graphs(10, seed=4))["accuracy"], 1)
        unknown = small_graphs(6, seed=5)
        for part in unknown:
            part.targets = None
        self.assertEqual(model.predict(unknown).predicted.tolist(), [0, 1] * 3)
        one = model.predict(unknown[1:2])
        self.assertEqual(one.predicted.tolist(), [1])

    def test_numbers(self):
        data, kind = two_groups()
        y = data.features[next(iter(data.counts))]["x"].values[:, :2] * [1, -2]
        y[3] = np.nan
        data.labels(y)
        model = nn.Model(lambda g: nn.linear(g.x, 2, bias=True))
        model.fit(data, epochs=400, lr=0.05)
        found = model.evaluate(data)
        self.assertEqual(found["samples"], 59)
        self.assertLess(found["rmse"], 0.05)
        self.assertIsNone(model.predict(data).classes)

    def test_several_labels(self):
        data, _ = two_groups()
        x = data.features[next(iter(data.counts))]["x"].values
        data.labels((x[:, :3] > 0).astype(int))
        model = nn.Model(lambda g: nn.linear(g.x, 3))
        model.fit(data, epochs=200, lr=0.05)
        self.assertGreater(model.evaluate(data)["auroc"], 0.98)
        found = model.predict(data)
        np.testing.assert_array_equal(found.predicted, found.values > 0.5)
        self.assertEqual(found.predicted.shape, (60, 3))
        with self.assertRaisesRegex(ValueError, "several labels"):
            found.names

    def test_floats_of_0_and_1_are_labels(self):
        """As torch's binary cross-entropy has them; other floats are numbers."""
        data, _ = two_groups()
        x = data.features[next(iter(data.counts))]["x"].values
        for y in (x[:, :3] > 0).astype(float), (x[:, 0] > 0).astype(np.float32):
            y[3] = np.nan
            known = ~np.isnan(y.reshape(60, -1)[:, 0])
            model = nn.Model(lambda g: nn.linear(g.x, y[:1].size), dtype="f64")
            out = model.trace(data.labels(y))(data)
            found = model.fit(data, epochs=1).history[0]["loss"]
            out, y = (each[known].reshape(59, -1) for each in (out, y))
            errors = np.log1p(np.exp(-np.abs(out))) + np.maximum(out, 0) - out * y
            self.assertAlmostEqual(found, errors.sum(1).mean(), 6)
        model = nn.Model(lambda g: nn.linear(g.x, 1))
        model.fit(data.labels(np.ones(60)), epochs=1)
        self.assertEqual(model.loss, "squared_diff")

    def test_weights_of_samples(self):
        """A sample of weight 2 counts as two of 1."""
        data, kind = two_groups(nodes=6)
        twice = np.where(kind == 1, 2.0, 1.0)
        losses = []
        for weights in (twice, None):
            data.labels(kind, weights=weights)
            model = nn.Model(lambda g: nn.linear(g.x, 2), dtype="f64").trace(data)
            losses.append(model.program(data).train(
                epochs=1, loss="softentropy").history[0]["loss"])
        model = nn.Model(lambda g: nn.linear(g.x, 2), dtype="f64").trace(data)
        logits = model(data)
        errors = np.log(np.exp(logits).sum(1)) - logits[np.arange(6), kind]
        self.assertAlmostEqual(losses[0], (errors * twice).mean(), 6)
        self.assertAlmostEqual(losses[1], errors.mean(), 6)

    def test_save_and_load(self):
        data, kind = two_groups()
        model = nn.Model(network, seed=3).trace(data.labels(kind))
        model.fit(data, epochs=3)
        model.save(self.path)
        other = nn.Model(network).load(self.path, data)
        np.testing.assert_array_equal(other(data), model(data))
        bare = two_groups()[0]
        for traced in bare, data:  # the file says what the outputs are
            found = nn.Model(network).load(self.path, traced).predict(bare)
            np.testing.assert_array_equal(found.values, model.predict(bare).values)
            self.assertEqual(found.classes, ["0", "1"])
        other_file = self.path.with_suffix(".other")
        tables = model._tables()
        tables.set_weights(model._weights)
        tables._core.save_weights(str(other_file), [("loss", "\x1b[31mmse")])
        with self.assertRaisesRegex(vecc.Error, r"'loss' is '\\x1b\[31mmse', expected one of"):
            nn.Model(network).load(other_file, data)
        with self.assertRaisesRegex(vecc.Error, "none of"):
            model.fit(data, epochs=1, loss="mse")
        self.assertEqual(model.loss, "softentropy")
        self.assertEqual(nn.Model(network, loss="squared_diff").load(self.path, data).loss,
                         "squared_diff")
        with self.assertRaisesRegex(vecc.Error, "was not traced.*trace"):
            nn.Model(network).load(self.path)
        with self.assertRaisesRegex(vecc.Error, "out/weight"):
            nn.Model(lambda g: nn.linear(g.x, 2, name="other")).load(self.path, data)

    def test_weights(self):
        data, _ = two_groups()
        model = nn.Model(network).trace(data)
        self.assertEqual(model.weights["sage/lin_l/weight"].shape, (8, 4))
        self.assertLessEqual(np.abs(model.weights["sage/lin_l/bias"]).max(), 4 ** -0.5)
        before = model.weights
        others = [name for name in model.weights if name != "out/bias"]
        self.assertEqual(model.set_weights({"out/bias": [1, 2]}), others)
        np.testing.assert_array_equal(model.weights["out/bias"], [1, 2])
        np.testing.assert_array_equal(model.weights["out/weight"], before["out/weight"])
        with self.assertRaisesRegex(vecc.Error, r"'out/bias' are \[3\], expected \[2\]"):
            model.set_weights({"out/bias": [1, 2, 3]})
        with self.assertRaisesRegex(vecc.Error, "there are none called 'bias'"):
            model.set_weights({"bias": [1, 2]})
        self.assertEqual(*(nn.Model(network, seed=s).trace(data).weights["out/weight"].tobytes()
                           for s in (7, 7)))

    def test_what_has_no_neurons(self):
        data, kind = two_groups()
        graph = nn.Model(network).graph(data.labels(kind))
        self.assertEqual(graph.neuron_count, 0)
        for call in (graph.evaluate, lambda: graph.save(self.path), lambda: pickle.dumps(graph)):
            with self.assertRaisesRegex(vecc.Error, 'without neurons; .*way="neurons"'):
                call()
        with self.assertRaisesRegex(vecc.Error, "lazy-adam finds the weights"):
            graph.compile().train(epochs=1, optimizer="lazy-adam")
        same = copy.copy(graph).compile()
        np.testing.assert_array_equal(same(), graph.compile()())
        neurons = nn.Model(network).graph(data, way="neurons")
        np.testing.assert_allclose(neurons.evaluate(), same(), atol=1e-5)
        self.assertGreater(neurons.neuron_count, 60)

    def test_weights_that_no_row_reads(self):
        """Of a set without edges they stay as they are, and have no gradient."""
        data, kind = two_groups()
        data.edges([], [], type=("node", "cites", "node")).labels(kind)

        def typed(g):
            e, c = g["node", "to", "node"], g["node", "cites", "node"]
            return (nn.sum(nn.linear(g["node"].x, 2, name="read")[e.src], over=e.dst) +
                    nn.sum(nn.linear(g["node"].x, 2, name="unread")[c.src], over=c.dst))
        model = nn.Model(typed).trace(data)
        before = model.weights
        self.assertEqual(np.abs(model.program(data).gradients()["unread/weight"]).max(), 0)
        model.fit(data, epochs=2)
        np.testing.assert_array_equal(model.weights["unread/weight"], before["unread/weight"])
        self.assertGreater(np.abs(model.weights["read/weight"] - before["read/weight"]).max(), 0)
        model.save(self.path)
        np.testing.assert_array_equal(nn.Model(typed).load(self.path, data)(data), model(data))

    def test_checkpoints(self):
        """A training goes on bit for bit."""
        data, kind = two_groups()
        data.labels(kind)
        whole = nn.Model(network).fit(data, epochs=6)
        folder = self.path.parent / "checkpoints"
        nn.Model(network).fit(data, epochs=3, checkpoint=folder)
        rest = nn.Model(network).fit(data, epochs=6, checkpoint=folder, resume=True)
        self.assertEqual([e["loss"] for e in whole.history[3:]], [e["loss"] for e in rest.history])

    def test_emission(self):
        """As of any graph."""
        data, kind = two_groups()
        program = nn.Model(network).program(data.labels(kind))
        self.assertIn("sage/lin_l/weight", program.text)
        program.emit("cpp", self.path.parent / "program")
        self.assertTrue(any((self.path.parent / "program").iterdir()))


class DataTest(unittest.TestCase):
    def check(self, call, message):
        with self.assertRaisesRegex(vecc.Error, message) as raised:
            call()
        self.assertIsInstance(raised.exception, ValueError)

    def test_bad_arrays(self):
        x, data = np.ones((3, 2)), nn.Data
        self.check(lambda: data().nodes(), "needs features or a count")
        self.check(lambda: data().nodes(x=x, z=x[:2]), r"z has shape \[2, 2\], expected 3 rows")
        self.check(lambda: data().nodes(x=x * np.nan), "not finite")
        self.check(lambda: data().nodes(x=np.array(["a"])), "expected floats or whole numbers")
        self.check(lambda: data().nodes(x=-np.ones(3, int)), "expected categories from 0")
        self.check(lambda: data().nodes(x=np.ones((3, 2), int)), "2 whole numbers a row")
        self.check(lambda: data().nodes(x=x + 1j), "x is complex128, expected floats or whole")
        self.check(lambda: data().nodes(x=x).nodes(x=x), "is there already")
        self.check(lambda: data().nodes(x=x, graph=[0]), "graph has 1 entries, expected 3")
        self.check(lambda: data().edges([0], [0]), "there are no nodes 'node' yet")
        self.check(lambda: data().nodes(x=x).edges([0, 3], [0, 0]), "src has 0 to 3, expected 0")
        self.check(lambda: data().nodes(x=x).edges([0, 1], [0]), "src has 2 entries, dst 1")
        self.check(lambda: data().nodes(x=x).edges([0.5], [0]), "expected whole numbers")
        self.check(lambda: nn.as_data(3), "int is none of vecc.nn.Data")
        self.check(lambda: nn.as_data([]), "is empty")
        self.check(lambda: nn.as_data(x), "ndarray is none of vecc.nn.Data")
        less = nn.Model(lambda g: nn.sum(g.x[g.src], over=g.dst)).trace(
            data().nodes(x=x).edges([0], [1]))
        self.check(lambda: less(data().nodes(x=x)), r"has no edges of node to node, which the model "
                   r"reads; a set without edges is torch.empty\(2, 0\)")

    def test_bad_labels(self):
        data, kind = two_groups()
        model = nn.Model(network)
        for y, message in ((kind[:5], "they have 5 rows"), (kind + 2, "there are 4 classes"),
                           (np.ones((60, 3)), "they have 3 numbers a row"),
                           (kind * 1.5, r"1 numbers a row \(classes are whole numbers, y.long\(\)"),
                           (np.full((60, 2), -1), "each 0 or 1, found -1 to -1: floats are"),
                           (np.array([["a"]] * 60), "expected whole numbers or floats")):
            self.check(lambda: model.fit(data.labels(y), epochs=1), message)
        part = np.ones((60, 2))
        part[0, 0] = np.nan
        self.check(lambda: model.fit(data.labels(part), epochs=1), "NaN in part")
        self.check(lambda: data.labels(kind, train=np.ones(3, bool)), r"train has shape \[3\]")
        self.check(lambda: data.labels(kind, train=np.ones(60, int)), "twice; a mask is bool")
        for weights in ({0: 1.0, 1: 2.0}, ["a", "b"]):
            self.check(lambda: model.fit(data.labels(kind, class_weights=weights), epochs=1),
                       "class_weights are (dict|list) .*, expected 2 numbers, one a class")
        self.check(lambda: model.fit(data.labels(kind, classes=["a", "b", "c"]), epochs=1),
                   "they name 3 classes")
        data.targets = None
        self.check(lambda: model.evaluate(data), "has a target to compare with")

    def test_rows_of_whole_numbers(self):
        """Which loss is theirs they do not say; where it is said, or has no part, they are numbers."""
        data, kind = two_groups()
        y = np.stack([kind + 1, 3 * kind], 1)
        model = nn.Model(network)
        message = r"each 0 or 1, found 0 to 3: .*nn.Model\(network, loss=...\) says what"
        for call in (lambda: model.fit(data.labels(y), epochs=1), lambda: model.evaluate(data),
                     lambda: model.fit_seeds(data, [0, 1], epochs=1)):
            self.check(call, message)
        self.assertEqual(model.predict(data).values.shape, (60, 2))
        losses = [nn.Model(network, loss="squared_diff").fit(data, epochs=2).history,
                  nn.Model(network).fit(data, epochs=2, loss="squared_diff").history,
                  nn.Model(network).fit(data.labels(y.astype(float)), epochs=2).history]
        self.assertEqual(*({len({str(each["loss"]) for each in epoch}) for epoch in zip(*losses)}, {1}))

    def test_data_that_does_not_fit_the_trace(self):
        model = nn.Model(lambda g: nn.embedding(g.kind, 2) + g.x)
        model.trace(nn.Data().nodes(x=np.ones((2, 2)), kind=[0, 1]))
        self.check(lambda: model(nn.Data().nodes(x=np.ones((2, 2)), kind=[0, 2])),
                   "'kind' of nodes of node has 2, but the model was traced with 2 values")
        self.check(lambda: model(nn.Data().nodes(kind=[0, 1])), "there is no feature 'x'")
        self.check(lambda: model(nn.Data().nodes(x=np.ones((2, 3)), kind=[0, 1])),
                   r"rows of \[3\], but the model was traced with \[2\]")
        self.check(lambda: model(nn.Data().nodes(x=np.ones((2, 2)), kind=np.ones((2, 1)))),
                   "expected whole numbers")
        self.check(lambda: model(nn.Data().nodes(x=[[1, ], [2]], kind=[0, 1])),
                   "are whole numbers, but the model was traced with floats")
        self.check(lambda: model(nn.Data().nodes("other", x=np.ones((2, 2)))), "no nodes of node")

    def test_arrays(self):
        x, y = np.ones((3, 2), np.float32), np.array([0, 1, 0])
        data = nn.from_arrays([[0, 1], [1, 2]], x, y=y, masks={"train": [0, 1]}, w=[0.5, 2.0])
        self.assertEqual(str(data), "<vecc.nn.Data data: 3 nodes of node, 2 edges of node to node>")
        self.assertEqual(data.splits.tolist(), [1, 1, 0])
        kept = data.features[next(iter(data.counts))]["x"].values
        self.assertIs(kept.dtype.type, np.float32)
        self.assertTrue(np.shares_memory(kept, x))

    def test_scipy(self):
        """Whatever has tocoo() as SciPy's matrices have."""
        entries = types.SimpleNamespace(row=np.array([0, 1]), col=np.array([1, 2]),
                                        data=np.array([0.5, 2]))
        matrix = types.SimpleNamespace(shape=(3, 3), tocoo=lambda: entries)
        data = nn.from_scipy(matrix, np.eye(3), weighted=True)

        def weigh(g):
            return nn.sum(g.weight * g.x[g.src], over=g.dst)
        np.testing.assert_allclose(nn.Model(weigh)(data), [[0, 0, 0], [0.5, 0, 0], [0, 2, 0]])

    def test_batch(self):
        parts = small_graphs(3)
        data = nn.batch(parts)
        self.assertEqual(data.targets.tolist(), [0, 1, 0])
        sizes = nn.Model(lambda g: nn.count(g.graph))(data)
        self.assertEqual(sizes.tolist(), [len(p.features[next(iter(p.counts))]["x"].values)
                                          for p in parts])
        for part in parts:
            part.labels(part.targets, train=[0])
        self.assertEqual(nn.batch(parts).splits.tolist(), [1, 1, 1])
        parts[0].splits = None
        self.check(lambda: nn.batch(parts), "some graphs have splits, some have none")
        parts[1].labels([1, 2])
        parts[2].labels([1]).splits = None
        self.check(lambda: nn.Model(graph_network).fit(parts), "they have 4 rows")
        parts[1].targets = None
        self.check(lambda: nn.batch(parts), "some graphs have labels, some have none")
        parts[1].nodes("more", count=1)
        self.check(lambda: nn.batch(parts), "different sets of nodes or edges")
        odd = nn.Data().nodes(z=np.ones((2, 1))).edges([0], [1])
        self.check(lambda: nn.batch([parts[0], odd]), "features differ from graph to graph")


class BuilderTest(unittest.TestCase):
    """What the extension is given is checked as a file is."""

    def check(self, call, code, message):
        with self.assertRaisesRegex(vecc.Error, message) as raised:
            call()
        self.assertEqual(raised.exception.code, code)

    def setUp(self):
        self.builder = _core.ProgramBuilder()
        self.value = self.builder.fact(np.arange(6.0), 3, (2, 1))

    def rows(self, *numbers):
        return np.array(numbers, np.uint32)

    def test_ops(self):
        b, x = self.builder, self.value
        self.check(lambda: b.fact(np.arange(5.0), 3, (2, 1)), "E031", "expected 3 rows of 2x1")
        self.check(lambda: b.gather(x, self.rows(0, 3)), "E031", "row 3")
        self.check(lambda: b.gather(7, self.rows(0)), "E050", "there is no value %7")
        self.check(lambda: b.repeat(7, 2), "E050", "there is no such value")
        self.check(lambda: b.repeat(x, 2**31), "E045", "more rows than 32 bits number")
        self.check(lambda: b.linear(x, x, False, False), "E031", "2x1")
        self.check(lambda: b.segment(x, self.rows(0, 2), "sum"), "E031", "offset")
        self.check(lambda: b.segment(x, self.rows(), "sum"), "E031", "has no offsets")
        self.check(lambda: b.segment(x, self.rows(0, 3), "add"), "E050", "is no combination")
        self.check(lambda: b.segment(x, self.rows(0, 0, 3), "max"), "E031", "empty")
        self.check(lambda: b.segment(x, self.rows(0, 0, 3), "elmin"), "E031", "empty")
        self.check(lambda: b.map("elmax($0, $0)", [x]), "E019", "unknown function")
        self.check(lambda: b.transform(x, "tan", self.rows()), "E019", "tan")
        self.check(lambda: b.transform(x, "atindex", self.rows(2)), "E031", "atindex")
        self.check(lambda: b.map("sum($0, $1)", [x]), "E031", "operand")
        self.check(lambda: b.map("sum($0", [x]), "E030", "expected")

    def test_tables_and_samples(self):
        b = self.builder
        b.table("w", 2, (2, 2))
        self.check(lambda: b.table("w", 2, (2, 2)), "E015", "a second table of this name")
        self.check(lambda: b.table("large", 2**32 - 3, (0, 0)), "E043", "32 bits number")
        self.check(lambda: b.weight("v"), "E050", "there is no such table")
        self.check(lambda: _core.stable_order(self.rows(0, 4), 4), "E050", "key 4")
        order = _core.stable_order(self.rows(2, 0, 2, 1, 0), 3)
        self.assertEqual(order.tolist(), [1, 4, 3, 0, 2])

    def test_rows_by_keys(self):
        keys, second = self.rows(2, 0, 2, 1, 0, 2), self.rows(5, 1, 5, 1, 2, 0)
        order, offsets = _core.row_groups(keys, 4)
        self.assertEqual(order.tolist(), _core.stable_order(keys, 4).tolist())
        self.assertEqual(offsets.tolist(), [0, 2, 3, 6, 6])
        rising, offsets = _core.row_groups(self.rows(1, 1, 3), 6)
        self.assertIsNone(rising)
        self.assertEqual(offsets.tolist(), [0, 0, 2, 2, 3, 3, 3])
        self.assertEqual(_core.row_groups(self.rows(), 2)[1].tolist(), [0, 0, 0])
        self.check(lambda: _core.row_groups(self.rows(0, 4), 4), "E050", "key 4")
        self.assertEqual(_core.count_pairs(keys, 3, second).tolist(), [2, 1, 2, 1, 1, 1])
        self.assertEqual(_core.take_numbers(second, self.rows(3, 0)).tolist(), [1, 5])
        self.assertEqual(_core.one_hot(self.rows(1, 0), 3).tolist(), [[0, 1, 0], [1, 0, 0]])
        for call in (lambda: _core.row_groups(keys, 2), lambda: _core.one_hot(keys, 2),
                     lambda: _core.count_pairs(keys, 2, second),
                     lambda: _core.take_numbers(self.rows(1, 2), keys)):
            self.check(call, "E050", "key 2")
        self.check(lambda: _core.count_pairs(keys, 3, self.rows(1)), "E050", "two keys")

    def test_many_rows_by_keys(self):
        """Those that threads share."""
        random = np.random.default_rng(3)
        keys = random.integers(0, 1000, 200_000, np.uint32)
        second = random.integers(0, 9, len(keys), np.uint32)
        order = np.argsort(keys, kind="stable")
        np.testing.assert_array_equal(_core.stable_order(keys, 1000), order)
        offsets = np.cumsum(np.bincount(keys, minlength=1000))
        np.testing.assert_array_equal(_core.row_groups(keys, 1000)[1][1:], offsets)
        rising, of_rising = _core.row_groups(np.sort(keys), 1000)
        self.assertIsNone(rising)
        np.testing.assert_array_equal(of_rising[1:], offsets)
        both = keys.astype(np.int64) * 9 + second
        np.testing.assert_array_equal(_core.count_pairs(keys, 1000, second),
                                      np.bincount(both)[both])
        np.testing.assert_array_equal(_core.count_pairs(keys[order], 1000, second[order]),
                                      np.bincount(both)[both][order])
        np.testing.assert_array_equal(_core.take_numbers(second, order.astype(np.uint32)),
                                      second[order])
        np.testing.assert_array_equal(_core.one_hot(second, 9), np.eye(9)[second])


    def test_classes_are_targets(self):
        """Of the rows that have one; of many rows by several threads."""
        for count, ways in ((9, ("direct", "neurons")), (100_000, ("direct",))):
            y = np.random.default_rng(5).integers(-1, 4, count)
            y[:5] = [2, -1, 0, 3, 1]
            data = nn.Data().nodes(x=np.ones((count, 2))).labels(y)
            model = nn.Model(lambda g: nn.linear(g.x, 4)).trace(data)
            for way in ways:
                targets = np.reshape(model.graph(data, way=way).targets, (count, 4))
                np.testing.assert_array_equal(np.isnan(targets).any(1), y < 0)
                np.testing.assert_array_equal(targets[y >= 0], np.eye(4)[y[y >= 0]])


if __name__ == "__main__":
    unittest.main()
