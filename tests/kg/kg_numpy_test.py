"""kg_numpy_test.py VECC_KG: what `vecc-kg` says of embeddings, NumPy says by plain counting: ranks
with PyKEEN's realistic rank (the mean of the best and the worst place among equal scores), answers,
neighbours and exported files."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

VECC_KG = sys.argv.pop()
N, R, DIM = 37, 5, 4
KINDS = {"1-1": (False, False), "1-N": (False, True), "N-1": (True, False), "N-N": (True, True)}


def whole(random, *shape):
    """Small whole numbers: no rounding, many ties."""
    return random.integers(-1, 2, shape).astype(np.float64)


def complex_of(tables, name, i):
    return tables[f"{name}_re"][i] + 1j * tables[f"{name}_im"][i]


def transe(w, h, r, t):
    return -np.abs(w["e"][h] + w["r"][r] - w["e"][t]).sum()


def transh(w, h, r, t):
    normal = w["w"][r]

    def project(x):
        return x - normal @ x / (normal @ normal) * normal
    return -np.square(project(w["e"][h]) + w["r"][r] - project(w["e"][t])).sum()


def transr(w, h, r, t):
    return -np.square(w["M"][r] @ w["e"][h] + w["r"][r] - w["M"][r] @ w["e"][t]).sum()


def transf(w, h, r, t):
    h, r, t = w["e"][h], w["r"][r], w["e"][t]
    return (h + r) @ t + h @ (t - r)


def rotate(w, h, r, t):
    turn = complex_of(w, "r", r)
    return -np.abs(complex_of(w, "e", h) * turn / np.abs(turn) - complex_of(w, "e", t)).sum()


SCORES = {
    "transe": (transe, ("e", "r")),
    "transh": (transh, ("e", "r", "w")),
    "transr": (transr, ("e", "r", "M")),
    "transf": (transf, ("e", "r")),
    "rescal": (lambda w, h, r, t: w["e"][h] @ w["M"][r] @ w["e"][t], ("e", "M")),
    "distmult": (lambda w, h, r, t: (w["e"][h] * w["r"][r] * w["e"][t]).sum(), ("e", "r")),
    "complex": (lambda w, h, r, t: (complex_of(w, "e", h) * complex_of(w, "r", r)
                                    * complex_of(w, "e", t).conj()).sum().real,
                ("e_re", "e_im", "r_re", "r_im")),
    "rotate": (rotate, ("e_re", "e_im", "r_re", "r_im")),
}


def make_weights(random, model):
    shapes = {"e": (N, DIM), "r": (R, DIM), "w": (R, DIM), "M": (R, DIM, DIM), "e_re": (N, DIM),
              "e_im": (N, DIM), "r_re": (R, DIM), "r_im": (R, DIM)}
    weights = {name: whole(random, *shapes[name]) for name in SCORES[model][1]}
    if model == "transh":  # one of them 1: projections are whole
        weights["w"] = np.eye(DIM)[random.integers(0, DIM, R)]
    if model == "rotate":  # half turns or none of multiples of 3 + 4i: moduli are whole
        weights["r_re"], weights["r_im"] = 2 * random.integers(0, 2, (R, DIM)) - 1., np.zeros((R, DIM))
        weights["e_im"] = 4 * weights["e_re"]
        weights["e_re"] = 3 * weights["e_re"]
    return weights


class KgTest(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        drawn = {tuple(map(int, t)) for t in zip(self.random.integers(0, N, 300),
                                                 self.random.integers(0, R - 1, 300),
                                                 self.random.integers(0, N, 300))}
        drawn |= {(i, R - 1, i + 1) for i in range(9)}  # one to one
        self.triples = [tuple(map(int, t)) for t in self.random.permutation(sorted(drawn))]
        # A triple that the file has twice, and one of train.txt: both are ranked as often.
        self.test = self.triples[-60:] + [self.triples[-1], self.triples[0]]
        self.entities = [f"entity {i}, é" for i in range(N)]
        self.relations = [f"r{i}" for i in range(R)]
        for name, part in (("train", self.triples[:-90]), ("valid", self.triples[-90:-60]),
                           ("test", self.test)):
            (self.folder / f"{name}.txt").write_text("".join(
                f"{self.entities[h]}\t{self.relations[r]}\t{self.entities[t]}\n"
                for h, r, t in part))
        (self.folder / "e.names").write_text("\n".join(self.entities))
        (self.folder / "r.names").write_text("\n".join(self.relations))

    def run_kg(self, command, model, *words):
        return subprocess.run(
            [VECC_KG, command, self.folder / "w.npz", f"--model={model}",
             f"--entities={self.folder / 'e.names'}", f"--relations={self.folder / 'r.names'}",
             *words], capture_output=True, text=True, check=False)

    def kg_json(self, *words):
        result = self.run_kg(*words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def scores(self, model, weights, triple, side):
        function = SCORES[model][0]
        h, r, t = triple
        return np.array([function(weights, i, r, t) if side == "head" else function(weights, h, r, i)
                         for i in range(N)])

    def rank(self, scores, own, others):
        kept = [i for i in range(N) if i == own or i not in others]
        best = 1 + (scores[kept] > scores[own]).sum()
        worst = (scores[kept] >= scores[own]).sum()
        return (best + worst) / 2

    def kind(self, relation):
        pairs = {(h, t) for h, r, t in self.triples if r == relation}
        heads, tails = {h for h, _ in pairs}, {t for _, t in pairs}
        many = (len(pairs) / len(tails) >= 1.5, len(pairs) / len(heads) >= 1.5)
        return next(name for name, value in KINDS.items() if value == many)

    def expected_ranks(self, model, weights):
        for triple in self.test:
            h, r, t = triple
            for side, own in (("head", h), ("tail", t)):
                scores = self.scores(model, weights, triple, side)
                known = {a if side == "head" else b for a, s, b in self.triples
                         if s == r and (b == t if side == "head" else a == h)}
                yield (self.kind(r), side, self.rank(scores, own, set()),
                       self.rank(scores, own, known))

    def test_evaluation(self):
        for model in SCORES:
            for dtype in (np.float32, np.float64):
                with self.subTest(model=model, dtype=dtype):
                    weights = make_weights(self.random, model)
                    np.savez(self.folder / "w.npz",
                             **{name: table.astype(dtype) for name, table in weights.items()})
                    found = self.kg_json("evaluate", model, f"--triples={self.folder}")
                    self.assertEqual((found["split"], found["triples"]), ("test", len(self.test)))
                    self.check(found["metrics"], list(self.expected_ranks(model, weights)))

    def check(self, metrics, expected):
        for column, name in ((3, "filtered"), (2, "raw")):
            for kind in ("all", *KINDS):
                for side in ("both", "head", "tail"):
                    ranks = np.array([row[column] for row in expected
                                      if kind in ("all", row[0]) and side in ("both", row[1])])
                    found = metrics[name][kind][side]
                    self.assertEqual(found["ranks"], len(ranks))
                    if len(ranks) == 0:
                        self.assertIsNone(found["mrr"])
                        continue
                    self.assertAlmostEqual(found["mrr"], (1 / ranks).mean(), places=12)
                    self.assertAlmostEqual(found["mean_rank"], ranks.mean(), places=9)
                    for k in (1, 3, 10):
                        self.assertAlmostEqual(found[f"hits@{k}"], (ranks <= k).mean(), places=12)
        self.assertTrue(any(row[3] % 1 for row in expected), "no tie")

    def test_answers(self):
        weights = make_weights(self.random, "distmult")
        np.savez(self.folder / "w.npz", **weights)
        h, r, t = self.test[0]
        for query, side, own in (((self.entities[h], self.relations[r], "?"), "tail", h),
                                 (("?", self.relations[r], self.entities[t]), "head", t)):
            text = ",".join(name if name == "?" else f'"{name}"' for name in query)
            scores = self.scores("distmult", weights, (h, r, t), side)
            known = {(b if side == "tail" else a) for a, s, b in self.triples
                     if s == r and (a if side == "tail" else b) == own}
            order = sorted(range(N), key=lambda i: (-scores[i], i))
            for mode in ("mark", "drop"):
                found = self.kg_json("predict", "distmult", f"--query={text}", "--top=8",
                                     f"--triples={self.folder}", f"--known={mode}")
                wanted = [i for i in order if mode == "mark" or i not in known][:8]
                answers = found["queries"][0]["answers"]
                self.assertEqual([a["entity"] for a in answers],
                                 [self.entities[i] for i in wanted])
                self.assertEqual([a["score"] for a in answers], [scores[i] for i in wanted])
                self.assertEqual([a["known"] for a in answers], [i in known for i in wanted])

    def test_nearest(self):
        weights = {"e": self.random.normal(size=(N, DIM)), "r": whole(self.random, R, DIM)}
        np.savez(self.folder / "w.npz", **weights)
        e = weights["e"]
        cosine = e @ e[3] / np.linalg.norm(e, axis=1) / np.linalg.norm(e[3])
        distance = np.linalg.norm(e - e[3], axis=1)
        for by, values, order in (("cosine", cosine, np.argsort(-cosine)),
                                  ("euclidean", distance, np.argsort(distance))):
            found = self.kg_json("nearest", "transe", f"--entity={self.entities[3]}", f"--by={by}",
                                 "--top=5")["nearest"]
            wanted = [i for i in order if i != 3][:5]
            self.assertEqual([near["entity"] for near in found], [self.entities[i] for i in wanted])
            np.testing.assert_allclose([near[by] for near in found], values[wanted], rtol=1e-12)

    def test_export(self):
        for model, dtype in (("transr", np.float32), ("complex", np.float64)):
            weights = {name: table.astype(dtype) + dtype(0.1)
                       for name, table in make_weights(self.random, model).items()}
            np.savez(self.folder / "w.npz", **weights)
            out = self.folder / "out.npz"
            result = self.run_kg("export", model, "-o", out)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            with np.load(out, allow_pickle=False) as arrays:
                self.assertEqual(list(arrays["entity_names"]), self.entities)
                self.assertEqual(list(arrays["relation_names"]), self.relations)
                entities = weights["e"] if model == "transr" else np.hstack(
                    [weights["e_re"], weights["e_im"]])
                self.assertEqual(arrays["entities"].dtype, dtype)
                np.testing.assert_array_equal(arrays["entities"], entities)
                if model == "transr":
                    np.testing.assert_array_equal(arrays["matrices"], weights["M"])
            lines = self.folder / "out.tsv"
            self.assertEqual(self.run_kg("export", model, "-o", lines).returncode, 0)
            rows = [line.split("\t") for line in lines.read_text().splitlines()]
            self.assertEqual([row[0] for row in rows], self.entities)
            np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype), entities)


if __name__ == "__main__":
    unittest.main()
