"""Type hints: the package and a user's model pass mypy --strict."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import vecc

ROOT = Path(__file__).parents[2]
USER = Path(__file__).parent / "typed_model.py"
PACKAGE = Path(vecc.__file__).parent


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.cache.cleanup)

    def mypy(self, *words):
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", ROOT / "tools/python/pyproject.toml",
             "--cache-dir", self.cache.name, *words], capture_output=True, text=True, check=False,
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})

    def test_package_and_user(self):
        done = self.mypy(PACKAGE, USER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_wrong_types_are_found(self):
        """Also of what the decorator layer gives."""
        with tempfile.TemporaryDirectory() as folder:
            wrong = Path(folder) / "wrong.py"
            wrong.write_text(USER.read_text().replace('x, 8, 3)', 'x, 8, "3")').replace(
                "epochs == 3", 'epochs + "3"').replace("heads=2, name=\"first\"", 'heads="2"'))
            done = self.mypy(wrong)
        self.assertEqual(done.stdout.count(": error:"), 3, done.stdout + done.stderr)

    def test_the_user_s_model_runs(self):
        done = subprocess.run([sys.executable, USER], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "5\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
