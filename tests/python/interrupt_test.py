"""Ctrl-C: a training ends after a step, with a checkpoint and the weights learned so far."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from command_line import MUTAGENESIS, XOR

TRAIN = """
import sys, vecc
program = vecc.load({graph!r}).compile(backend="interpreter")
before = program.weights
try:
    program.train(epochs=10**9, checkpoint={folder!r}, log_every=10**9,
                  on_epoch=lambda e: print(e["epoch"], flush=True) if e["epoch"] == 1 else None)
except KeyboardInterrupt:
    learned = max(abs(w - before[name]).max() for name, w in program.weights.items())
    assert learned > 0, learned
    program()
    program.train(epochs=1)
    print("interrupted")
"""
LOAD = """
import vecc
try:
    print("ready", flush=True)
    while True:
        vecc.load({graph!r}).compile(backend="interpreter")
except KeyboardInterrupt:
    print("interrupted")
"""


class InterruptTest(unittest.TestCase):
    def interrupt(self, script):
        """After its first line; what it printed then."""
        process = subprocess.Popen([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertTrue(process.stdout.readline())
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""))
        return out

    def test_training(self):
        with tempfile.TemporaryDirectory() as folder:
            out = self.interrupt(TRAIN.format(graph=str(XOR), folder=folder))
            self.assertEqual(out, "interrupted\n")
            self.assertTrue((Path(folder) / "last.safetensors").exists())

    def test_loading_and_compiling(self):
        self.assertEqual(self.interrupt(LOAD.format(graph=str(MUTAGENESIS))), "interrupted\n")


if __name__ == "__main__":
    unittest.main()
