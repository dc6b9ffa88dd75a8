"""fanout_bench_test.py SCRIPT: tools/bench/nn/fanout.py on little graphs."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1))


def measured(*words):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fanout.json"
        done = subprocess.run(
            [sys.executable, "-B", SCRIPT, "--nodes=400", "--degree=3", "--epochs=2",
             "--batch-size=64", "--peer-steps=3", f"--json={file}", *words],
            capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(file.read_text()), done.stdout, done.stderr


class FanoutBenchTest(unittest.TestCase):
    def test_steps_beside_torch(self):
        result, printed, _ = measured()
        self.assertEqual(result["vecc"]["steps"], 7)
        self.assertEqual(len(result["vecc"]["epochs"]), 2)
        self.assertEqual(result["vecc"]["clock_ms"],
                         min(epoch["clock_ms"] for epoch in result["vecc"]["epochs"]))
        self.assertRegex(printed, r"least: .*; 4 epochs of 7 steps")
        if importlib.util.find_spec("torch") is None:
            self.assertIn("torch", result["torch"]["skipped"])
        else:
            self.assertGreater(result["torch"]["device_ms"], 0)
            self.assertRegex(printed, r"torch [0-9.]+.*: .* ms a step, the median of 3")

    def test_features_in_the_hosts_memory(self):
        """On an emulated GPU: the same losses."""
        gpu = ["--backend=cuda", "--fanout=3,2,2", "--peers=none"]
        on_device, _, _ = measured(*gpu)
        on_host, _, said = measured(*gpu, "--place=node.x=host")
        self.assertRegex(said, r"node\.x .* host")
        self.assertEqual(*([epoch["loss"] for epoch in result["vecc"]["epochs"]]
                           for result in (on_device, on_host)))


if __name__ == "__main__":
    unittest.main()
