"""bench_peers_test.py VECC_BENCH: `vecc-bench kg` has its peers beside it, and what it times in torch
computes vecc's scores."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = sys.argv.pop()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench" / "kg"))
sys.argv.append("")  # of kg_numpy_test, which takes its last argument
import kg_numpy_test as plain  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch_steps  # noqa: E402

MODELS = ("transe", "transh", "transr", "transf", "rescal", "distmult", "complex", "rotate")


def tables_of(model, w):
    if "e_re" in w:
        entities = np.hstack([w["e_re"], w["e_im"]])
        relations = np.hstack([w["r_re"], w["r_im"]])
        if model == "rotate":
            relations = np.angle(w["r_re"] + 1j * w["r_im"])
        return entities, relations
    return w["e"], w.get("r", w["e"][:plain.R])


class BenchPeers(unittest.TestCase):
    def test_scores(self):
        random = np.random.default_rng(3)
        for model in MODELS:
            w = plain.make_weights(random, model)
            entities, relations = (torch.from_numpy(x) for x in tables_of(model, w))
            h, t = random.integers(0, plain.N, (2, 6))
            r, drawn = random.integers(0, plain.R, 6), random.integers(0, plain.N, (2, 5))
            normals, matrices = (torch.from_numpy(w[name])[r] if name in w else None
                                 for name in ("w", "M"))
            positive, negative = torch_steps.scores(
                model, [entities[h], relations[r], entities[t], normals, matrices, entities[drawn]], 3)
            score = plain.SCORES[model][0]
            wanted = [[score(w, h[i], r[i], t[i])] + [score(w, e, r[i], t[i]) for e in drawn[i // 3]]
                      for i in range(6)]
            found = torch.cat([positive.view(6, 1), negative.reshape(6, 5)], 1)
            np.testing.assert_allclose(found, wanted, atol=1e-8, err_msg=model)

    def test_training(self):
        """PyKEEN learns a cycle, and its own ranks of triples that it has seen say so."""
        with tempfile.TemporaryDirectory() as folder:
            lines = [f"{i}\tnext\t{(i + 1) % 30}\n" for i in range(30)]
            for name, part in (("train", lines), ("valid", lines[:3]), ("test", lines[3:13])):
                (Path(folder) / f"{name}.txt").write_text("".join(part))
            script = ROOT / "tools" / "bench" / "kg" / "pykeen_training.py"
            done = subprocess.run(
                [sys.executable, script, folder, "--model=complex", "--dim=16", "--batch-size=60",
                 "--epochs=20", "--device=cpu"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
        self.assertEqual(found["epochs"], 20)
        self.assertGreater(found["mrr"], 0.9)

    def test_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kg.json"
            done = subprocess.run(
                [BENCH, "kg", "--models=distmult,tucker", "--batch-sizes=32", "--dim=4", "--negatives=4",
                 "--chunk=4", "--steps=2", "--repeat=1", "--threads=1", f"--python={sys.executable}",
                 f"--json={path}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            steps = {step["model"]: step for step in json.loads(path.read_text())["steps"]}
        for peer in ("torch", "pykeen"):
            self.assertGreater(steps["distmult"]["peers"][peer]["step_seconds"], 0)
        self.assertGreater(steps["tucker"]["peers"]["pykeen"]["step_seconds"], 0)
        self.assertIn("not written in torch", steps["tucker"]["peers"]["torch"]["error"])
        self.assertRegex(done.stdout, r"distmult +32 +torch +[0-9.]+ +- +[0-9.]+ +eager")
        self.assertRegex(done.stdout, r"tucker +32 +torch +- +- +- KeyError: .*not written in torch")

    def test_scores_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scores.json"
            (Path(folder) / "train.txt").write_text("a\tr\tb\nb\tr\tc\nc\ts\ta\nd\ts\tb\n")
            done = subprocess.run(
                [BENCH, "kg-scores", folder, "--batch-sizes=4", "--dims=6", "--warmup=1", "--repeat=3",
                 "--threads=1", f"--python={sys.executable}", f"--json={path}"],
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            cases = json.loads(path.read_text())["scores"]
        self.assertEqual([(case["model"], case["kind"]) for case in cases],
                         [(model, kind) for model in ("transe", "transh", "transr", "transf", "rescal")
                          for kind in ("positives", "negatives")])
        for case in cases:
            self.assertGreater(case["runners"]["torch eager"]["seconds"], 0, case)
            self.assertLess(case["runners"]["torch eager"]["difference"], 1e-5, case)

    def test_a_python_without_them_is_named(self):
        done = subprocess.run(
            [BENCH, "kg", "--models=distmult", "--batch-sizes=32", "--dim=4", "--negatives=4", "--chunk=4",
             "--steps=2", "--repeat=1", "--threads=1", "--peers=torch", "--python=/nonexistent/python"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/nonexistent/python", done.stdout)


if __name__ == "__main__":
    unittest.main()
