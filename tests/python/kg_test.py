"""vecc.kg: what it says is what `vecc-kg` prints."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC

import vecc
import vecc.kg


class KgTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        random = np.random.default_rng(3)
        self.names = [f"e{i}" for i in range(20)]
        (self.folder / "e").write_text("\n".join(self.names))
        (self.folder / "r").write_text("likes\nknows")
        for part, count in (("train", 40), ("valid", 5), ("test", 10)):
            (self.folder / f"{part}.txt").write_text("".join(
                f"e{h}\t{('likes', 'knows')[r]}\te{t}\n" for h, r, t in zip(
                    random.integers(0, 20, count), random.integers(0, 2, count),
                    random.integers(0, 20, count))))
        self.e = random.normal(size=(20, 6)).astype(np.float32)
        self.r = random.normal(size=(2, 6)).astype(np.float32)
        np.savez(self.folder / "w.npz", e=self.e, r=self.r)
        self.files = {"entities": self.folder / "e", "relations": self.folder / "r"}
        self.embeddings = vecc.kg.Embeddings(self.folder / "w.npz", "transe", p=2, **self.files)

    def run_kg(self, command, *words):
        done = subprocess.run(
            [Path(VECC).parent / "vecc-kg", command, self.folder / "w.npz", "--model=transe", "--p=2",
             *(f"--{name}={path}" for name, path in self.files.items()), *words, "--json"],
            capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_evaluate(self):
        expected = self.run_kg("evaluate", f"--triples={self.folder}", "--split=validation")
        found = self.embeddings.evaluate(self.folder, split="validation", threads=2)
        self.assertEqual(found, expected["metrics"])
        self.assertIn("mrr", found["filtered"]["all"]["both"])
        if "cuda" in vecc.backends():
            self.assertEqual(self.embeddings.evaluate(self.folder, split="validation",
                                                      backend="cuda"), found)

    def test_predict(self):
        expected = self.run_kg("predict", "--query=e1,likes,?", "--query=?,knows,e2", "--top=5",
                               f"--triples={self.folder}", "--known=drop")["queries"]
        found = self.embeddings.predict([("e1", "likes", None), (None, "knows", "e2")], top=5,
                                        triples=self.folder, known="drop")
        self.assertEqual([[{"entity": e, "score": s, "known": k} for e, s, k in each]
                          for each in found], [each["answers"] for each in expected])

    def test_inverse_relations_answer_for_heads(self):
        (self.folder / "r").write_text("likes\nlikes^-1")
        embeddings = vecc.kg.Embeddings(self.folder / "w.npz", "transe", p=2, **self.files)
        heads = embeddings.predict([(None, "likes", "e2")])
        self.assertEqual(heads, embeddings.predict([("e2", "likes^-1", None)]))
        self.assertNotEqual(heads, embeddings.predict([(None, "likes", "e2")], inverse=False))

    def test_vectors_and_neighbours(self):
        self.assertEqual(self.embeddings.entities, self.names)
        self.assertEqual(self.embeddings.relations, ["likes", "knows"])
        np.testing.assert_array_equal(self.embeddings.vectors, self.e)
        tables = self.embeddings.relation_tables
        self.assertEqual(list(tables), ["vectors"])
        np.testing.assert_array_equal(tables["vectors"], self.r)
        matrices = np.arange(2 * 6 * 6, dtype=np.float64).reshape(2, 6, 6)
        np.savez(self.folder / "rescal.npz", e=self.e, M=matrices)
        rescal = vecc.kg.Embeddings(self.folder / "rescal.npz", "rescal", **self.files)
        tables = rescal.relation_tables
        self.assertEqual(list(tables), ["matrices"])
        np.testing.assert_array_equal(tables["matrices"], matrices)
        expected = self.run_kg("nearest", "--entity=e3", "--top=4")["nearest"]
        self.assertEqual(self.embeddings.nearest("e3", top=4),
                         [(near["entity"], near["cosine"]) for near in expected])

    def test_errors(self):
        for call, message in (
                (lambda: self.embeddings.predict([("e1", "liks", None)]), "did you mean \"likes\""),
                (lambda: self.embeddings.predict([("e1", "likes", "e2")]), r"queries\[0\]"),
                (lambda: self.embeddings.predict([("e1", "likes")]), r"queries\[0\].*three names"),
                (lambda: self.embeddings.predict([("e1", 2, None)]), r"queries\[0\].*three names"),
                (lambda: self.embeddings.predict([], known="hide"), "mark, drop"),
                (lambda: self.embeddings.predict([], known="drop"), "needs triples"),
                (lambda: self.embeddings.evaluate(self.folder, split="dev"), "'dev' is none of"),
                (lambda: self.embeddings.evaluate(self.folder, backend="gpu"), "none of cpu, cuda"),
                (lambda: self.embeddings.evaluate(self.folder, device="cuda"), "does not run on"),
                (lambda: self.embeddings.nearest("e1", by="angle"), "'angle' is none of"),
                (lambda: self.embeddings.nearest("e1", top=-1), "top: .*found -1, expected a whole"),
                (lambda: self.embeddings.predict([], top=0), "top: .*found 0, .*from 1"),
                (lambda: self.embeddings.predict([], top=2.5), "top: .*found 2.5"),
                (lambda: self.embeddings.predict([], threads=-1), "threads: .*found -1"),
                (lambda: vecc.kg.Embeddings(self.folder / "w.npz", "transf2"), "expected one of"),
                (lambda: vecc.kg.Embeddings(self.folder / "w.npz", "transe"), "entities=FILE")):
            with self.assertRaisesRegex(vecc.Error, message):
                call()


if __name__ == "__main__":
    unittest.main()
