"""The program cache in Python: what is found there has the same bits, and is of the same file."""

import copy
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import MUTAGENESIS, XOR, flat, outputs

import vecc

BACKENDS = vecc.backends("cpu")


class CacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = os.environ.get("VECC_CACHE_DIR")
        os.environ["VECC_CACHE_DIR"] = str(self.folder / "cache")
        self.addCleanup(lambda: os.environ.update(VECC_CACHE_DIR=before) if before
                        else os.environ.pop("VECC_CACHE_DIR"))
        self.path = self.folder / "graph.pb"
        shutil.copy(MUTAGENESIS, self.path)

    def compile(self, graph=None, **options):
        options = {"backend": "interpreter", "cache_after": 0, **options}
        return (graph or vecc.load(self.path)).compile(**options)

    def entries(self):
        """A file that is written again is another one, of the same name."""
        return {file.name: file.stat().st_ino
                for file in (self.folder / "cache" / "programs").glob("*")}

    def check_same(self, found, expected):
        for a, b in zip(flat(found), flat(expected), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_outputs_and_gradients_are_the_same(self):
        for backend in BACKENDS:
            with self.subTest(backend=backend):
                expected = self.compile(backend=backend, cache=False, cache_after=None)
                first = self.compile(backend=backend)
                second = self.compile(backend=backend)
                self.assertEqual([p.is_cached for p in (expected, first, second)],
                                 [False, False, True])
                self.check_same(second(), expected())
                self.assertEqual(second.text, expected.text)
                self.assertEqual(second.sizes, expected.sizes)
                self.assertEqual(second.sample_ids, expected.sample_ids)
                for name, gradient in expected.gradients().items():
                    np.testing.assert_array_equal(second.gradients()[name], gradient)

    def test_pages_are_the_same(self):
        pages = []
        for name in ("made", "cached"):
            program = self.compile()
            program.emit("html", self.folder / name)
            program.emit("stats", self.folder / (name + ".json"))
            page = (self.folder / name).read_text()
            pages.append((re.sub(r"[0-9.,]+ (ns|us|ms|s)\b", "TIME", page),
                          (self.folder / (name + ".json")).read_text()))
        self.assertTrue(program.is_cached)
        self.assertEqual(*pages)

    def test_the_weights_are_those_of_now(self):
        self.compile()
        graph = vecc.load(self.path)
        graph.set_weights({name: w / 3 for name, w in graph.weights.items()})
        found = self.compile(graph)
        self.assertTrue(found.is_cached)
        self.check_same(found(), self.compile(graph, cache=False, cache_after=None)())
        for name, w in graph.weights.items():
            np.testing.assert_array_equal(found.weights[name], w)

    def test_a_program_that_was_kept_with_other_weights(self):
        graph = vecc.load(self.path)
        expected = self.compile(graph, cache=False, cache_after=None)()
        graph.set_weights({name: w / 3 for name, w in graph.weights.items()})
        self.assertFalse(self.compile(graph).is_cached)
        found = self.compile()
        self.assertTrue(found.is_cached)
        self.check_same(found(), expected)
        # The command line reads weights from its entries: it has another one.
        self.check_same(outputs(self.path, "--backend=interpreter", "--cache-after=0"),
                        outputs(self.path, "--backend=interpreter", "--no-cache"))
        self.assertEqual(len(self.entries()), 2)

    def test_initialized_weights_are_the_programs_own(self):
        builder = vecc.GraphBuilder()
        w = builder.weights("w", shape=(3, 2))
        x = builder.facts("x", np.arange(6.0).reshape(3, 2))
        out = builder.neurons("out", x[:, None], weights=w, transformation="tanh")
        builder.samples(out)
        builder.save(self.path)
        for seed in (1, 2):
            graph = vecc.load(self.path)
            with self.assertRaisesRegex(vecc.Error, "no values.*initialize"):
                self.compile(graph)
            graph.initialize(seed=seed)
            program = self.compile(graph)
            self.assertTrue(program.is_cached)  # weights have no part in it
            self.check_same(program(), self.compile(graph, cache=False, cache_after=None)())
        self.assertEqual(len(self.entries()), 1)

    def test_a_file_that_was_changed_is_another(self):
        graph = vecc.load(self.path)
        expected = self.compile(graph, cache=False, cache_after=None)()
        shutil.copy(XOR, self.path)
        self.assertFalse(self.compile(graph).is_cached)
        self.assertEqual(self.entries(), {})
        self.assertFalse(self.compile().is_cached)  # XOR, which is kept
        found = self.compile(graph)
        self.assertFalse(found.is_cached)
        self.check_same(found(), expected)

    def test_what_has_no_entry(self):
        self.compile()
        kept = self.entries()
        self.assertEqual(len(kept), 1)
        facts = next(group["head"] for group in vecc.load(self.path).groups
                     if group["class"] == "fact")
        for graph in (vecc.load(self.path.read_bytes()), vecc.load(self.path, bind_facts=[facts])):
            self.assertFalse(self.compile(graph).is_cached)
        self.assertEqual(self.entries(), kept)
        for graph in (vecc.load(self.path), vecc.load(self.path, group="auto")):
            for options in ({"dtype": "f64"}, {"opt": 1}, {"disable_pass": ["iso-compress"]}):
                self.assertFalse(self.compile(graph, **options).is_cached)
                self.assertTrue(self.compile(graph, **options).is_cached)
        self.assertEqual(len(self.entries()), 7)

    def test_what_was_made_soon_is_not_kept(self):
        self.compile(cache_after=None)
        self.compile(cache_after=600)
        self.compile(cache=False, cache_after=None)
        self.assertEqual(self.entries(), {})
        with self.assertRaisesRegex(vecc.Error, "cache-after"):
            self.compile(cache_after=-1)

    def test_copies_are_of_the_file_too(self):
        self.compile()
        self.assertTrue(self.compile(copy.copy(vecc.load(self.path))).is_cached)

    def test_a_damaged_entry_is_made_again(self):
        expected = self.compile()()
        (entry,) = (self.folder / "cache" / "programs").glob("*")
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 1
        entry.write_bytes(data)
        program = self.compile()
        self.assertFalse(program.is_cached)
        self.check_same(program(), expected)
        self.assertTrue(self.compile().is_cached)

    def test_trainings_have_the_same_bits(self):
        for backend in BACKENDS:
            fanout = [{"fanout": [2, 2]}] if backend == "cpu" else []
            for options in [{}, {"batch_size": 20}, {"optimizer": "lazy-adam"}] + fanout:
                with self.subTest(backend=backend, **options):
                    options = {"epochs": 2, "loss": "crossentropy", **options}
                    found = []
                    for cache in (False, True, True):
                        program = self.compile(backend=backend, cache=cache,
                                               cache_after=0 if cache else None)
                        program.train(**options)
                        found.append((program.weights, self.entries()))
                    for weights, _ in found[1:]:
                        for name, w in found[0][0].items():
                            np.testing.assert_array_equal(weights[name], w)
                    self.assertTrue(program.is_cached)
                    self.assertEqual(found[1][1], found[2][1])
        self.assertGreater(len(self.entries()), 2 * len(BACKENDS))


if __name__ == "__main__":
    unittest.main()
