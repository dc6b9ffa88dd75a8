"""vecc.neuralogic where JVM or jars are not as they should be, and Ctrl-C: each in a process."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import neuralogic

import vecc

PACKAGE = Path(vecc.__file__).parent
NEURALOGIC = Path(neuralogic.__file__).parent / "jar" / "NeuraLogic.jar"
MODEL = """
import sys
import neuralogic
from neuralogic.core import Model, R, Settings, V
from neuralogic.dataset import Dataset, Sample
import vecc
import vecc.neuralogic as vn

def build():
    model = Model()
    model += R.q[1, 3] <= R.a(V.X)
    model.build(Settings())
    return model, model.build_dataset(Dataset([Sample(R.q[1.0], [R.a(0)[[1, 2, 3]]])]))

def fail(*arguments):
    try:
        vn.export(*arguments, sys.argv[1])
    except vecc.Error as error:
        print(error.exit_code, error)
"""
TRAIN = MODEL + """
model, built = build()
before = model.state_dict()
def first(epoch):
    if epoch["epoch"] == 1:
        print("ready", flush=True)
try:
    vn.train(model, built, epochs=10**9, log_every=10**9, backend="interpreter", on_epoch=first)
except KeyboardInterrupt:
    assert model.state_dict() != before
    vn.train(model, built, epochs=1)
    print("interrupted", flush=True)
"""


def copy_jar(source, target, change):
    """`change`: of a name and its bytes; None leaves it out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            data = change(entry.filename, old.read(entry))
            if data is not None:
                new.writestr(entry, data)


class JvmTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.graph = self.folder / "graph.pb"

    def run_script(self, script, *paths):
        """Its stdout; what it exported is not there."""
        path = os.pathsep.join(map(str, [*paths, PACKAGE.parent]))
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-B", "-c", script, self.graph], check=False,
                              capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.graph.exists())
        return done.stdout

    def package_with(self, jar):
        """A copy of the package with this jar, or none."""
        package = self.folder / "python" / "vecc"
        package.mkdir(parents=True)
        for file in PACKAGE.iterdir():
            if file.suffix != ".jar" and file.is_file():
                (package / file.name).symlink_to(file.resolve())
        if jar:
            shutil.copy(jar, package / "vecc-neuralogic.jar")
        return package.parent

    def test_no_jar(self):
        out = self.run_script(MODEL + "fail(*build())", self.package_with(None))
        self.assertRegex(out, "2 vecc.neuralogic: error: .*vecc-neuralogic.jar is not there: build")

    def test_a_jar_of_another_version(self):
        ours, other = vecc.__version__, "x" + vecc.__version__[1:]
        jar = self.folder / "other.jar"

        def change(name, data):
            is_it = name == "vecc/neuralogic/Version.class"
            return data.replace(ours.encode(), other.encode()) if is_it else data

        copy_jar(PACKAGE / "vecc-neuralogic.jar", jar, change)
        out = self.run_script(MODEL + "fail(*build())", self.package_with(jar))
        self.assertIn(f"vecc-neuralogic.jar of version {other}, expected {ours}", out)

    def test_a_jar_of_something_else(self):
        jar = self.folder / "other.jar"
        copy_jar(PACKAGE / "vecc-neuralogic.jar", jar, lambda name, data: None)
        out = self.run_script(MODEL + "fail(*build())", self.package_with(jar))
        self.assertIn("vecc-neuralogic.jar of version None, expected", out)

    def test_another_jar_of_neuralogic(self):
        jar = self.folder / "NeuraLogic.jar"
        copy_jar(NEURALOGIC, jar,
                 lambda name, data: None if name.endswith("/joint/AtIndex.class") else data)
        script = MODEL + f"neuralogic.initialize(jar_path={str(jar)!r})\nfail(*build())"
        self.assertRegex(self.run_script(script), "jar is not that of neuralogic 0.9.2.*AtIndex")

    def test_no_jvm(self):
        out = self.run_script(MODEL + "fail(None, None)\narguments = build()\n"
                              "neuralogic.shutdown()\nfail(*arguments)")
        self.assertEqual(out.count("PyNeuraLogic's JVM does not run: it is started by"), 2)

    def test_no_neuralogic(self):
        (self.folder / "neuralogic.py").write_text("raise ImportError('none here')", "utf-8")
        script = "try:\n    import vecc.neuralogic\nexcept ImportError as error:\n    print(error)"
        self.assertIn("needs PyNeuraLogic: pip install neuralogic==0.9.2 (none here)",
                      self.run_script(script, self.folder))

    def test_interrupt(self):
        with subprocess.Popen([sys.executable, "-B", "-c", TRAIN], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            while process.stdout.readline() not in ("ready\n", ""):
                pass  # NeuraLogic's log
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out.splitlines()[-1:]), (0, ["interrupted"]), err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])  # without those of the other tests
