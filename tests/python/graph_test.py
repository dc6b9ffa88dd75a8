"""vecc.load and vecc.Graph."""

import copy
import pickle
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

from command_line import DATASETS, GRAPHS, MUTAGENESIS, XOR, flat, outputs, run

import vecc


class GraphTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_error(self, call, code, *words):
        """The same text as the command line's."""
        with self.assertRaises(vecc.Error) as raised:
            call()
        error = raised.exception
        self.assertEqual(error.code, code)
        _, stderr = run(*words, status=error.exit_code)
        self.assertIn(str(error), stderr)
        return error

    def test_counts_and_samples(self):
        graph = vecc.load(MUTAGENESIS)
        self.assertEqual((graph.neuron_count, graph.edge_count, graph.sample_count),
                         (106629, 180893, 188))
        self.assertEqual(graph.sample_ids[:2], ["s_0:predict", "s_1:predict"])
        self.assertEqual(graph.targets.shape, (188,))
        self.assertEqual(sum(group["neurons"] for group in graph.groups), 106629)
        self.assertIn("106,629 neurons", repr(graph))

    def test_bytes(self):
        for kind in (bytes, bytearray, memoryview):
            graph = vecc.load(kind(XOR.read_bytes()))
            np.testing.assert_array_equal(graph.evaluate(), vecc.load(XOR).evaluate())
        with self.assertRaises(vecc.Error) as raised:
            vecc.load(b"no graph", name="from a pipe")
        self.assertEqual((raised.exception.code, raised.exception.place), ("E004", "from a pipe"))

    def test_columns_are_views(self):
        graph = vecc.load(XOR)
        inputs, begin = graph.inputs, graph.input_begin
        self.assertEqual((len(begin), begin[-1]), (graph.neuron_count + 1, len(inputs)))
        self.assertFalse(inputs.flags.writeable or inputs.flags.owndata)
        self.assertTrue(np.shares_memory(inputs, graph.inputs))
        del graph
        self.assertGreaterEqual(int(inputs.max()), 0)  # the view keeps the column alive

    def test_reference(self):
        for path in GRAPHS:
            with self.subTest(graph=path.stem):
                found = flat(vecc.load(path).evaluate())
                for a, b in zip(found, outputs(path, "--backend=reference"), strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-15)

    def test_bad_files(self):
        missing, short = self.folder / "no.pb", self.folder / "short.pb"
        error = self.check_error(lambda: vecc.load(missing), "E001", missing)
        self.assertEqual(error.place, str(missing))
        short.write_bytes(XOR.read_bytes()[:100])
        self.check_error(lambda: vecc.load(short), error_code(short), short)

    def test_errors_are_those_of_python_as_well(self):
        for call, kind in ((lambda: vecc.load(self.folder / "no.pb"), FileNotFoundError),
                           (lambda: vecc.load(XOR).set_weights(self.folder / "no"), OSError),
                           (lambda: vecc.load(XOR).save_weights(self.folder), OSError),
                           (lambda: vecc.load(XOR).save(self.folder / "a" / "b"), FileNotFoundError),
                           (lambda: vecc.load(b"no graph"), ValueError),
                           (lambda: vecc.load(XOR, max_neurons=3), ValueError),
                           (lambda: vecc.load(XOR, max_neurons=0), ValueError)):
            with self.subTest(kind=kind), self.assertRaises(kind) as raised:
                call()
            error = raised.exception
            self.assertIsInstance(error, vecc.Error)
            again = pickle.loads(pickle.dumps(error))
            self.assertIsInstance(again, kind)
            self.assertEqual(str(again), str(error))
        with self.assertRaises(FileNotFoundError) as raised:
            vecc.load(self.folder / "no.pb")
        self.assertEqual((raised.exception.errno, raised.exception.filename),
                         (2, str(self.folder / "no.pb")))
        with self.assertRaises(vecc.Error) as raised:
            vecc.load(XOR).compile(device="cuda:99", backend="torch")
        self.assertNotIsInstance(raised.exception, (OSError, ValueError))

    def check_same(self, graph, other):
        self.assertEqual((graph.groups, graph.sample_ids, graph.producer),
                         (other.groups, other.sample_ids, other.producer))
        np.testing.assert_array_equal(graph.inputs, other.inputs)
        np.testing.assert_array_equal(graph.input_begin, other.input_begin)
        self.assertEqual(list(graph.weights), list(other.weights))
        for name, w in graph.weights.items():
            np.testing.assert_array_equal(w, other.weights[name])
        for a, b in zip(flat(graph.evaluate()), flat(other.evaluate()), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_saved_pickled_and_copied_graphs_are_the_same(self):
        for path in GRAPHS:
            graph = vecc.load(path)
            graph.set_weights({name: w / 3 for name, w in graph.weights.items()
                               if name in learnable(graph)})
            graph.save(self.folder / "g.pb.zst", compression="zstd")
            for how, other in (("file", vecc.load(self.folder / "g.pb.zst")),
                               ("pickle", pickle.loads(pickle.dumps(graph))),
                               ("copy", copy.copy(graph)), ("deepcopy", copy.deepcopy(graph))):
                with self.subTest(path.stem, how=how):
                    self.check_same(graph, other)

    def test_a_copy_has_weights_of_its_own(self):
        graph = vecc.load(XOR)
        before, other = graph.weights, copy.deepcopy(graph)
        other.set_weights({name: 2 * w for name, w in before.items()})
        for name, w in graph.weights.items():
            np.testing.assert_array_equal(w, before[name])

    def test_what_cannot_be_saved_or_pickled_says_why(self):
        graph = vecc.load(MUTAGENESIS)
        facts = next(group["head"] for group in graph.groups if group["class"] == "fact")
        bound = vecc.load(MUTAGENESIS, bind_facts=[facts])
        for call in (lambda: bound.save(self.folder / "g.pb"), lambda: pickle.dumps(bound)):
            with self.assertRaisesRegex(vecc.Error, "facts of this graph are inputs"):
                call()
        self.check_same(bound, copy.deepcopy(bound))
        program = vecc.load(XOR).compile(backend="interpreter")
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, r"its Graph and compile\(\) that again"):
                call(program)
        with self.assertRaisesRegex(vecc.Error, r"none of none, gzip, zstd; did you mean gzip\?"):
            vecc.load(XOR).save(self.folder / "g.pb", "gzp")
        with self.assertRaisesRegex(vecc.Error, "level=10: error: gzip has levels 1 to 9"):
            vecc.load(XOR).save(self.folder / "g.pb", "gzip", level=10)

    def test_limits(self):
        self.check_error(lambda: vecc.load(XOR, max_neurons=3), "E041", XOR, "--max-neurons=3")

    def test_bad_options(self):
        with self.assertRaisesRegex(vecc.Error, "--max-neurons: .* not a whole number from 1") as raised:
            vecc.load(XOR, max_neurons=0)
        self.assertEqual(raised.exception.code, "E050")

    def test_errors_are_pickled(self):
        with self.assertRaises(vecc.Error) as raised:
            vecc.load(self.folder / "no.pb")
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((str(again), again.code, again.exit_code),
                         (str(raised.exception), "E001", 3))

    def test_weights(self):
        graph = vecc.load(XOR)
        weights = graph.weights
        self.assertTrue(all(w.dtype == np.float64 for w in weights.values()))
        graph.set_weights({name: 2 * w for name, w in weights.items()})
        for name, w in graph.weights.items():
            np.testing.assert_array_equal(w, 2 * weights[name])
        graph.save_weights(self.folder / "w.safetensors")
        other = vecc.load(XOR)
        other.set_weights(self.folder / "w.safetensors")
        for name, w in other.weights.items():
            np.testing.assert_array_equal(w, 2 * weights[name])

    def test_bad_weights_change_nothing(self):
        graph = vecc.load(XOR)
        before = graph.weights
        name, good = next(iter(before.items()))
        for bad, message in (({"nothing": good}, 'weights "nothing": error: the graph has no'),
                             ({name: good[0]}, "has shape"),
                             ({name: np.full_like(good, np.nan)}, "is NaN"),
                             ({name: good + 1, "nothing": good}, "the graph has no weights")):
            with self.subTest(message=message), self.assertRaisesRegex(vecc.Error, message):
                graph.set_weights(bad)
            for each, values in graph.weights.items():
                np.testing.assert_array_equal(values, before[each])

    def test_initialize(self):
        graph = vecc.load(XOR)
        self.assertEqual(graph.initialize("glorot", 7), 0)  # the file has values
        with self.assertRaisesRegex(vecc.Error, "none of uniform"):
            graph.initialize("zero")

    def test_bound_facts(self):
        graph = vecc.load(MUTAGENESIS)
        facts = next(group["head"] for group in graph.groups if group["class"] == "fact")
        bound = vecc.load(MUTAGENESIS, bind_facts=[facts])
        names = set(bound.weights) - set(graph.weights)
        self.assertTrue(names and all(name.startswith("fact/") for name in names))
        program = bound.compile(backend="interpreter", dtype="f64")
        np.testing.assert_allclose(program(), graph.evaluate(), atol=1e-12)
        changed = program({name: 2 * program.weights[name] for name in names})
        self.assertGreater(np.abs(changed - graph.evaluate()).max(), 1e-6)

    def test_bound_facts_are_no_weights(self):
        graph = vecc.load(MUTAGENESIS)
        facts = next(group["head"] for group in graph.groups if group["class"] == "fact")
        bound, file = vecc.load(MUTAGENESIS, bind_facts=[facts]), self.folder / "w.safetensors"
        bound.save_weights(file)
        graph.set_weights(file)
        program = bound.compile(backend="interpreter")
        before = program.weights
        program.train(epochs=1)
        program.set_weights(file)
        for each in (bound.weights, program.weights):
            for name, w in each.items():
                np.testing.assert_array_equal(w, before[name])
        with self.assertRaisesRegex(vecc.Error, "E050"):
            program.emit("python", self.folder / "module")

    def test_table_escapes_names(self):
        builder = vecc.GraphBuilder()
        fact = builder.facts("<script>&", [1.0], rule="<b>")
        builder.samples(fact)
        page = builder.build()._repr_html_()
        self.assertIn("&lt;script&gt;&amp;", page)
        self.assertNotIn("<script>", page)
        self.assertNotIn("<b>", page)

    def test_other_threads_run_meanwhile(self):
        """Loading lets the interpreter's lock go."""
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(None)

        thread = threading.Thread(target=tick)
        thread.start()
        before = len(ticks)
        vecc.load(MUTAGENESIS).evaluate()
        after = len(ticks)
        done.set()
        thread.join()
        self.assertGreater(after, before)


def learnable(graph):
    return graph.compile(backend="interpreter").gradients()


def error_code(path):
    """Of what the command line says first."""
    return run(path, status=3)[1].splitlines()[0].rsplit("[", 1)[1].rstrip("]")


if __name__ == "__main__":
    unittest.main()
