"""Lets the tests import tools/bench/pyg and tools/golden."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("tools/bench/pyg", "tools/golden"):
    sys.path.insert(0, str(ROOT / folder))
