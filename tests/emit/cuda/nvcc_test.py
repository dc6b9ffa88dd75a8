"""nvcc_test.py VECC VECC_OPT VECC_IMPORT COMPILER EMULATOR GRAPHS...: what --emit=cuda writes
compiles with nvcc, as its CMakeLists.txt and its README.md say. Exit code 77 (skipped) where there
is none."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

from cuda_builders import build_with_cmake, find_nvcc, on_gpu
from emitted import run

VECC, _, VECC_IMPORT = sys.argv[1:4]
GRAPHS = {Path(path).stem: path for path in sys.argv[6:]}


class Nvcc(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.program = Path(self.temporary.name) / "program"

    def tearDown(self):
        self.temporary.cleanup()

    def emit(self, name, *options):
        run(VECC, GRAPHS[name], "--quiet", "--emit=cuda", "-o", self.program, *options)

    def check_leaves_without_gpu(self, program):
        """On a machine that has none it says so; on another one it runs."""
        if on_gpu():
            return
        out, errors = run(program, code=5, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(out, "")
        self.assertIn("cuda:0: error: no GPU can be used (nvidia-smi shows GPUs and the driver): "
                      "cudaError", errors)

    def test_cmake(self):
        self.emit("mutagenesis")
        self.check_leaves_without_gpu(build_with_cmake(self.program))

    def test_tensor_cores(self):
        """Without a GPU for the oldest that has them; for an older one it does not compile."""
        graph = Path(self.temporary.name) / "synth.pb"
        run(VECC_IMPORT, "synth", "--quiet", "-o", graph, "--nodes=40", "--edges=90", "--types=2",
            "--model=rgcn", "--dim=32")
        run(VECC, graph, "--quiet", "--emit=cuda", "-o", self.program, "--matmul-precision=bf16")
        self.check_leaves_without_gpu(build_with_cmake(self.program))
        kernel = next(path for path in sorted((self.program / "kernels").glob("*.cu"))
                      if "times_tensor_block" in path.read_text())
        _, errors = run(find_nvcc(), "-arch=sm_75", "-c", kernel, "-o", "/dev/null", code=1)
        self.assertIn("TF32 and BF16 need a GPU of compute capability 8.0 or newer", errors)

    def test_matrices_that_blocks_share(self):
        """With copies that go on by themselves (from 8.0 on), and without."""
        graph = Path(self.temporary.name) / "synth.pb"
        run(VECC_IMPORT, "synth", "--quiet", "-o", graph, "--nodes=40", "--edges=90", "--types=2",
            "--model=rescal", "--dim=150")
        run(VECC, graph, "--quiet", "--emit=cuda", "-o", self.program)
        kernel = next(path for path in sorted((self.program / "kernels").glob("*.cu"))
                      if "times_large_matrix<" in path.read_text())
        for arch in ("sm_75", "sm_90"):
            run(find_nvcc(), f"-arch={arch}", "-std=c++17", "--extended-lambda", "-fmad=false", "-c",
                kernel, "-o", "/dev/null")

    def test_one_line(self):
        self.emit("xor", "--dtype=f64")
        readme = (self.program / "README.md").read_text()
        line = next(line for line in readme.splitlines() if line.startswith("nvcc "))
        if not on_gpu():
            line = line.replace("-arch=native", "-arch=sm_90")
        run("sh", "-c", line.replace("nvcc", find_nvcc(), 1), cwd=self.program)
        self.check_leaves_without_gpu(self.program / "program")


if __name__ == "__main__":
    if find_nvcc() is None:
        print("nvcc is not there: nothing compiles what --emit=cuda writes")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + os.environ.get("TESTS", "").split())
