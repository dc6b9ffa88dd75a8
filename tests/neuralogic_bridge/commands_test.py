"""The commands of vecc-neuralogic as a user types them.

    commands_test.py LAUNCHER VECC NEURALOGIC_JAR
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "support"))
from safetensors_file import read_tensors, write_tensors

LAUNCHER, VECC, JAR = sys.argv[1:4]
XOR = Path(JAR).parents[1] / "utils/data/datasets/simple/xor/vectorized"
SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # faster where Java runs for a second
INPUTS = ["-t", str(XOR / "template.txt"), "-e", str(XOR / "trainExamples.txt")]
EMBEDDINGS = "{1,3} q(X) :- {3,3} f(X), {3,3} a(X).\n{3} f(x).\n{3} f(y).\n"
EXAMPLES = "<0.3> q(x), <1> q(y) :- <[0.5,-0.2,0.9]> a(x), <[0.1,0.7,-0.4]> a(y).\n"


def run(*arguments, program=LAUNCHER, cwd=None, **environment):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, "JAVA_OPTS": SHORT_RUN, **environment})


def rows(text):
    return [line.split("\t") for line in text.splitlines()]


class Commands(unittest.TestCase):
    known = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def succeed(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def fail_with(self, status, text, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertIn(text, done.stderr)
        return done

    def trained(self):
        """Weights that vecc changed, and its outputs with them."""
        graph, weights = self.folder / "graph.pb", self.folder / "w.safetensors"
        if not Commands.known:
            self.succeed("export", *INPUTS, "-o", graph, "--quiet")
            done = self.succeed(graph, "--train", "--epochs=20", "--lr=0.1", "--dtype=f64", "--quiet",
                                f"--save-weights={weights}", program=VECC)
            Commands.known = weights.read_bytes(), rows(done.stdout)
        weights.write_bytes(Commands.known[0])
        return weights, Commands.known[1]


class Export(Commands):
    def test_vecc_reads_it_and_agrees(self):
        graph = self.folder / "graph.pb"
        done = self.succeed("export", *INPUTS, "-o", graph)
        self.assertRegex(done.stderr, r"(?s)ground .*4 samples.*scan .*16 neurons, 2 weights.*export ")
        vecc = rows(self.succeed(graph, "--backend=reference", "--quiet", program=VECC).stdout)
        own = rows(self.succeed("evaluate", *INPUTS, "--quiet").stdout)
        self.assertEqual([row[0] for row in vecc], [row[0] for row in own])
        for ours, theirs in zip(vecc, own):
            self.assertAlmostEqual(float(ours[1]), float(theirs[2]), delta=1e-12)

    def test_a_template_of_this_folder_with_an_import(self):
        for name, text in (("t.txt", "import ./more.txt\n{1,3} q(X) :- h(X).\n"),
                           ("more.txt", "{3,3} h(X) :- {3,3} a(X).\n"), ("e.txt", EXAMPLES)):
            (self.folder / name).write_text(text, encoding="utf-8")
        self.succeed("export", "-t", "t.txt", "-e", "e.txt", "-o", "graph.pb", "--quiet", cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), ["e.txt", "graph.pb", "more.txt", "t.txt"])

    def test_it_is_the_same_every_time(self):
        for name in ("a.pb", "b.pb"):
            self.succeed("export", *INPUTS, "-o", self.folder / name, "--names", "--quiet")
        self.assertEqual(*[(self.folder / name).read_bytes() for name in ("a.pb", "b.pb")])

    def test_it_leaves_nothing_beside_the_graph(self):
        self.succeed("export", *INPUTS, "-o", "graph.pb", "--quiet", cwd=self.folder,
                     JAVA_OPTS=f"-Djava.io.tmpdir={self.folder}")
        self.assertEqual(os.listdir(self.folder), ["graph.pb"])


class Weights(Commands):
    def test_neuralogic_predicts_what_vecc_does(self):
        weights, expected = self.trained()
        own = rows(self.succeed("evaluate", *INPUTS, "-w", weights, "--quiet").stdout)
        for ours, theirs in zip(expected, own):
            self.assertAlmostEqual(float(ours[1]), float(theirs[2]), delta=1e-9)

    def test_a_model_that_neuralogic_loads(self):
        """And with learnable facts of the template."""
        inputs = []
        for option, text in (("-t", EMBEDDINGS), ("-e", EXAMPLES)):
            path = self.folder / f"{option[1]}.txt"
            path.write_text(text, encoding="utf-8")
            inputs += [option, path]
        graph, weights = self.folder / "graph.pb", self.folder / "w.safetensors"
        model = self.folder / "model.java"
        self.succeed("export", *inputs, "-o", graph, "--quiet")
        vecc = rows(self.succeed(graph, "--train", "--epochs=5", "--dtype=f64", "--quiet",
                                 f"--save-weights={weights}", program=VECC).stdout)
        self.succeed("import-weights", *inputs, "-w", weights, "-o", model, "--quiet")
        own = rows(self.succeed("evaluate", "-t", model, *inputs[2:], "--quiet").stdout)
        self.assertEqual(len(own), 2)
        for ours, theirs in zip(vecc, own):
            self.assertAlmostEqual(float(ours[1]), float(theirs[2]), delta=1e-9)

    def test_a_model_whose_template_names_functions(self):
        weights, expected = self.trained()
        model = self.folder / "model.java"
        self.succeed("import-weights", *INPUTS, "-w", weights, "-o", model, "--quiet")
        own = rows(self.succeed("evaluate", "-t", model, *INPUTS[2:], "--quiet").stdout)
        for ours, theirs in zip(expected, own):
            self.assertAlmostEqual(float(ours[1]), float(theirs[2]), delta=1e-9)

    def test_differences_are_all_named(self):
        weights, _ = self.trained()
        tensors = read_tensors(weights)
        self.assertEqual({name: shape for name, (_, shape, _) in tensors.items()},
                         {"w0": [1, 1, 8], "w1": [1, 8, 2]})
        tensors["w2"] = tensors.pop("w1")
        tensors["w0"][1] = [1, 8, 1]
        write_tensors(weights, tensors)
        done = self.fail_with(3, "nothing was changed", "evaluate", *INPUTS, "-w", weights, "--quiet")
        for text in ('"w0" has shape [1, 8, 1] in the file, expected [1, 1, 8]', '"w1" is not in the file',
                     'tensor "w2" is no weight table of the model'):
            self.assertIn(text, done.stderr)

    def test_no_numbers(self):
        weights, _ = self.trained()
        tensors = read_tensors(weights)
        tensors["w0"][2][3] = float("nan")
        write_tensors(weights, tensors)
        self.fail_with(3, "has the value NaN at element 3", "evaluate", *INPUTS, "-w", weights, "--quiet")

    def test_a_short_file(self):
        weights, _ = self.trained()
        weights.write_bytes(weights.read_bytes()[:-8])
        self.fail_with(3, "ends beyond the file", "evaluate", *INPUTS, "-w", weights, "--quiet")

    def test_a_damaged_file(self):
        weights, _ = self.trained()
        data = bytearray(weights.read_bytes())
        data[-1] ^= 1
        weights.write_bytes(data)
        self.fail_with(3, "its bytes have the CRC-32 ", "evaluate", *INPUTS, "-w", weights, "--quiet")

    def test_no_model_is_written_with_wrong_weights(self):
        weights, model = self.folder / "w.safetensors", self.folder / "model.java"
        write_tensors(weights, {})
        self.fail_with(3, '"w0" is not in the file', "import-weights", *INPUTS, "-w", weights, "-o", model,
                       "--quiet")
        self.assertFalse(model.exists())


class Train(Commands):
    def test_all_of_it(self):
        folder = self.folder / "out"
        done = self.succeed("train", *INPUTS, "--save-model", folder, "--epochs", "30", "--lr=0.05",
                            "--dtype=f64", "--backend=cpu")
        self.assertRegex(done.stderr, r"(?s)ground .*export .*train .*30 epochs.*predict ")
        self.assertEqual(sorted(os.listdir(folder)), ["graph.pb", "model.java", "outputs.txt",
                                                      "predictions.tsv", "weights.safetensors"])
        vecc, own = [rows((folder / name).read_text()) for name in ("outputs.txt", "predictions.tsv")]
        self.assertEqual(len(own), 4)
        for ours, theirs in zip(vecc, own):
            self.assertAlmostEqual(float(ours[1]), float(theirs[2]), delta=1e-9)

    def test_vecc_fails(self):
        done = self.fail_with(2, "vecc ended with exit code 2", "train", *INPUTS, "--save-model",
                              self.folder / "out", "--loss=nonsense")
        self.assertIn("nonsense", done.stderr)
        self.assertEqual(os.listdir(self.folder / "out"), ["graph.pb"])


class BadCalls(Commands):
    def test_options(self):
        for text, arguments in (("-o is missing", ["export", *INPUTS]),
                                ("there is no option --epochs", ["export", *INPUTS, "--epochs", "3"]),
                                ("there is no command exprot; did you mean export?", ["exprot"]),
                                ("there is no option --naems; did you mean --names?",
                                 ["export", *INPUTS, "--naems"]),
                                ("-o needs a value", ["export", "-o"]),
                                ("no cross-validation", ["evaluate", *INPUTS, "-xval", "2"]),
                                ("names that end in .java", ["import-weights", *INPUTS, "-w", "x", "-o", "y"])):
            with self.subTest(text):
                self.fail_with(2, text, *arguments)

    def test_help(self):
        text = self.succeed("--help").stdout
        for words in (["help"], ["help", "train"], ["train", "help"], ["export", "--help"]):
            self.assertEqual(self.succeed(*words).stdout, text)

    def test_version(self):
        self.assertEqual(self.succeed("train", "--version").stdout, self.succeed("--version").stdout)
        versions = [self.succeed("--version", program=program).stdout.split() for program in (LAUNCHER, VECC)]
        self.assertEqual(versions[0], ["vecc-neuralogic", versions[1][1]])

    def test_files(self):
        graph = self.folder / "graph.pb"
        self.fail_with(3, "none.txt: there is no such file (-t)", "export", "-t", "none.txt", "-o", graph)
        self.fail_with(3, "there is no folder", "export", *INPUTS, "-o", self.folder / "none/graph.pb")
        self.fail_with(3, "is a folder", "export", *INPUTS, "-o", self.folder)
        template = self.folder / "t.txt"
        template.write_text("{3,3} h(X :- a(X).\n", encoding="utf-8")
        self.fail_with(3, "cannot parse the template, examples or queries:\n  line 1:", "export", "-t", template,
                       *INPUTS[2:], "-o", graph, "--quiet")
        self.assertEqual(os.listdir(self.folder), ["t.txt"])

    def test_jars(self):
        self.fail_with(3, "there is no NeuraLogic.jar at /none.jar", "export", *INPUTS,
                       VECC_NEURALOGIC_JAR="/none.jar")
        other = self.folder / "other.jar"
        other.write_bytes(b"PK\5\6" + bytes(18))  # an empty archive
        self.fail_with(3, "not that of neuralogic 0.9.2", "export", *INPUTS, "-o", "x.pb",
                       VECC_NEURALOGIC_JAR=str(other))
        self.fail_with(3, "there is no /none/bin/java", "export", JAVA_HOME="/none")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
