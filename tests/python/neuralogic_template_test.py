"""vecc.neuralogic.Template: PyNeuraLogic's rules, grounded without a JVM, against the JVM's networks."""

import collections
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import neuralogic
import numpy as np
from neuralogic.core import Model, R, Settings, V
from neuralogic.core import Aggregation as A
from neuralogic.core import Transformation as T
from neuralogic.dataset import Dataset, FileDataset, Sample
from neuralogic.nn import module as nn
from neuralogic.nn.init import Glorot, Torch
from neuralogic.nn.loss import MSE, CrossEntropy, SoftEntropy
from neuralogic.nn.optim import SGD, Adam

sys.path.append(str(Path(__file__).resolve().parents[1] / "neuralogic_bridge"))
from py_cases import all_networks, quiet_java  # noqa: E402: found by the line above

import vecc  # noqa: E402
import vecc.neuralogic as vn  # noqa: E402

EXACT = {"dtype": "f64", "backend": "interpreter"}
DATA = Path(neuralogic.__file__).parent / "utils/data/datasets"
# What depends on NeuraLogic's order, that of its hash tables.
IN_THE_JVM = {"concat_agg"}
WITHOUT_JVM = """
import sys
import jpype
from neuralogic.core import R, V
from neuralogic.dataset import Dataset, FileDataset, Sample
from neuralogic.nn.module import GATv2Conv, GCNConv, Transformer
import vecc.neuralogic as vn

template = vn.Template(GCNConv(3, 2, "o", "f", "e"))
template += [R.p <= R.o(V.X), R.q[1, 2] <= R.p]
data = Dataset([Sample(R.q[1.0], [R.f(i)[[0.1, i, 0.3]] for i in range(3)] + [R.e(0, 1), R.e(1, 2)])])
vn.train(template, data, epochs=5, backend="interpreter", validate=data)
several = Dataset([Sample(R.q[v], [R.f(i)[[v, i, 0.3]] for i in range(3)] + [R.e(0, 1), R.e(1, 2)])
                   for v in (0.2, 0.5, 0.9)])
for way in ("bind", "mask") if sys.argv[3] == "cpu" else ("mask",):
    how = vn.train(template, several, epochs=2, backend=sys.argv[3], batch_size=2, batch=way,
                   optimizer="adam")
    assert how.batch == way
assert vn.evaluate(template, data, backend="interpreter").shape == (1,)
vn.export(template, data, sys.argv[1] + "/graph.pb")
for module in (GATv2Conv(3, 3, "o", "f", "e"), Transformer(3, 1, 4, "o", "f", "f")):
    rules = [*module(), R.p <= R.o(V.X), R.q[1, 3] <= R.p]
    vn.train(vn.Template(rules), data, epochs=2, backend="interpreter")
family = vn.Template(file=sys.argv[2] + "/template.txt")
files = FileDataset(sys.argv[2] + "/examples.txt", sys.argv[2] + "/queries.txt")
vn.train(family, files, epochs=2, optimizer="lazy-adam", backend="interpreter")
assert (template.grounder, template.reason) == ("native", None)
assert not jpype.isJVMStarted()
print("no JVM")
"""


def graph_facts(*edges):
    features = ((0.5, -0.2, 0.9), (0.1, 0.7, -0.4), (-0.3, 0.2, 0.6), (0.8, -0.6, 0.3))
    return [R.f(i)[list(x)] for i, x in enumerate(features)] + [R.e(i, j) for i, j in edges]


def several_queries():
    facts = [R.a("x")[[1, 2, 3]], R.a("y")[[1, 2, 3.5]]]
    return Dataset([Sample([R.q("x")[1.0], R.q("zz")[0.0], R.q("y")], facts),
                    Sample(R.q("y")[0.5], list(facts))])


class TemplateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.said = io.StringIO()
        quiet = contextlib.redirect_stderr(self.said)
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def pair(self, make, **settings):
        """A template for each way, with the same weights once `compare` has drawn them."""
        return [make(Settings(**{"optimizer": SGD(lr=0.1), **settings})) for _ in range(2)]

    def compare(self, make, dataset, epochs=3, **settings):
        native, java = self.pair(make, **settings)
        ours = vn.evaluate(native, dataset, grounder="native", **EXACT)
        java.set_weights(native.weights)
        theirs = vn.evaluate(java, dataset, grounder="jvm", **EXACT)
        quiet_java()
        self.assertEqual((native.grounder, java.grounder), ("native", "jvm"))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
        self.assertEqual(*[self.layers(template, dataset) for template in (native, java)])
        if epochs == 0:
            return
        before = {name: value.copy() for name, value in native.weights.items()}
        for template in (native, java):
            vn.train(template, dataset, epochs=epochs, grounder=template.grounder, **EXACT)
        self.assertEqual(set(native.weights), set(java.weights))
        for name, value in native.weights.items():
            np.testing.assert_allclose(value, java.weights[name], rtol=0, atol=1e-9)
        self.assertTrue(any((native.weights[name] != before[name]).any() for name in before))

    def layers(self, template, dataset):
        """Neurons and edges by class and head predicate."""
        path = self.folder / "layers.pb"
        vn.export(template, dataset, path, grounder=template.grounder)
        counts = collections.Counter()
        graph = vecc.load(path)
        for group in graph.groups:
            counts[group["class"], group["head"]] += group["neurons"]
        return counts, graph.edge_count

    def in_jvm(self, template, dataset, reason):
        """Is refused natively, before the other way takes it."""
        with self.assertRaisesRegex(vecc.Error, f"native cannot do .*{reason}"):
            vn.evaluate(template, dataset, grounder="native")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = vn.evaluate(template, dataset, **EXACT)
        self.assertEqual(template.grounder, "jvm")
        self.assertRegex(template.reason, reason)
        self.assertRegex(self.said.getvalue() + template.reason, reason)
        return outputs


