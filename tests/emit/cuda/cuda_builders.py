"""Building emitted CUDA programs: for a GPU, or for one that the host emulates."""

import os
import re
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "native"))
from emitted import FLAGS, Builder, run  # noqa: E402

ROOT = Path(__file__).parents[3]
EMULATOR = Path(__file__).parent / "emulator"


def on_gpu():
    return os.environ.get("VECC_TEST_DEVICE", "").startswith("cuda")


def find_nvcc():
    """None where there is no nvcc."""
    folders = [os.environ.get(name, "/nowhere") for name in ("CUDA_HOME", "CUDA_PATH")]
    for candidate in ("nvcc", *(f"{folder}/bin/nvcc" for folder in (*folders, "/usr/local/cuda"))):
        if found := shutil.which(candidate):
            return found
    return None


class EmulatedBuilder(Builder):
    """The program as C++ of the host."""

    flags = [f"-I{EMULATOR}", f"-I{ROOT}"]

    def __init__(self, compiler, folder):
        super().__init__(compiler, folder)
        target = folder / "emulator.o"
        self.compile_together([EMULATOR / "runtime.cc", ROOT / "tests/cuda/emulator/block.cc"], [],
                              target)
        self.libraries = [target]

    def kernels(self, program, flags):
        # All in one file, so each `Bound` has a name of its own. Arguments are read where they are.
        parts = [f'#include "{ROOT}/tests/cuda/emulator/device_words.h"\n']
        for number, path in enumerate(sorted((program / "kernels").glob("*.cu"))):
            text = re.sub(r"\bBound\b", f"Bound{number}", path.read_text())
            parts.append(re.sub(r"const __grid_constant__ (vecc_kernel::Bound\d+) a",
                                r"const \1& a", text))
        unit = program / "kernels" / "all.cc"
        unit.write_text("".join(parts))
        run(self.compiler, *FLAGS, "-w", *flags, "-c", unit, "-o", program / "kernels.o")
        unit.unlink()
        table = self.compile_together([program / "kernels" / "table.cc"], flags,
                                      program / "table.o")
        run("ld", "-r", program / "kernels.o", table, "-o", program / "all.o")
        return program / "all.o"


class GpuBuilder:
    """The program as its CMakeLists.txt builds it, for the GPU at hand."""

    def build(self, program):
        return shutil.copy(build_with_cmake(program), program / "program")


def build_with_cmake(program, *options):
    build = program / "build"
    run("cmake", "-S", program, "-B", build, f"-DCMAKE_CUDA_COMPILER={find_nvcc()}", *options)
    run("cmake", "--build", build, f"-j{os.cpu_count()}")
    return build / "program"
