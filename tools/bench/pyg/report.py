"""The rows of check.py: a table line by line as they come, and a JSON file that a later call with
--resume goes on from."""

import json
import os
import sys
from pathlib import Path

COLUMNS = [  # key, title, width (negative: to the left), format
    ("set", "set", -13, "{}"),
    ("variant", "model", -44, "{}"),
    ("run", "run", -17, "{}"),
    ("nodes", "nodes", 7, "{}"),
    ("edges", "edges", 8, "{}"),
    ("neurons", "neurons", 9, "{}"),
    ("outputs", "outputs", 8, "{}"),
    ("difference", "max diff", 9, "{:.1e}"),
    ("tolerance", "tol", 6, "{:.0e}"),
    ("gradient_difference", "grad diff", 9, "{:.1e}"),
    ("import_seconds", "import s", 8, "{:.2f}"),
    ("import_mb", "MB", 6, "{}"),
    ("vecc_seconds", "vecc s", 7, "{:.2f}"),
    ("twin_seconds", "PyG s", 7, "{:.2f}"),
    ("verdict", "verdict", -7, "{}"),
]


def line_of(cells):
    return "  ".join(f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}"
                     for cell, (_, _, width, _) in zip(cells, COLUMNS)).rstrip()


class Report:
    def __init__(self, path, resume):
        self.path = Path(path) if path else None
        self.rows = []
        if resume and self.path and self.path.exists():
            self.rows = [row for row in json.loads(self.path.read_text(encoding="utf-8"))["rows"]
                         if row["verdict"] == "agrees"]
        print(line_of([title for _, title, _, _ in COLUMNS]))
        for row in self.rows:
            self.show(row)

    def has(self, case, run):
        return any(row["case"] == str(case) and row["run"] == str(run) for row in self.rows)

    def add(self, row):
        self.rows.append(row)
        self.show(row)
        if self.path:
            text = json.dumps({"rows": self.rows}, indent=1)
            unfinished = self.path.with_name(self.path.name + ".tmp")
            unfinished.write_text(text + "\n", encoding="utf-8")
            os.replace(unfinished, self.path)

    def show(self, row):
        cells = dict(row, variant=row["case"].split(" ", 1)[1])
        print(line_of([form.format(cells[key]) if cells.get(key) is not None else "-"
                       for key, _, _, form in COLUMNS]), flush=True)
        for why in row.get("why", []):
            print(f"    {why}", flush=True)

    def finish(self, seconds):
        """The exit code."""
        bad = [row for row in self.rows if row["verdict"] != "agrees"]
        print(f"{len(self.rows) - len(bad)} of {len(self.rows)} agree, {seconds:.0f} s")
        for row in bad:
            print(f"{row['verdict']}: {row['case']} on {row['run']}", file=sys.stderr)
        return 1 if bad else 0
