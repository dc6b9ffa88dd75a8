"""What the tests of this folder share: graphs, and vecc run on all of them at once."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def need_gpu():
    """Ends the test as skipped where tools/test-gpu did not start it."""
    if not os.environ.get("VECC_TEST_DEVICE", "").startswith("cuda"):
        print("skipped: VECC_TEST_DEVICE is not cuda (tools/test-gpu)")
        sys.exit(SKIPPED)


def graphs_of(places):
    """Of folders the graph.pb files in them, of a file itself; a folder that is not there has none."""
    graphs = []
    for place in map(pathlib.Path, places):
        graphs += sorted(place.glob("*.pb")) if place.is_dir() else [place] if place.exists() else []
    return graphs


def run(command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


def run_all(check, cases):
    """check(*case) returns what is wrong, or nothing; prints all of that and exits with 1 if any is.
    As many at once as there are cores."""
    cases = list(cases)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(lambda case: check(*case), cases) if text]
    for text in wrong:
        print(text)
    print(f"{len(cases) - len(wrong)} of {len(cases)} passed")
    sys.exit(1 if wrong or not cases else 0)
