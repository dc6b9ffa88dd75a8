"""Runs commands for vecc_run.py and measures them: one JSON list of arguments a line on stdin, one
JSON answer a line on stdout. A small process of its own, since Linux counts what a process held
when it forked to the child's most memory."""

import json
import os
import subprocess
import sys
import time


def run(command):
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        words = process.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return {"code": process.returncode, "seconds": time.monotonic() - begin,
            "megabytes": usage.ru_maxrss / 1024, "words": words}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
