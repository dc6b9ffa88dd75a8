"""vecc.Program: running, weights, gradients, pictures; against the command line."""

import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

from command_line import GRAPHS, MUTAGENESIS, XOR, flat, outputs, run

import vecc

BACKENDS = vecc.backends("cpu")


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_outputs_are_the_command_lines(self):
        """Every digit."""
        for backend in BACKENDS:
            for path in GRAPHS:
                with self.subTest(backend=backend, graph=path.stem):
                    graph = vecc.load(path)
                    graph.initialize()
                    found = flat(graph.compile(backend=backend, device="cpu")())
                    expected = outputs(path, f"--backend={backend}", "--device=cpu",
                                       "--init=glorot")
                    for a, b in zip(found, expected, strict=True):
                        np.testing.assert_array_equal(a, b.astype(np.float32))

    def test_outputs_own_their_memory(self):
        program = vecc.load(MUTAGENESIS).compile(backend="interpreter")
        first = program()
        self.assertEqual((first.shape, first.dtype), ((188,), np.float32))
        kept = first.copy()
        program({name: 0 * w for name, w in program.weights.items()})
        np.testing.assert_array_equal(first, kept)
        self.assertTrue(np.shares_memory(first, np.from_dlpack(first)))

    def test_time_runs_as_often_as_asked(self):
        program = vecc.load(XOR).compile(backend="interpreter")
        before = program()
        for gradients in (False, True):
            seconds = program.time(3, gradients=gradients)
            self.assertEqual(len(seconds), 3)
            self.assertTrue(all(0 < each < 60 for each in seconds))
        np.testing.assert_array_equal(program(), before)
        for runs in (0, -1, 1.5, True, 2**32):
            with self.assertRaisesRegex(ValueError, "runs: found .*, expected a whole number"):
                program.time(runs)

    def test_options(self):
        graph = vecc.load(MUTAGENESIS)
        expected = graph.evaluate()
        for options in ({"opt": 0}, {"opt": 1}, {"passes": ["drop-dead", "dedup-rows"]},
                        {"disable_pass": ["iso-compress"]}, {"gather_preset": "free_only"},
                        {"pad": "any", "threads": 1}):
            with self.subTest(**options):
                program = graph.compile(backend="interpreter", dtype="f64", **options)
                np.testing.assert_allclose(program(), expected, atol=1e-12)
        rows = [graph.compile(backend="interpreter", opt=opt).sizes["rows"] for opt in (0, 2)]
        self.assertLess(rows[1], rows[0] / 10)

    def test_bad_options(self):
        graph = vecc.load(XOR)
        for options, message in (({"backend": "abacus"}, "--backend: abacus not in"),
                                 ({"backend": "reference"}, "Graph.evaluate"),
                                 ({"opt": 9}, "-O"), ({"passes": ["no-pass"]}, 'no pass "no-pass"'),
                                 ({"dtype": "f16"}, "--dtype")):
            with self.subTest(**options), self.assertRaisesRegex(vecc.Error, message) as raised:
                graph.compile(**options)
            self.assertEqual(raised.exception.code, "E050")

    def test_a_program_that_runs_once_is_not_compiled_kernel_by_kernel(self):
        builder = vecc.GraphBuilder()
        for size in range(1, 101):
            x = builder.facts(f"x{size}", [[np.sin(size + i) for i in range(size)]])
            builder.samples(builder.neurons(f"y{size}", [[x[0]]], transformation="tanh"))
        graph = builder.build()
        once = graph.compile(backend="cpu", runs=1, disable_pass=["fold-constants"])
        self.assertEqual(once.device, "cpu, kernels interpreted")
        for found, expected in zip(once(), graph.evaluate(), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_bad_numbers_of_runs(self):
        graph = vecc.load(XOR)
        for runs in (0, -1, 2**64, 1.0, float("nan"), True, "1"):
            with self.subTest(runs=runs), self.assertRaisesRegex(
                    vecc.Error, "runs: error: .* is not a whole number from 1 to") as raised:
                graph.compile(backend="interpreter", runs=runs)
            self.assertIsInstance(raised.exception, ValueError)
        np.testing.assert_array_equal(graph.compile(backend="interpreter", runs=np.int64(2))(),
                                      graph.compile(backend="interpreter")())

    def test_weights_without_values(self):
        builder = vecc.GraphBuilder()
        x = builder.facts("x", [[1.0, 2.0]])
        builder.samples(builder.neurons("y", [[x[0]]], weights=builder.weights("w", shape=(1, 2))))
        graph = builder.build()
        with self.assertRaisesRegex(vecc.Error, r"Graph.initialize\(\) gives it some \[E023\]"):
            graph.compile(backend="interpreter")
        self.assertEqual(graph.initialize(), 1)
        self.assertEqual(graph.compile(backend="interpreter")().shape, (1,))

    def test_given_weights(self):
        graph = vecc.load(MUTAGENESIS)
        program = graph.compile(backend="interpreter", dtype="f64")
        halves = {name: w / 2 for name, w in program.weights.items()}
        graph.set_weights(halves)
        np.testing.assert_allclose(program(halves), graph.evaluate(), atol=1e-12)
        program.save_weights(self.folder / "w.safetensors")
        found = outputs(MUTAGENESIS, f"--load-weights={self.folder / 'w.safetensors'}",
                        "--dtype=f64", "--backend=interpreter")
        np.testing.assert_array_equal(program(), np.ravel(found))
        other = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        np.testing.assert_array_equal(other(self.folder / "w.safetensors"), program())

    def test_weights_of_other_kinds(self):
        """float32, other orders, lists, and what speaks DLPack."""
        program = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        weights = program.weights
        expected = program({name: w.astype(np.float32) for name, w in weights.items()})
        for kind in (lambda w: np.asfortranarray(w.astype(np.float32)),
                     lambda w: w.astype(np.float32).tolist(), lambda w: Exporter(w)):
            found = program({name: kind(w) for name, w in weights.items()})
            np.testing.assert_array_equal(found, expected)
        with self.assertRaises(TypeError):
            program(3)

    def test_gradients(self):
        graph = vecc.load(MUTAGENESIS)
        for backend in BACKENDS:
            with self.subTest(backend=backend):
                program = graph.compile(backend=backend, device="cpu", dtype="f64")
                found = program.gradients()
                run(MUTAGENESIS, "--backend=reference", f"--gradients={self.folder / 'g.tsv'}")
                for line in (self.folder / "g.tsv").read_text().splitlines():
                    name, row, numbers = line.split("\t")
                    expected = np.array(numbers.split(), float)
                    np.testing.assert_allclose(found[name][int(row)].ravel(), expected, atol=1e-9)
                doubled = program.gradients(np.full(188, 2.0))
                for name, gradient in found.items():
                    np.testing.assert_allclose(doubled[name], 2 * gradient, atol=1e-12)
        with self.assertRaisesRegex(vecc.Error, "E050"):
            program.gradients(np.ones(3))

    def test_gradients_follow_weights(self):
        """Both executables read the same weights."""
        program = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        program.gradients()
        weights = {name: w / 2 for name, w in program.weights.items()}
        program.set_weights(weights)
        fresh = vecc.load(MUTAGENESIS).compile(backend="interpreter", dtype="f64")
        fresh.set_weights(weights)
        for name, gradient in fresh.gradients().items():
            np.testing.assert_array_equal(program.gradients()[name], gradient)

    def test_threads_share_a_program(self):
        program = vecc.load(MUTAGENESIS).compile(backend="interpreter")
        expected, found = program(), []
        threads = [threading.Thread(target=lambda: found.extend(program() for _ in range(5)))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 20)
        for each in found:
            np.testing.assert_array_equal(each, expected)

    def test_emit(self):
        program = vecc.load(XOR).compile(backend="interpreter")
        for kind in ("html", "ir", "plan", "dot", "stats"):
            program.emit(kind, self.folder / kind)
            found = (self.folder / kind).read_text()
            run(XOR, "--backend=interpreter", f"--emit={kind}", "-o", self.folder / "expected")
            expected = (self.folder / "expected").read_text()
            self.assertEqual(len(found.splitlines()), len(expected.splitlines()), kind)
        plan = (self.folder / "plan").read_text()
        program.emit("plan", self.folder / "plan", target="h200")
        run(XOR, "--backend=interpreter", "--emit=plan", "--target=h200", "-o",
            self.folder / "expected")
        of_h200 = (self.folder / "plan").read_text()
        self.assertNotEqual(of_h200, plan)
        self.assertEqual(len(of_h200.splitlines()),
                         len((self.folder / "expected").read_text().splitlines()))
        with self.assertRaisesRegex(vecc.Error, "h300"):
            program.emit("plan", self.folder / "plan", target="h300")
        for word in ("train", "run"):
            with self.assertRaisesRegex(vecc.Error, f"--{word}: .*runs nothing"):
                program.emit("plan", self.folder / "plan", **{word: True})
        for language in ("cpp", "cuda"):
            program.emit(language, self.folder / language)
            self.assertTrue((self.folder / language / "README.md").exists())
            with self.assertRaisesRegex(vecc.Error, "E051"):
                program.emit(language, self.folder / language)
        self.assertIn("= output", program.text)

    def test_precision_of_products(self):
        with self.assertRaisesRegex(vecc.Error, "--matmul-precision needs --backend=cuda"):
            vecc.load(XOR).compile(backend="interpreter", matmul_precision="tf32")

    def test_picture(self):
        picture = vecc.load(MUTAGENESIS).compile(backend="interpreter")._repr_html_()
        self.assertTrue(picture.startswith("<div class='vecc'><style>"))
        self.assertIn("<svg class='graph'", picture)
        self.assertIn("segment", picture)
        self.assertNotIn("body{", picture)  # a notebook's own page stays as it is


class Exporter:
    """DLPack and nothing else."""

    def __init__(self, array):
        self.array = array.astype(np.float32)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


if __name__ == "__main__":
    unittest.main()
