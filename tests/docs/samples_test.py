#!/usr/bin/env python3
"""samples_test.py SOURCE BIN PAGE...: what pages show is what the programs print.

A block that stands behind the comment `<!-- shown: FILTER -->` begins with `$ COMMAND`. The command
runs in SOURCE with BIN in front of PATH and a folder $T, the same for a page; what it prints goes
through FILTER (`cat`: all of it). A block of Mermaid behind `<!-- drawn: COMMAND -->` is what that
command prints. VECC_REBASE=1 writes what comes out into the page, for review.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"(<!-- shown: (.+?) -->\n```\w*\n\$ (.+)\n)((?:(?!```).*\n)*)(?=```)")
PICTURE = re.compile(r"(<!-- drawn: (.+?) -->\n```mermaid\n)((?:(?!```).*\n)*)(?=```)")


def printed(command, shown, root, environment):
    """stdout of `command | FILTER`, with spaces at line ends cut, as the pages have it."""
    run = subprocess.run(["bash", "-c", f"set -o pipefail\n{{ {command}\n}} | {{ {shown}\n}}"],
                         cwd=root, env=environment, capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        raise RuntimeError(f"`{command}` ended with {run.returncode}:\n{run.stderr}")
    return "".join(line.rstrip() + "\n" for line in run.stdout.splitlines())


def check(page, root, programs):
    """The page with its blocks as they are printed now, and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "T": folder, "PATH": f"{programs}:{os.environ['PATH']}",
                       "VECC_CACHE_DIR": f"{folder}/cache", "NO_COLOR": "1"}

        def replace(block):
            return block[1] + printed(block[3], block[2], root, environment)

        def draw(picture):
            return picture[1] + printed(picture[2], "cat", root, environment)

        text, blocks = BLOCK.subn(replace, page.read_text())
        text, pictures = PICTURE.subn(draw, text)
        return text, blocks + pictures


def main():
    root, programs = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    failed = False
    for name in sys.argv[3:]:
        page = root / name
        text, blocks = check(page, root, programs)
        if blocks == 0:
            print(f"{name}: no block is shown by a command")
            failed = True
        elif text != page.read_text():
            if os.environ.get("VECC_REBASE") == "1":
                page.write_text(text)
                continue
            failed = True
            sys.stdout.writelines(difflib.unified_diff(
                page.read_text().splitlines(True), text.splitlines(True), name, "what is printed"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
