"""Whether every include, and every library that is linked, is of the own layer or of a lower one,
and whether public headers show no Boost.

check_layers.py ROOT: the order is in ROOT/tests/scripts/layers.txt.
"""

import os
import re
import sys
from pathlib import Path

SOURCES = (".cc", ".h", ".def", ".proto")
INCLUDE = re.compile(r'^#\s*include "([^"]+)"')
DEFINE = re.compile(r"\b(vecc_library|vecc_test|add_library|add_executable)\(\s*(\S+)([^)]*)\)")
LINK = re.compile(r"\b(target_link_libraries)\(\s*(\S+)([^)]*)\)")


def read_layers(file):
    """The folders of the list, lowest first."""
    lines = (line.split() for line in file.read_text().splitlines())
    return [words[0] for words in lines if words and words[0] != "#"]


class Layers:
    def __init__(self, folders):
        self.rank = {folder: rank for rank, folder in enumerate(folders)}

    def of(self, path):
        """The longest folder of the list that `path` is in; None if there is none."""
        return next((str(folder) for folder in Path(path).parents if str(folder) in self.rank), None)

    def fault(self, user, used):
        """Why the file `user` may not use the file `used`, or None."""
        upper, lower = self.of(user), self.of(used)
        if upper is None or lower is None:
            return f"{used if lower is None else user} is in no layer"
        return f"{upper} stands below {lower}" if self.rank[lower] > self.rank[upper] else None


def files_of(root, folders):
    for top in sorted({folder.split("/")[0] for folder in folders}):
        for folder, _, names in os.walk(root / top):
            for name in sorted(names):
                yield (Path(folder) / name).relative_to(root).as_posix()


def included_file(root, user, name):
    """The file that it names; None if it is made by the build."""
    beside = Path(user).parent / name
    paths = map(os.path.normpath, (name, f"include/{name}", beside))
    return next((path for path in paths if (root / path).is_file()), None)


def include_faults(root, layers, files):
    for file in files:
        if not file.endswith(SOURCES):
            continue
        if layers.of(file) is None:
            yield f"{file}: is in no layer"
            continue
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            if file.startswith("include/") and "boost" in line.split("//")[0]:
                yield f"{file}:{number}: public headers show no Boost"
            match = INCLUDE.match(line)
            used = included_file(root, file, match[1]) if match else None
            fault = layers.fault(file, used) if used else None
            if fault:
                yield f"{file}:{number}: includes {used}: {fault}"


def link_faults(root, layers, files):
    lists = {file: re.sub(r"#.*", "", (root / file).read_text())
             for file in files if file.endswith("CMakeLists.txt")}
    owner = {match[2]: file for file, text in lists.items() for match in DEFINE.finditer(text)}
    for file, text in lists.items():
        for match in [*DEFINE.finditer(text), *LINK.finditer(text)]:
            for used in match[3].split():
                fault = layers.fault(file, owner[used]) if used in owner else None
                if fault:
                    yield f"{file}: {match[2]} links {used}: {fault}"


def faults(root):
    folders = read_layers(root / "tests/scripts/layers.txt")
    layers = Layers(folders)
    files = list(files_of(root, folders))
    yield from (f"layers.txt: {folder} has no files" for folder in folders
                if not any(file.startswith(folder + "/") for file in files))
    yield from include_faults(root, layers, files)
    yield from link_faults(root, layers, files)


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