class NativeTest(TemplateTest):
    def without_jvm(self, backend, **environment):
        done = subprocess.run([sys.executable, "-B", "-c", WITHOUT_JVM, self.folder,
                               DATA / "simple/family", backend], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})
        self.assertEqual((done.returncode, done.stdout), (0, "no JVM\n"), done.stderr)
        self.assertEqual(done.stderr, "vecc.neuralogic: grounds natively, without the JVM\n")
        self.assertEqual(vecc.load(self.folder / "graph.pb").sample_count, 1)

    def test_no_jvm_starts(self):
        self.without_jvm("cpu")

    def test_no_java_is_needed(self):
        """Nor a program of any other kind: none is in PATH."""
        self.assertIsNone(shutil.which("java", path=self.folder))
        self.without_jvm("interpreter", PATH=str(self.folder), JAVA_HOME=str(self.folder))

    def test_networks_of_pyneuralogic(self):
        found = set()
        for name, rules, facts in all_networks():
            with self.subTest(name):
                dataset = Dataset([Sample(R.q[0.3], facts)])
                if name in IN_THE_JVM:
                    found.add(name)
                    template = vn.Template(rules)
                    vn.evaluate(template, dataset)
                    self.assertRegex(template.reason, "depends on NeuraLogic's order")
                    vn.evaluate(template, dataset, grounder="native")  # in vecc's order
                    self.assertEqual((template.grounder, template.reason), ("native", None))
                    continue
                make = lambda settings: vn.Template(rules, settings=settings)  # noqa: B023, E731
                self.compare(make, dataset, 0 if name == "count" else 3)
        self.assertEqual(found, IN_THE_JVM)

    def test_data_sets_of_the_package(self):
        molecules = DATA / "molecules/mutagenesis"
        for folder, template, epochs in ((DATA / "simple/family", "template.txt", 2),
                                         (DATA / "simple/trains", "template.txt", 2),
                                         (DATA / "nations", "template.txt", 0),
                                         (molecules, "templates/template.txt", 0),
                                         (molecules, "templates/template_gnn.txt", 0),
                                         (molecules, "templates/template_graphlets.txt", 0)):
            with self.subTest(f"{folder.name} {template}"):
                files = FileDataset(str(folder / "examples.txt"), str(folder / "queries.txt"))
                self.compare(lambda settings: vn.Template(file=folder / template,  # noqa: B023
                                                          settings=settings), files, epochs)

    def test_losses_and_functions_of_outputs(self):
        data = Dataset([Sample(R.q[1.0], graph_facts((0, 1), (1, 1), (2, 3), (3, 0)))])
        layer = [*nn.SAGEConv(3, 2, "o", "f", "e")(), R.p <= R.o(V.X), R.q[1, 2] <= R.p]
        for loss in (MSE(), MSE("sum"), SoftEntropy(), CrossEntropy()):
            for function in (T.TANH, T.SIGMOID, None):
                rules = layer + ([R.q / 0 | [function]] if function else [])
                self.compare(lambda s: vn.Template(rules, settings=s), data,  # noqa: B023
                             error_function=loss)
        self.in_jvm(vn.Template(layer, settings=Settings(
            error_function=CrossEntropy(with_logits=False))), data, "Java infers")

    def test_optimizers(self):
        data = Dataset([Sample(R.q[float(i)], graph_facts((0, 1), (1, 2 + i))) for i in range(2)])
        rules = [*nn.GCNConv(3, 2, "o", "f", "e")(), R.p <= R.o(V.X), R.q[1, 2] <= R.p]
        for settings in ({"optimizer": Adam(lr=0.01)}, {"optimizer": SGD(lr=0.1, weight_decay=0.1)},
                         {"clip_grad_norm": 0.05}, {"clip_grad_value": 0.05}):
            self.compare(lambda s: vn.Template(rules, settings=s), data, **settings)

    def test_self_loops_beside_a_fact_of_all_constants(self):
        data = Dataset([Sample(R.q[0.3], graph_facts((0, 1), (1, 1), (2, 2), (2, 3), (3, 0)))])
        rules = [*nn.GCNConv(3, 2, "o", "f", "e")(), R.p <= R.o(V.X), R.q[1, 2] <= R.p]
        self.compare(lambda settings: vn.Template(rules, settings=settings), data)

    def test_numbers_are_doubles(self):
        rules = [R.q[0.1] <= (R.a[1e-17], R.b[0.30000000000000004].fixed(), R.c), R.c[12345678.9]]
        data = Dataset([Sample(R.q[0.1], [R.a[1e17], R.b[3]])])
        self.compare(lambda s: vn.Template(rules, settings=s), data, optimizer=SGD(lr=1e-18))

    def test_names_and_shared_weights(self):
        rules = [R.b(V.X)["shared":2, 3] <= R.a(V.X), R.e("y")[0.5], R.h(V.X)[2, 2] <= R.b(V.X),
                 (R.q <= (R.h(V.X)[1, 2], R.e("y"))) | [A.SUM], (R.q <= R.b(V.X)[1, 2]),
                 R.b(V.X)["shared":2, 3] <= R.k(V.X)]
        data = Dataset([Sample(R.q[0.1], [R.a("x")[[1, 2, 3]], R.k("z")[[3, 2, 1]]])])
        self.compare(lambda settings: vn.Template(rules, settings=settings), data)

    def test_constants_of_any_characters(self):
        rules = [R.q(V.X)[1, 3] <= (R.a(V.X), R.b(V.X, 'a"\\')), R.b("x Y", 'a"\\'), R.b("ž", 'a"\\')]
        facts = [R.a(name)[[1, 2, i]] for i, name in enumerate(("x Y", 'a"\\', "x-9 a", "a % no", "ž"))]
        data = Dataset([Sample(R.q("x Y")[0.1], facts), Sample(R.q("ž")[0.2], facts)])
        self.compare(lambda settings: vn.Template(rules, settings=settings), data)
        vn.export(vn.Template(rules), data, self.folder / "graph.pb", grounder="native")
        self.assertIn("q(x Y)", vecc.load(self.folder / "graph.pb").sample_ids[0])

    def test_several_queries_and_one_that_does_not_follow(self):
        rules = [R.q(V.X)[1, 3] <= R.a(V.X)]
        template = vn.Template(rules)
        with self.assertWarnsRegex(UserWarning, "1 of 4 samples left out"):
            outputs = vn.evaluate(template, several_queries(), grounder="native", **EXACT)
        self.assertEqual(list(np.isnan(outputs)), [False, True, False, False])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.compare(lambda settings: vn.Template(rules, settings=settings), several_queries())
            template = vn.Template(rules, settings=Settings(optimizer=Adam()))
            with self.assertRaisesRegex(vecc.Error, "native cannot do several queries"):
                vn.train(template, several_queries(), grounder="native")
            vn.train(template, several_queries(), epochs=1, optimizer="lazy-adam", **EXACT)
            self.assertEqual(template.grounder, "native")

    def test_weights(self):
        data = Dataset([Sample(R.q[0.1], [R.a[[1, 2, 3]]])])
        template = vn.Template([R.q["w":1, 3] <= R.a])
        template.set_weights({"w": [1, 2, 3]})
        np.testing.assert_allclose(vn.evaluate(template, data, **EXACT), [14])
        vn.train(template, data, epochs=1, optimizer="sgd", lr=0.1, **EXACT)
        self.assertLess(template.weights["w"].sum(), 6)
        vecc.load(self.exported(template, data)).save_weights(self.folder / "w.safetensors")
        other = vn.Template([R.q["w":1, 3] <= R.a])
        vn.import_weights(other, data, self.folder / "w.safetensors")
        np.testing.assert_array_equal(other.weights["w"].ravel(), template.weights["w"].ravel())
        model = template.to_model()
        self.assertAlmostEqual(model.test(model.build_dataset(data))[0],
                               vn.evaluate(template, data, **EXACT)[0])
        template.set_weights({"w": [1, 2]})
        with self.assertRaisesRegex(vecc.Error, '"w" has 2 elements, the template\'s 3'):
            vn.evaluate(template, data)

    def exported(self, template, data):
        path = self.folder / "graph.pb"
        vn.export(template, data, path)
        return path


