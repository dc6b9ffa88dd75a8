"""compiler_test.py VECC DATASETS: which C++ compiler the package finds, and what it says of none."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DATASETS = Path(sys.argv[2])
del sys.argv[1:]
RUN = """
import sys
import vecc
graph = vecc.load(sys.argv[1])
programs = [graph.compile(device="cpu", **dict(word.split("=") for word in sys.argv[2:]))
            for _ in range(2)]
assert abs(programs[0]() - graph.evaluate()).max() < 1e-6
print(programs[0].backend, programs[0].device)
"""
# Stands for zig: its first word says which of its tools is meant.
ZIG = """#!/bin/sh
echo "$@" >>"$ZIG_CALLS"
test "$1" = c++ || exit 1
shift
case "$*" in *noseparate-code*) echo "error: unsupported linker extension flag" >&2; exit 1 ;; esac
PATH={path} exec {compiler} "$@"  # GCC looks for its assembler there
"""


class CompilerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.calls = self.folder / "calls"
        # Without the torch backend, which would be the next choice.
        import vecc
        shutil.copytree(Path(vecc.__file__).parent, self.folder / "vecc",
                        ignore=shutil.ignore_patterns("libvecc_torch*", "__pycache__"))

    def run_without_compiler(self, *words):
        """With a PATH that has none, an empty cache, and the packages of self.folder."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("VECC_CXX", "VECC_ZIG")}
        environment |= {"PATH": str(self.folder), "ZIG_CALLS": str(self.calls),
                        "VECC_CACHE_DIR": str(self.folder / "cache"),
                        "PYTHONPATH": str(self.folder)}
        done = subprocess.run([sys.executable, "-B", "-c", RUN, str(DATASETS / "xor.pb"), *words],
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_ziglang_is_found(self):
        package = self.folder / "ziglang"
        package.mkdir()
        (package / "__init__.py").touch()
        zig = package / "zig"
        zig.write_text(ZIG.format(compiler=shutil.which("c++"),
                                  path=shlex.quote(os.environ["PATH"])))
        zig.chmod(0o755)
        out, err = self.run_without_compiler("backend=cpu")
        self.assertEqual((out, err), ("cpu cpu\n", ""))
        self.assertIn("c++ ", self.calls.read_text())

    def test_none_is_said_once(self):
        try:
            import ziglang  # noqa: F401
        except ImportError:
            pass
        else:
            self.skipTest("ziglang is installed here")
        out, err = self.run_without_compiler()
        self.assertEqual(out, "cpu cpu, kernels interpreted\n")
        self.assertEqual(err.count("pip install 'vecc[compiler]'"), 1, err)


if __name__ == "__main__":
    unittest.main()
