"""programs_test.py VECC VECC_OPT VECC_IMPORT COMPILER GRAPHS...: emitted C++ programs beside vecc
itself: the same bits, other weights, bad files, and what sanitizers say."""

import os
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "native"))
from emitted import Builder, can_link, run  # noqa: E402
from program_tests import Programs, write_long_row  # noqa: E402

VECC, VECC_OPT, VECC_IMPORT, COMPILER = sys.argv[1:5]
GRAPHS = {Path(path).stem: path for path in sys.argv[5:]}
THREADS = 7


class CppBuilder(Builder):
    flags = ["-march=native"]

    def kernels(self, program, flags):
        return self.compile_together(sorted((program / "kernels").glob("*.cc")), flags,
                                     program / "kernels.o")


class CppPrograms(Programs, unittest.TestCase):
    language, backend, number_option = "cpp", "cpu", "--threads"
    vecc, vecc_opt, vecc_import, graphs = VECC, VECC_OPT, VECC_IMPORT, GRAPHS

    @classmethod
    def make_builder(cls):
        return CppBuilder(COMPILER, cls.folder)

    def large_graph(self):
        """Of launches with several tiles, which threads share out."""
        return self.synth("--nodes=900", "--edges=4000", "--types=3", "--model=rgat", "--dim=8")

    def test_the_same_bits_as_the_cpu_backend(self):
        self.check_same_bits([
            ("xor", "-O2"), ("mutagenesis", "-O2"), ("mutagenesis", "-O0", "--dtype=f64"),
            ("attention", "-O2", "--dtype=f64"), ("functions-aggregations", "-O0"),
            ("functions-combinations", "-O0", "--dtype=f64"), ("functions-transformations", "-O2")])

    def test_number_of_threads(self):
        program = self.program("mutagenesis", "-O2")
        self.assertEqual(run(program, "--threads=2")[0], run(program, "--threads=1")[0])

    def test_rows_that_no_stack_has_room_for(self):
        graph = self.folder / "long.pb"
        write_long_row(graph, 1 << 18)
        for options in (("-O0",), ("-O0", "--dtype=f64")):
            program = self.builder.build(self.emit(graph, *options))
            self.assertEqual(run("sh", "-c", f"ulimit -s 512; exec '{program}'")[0],
                             self.expected(graph, *options))

    def test_cmake_builds_it(self):
        program = self.emit(GRAPHS["xor"])
        run("cmake", "-S", program, "-B", program / "build", f"-DCMAKE_CXX_COMPILER={COMPILER}",
            "-DCMAKE_BUILD_TYPE=Debug")
        run("cmake", "--build", program / "build", "-j2")
        self.assertEqual(run(program / "build" / "program")[0], self.expected(GRAPHS["xor"]))

    # What sanitizers say: all launches of several tiles are shared out, by 7 threads.

    def check_sanitized(self, graphs, *flags):
        """With clang, which sees more, where it is there with its libraries."""
        compilers = [c for c in ("clang++", COMPILER) if can_link(c, flags, self.folder)]
        if not compilers:
            self.skipTest(f"no compiler has {flags}")
        builder = CppBuilder(compilers[0], self.folder)
        for graph in graphs:
            with self.subTest(graph=graph):
                program = builder.build(self.emit(graph), "-g", "-fno-sanitize-recover=all", *flags)
                out, errors = run(program, f"--threads={THREADS}", "--shared-work=0", "--repeat=3")
                self.assertEqual(out, self.expected(graph))
                self.assertEqual(len(errors.splitlines()), 1, errors)  # the times

    def test_no_error_of_addresses_or_undefined(self):
        self.check_sanitized([self.large_graph(), GRAPHS["functions-aggregations"]],
                             "-fsanitize=address,undefined")

    def test_no_race(self):
        self.check_sanitized([self.large_graph()], "-fsanitize=thread")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + os.environ.get("TESTS", "").split())
