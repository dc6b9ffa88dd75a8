"""commands_test.py VECC VECC_IMPORT GRAPHS...: emitted modules beside vecc itself: what both print,
weights that go from one to the other, and training step by step."""

import contextlib
import csv
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

from emitted import by_sample, difference, load

VECC, VECC_IMPORT = sys.argv[1], sys.argv[2]
GRAPHS = {Path(path).stem: path for path in sys.argv[3:]}
TOLERANCE = 1e-9


def run(*command, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


def vecc(graph, *options):
    return run(VECC, str(graph), "--quiet", "--backend=interpreter", "--dtype=f64", *options)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def emit(self, graph, *options, name="module"):
        run(VECC, str(graph), "--quiet", "--emit=python", "-o", str(self.folder / name), *options)
        return load(self.folder / name)

    def compare_lines(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for ours, theirs in zip(found, expected):
            (a, value, target), (b, expected_value, expected_target) = (
                line.split("\t") for line in (ours, theirs))
            self.assertEqual((a, target), (b, expected_target))
            strip = str.maketrans("[]", "  ")
            numbers = [torch.tensor([float(x) for x in text.translate(strip).split(",")])
                       for text in (value, expected_value)]
            self.assertLessEqual(difference(*numbers), TOLERANCE, ours)

    def test_prints_what_vecc_prints(self):
        for name, graph in GRAPHS.items():
            with self.subTest(graph=name):
                module = self.emit(graph, "--init=glorot", name=name)
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    module.print_outputs(module.Model(dtype=torch.float64))
                self.compare_lines(out.getvalue().splitlines(),
                                   vecc(graph, "--init=glorot").splitlines())

    def test_command_line(self):
        self.emit(GRAPHS["xor"])
        folder = self.folder / "module"
        out = run(sys.executable, "-B", "model.py", "--dtype", "f64", "--train", "--epochs", "3",
                  "--lr", "0.1", "--save-weights", "w.safetensors", cwd=folder)
        self.compare_lines(out.splitlines(),
                           vecc(GRAPHS["xor"], f"--load-weights={folder}/w.safetensors")
                           .splitlines())
        _, _, readme = (folder / "README.md").read_text().partition("In Python:")
        run(sys.executable, "-B", "-c", readme.split("```")[1], cwd=folder)

    def test_weights_go_both_ways(self):
        graph = GRAPHS["mutagenesis"]
        module = self.emit(graph)
        file, changed = self.folder / "w.safetensors", self.folder / "changed.safetensors"
        vecc(graph, f"--save-weights={file}")
        self.assertEqual(file.read_bytes(),
                         (self.folder / "module" / "weights.safetensors").read_bytes())
        model = module.Model(dtype=torch.float64)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(0.5)
        model.save_weights(changed)
        lines = vecc(graph, f"--load-weights={changed}").splitlines()
        found = torch.tensor([float(line.split("\t")[1]) for line in lines])
        self.assertLessEqual(difference(found, model()), 1e-6)
        again = module.Model(dtype=torch.float64)
        again.load_weights(changed)
        self.assertTrue(torch.equal(again(), model()))
        again.load_weights(file)
        self.assertFalse(torch.equal(again(), model()))

    def test_bad_weights(self):
        module = self.emit(GRAPHS["xor"])
        module.write_safetensors({"w0": torch.zeros(1, 2, 2)}, {}, self.folder / "w.safetensors")
        with self.assertRaisesRegex(ValueError, "no 'w0' of shape"):
            module.Model().load_weights(self.folder / "w.safetensors")

    def test_damaged_weights(self):
        module = self.emit(GRAPHS["xor"])
        file, changed = self.folder / "w.safetensors", self.folder / "changed.safetensors"
        module.Model().save_weights(file)
        run(VECC, "weights", "show", str(file))
        data = file.read_bytes()
        digits = 8 + len(module.CHECKSUM_MARK)
        for bit in [*range(64), *range(8 * digits, 8 * len(data))]:
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            changed.write_bytes(damaged)
            with self.assertRaisesRegex(ValueError, "its bytes have the CRC-32 .* it is damaged"):
                module.Model().load_weights(changed)

    def test_weights_of_other_numbers_are_refused(self):
        for name, relation in (("first", "likes"), ("second", "hates")):
            triples, graph = self.folder / f"{name}.txt", self.folder / f"{name}.pb"
            triples.write_text(f"ann\tknows\tbob\nbob\t{relation}\tann\n")
            run(VECC_IMPORT, "kg", triples, "--quiet", "--model=rgcn", "--dim=2", "-o", graph)
            vecc(graph, f"--save-weights={self.folder}/{name}.safetensors")
        model = self.emit(self.folder / "first.pb").Model()
        model.load_weights(self.folder / "first.safetensors")
        with self.assertRaisesRegex(ValueError, "have other numbers than here"):
            model.load_weights(self.folder / "second.safetensors")

    def check_training(self, graph, loss, optimizer, *options, name="trained"):
        """30 epochs of both from the same weights."""
        module = self.emit(graph, "--init=glorot", f"--loss={loss}", *options, name=name)
        model = module.Model(dtype=torch.float64)
        weights, log = self.folder / "vecc.safetensors", self.folder / "log.csv"
        vecc(graph, "--init=glorot", "--train", "--epochs=30", "--lr=0.05", f"--loss={loss}",
             f"--optimizer={optimizer}", f"--save-weights={weights}", f"--log=csv:{log}", *options)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            module.train(model, 30, 0.05, optimizer)
        with open(log, newline="") as file:
            losses = [float(row["loss"]) for row in csv.DictReader(file)]
        printed = [float(line.split()[-1]) for line in errors.getvalue().splitlines()]
        self.assertEqual(len(printed), 30)
        self.assertLessEqual(difference(torch.tensor(printed), torch.tensor(losses)), 1e-4)
        self.assertLess(losses[-1], losses[0])
        learned = module.Model(dtype=torch.float64)
        learned.load_weights(weights)
        for (name, found), expected in zip(model.named_parameters(), learned.parameters()):
            self.assertLessEqual(difference(found, expected), TOLERANCE, name)

    def test_trains_as_vecc_does(self):
        for graph, loss, optimizer in (("xor", "squared_diff", "adam"),
                                       ("mutagenesis", "softentropy", "adam"),
                                       ("mutagenesis", "squared_diff", "sgd"),
                                       ("attention", "crossentropy", "sgd")):
            with self.subTest(graph=graph, loss=loss, optimizer=optimizer):
                self.check_training(GRAPHS[graph], loss, optimizer, name=f"{graph}-{optimizer}")

    def test_trains_vectors_as_vecc_does(self):
        """Graphs of three classes: targets are columns."""
        edges = ["1, 2", "2, 3", "4, 5", "6, 7", "7, 8", "8, 6", "9, 10", "11, 12", "12, 13"]
        files = {"A": edges + [", ".join(reversed(edge.split(", "))) for edge in edges],
                 "graph_indicator": "1 1 1 2 2 3 3 3 4 4 5 5 5".split(),
                 "graph_labels": "1 2 3 2 1".split(),
                 "node_labels": "0 1 0 1 1 0 0 2 2 1 0 1 2".split()}
        folder = self.folder / "three"
        folder.mkdir()
        for name, lines in files.items():
            (folder / f"three_{name}.txt").write_text("\n".join(lines) + "\n")
        graph = self.folder / "three.pb"
        run(VECC_IMPORT, "tu", str(folder), "--model=gin", "--dim=4", "--quiet", "-o", str(graph))
        self.assertIn("[", vecc(graph))
        for loss in ("squared_diff", "absolute_diff", "crossentropy", "softentropy"):
            with self.subTest(loss=loss):
                self.check_training(graph, loss, "adam", name=loss)

    def test_ranks_as_vecc_does(self):
        triples = self.folder / "triples.txt"
        triples.write_text("".join(f"e{i}\tr{i % 2}\te{(3 * i + 1) % 7}\n" for i in range(7)))
        graph = self.folder / "ranks.pb"
        run(VECC_IMPORT, "kg", str(triples), "--model=distmult", "--dim=4", "--negatives=3",
            "--quiet", "-o", str(graph))
        self.check_training(graph, "margin_ranking", "adam", "--margin=2")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
