"""Writing, building and running emitted programs."""

import hashlib
import shutil
import subprocess
from pathlib import Path

# Bits depend on these alone; as fast to compile as it goes.
FLAGS = ["-std=c++20", "-O1", "-ffp-contract=off"]
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]  # of the runtime; kernels are generated


def run(*command, code=0, **options):
    """What a command prints, on stdout and on stderr; it must end with `code`."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != code:
        raise AssertionError(f"{command}: {done.returncode}, not {code}: {done.stderr}")
    return done.stdout, done.stderr


def can_link(compiler, flags, folder):
    """Whether there is such a compiler, with the libraries that these flags need."""
    source = folder / "empty.cc"
    source.write_text("int main() {}\n")
    command = [compiler, *flags, str(source), "-o", str(folder / "empty")]
    return shutil.which(compiler) is not None and subprocess.run(
        command, capture_output=True, check=False).returncode == 0


def text_files(folder):
    """Contents by name, of what is no data."""
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".safetensors"}


def unpack(path):
    """The header's length and the bytes of a safetensors file."""
    data = bytearray(Path(path).read_bytes())
    return 8 + int.from_bytes(data[:8], "little"), data


class Builder:
    """Compiles programs; the runtime, the same in all of them, once a set of flags."""

    flags = []  # of everything
    libraries = []  # more objects

    def __init__(self, compiler, folder):
        self.compiler = compiler
        self.folder = folder
        self.runtimes = {}

    def compile_together(self, sources, flags, target):
        unit = target.with_suffix(".all.cc")
        unit.write_text("".join(f'#include "{source}"\n' for source in sources))
        run(self.compiler, *FLAGS, *self.flags, *flags, "-c", unit, "-o", target)
        return target

    def runtime(self, program, flags):
        sources = sorted((program / "runtime").glob("*.cc"))
        text = "".join(source.read_text() for source in sources) + " ".join([self.compiler, *flags])
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self.runtimes:
            target = self.folder / f"runtime-{key[:16]}.o"
            self.runtimes[key] = self.compile_together(sources, [*WARNINGS, "-O0", *flags],
                                                       target)
        return self.runtimes[key]

    def kernels(self, program, flags):
        """The object of its kernels."""
        raise NotImplementedError

    def build(self, program, *flags):
        """The executable of an emitted program, in its folder."""
        kernels = self.kernels(program, flags)
        run(self.compiler, *flags, "-pthread", self.runtime(program, flags), kernels,
            *self.libraries, "-o", program / "program")
        return program / "program"
