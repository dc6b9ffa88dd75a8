#!/usr/bin/env python3
"""Compares vecc with PyTorch Geometric and plain torch: the same data files, the same weights.

    check.py --data DIR --set MUTAG --model gcn --dim=10
    check.py --data DIR --all --json full.json --resume
    check.py --data DIR --all --small --gradients
    check.py --data DIR --all --run=torch:cuda:f32 --run=torch:cuda:f64 --twin-device=cuda

For each case vecc-import grounds the architecture (--init=glorot --seed=1), vecc runs the graph,
and a twin with the file's weights is built from the data's original files. Tables, samples, targets
and splits are compared, then all outputs, |a - b| <= tolerance * max(1, |b|): 1e-10 in f64, 1e-5 in
f32; with --gradients also d(sum of all outputs)/d(weights), 1e-8. DIR holds the unpacked data sets
(tu_MUTAG, kg_FB15k-237, ...); --small makes sampled sub-sets of them (subset.py, odd_sets.py) and
checks those. --name=value options that are not listed go to vecc-import, as does --dim=10 above.

Exit codes: 0 all agree, 1 a case differs or failed, 2 usage.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], allow_abbrev=False)
    add = parser.add_argument
    add("--vecc", default=str(ROOT / "build/bin/vecc"))
    add("--vecc-import", default=str(ROOT / "build/bin/vecc-import"))
    add("--data", required=True, help="folder with the unpacked data sets")
    add("--set", help="one case: a data set")
    add("--model", help="one case: an architecture")
    add("--all", action="store_true", help="every case")
    add("--small", action="store_true", help="sampled sub-sets of the data, and more cases")
    add("--only", default="", help="cases whose line holds this text")
    add("--without", action="append", default=[], metavar="KIND",
        help="no cases of these sets (tu, kg, rdf, hgb): where vecc-import was built without them")
    add("--run", action="append", default=[], metavar="BACKEND[:DEVICE[:DTYPE]]",
        help="what runs the graph (default reference:cpu:f64); may stand several times")
    add("--gradients", action="store_true", help="compare gradients on the reference backend")
    add("--twin-device", default="cpu", help="where PyTorch Geometric computes")
    add("--twin-dtype", default="same", choices=("f32", "f64", "same"))
    add("--jobs", type=int, default=1, help="cases at the same time (times then mean less)")
    add("--json", help="write the rows here")
    add("--resume", action="store_true", help="keep the rows of --json that agree")
    add("--keep", help="keep files in this folder, which is made")
    known, rest = parser.parse_known_args(arguments)
    if bool(known.set) != bool(known.model) or bool(known.set) == known.all:
        parser.error("either --set and --model, or --all")
    bad = [text for text in rest if not text.startswith("--") or "=" not in text]
    if bad or (rest and known.all):
        parser.error(f"unknown arguments: {' '.join(bad or rest)} (vecc-import's are --name=value)")
    return known, dict(text[2:].split("=", 1) for text in rest)


def usage_error(message):
    print(f"check.py: {message}", file=sys.stderr)
    return 2


def cases_of(known, options):
    from cases import SETS, Case, full_cases, small_cases
    if not known.all:
        return [Case(known.set, known.model, options)]
    cases = small_cases() if known.small else full_cases()
    return [case for case in cases
            if known.only in str(case) and SETS[case.set][0] not in known.without]


def check_all(known, cases, runs, folder):
    from check_case import DataSets
    from parallel import check_in_parallel
    from report import Report
    from small_sets import make_small_sets
    begin = time.monotonic()
    data = Path(known.data)
    if known.small:
        data = folder / "data"
        missing = make_small_sets(known.data, data, {case.set for case in cases})
        if missing:
            print(f"not in {known.data}, so left out: {', '.join(sorted(missing))}")
            if os.environ.get("CI") == "true":
                return 1
            cases = [case for case in cases if case.set not in missing]
    report = Report(known.json, known.resume)
    work = [(case, [run for run in runs if not report.has(case, run)]) for case in cases]
    work = [(case, left) for case, left in work if left]
    for rows in check_in_parallel(work, known, DataSets(data, whole=not known.small), folder):
        for row in rows:
            report.add(row)
    return report.finish(time.monotonic() - begin)


def main(arguments):
    known, options = parse_arguments(arguments)
    missing = [path for path in (known.vecc, known.vecc_import) if not shutil.which(path)]
    if missing:
        return usage_error(f"not there or not executable: {', '.join(missing)}")
    from vecc_run import Run
    from cases import SETS
    if known.set and known.set not in SETS:
        return usage_error(f"unknown set {known.set}; there are: {', '.join(SETS)}")
    runs = [Run.parse(text) for text in known.run] or [Run()]
    cases = cases_of(known, options)
    if known.keep:
        Path(known.keep).mkdir(parents=True, exist_ok=True)
        return check_all(known, cases, runs, Path(known.keep))
    with tempfile.TemporaryDirectory(prefix="vecc-peers-") as folder:
        return check_all(known, cases, runs, Path(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