class JvmTest(TemplateTest):
    def test_what_the_jvm_grounds(self):
        tokens = [R.f(i)[[0.1 * i, 0.2, 0.3, 0.4]] for i in range(3)]
        rules = [(R.p <= R.f(V.X)) | [A.CONCAT], R.q[1, 12] <= R.p]
        template = vn.Template(rules, settings=Settings(optimizer=SGD(lr=0.1)))
        data = Dataset([Sample(R.q[0.3], tokens)])
        before = vn.evaluate(template, data, **EXACT)
        self.assertRegex(template.reason, "the aggregation concat, which depends on NeuraLogic's order")
        weights = {name: value.copy() for name, value in template.weights.items()}
        vn.train(template, data, epochs=2, **EXACT)
        self.assertNotEqual(vn.evaluate(template, data, **EXACT)[0], before[0])
        template.set_weights(weights)
        np.testing.assert_allclose(vn.evaluate(template, data, **EXACT), before, rtol=0, atol=1e-12)

    def test_settings_and_words_that_only_java_knows(self):
        data = Dataset([Sample(R.q[0.1], [R.a("x")[[1, 2, 3]]])])
        rules = [R.q[1, 3] <= R.a(V.X)]
        for initializer in (Torch(), Glorot(scale=1)):
            self.in_jvm(vn.Template(rules, settings=Settings(initializer=initializer)), data,
                        "the initializer")
        settings = Settings()
        settings["dropoutRate"] = 0.0
        self.in_jvm(vn.Template(rules, settings=settings), data, "dropoutRate")
        self.in_jvm(vn.Template([*rules, R.get("x Y")(1)]), data, "the predicate's name 'x Y'")
        self.in_jvm(vn.Template([R.q["w5":1, 3] <= R.a(V.X), *[R.z[1.0]] * 6]), data, "called w5")

    def test_a_way_that_cannot_be_is_refused(self):
        data = Dataset([Sample(R.q[0.1], [R.a("x")[[1, 2, 3]]])])
        template = vn.Template([R.q[1, 3] <= R.a(V.X)])
        with self.assertRaisesRegex(vecc.Error, '"java" is none of auto, native, jvm'):
            vn.evaluate(template, data, grounder="java")
        model = Model()
        model += [R.q[1, 3] <= R.a(V.X)]
        model.build(Settings())
        with self.assertRaisesRegex(vecc.Error, "native is for a vecc.neuralogic.Template"):
            vn.evaluate(model, data, grounder="native")
        with self.assertRaisesRegex(vecc.Error, "native cannot do names of neurons"):
            vn.export(template, data, self.folder / "graph.pb", names=True, grounder="native")
        with self.assertRaisesRegex(TypeError, "the dataset of a Template is one of"):
            vn.evaluate(template, model.build_dataset(data), grounder="jvm")
        with self.assertRaisesRegex(vecc.Error, "no query follows"):
            vn.evaluate(template, Dataset([Sample(R.q[0.1], [R.b("x")])]))
        with self.assertRaisesRegex(vecc.Error, "has the predicate's name 'x Y', .*: no text"):
            vn.Template([R.q <= R.get("x Y")(1)]).text()
        self.assertEqual(template.text(), "$w0={1, 3} q :- a(X).\n")
        self.assertFalse((self.folder / "graph.pb").exists())

    def test_weights_that_no_rule_has(self):
        template = vn.Template([R.q["w":1, 3] <= R.a])
        template.set_weights({"v": [1]})
        with self.assertRaisesRegex(vecc.Error, 'the template has no weight "v"'):
            vn.evaluate(template, Dataset([Sample(R.q[0.1], [R.a[[1, 2, 3]]])]))
        with self.assertRaisesRegex(vecc.Error, 'the model has no weight "v"'):
            template.to_model()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])  # without those of the other tests
