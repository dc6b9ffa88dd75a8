"""tools/bench/neuralogic.py: what it compares is the same, and its files."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import neuralogic
import numpy as np

import paths

TOOL = paths.ROOT / "tools" / "bench" / "neuralogic.py"
XOR = Path(neuralogic.__file__).parent / "utils/data/datasets/simple/xor/vectorized"


# Java's peak has all garbage that a heap has room for. This one has room for the networks, and for
# little more; it goes before PyNeuraLogic's -Xms1g.
SMALL_HEAP = {"_JAVA_OPTIONS": "-Xms128m -Xmx128m"}


def run_tool(*arguments, cwd=None, environment=None):
    return subprocess.run([sys.executable, "-B", TOOL, *map(str, arguments)], capture_output=True,
                          text=True, check=False, cwd=cwd, env={**os.environ, **(environment or {})})


class Mutagenesis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path, svg = Path(folder) / "out.json", Path(folder) / "out.svg"
            cls.result = run_tool("--template=simple", "--epochs=4", "--folds=2", "--dtype=f64",
                                  "--backends=cpu", "--json=out.json", "--svg=out.svg", cwd=folder,
                                  environment=SMALL_HEAP)
            cls.files = sorted(file.name for file in Path(folder).iterdir())
            cls.json = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
            cls.svg = ElementTree.parse(svg).getroot() if svg.exists() else None
        if not cls.json:
            raise AssertionError(cls.result.stderr)
        cls.rows = {row["runner"]: row for row in cls.json["rows"]}

    def test_every_runner_has_its_line(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertEqual(list(self.rows), ["NeuraLogic", "NeuraLogic raw", "vecc cpu"])
        lines = self.result.stdout.splitlines()
        self.assertEqual(lines[0], "simple: 106,629 neurons, 188 samples, 4 epochs")
        for line, name in zip(lines[2:], self.rows):
            self.assertTrue(line.startswith(name))
        for row in self.rows.values():
            self.assertEqual([len(row[way]["seconds"]) for way in ("online", "batch")], [4, 4])
            self.assertGreater(min(row["online"]["seconds"]), 0)

    def test_vecc_trains_as_neuralogic_does(self):
        """Losses, and accuracies of all folds; and NeuraLogic's restarts are whole."""
        raw, ours = self.rows["NeuraLogic raw"], self.rows["vecc cpu"]
        self.assertLess(ours["difference"], 1e-9)
        for way in ("online", "batch"):
            np.testing.assert_allclose(ours[way]["loss"], raw[way]["loss"], rtol=0, atol=1e-9)
        self.assertEqual(ours["accuracies"], raw["accuracies"])
        self.assertNotEqual(raw["online"]["loss"], self.rows["NeuraLogic"]["online"]["loss"])

    def test_an_export_holds_little_beside_the_networks(self):
        export = self.json["export"]
        self.assertLess(export["heap_bytes"], 1.3 * export["build_heap_bytes"])
        self.assertLess(export["peak_bytes"], 1.3 * export["build_peak_bytes"])

    def test_nothing_else_is_left_there(self):
        self.assertEqual(self.files, ["out.json", "out.svg"])

    def test_svg(self):
        lines = self.svg.findall(".//{http://www.w3.org/2000/svg}polyline")
        self.assertEqual([len(line.get("points").split()) for line in lines], [4] * 6)


class Calls(unittest.TestCase):
    def test_a_template_of_ones_own(self):
        done = run_tool("--template", XOR / "template.txt", "--examples",
                        XOR / "trainExamples.txt", "--epochs=3", "--folds=2",
                        "--backends=interpreter")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("template: 16 neurons, 4 samples, 3 epochs", done.stdout)
        self.assertIn("vecc interpreter", done.stdout)

    def test_bad_calls(self):
        for text, arguments in (("at least one epoch", ["--epochs=0"]),
                                ("needs --examples", ["--template=none.txt"]),
                                ("none.txt: cannot be read",
                                 ["--template=none.txt", f"--examples={XOR / 'template.txt'}"]),
                                ("has its own examples", ["--examples=none.txt"]),
                                ("cannot be written", ["--json=/none/out.json"])):
            done = run_tool(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
