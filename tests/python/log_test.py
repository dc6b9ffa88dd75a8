"""log_test.py VECC DATASETS: what the debug log says of stages, which VECC_LOG_LEVEL asks for."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

RUN = ('import sys, vecc; program = vecc.load(sys.argv[1]).compile(backend="cpu", cache=False); '
       'program.train(epochs=1, lr=0.1); print("done")')
XOR = Path(sys.argv[2]) / "xor.pb"


def stages(**level):
    """What a training writes to stderr."""
    kept = {name: value for name, value in os.environ.items() if name != "VECC_LOG_LEVEL"}
    done = subprocess.run([sys.executable, "-B", "-c", RUN, str(XOR)], env={**kept, **level},
                          capture_output=True, text=True, check=True)
    assert done.stdout == "done\n", done.stdout
    return done.stderr


class Log(unittest.TestCase):
    def test_stages_are_timed(self):
        lines = stages(VECC_LOG_LEVEL="debug").splitlines()
        timed = [re.fullmatch(r"\[debug\] (.*): [0-9.]+ s, of cores [0-9.]+ \+ [0-9.]+ s, [0-9]+ "
                              r"page faults; .* held, .* at most", line) for line in lines]
        names = [match[1] for match in timed if match]
        self.assertEqual(names.count("pass iso-compress"), 2)  # of the graph's and of the step's
        for name in ("take the program", "differentiate", "plan: analyze", "plan: lower",
                     "plan: assemble", "plan: place buffers", "plan: verify", "prepare steps",
                     "prepare evaluations", "evaluate"):
            self.assertIn(name, names)

    def test_nothing_is_logged_else(self):
        self.assertEqual(stages(), "")
        self.assertEqual(stages(VECC_LOG_LEVEL="warn"), "")
        self.assertEqual(stages(VECC_LOG_LEVEL=""), "")

    def test_a_level_that_is_none_is_refused(self):
        done = subprocess.run([sys.executable, "-B", "-c", "import vecc"],
                              env={**os.environ, "VECC_LOG_LEVEL": "DEBUG"}, capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("VECC_LOG_LEVEL: found DEBUG, expected trace, debug, info, warn, error or off",
                      done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
