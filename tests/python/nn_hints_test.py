"""vecc.nn: what errors say to models, options and data that are written as for torch and PyTorch
Geometric: the way out, in Python's words, at the user's line."""

import inspect
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from vecc.nn import layers
from vecc.options import python_words
from vecc.program import training_options

RNG = np.random.default_rng(0)


def data(y=None):
    """Two graphs of two nodes."""
    source = nn.Data().nodes(x=RNG.normal(size=(4, 3)), s=RNG.normal(size=4),
                             z=np.array([0, 1, 3, 2]), graph=np.array([0, 0, 1, 1]))
    source.edges([0, 2, 1], [1, 3, 0], a=RNG.normal(size=(3, 2))).graphs(
        2, u=RNG.normal(size=(2, 2)))
    return source if y is None else source.labels(y)


def pooled(g):
    return nn.linear(nn.mean(g.x, over=g.graph), 2)


def nodes(g):
    return nn.linear(g.x, 2)


class HintsTest(unittest.TestCase):
    def check(self, call, *says, kinds=(vecc.Error, ValueError)):
        """call() raises what says all of these."""
        with self.assertRaises(kinds[0]) as raised:
            call()
        for kind in kinds:
            self.assertIsInstance(raised.exception, kind)
        for text in says:
            self.assertIn(text, str(raised.exception))
        return str(raised.exception)

    def check_traced(self, network, *says, kinds=(vecc.Error, ValueError)):
        """As check(), at a line of this file."""
        self.assertRegex(self.check(lambda: nn.Model(network).trace(data()), *says, kinds=kinds),
                         rf"^{re.escape(__file__)}:\d+: ")

    def test_names_of_other_libraries(self):
        kinds = vecc.Error, AttributeError
        for name, says in (
                ("where", "nn.maximum"), ("clamp", "nn.minimum(nn.maximum(v, low), high)"),
                ("silu", "v * nn.sigmoid(v)"), ("softplus", 'nn.elementwise("softplus($0)", v)'),
                ("log_softmax", "the loss takes logits"), ("std", "nn.sqrt("),
                ("norm", "nn.sqrt(nn.sum(nn.square(v)))"), ("normalize", "** -0.5"),
                ("softmin", "nn.softmax(-v)"), ("cat", "nn.concat(a, b)"),
                ("Linear", "nn.linear(...)"), ("functional", "nn.relu(v)"),
                ("init", 'init="glorot"'), ("instance_norm", "nn.batch_norm"),
                ("graph_norm", "nn.batch_norm"),
                ("LeakyReLU", "nn.leaky_relu(...)"), ("BatchNorm1d", "nn.batch_norm(...)"),
                ("GATv2Conv", "nn.layers.gatv2(...)"), ("softmx", "nn.softmax(...)?"),
                ("foo", "docs/models.md")):
            with self.subTest(name):
                text = self.check(lambda: getattr(nn, name), f"vecc.nn has no '{name}': ", says,
                                  kinds=kinds)
                self.assertRegex(text, rf"^{re.escape(__file__)}:\d+: ")
                self.assertFalse(hasattr(nn, name))
        for name, says in (("GINEConv", "nn.layers.gine(...); "), ("graph_conv", "nn.linear(x, n)"),
                           ("NNConv", "nn.layers.nn_conv(...); "),
                           ("ChebConv", "has no 'ChebConv':")):
            with self.subTest(name):
                self.check(lambda: getattr(layers, name), says, "there are: appnp, edge, film",
                           kinds=kinds)
                self.assertFalse(hasattr(layers, name))
        with self.assertRaises(AttributeError):
            getattr(nn, "_hidden")
        with self.assertRaises(ImportError):
            from vecc.nn import clamp  # noqa: F401

    def test_names_that_are_said_are_there(self):
        """What the messages tell to write runs."""
        def network(g):
            v, low, high = g.x, -1.0, 1.0
            made = (nn.minimum(nn.maximum(v, low), high) + v * nn.sigmoid(v)
                    + nn.elementwise("softplus($0)", v))
            scalars = nn.sqrt(nn.sum(nn.square(v))) + nn.sqrt(nn.mean(nn.square(v - nn.mean(v))))
            made = made + nn.mean(v, over=g.graph)[g.graph] * scalars
            x, n = made, 3
            return nn.linear(x, n) + nn.linear(nn.sum(x[g.src], over=g.dst), n, bias=True)
        source = data()
        self.assertEqual(nn.Model(network)(source).shape, (4, 3))
        low, high = -0.5, 0.5
        x = source.features[next(iter(source.counts))]["x"].values
        for said, expected in (
                (lambda v: nn.minimum(nn.maximum(v, low), high), np.clip(x, low, high)),
                (lambda v: nn.elementwise("softplus($0)", v), np.log1p(np.exp(x))),
                (lambda v: v * (nn.sum(nn.square(v)) + 1e-24) ** -0.5,
                 x / np.linalg.norm(x, axis=1, keepdims=True)),
                (lambda v: nn.softmax(-v),
                 np.exp(-x) / np.exp(-x).sum(axis=1, keepdims=True)),
                (lambda v: nn.sqrt(nn.mean(nn.square(v - nn.mean(v)))), x.std(axis=1))):
            made = nn.Model(lambda g: said(g.x), dtype="f64")(source)
            np.testing.assert_allclose(made, expected, rtol=1e-6)

    def test_arguments_of_other_libraries(self):
        @nn.layer
        def block(x, size, **options):
            return nn.linear(x, size)
        for call, says in (
                (lambda g: layers.gat(g, g.x, 2, concat=False), "'concat', which is concatenated=; "
                 "expected gat(g, x, out, heads=1,"),
                (lambda g: layers.gat(g, g.x, 2, negative_slope=0.1), ", which is slope=;"),
                (lambda g: layers.gat(g, g.x, 2, edge_dim=3), "'edge_dim': edge_attr= alone,"),
                (lambda g: layers.sage(g, g.x, 2, aggr="max"), ", which is aggregation=;"),
                (lambda g: layers.sage(g, g.x, 2, agregation="max"), "did you mean aggregation=?;"),
                (lambda g: layers.gcn(g, g.x, 2, aggr="max"), "argument 'aggr'; expected gcn("),
                (lambda g: nn.linear(g.x, 2, in_features=3), "there are as many inputs as x has;"),
                (lambda g: nn.sum(g.x, dim=-1), "'dim': a row's last axis, where over="),
                (lambda g: layers.appnp(g, g.x, K=2, alpha=0.1), "'K', which is steps=; expected"),
                (lambda g: layers.gated_graph(g, g.x, 3, num_layers=2), ", which is steps=; expec"),
                (lambda g: layers.gine(g, g.x, nn=nn.relu, edge_attr="a"), "'nn', which is network=;"),
                (lambda g: nn.linear(g.x, out_features=2), "'out_features', which is out=; expected"),
                (lambda g: layers.rgcn(g, g.x, 2, num_relations=3),
                 "'num_relations': relation.with_count(n); expected rgcn("),
                (lambda g: block(g.x, sizes=3), "missing a required argument: 'size'; expect"),
                (lambda g: layers.sage(g, out=2), "missing a required argument: 'x'; expected sage("),
                (lambda g: nn.linear(g.x, 3, 2), "linear(by=): found int 2, expected a feature of "
                 "whole numbers or None, after one number, out: linear has as many inputs as x"),
                (lambda g: layers.sage(g, g.x, 3, 2), "expected a text, after one number, out: sage"),
                (lambda g: layers.gcn(g, g.x, 3, bias=1), "gcn(bias=): found int 1, expected True or "
                 "False [E050]"),
                (lambda g: layers.sage(g, g.x, 3, aggregation=2), "expected a text [E050]"),
                (lambda g: layers.gat(g, g.x, 3, 2, 0.2, 1), "expected True or False [E050]"),
                (lambda g: nn.max(g.x, 0), "expected an end of edges (g.src, g.dst) or g.graph ["),
                (lambda g: g.x[:, 0], ": expected an end of edges, or of a row a:b, 0, [:, None]")):
            self.check_traced(call, says)

    def test_all_layers_are_listed(self):
        own = sorted(name for name, thing in vars(layers).items() if inspect.isfunction(thing)
                     and thing.__module__ in (layers.__name__, "vecc.nn.hgt") and name[0] != "_"
                     and name != "layer")
        self.assertEqual(layers.__all__, own)

    def test_rows_are_not_in_shapes(self):
        row = "shape is that of a row, without the number of rows: d = g.x.shape[0]"
        kinds = vecc.Error, IndexError
        self.check_traced(lambda g: nn.linear(g.x, g.x.shape[1]), "shape[1]", "(3,)", row,
                          kinds=kinds)
        self.check_traced(lambda g: nn.linear(g.x, g.s.shape[0]), "()", row, kinds=kinds)
        self.check_traced(lambda g: nn.linear(g.x, g.x.size(1)), "v.shape[k]", row)

        def right(g):
            self.assertEqual((g.x.shape, g.x.size, g.x.shape[-1:], len(g.x.shape)),
                             ((3,), 3, (3,), 1))
            self.assertEqual(repr(g.x.shape), "(3,)")
            return nn.linear(g.x, g.x.size)
        nn.Model(right).trace(data())

    def test_rows_come_before_shapes(self):
        self.check_traced(lambda g: g.x + g.a, "'x' [3] on nodes of node and 'a' [2] on edges",
                          "are of different rows")
        self.check_traced(lambda g: g.x + nn.linear(g.x, (3, 5)), "do not broadcast: v[:, None] of "
                          "'x' is [3, 1], a number for each row")
        self.check_traced(lambda g: g.x + nn.linear(g.x, 5), "do not broadcast [E050]")

    def test_ways_between_rows(self):
        self.check_traced(lambda g: nn.mean(g.a, over=g.graph), "expected a value on these; "
                          "nn.sum(v, over=g.dst) first brings edges to nodes")
        self.check_traced(lambda g: nn.sum(g.x, over=g.dst), "v[g.src] first")
        self.check_traced(lambda g: nn.sum(g.graphs.u, over=g.dst), "v[g.graph][g.src] first")
        for said in (lambda g: nn.mean(nn.sum(g.a, over=g.dst), over=g.graph),
                     lambda g: nn.sum(g.x[g.src], over=g.dst),
                     lambda g: nn.sum(g.graphs.u[g.graph][g.src], over=g.dst)):
            nn.Model(said).trace(data())

    def test_options_of_fit(self):
        model, source = nn.Model(pooled), data(np.zeros((2, 2)))
        listed = "The options are: epochs, lr, optimizer, loss, "
        for name, near in (("learning_rate", "lr"), ("patience", "early_stop"), ("epoch", "epochs"),
                           ("verbose", "progress"), ("metric", "loss (evaluate() has all metrics)"),
                           ("class_weights", "data.labels(class_weights=...)")):
            says = f"got an unexpected keyword argument '{name}', did you mean {near}? {listed}"
            self.check(lambda: model.fit(source, **{name: 3}), f"fit() {says}", kinds=(TypeError,))
            self.check(lambda: model.fit_seeds(source, [0, 1], **{name: 3}), f"fit_seeds() {says}",
                       kinds=(TypeError,))
        self.check(lambda: model.program(source).train(zzz=3),
                   f"train() got an unexpected keyword argument 'zzz'. {listed}",
                   kinds=(TypeError,))
        self.assertEqual(set(training_options()),
                         set(re.findall(r"\w+(?=[=,.;]|$)", self.options_in_help())))

    def test_options_of_models(self):
        for name, near in (("epochs", "fit(epochs=...)"),
                           ("class_weights", "data.labels(class_weights=...)"), ("way", "program(data, way=...)"),
                           ("backends", "backend")):
            self.check(lambda: nn.Model(pooled, **{name: 3}),
                       f"Model() got an unexpected keyword argument '{name}', did you mean {near}? "
                       "The options are: loss, seed, backend, opt, device, ", kinds=(TypeError,))

    @staticmethod
    def options_in_help():
        """Names and defaults, without the words between."""
        text = nn.Model.fit.__doc__.partition("Options: ")[2].replace("and the optimizer's:", ",")
        return ", ".join(part.split("=")[0].strip(" .\n") for part in re.split("[,;]", text)
                         if part.strip(" .\n"))

    def test_options_have_python_s_names(self):
        source = data(np.zeros((2, 2)))
        for call, says in (
                (lambda m: m.fit(source, early_stop=3),
                 "early_stop: error: needs samples to validate with: validate=0.2, or"),
                (lambda m: m.fit(source, loss="mse"), "margin_ranking; squared_diff is F.mse_loss"),
                (lambda m: m.fit(source, loss="l1"), "margin_ranking; absolute_diff is F.l1_loss"),
                (lambda m: m.fit(source, loss="L1Loss"), "absolute_diff is F.l1_loss"),
                (lambda m: m.fit_seeds(source, [0, 1], loss="BCEWithLogitsLoss"),
                 "; binary_crossentropy is"),
                (lambda m: nn.Model(pooled, loss="cross_entropy"), "softentropy is F.cross_entr"),
                (lambda m: nn.Model(pooled, loss="CrossEntropyLoss"), "softentropy is F.cross_entr"),
                (lambda m: nn.Model(pooled, loss=type("MSELoss", (), {})()),
                 "|margin_ranking; squared_diff is F.mse_loss; losses of one's own"),
                (lambda m: nn.Model(pooled, loss=max), "margin_ranking; losses of one's own are for"),
                (lambda m: nn.Model(pooled, seed=-1), "seed=-1: expected a whole number from 0"),
                (lambda m: nn.Model(pooled, seed="a"), "seed='a': expected"),
                (lambda m: nn.Model(pooled, seed=1 << 64), "expected a whole number from 0, below"),
                (lambda m: m.trace(source).save("w.pt"), "w.pt: error: is written as safetensors"),
                (lambda m: m.fit(source, clip_norm=-1), "clip_norm: "),
                (lambda m: m.fit_seeds(source, [0, 1], clip_norm=-1), "clip_norm: "),
                (lambda m: m.evaluate(source, split="tst"), "split: error: tst is none of")):
            self.assertNotIn("--", self.check(lambda: call(nn.Model(pooled)), says))
        self.assertNotIn("--", self.check(lambda: nn.Model(pooled, backend="abacus")(source),
                                          "backend: abacus not in"))
        self.assertEqual(python_words("--split=all, --backend=cpu, --lr=0.5. --batch-size=N -- "
                                      "--no-shuffle a--b --validate, tools/run --torch"),
                         'split="all", backend="cpu", lr=0.5. batch_size=N -- shuffle=False a--b '
                         "validate, tools/run --torch")

    def test_errors_of_callbacks_stay(self):
        error = vecc.Error("as it is", [(50, "place", "message")], 2)

        def raises(_):
            raise error
        with self.assertRaises(vecc.Error) as raised:
            nn.Model(pooled).fit(data(np.zeros((2, 2))), epochs=1, on_epoch=raises)
        self.assertIs(raised.exception, error)

    def test_rows_of_labels(self):
        for network, y, says in (
                (pooled, np.zeros(4), "they have 4 rows, but the model's output is matmul of line "
                 r"\d+ \[2\] on graphs, of 2 rows: give each graph's y one row, \[1, 2\]"),
                (nodes, np.zeros(8), r"of 4 rows: give each node's y one row, \[1, 2\]"),
                (nodes, np.zeros(2), r"of 4 rows: they have a row a graph, so pool with "
                 r"nn\.mean\(v, over=g\.graph\)"),
                (nodes, np.zeros(3), r"of 4 rows \[E050\]$")):
            with self.assertRaisesRegex(vecc.Error, says):
                nn.Model(network).fit(data(y), epochs=1)

    def test_names_of_layers(self):
        def network(g):
            return layers.gine(g, g.x, lambda v: layers.mlp(v, 4, 4), "a", name=name)
        name, hint = None, 'did you forget name="conv1"?'
        model = nn.Model(network).trace(data())
        for weights in ({"conv1.eps": 0.0}, {"conv1.lin.weight": np.zeros((3, 2))}):
            self.check(lambda: model.set_weights(weights),
                       f"there are none called '{next(iter(weights)).replace('.', '/')}'", hint)
        for weights in ({"conv1.other": 0.0}, {"gine.lin.scale": 0.0}, {"gine": 0.0}):
            self.assertNotIn("forget",
                             self.check(lambda: model.set_weights(weights), "none called"))
        name = "conv1"
        model = nn.Model(network).trace(data())
        model.set_weights({"conv1.eps": 0.0, "conv1.lin.weight": np.zeros((3, 2))})
        self.assertNotIn("forget", self.check(lambda: model.set_weights(
            {**model.weights, "conv2.lin.weight": np.zeros((3, 2))}), "none called"))

    def test_files(self):
        def network(g):
            return nn.linear(nn.embedding(g.z, 8, name="atom"), 1)

        def of(z):
            return nn.Data().nodes(z=np.array(z)).edges([0], [1])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.safetensors"
            nn.Model(network).trace(of([0, 6])).save(path)
            self.check(lambda: nn.Model(network).load(path, of([0, 3])), 'table "atom"',
                       "[7, 8, 1] in the file, expected [4, 8, 1]",
                       "trace with data that has all values")
            nn.Model(network).load(path, of([6, 3]))
            self.assertNotIn("trace with", self.check(lambda: nn.Model(lambda g: nn.linear(
                nn.embedding(g.z, 7, name="atom"), 1)).load(path, of([0, 6])), "[7, 7, 1]"))
            self.check(lambda: nn.Model(pooled).program(data()).save_program(
                Path(folder) / "m.vecc"), "programs of vecc.nn are not saved", "model.save()",
                kinds=(vecc.Error,))


if __name__ == "__main__":
    unittest.main()
