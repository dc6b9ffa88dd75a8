"""install_test.py CMAKE BUILD GRAPH: what `cmake --install` puts into a folder works from there."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, BUILD, GRAPH = sys.argv[1:]
del sys.argv[1:]
PACKAGE = Path(__file__).parents[2] / "tools/python"
PROJECT, STARTERS = ((PACKAGE / name).read_text() for name in ("pyproject.toml", "vecc/programs.py"))
SCRIPTS = dict(re.findall(r'^([\w-]+) = "vecc\.programs:(\w+)"$', PROJECT, re.MULTILINE))
USE = """
import sys, vecc
from vecc import nn
model = nn.Model(lambda g: nn.linear(nn.layers.gcn(g, g.x, 4), 2))
assert model(nn.from_arrays([[0, 1], [1, 2]], [[1.0], [2.0], [3.0]])).shape == (3, 2)
print(len(vecc.load(sys.argv[1]).compile()()), vecc.backends("cpu"), vecc.__file__)
"""


class InstallTest(unittest.TestCase):
    def test_install(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([CMAKE, "--install", BUILD, "--component", "python", "--prefix", folder],
                           check=True, stdout=subprocess.DEVNULL)
            files = {path.name for path in (Path(folder) / "vecc").iterdir()}
            self.assertLessEqual({"__init__.py", "_core.pyi", "py.typed", "graph.py"}, files)
            self.assertTrue((Path(folder) / "vecc" / "nn" / "layers.py").exists())
            jar = "vecc-neuralogic.jar"
            self.assertEqual(jar in files, (Path(BUILD) / "bin" / jar).exists())

            def use(path):
                return subprocess.run([sys.executable, "-B", "-c", USE, GRAPH], check=True,
                                      capture_output=True, text=True, cwd="/",
                                      env=os.environ | {"PYTHONPATH": str(path)}).stdout.split()

            installed, built = use(folder), use(Path(BUILD) / "python")
            self.assertEqual(installed[:-1], built[:-1])
            self.assertTrue(installed[-1].startswith(folder))

            programs = {path.name for path in (Path(folder) / "vecc/bin").iterdir()}
            self.assertEqual(programs, set(SCRIPTS))

    def test_programs_of_the_wheel(self):
        """All that there are, but for what measures and what the jar runs."""
        built = {path.name for path in (Path(BUILD) / "bin").glob("vecc*") if not path.suffix}
        self.assertEqual(set(SCRIPTS), built - {"vecc-bench", "vecc-neuralogic"})
        targets = re.search(r"^build\.targets = \[(.*)\]$", PROJECT, re.MULTILINE)[1]
        self.assertLessEqual(set(SCRIPTS), set(re.findall(r'"([^"]+)"', targets)))
        for name, function in SCRIPTS.items():
            self.assertEqual(function, name.replace("-", "_"))
            self.assertIn(f'def {function}() -> None:\n    _start("{name}")\n', STARTERS)

    def test_stub(self):
        stub = (Path(BUILD) / "python" / "vecc" / "_core.pyi").read_text()
        for line in ("class Graph:", "class Program:", "def load_graph(path: str"):
            self.assertIn(line, stub)


if __name__ == "__main__":
    unittest.main()
