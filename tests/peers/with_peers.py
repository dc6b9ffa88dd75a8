"""with_peers.py [--needs=NAME,...] SCRIPT ARGS: runs it with a Python that has torch, torch_geometric
and numpy (or the packages named): this one or that of .venv. Where there is none it leaves with 77
(CTest: skipped); with CI=true it fails.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
NEEDS = ("torch", "torch_geometric", "numpy")


def has_packages(python, names):
    """Finding a package does not import it, which takes seconds."""
    probe = ("import importlib.util as u, sys; "
             f"sys.exit(not all(u.find_spec(name) for name in {names}))")
    return subprocess.run([python, "-c", probe], check=False).returncode == 0


def requirements(needs):
    folders = {"neuralogic": "tools/neuralogic-bridge", "mypy": "tools/python", "pykeen": "tools/bench/kg"}
    folder = next((folders[name] for name in needs if name in folders), "tools/bench/pyg")
    return f"{folder}/requirements.txt"


def main():
    command, needs = sys.argv[1:], NEEDS
    if command[0].startswith("--needs="):
        needs = tuple(command.pop(0).removeprefix("--needs=").split(","))
    pythons = [sys.executable, str(ROOT / ".venv" / "bin" / "python")]
    for python in pythons:
        if os.access(python, os.X_OK) and has_packages(python, needs):
            sys.exit(subprocess.run([python, "-B", *command], check=False).returncode)
    print(f"{', '.join(needs)} are not installed in {' or '.join(pythons)}; to have them:\n"
          f"  python3 -m venv {ROOT}/.venv && {ROOT}/.venv/bin/pip install "
          f"-r {ROOT}/requirements.txt -r {ROOT}/{requirements(needs)}")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


if __name__ == "__main__":
    main()
