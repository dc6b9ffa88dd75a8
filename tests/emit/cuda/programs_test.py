"""programs_test.py VECC VECC_OPT VECC_IMPORT COMPILER EMULATOR GRAPHS...: emitted CUDA programs
beside vecc itself: the same bits as the cuda backend, other weights, bad files. With
VECC_TEST_DEVICE=cuda on a GPU, else on one that the host emulates (EMULATOR is its driver and its
NVRTC)."""

import os
import sys
import unittest
from pathlib import Path

from cuda_builders import EmulatedBuilder, GpuBuilder, find_nvcc, on_gpu
from emitted import run, text_files
from program_tests import Programs, write_long_row

VECC, VECC_OPT, VECC_IMPORT, COMPILER, EMULATOR = sys.argv[1:6]
GRAPHS = {Path(path).stem: path for path in sys.argv[6:]}
if not on_gpu():
    # As large as the GPU that programs are planned for: the same loops, the same order of sums.
    os.environ.update(VECC_CUDA_DRIVER=EMULATOR, VECC_NVRTC=EMULATOR,
                      VECC_EMULATED_MULTIPROCESSORS="132")


class CudaPrograms(Programs, unittest.TestCase):
    language, backend, number_option = "cuda", "cuda", "--device"
    vecc, vecc_opt, vecc_import, graphs = VECC, VECC_OPT, VECC_IMPORT, GRAPHS

    @classmethod
    def make_builder(cls):
        return GpuBuilder() if on_gpu() else EmulatedBuilder(COMPILER, cls.folder)

    def test_the_same_bits_as_the_cuda_backend(self):
        self.check_same_bits([
            ("xor", "-O2"), ("mutagenesis", "-O2"), ("attention", "-O2", "--dtype=f64"),
            ("functions-aggregations", "-O0"), ("functions-combinations", "-O0", "--dtype=f64"),
            ("functions-transformations", "-O2")])

    def check_same_text(self, few, many):
        """A kernel has several levels in it, the last one the rest of them."""
        self.assertEqual(few.keys(), many.keys())
        self.assertLess(len("".join(many.values())), 1.2 * len("".join(few.values())))

    def test_lists_of_16_and_of_32_bits_and_types(self):
        graph = self.synth("--nodes=300", "--edges=1500", "--types=3", "--model=rgat", "--dim=8")
        self.assertEqual(run(self.builder.build(self.emit(graph)))[0], self.expected(graph))
        # 70,000 rows have numbers that no 16 bits hold.
        graph = self.synth("--nodes=70000", "--edges=1000", "--types=2", "--model=rgcn", "--dim=2")
        program = self.builder.build(self.emit(graph, "-O0"))
        self.assertEqual(run(program)[0], self.expected(graph, "-O0"))

    def test_matrices_that_blocks_share(self):
        graph = self.synth("--nodes=60", "--edges=300", "--types=2", "--model=rescal", "--dim=150")
        program = self.emit(graph)
        kernels = "".join(path.read_text() for path in (program / "kernels").glob("*.cu"))
        self.assertIn("times_large_matrix<", kernels)
        exact = self.expected(graph)
        self.assertEqual(run(self.builder.build(program))[0], exact)
        option = "--matmul-precision=tf32x3"
        expected = self.expected(graph, option)
        self.assertEqual(run(self.builder.build(self.emit(graph, option)))[0], expected)
        self.assertNotEqual(expected, exact)

    def test_rows_that_no_thread_has_memory_for(self):
        graph, target = self.folder / "long.pb", self.folder / "too-long"
        write_long_row(graph, 1 << 18)
        for options in ((f"--emit={self.language}", "-o", target), (f"--backend={self.backend}",)):
            out, errors = run(self.vecc, graph, "--quiet", "-O0", *options, code=5)
            self.assertEqual(out, "")
            self.assertRegex(errors, r"^cuda: error: of a row of 262144x1 numbers each thread would "
                                     r"keep .* MB, expected at most 512.0 KB; .*--backend=cpu, "
                                     r"--emit=cpp \[E061\]\n$")
        self.assertFalse(list(self.folder.glob("too-long*")))

    def test_tensor_cores(self):
        graph = self.synth("--nodes=100", "--edges=600", "--types=2", "--model=rgcn", "--dim=32")
        exact = self.expected(graph)
        for precision in ("tf32", "bf16"):
            option = f"--matmul-precision={precision}"
            with self.subTest(precision=precision):
                expected = self.expected(graph, option)
                self.assertEqual(run(self.builder.build(self.emit(graph, option)))[0], expected)
                self.assertNotEqual(expected, exact)
        # Where nothing is wide enough it is the same program but for the name of the oldest GPU.
        few, many = (text_files(self.emit(GRAPHS["mutagenesis"], f"--matmul-precision={precision}"))
                     for precision in ("exact", "tf32"))
        self.assertEqual([name for name in few if few[name] != many[name]], ["CMakeLists.txt"])
        self.assertEqual(few.keys(), many.keys())

    def test_runs_again_and_times(self):
        program = self.program("xor", "-O2")
        out, errors = run(program, "--repeat=5")
        self.assertEqual(out, run(program)[0])
        self.assertRegex(errors, r"^5 runs: median \d+\.\d us, least \d+\.\d us\n$")

    def test_a_gpu_that_is_not_there(self):
        out, errors = run(self.program("xor", "-O2"), "--device=4096", code=5)
        self.assertEqual(out, "")
        self.assertRegex(errors, r"^cuda:4096: error: (the only GPU is|GPUs are cuda:0 to) cuda:\d+ "
                                 r"\(nvidia-smi -L, CUDA_VISIBLE_DEVICES\)\n$")

    @unittest.skipIf(on_gpu(), "of the emulator")
    def test_no_gpu_and_no_memory(self):
        program = self.program("xor", "-O2")
        none = ("cuda:0: error: no GPU can be used (nvidia-smi shows GPUs and the driver): "
                "emulatedError: there is none")
        for variable, message in (("EMULATED_GPUS", none),
                                  ("EMULATED_MEMORY", "cuda:0 emulator: error: needs ")):
            out, errors = run(program, code=5, env={**os.environ, variable: "0"})
            self.assertEqual(out, "")
            self.assertIn(message, errors)
        self.assertRegex(errors, r"needs .* \(arena .* B, constants .* B, weights .* B, "
                                 r"indices .* B\), free are 0 B\n$")


if __name__ == "__main__":
    if on_gpu() and find_nvcc() is None:
        print("nvcc is not there: nothing compiles what --emit=cuda writes")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + os.environ.get("TESTS", "").split())
