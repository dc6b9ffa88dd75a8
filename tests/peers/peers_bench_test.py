"""vecc-bench peers on small sets, and that the networks it times compute what vecc computes.

    peers_bench_test.py VECC_BENCH VECC VECC_IMPORT [EMULATED_GPU]
"""

import contextlib
import functools
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock
from xml.etree import ElementTree

import paths  # noqa: F401
import captured
import peer_runs
import torch
from cases import SETS, case
from graph_file import read_graph
from odd_sets import MAKERS
from peer_places import copy_weights, gradients_of
from peer_problems import problem_of
from peer_runs import Training, differences, differs, measure
from vecc_run import Tools, import_graph


def run_bench(*arguments, **variables):
    return subprocess.run([BENCH, "peers", *arguments], capture_output=True, text=True, check=False,
                          env=os.environ | variables)


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path, svg = Path(folder) / "peers.json", Path(folder) / "peers.svg"
            cls.result = run_bench(
                "--case=molecules gcn --dim=4", "--case=MUTAG gcn", f"--data={folder}/none",
                "--runners=PyG,vecc cpu", f"--python={sys.executable}", "--threads=1",
                "--warmup=1", "--repeat=4", "--limit=20", f"--json={path}", f"--svg={svg}")
            cls.json = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
            cls.svg = ElementTree.parse(svg).getroot() if svg.exists() else None
        cls.rows = {row["runner"]: row for row in cls.json["cases"][0]["rows"]}

    def test_every_measurement_of_every_runner(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertEqual(list(self.rows), ["PyG", "vecc cpu"])
        for name, row in self.rows.items():
            for series in ("forward", "both", "epoch", "batch_1", "batch_32"):
                self.assertEqual((row[series]["warmup"], row[series]["runs"]), (1, 4), name)
                self.assertGreater(row[series]["median"], 0)
            self.assertGreater(row["set_up_seconds"], 0)
            self.assertGreaterEqual(row["peak_bytes"], row["loaded_bytes"])
        self.assertIn("set_up_cold_seconds", self.rows["vecc cpu"])

    def test_the_same_is_computed(self):
        for row in self.rows.values():
            self.assertLess(row["difference"], 1e-5)
            self.assertLess(row["gradient_difference"], 1e-4)
        self.assertAlmostEqual(self.rows["PyG"]["first_loss"], self.rows["vecc cpu"]["first_loss"],
                               places=5)

    def test_table(self):
        lines = self.result.stdout.splitlines()
        self.assertEqual(lines[0], "molecules gcn --dim=4: 35,436 neurons, 188 samples")
        self.assertRegex(lines[1], "runner +set-up s +forward +fwd.bwd +epoch +batch 1 +batch 32")
        self.assertRegex(lines[2], r"^PyG +[\d.]+ .* MB ")
        self.assertRegex(lines[3], r"^vecc cpu +[\d.]+ / [\d.]+ ")

    def test_chart(self):
        text = [element.text for element in self.svg.iter("{http://www.w3.org/2000/svg}text")]
        titles = [line for line in text if line.startswith("molecules gcn --dim=4, ")]
        self.assertEqual((len(titles), text.count("PyG"), text.count("vecc cpu")), (5, 5, 5))

    def test_a_set_that_is_not_there(self):
        absent = self.json["cases"][1]
        self.assertIn("none/tu_MUTAG", absent["absent"])
        self.assertIn("--data=FOLDER", absent["remedy"])
        self.assertRegex(self.result.stdout, "MUTAG gcn: +left out: there is no .*tu_MUTAG; --data=")


class Absent(unittest.TestCase):
    def lines(self, *arguments):
        result = run_bench(*arguments, "--repeat=1", "--warmup=1")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines()[2:]

    def test_no_torch_geometric(self):
        line = self.lines("--case=molecules gcn", "--runners=PyG", "--python=false")[0]
        self.assertRegex(line, "^PyG +left out: false has no torch_geometric; .*pip install")

    def test_no_such_layer(self):
        line = self.lines("--case=mutagenesis simple", "--runners=PyG")[0]
        self.assertRegex(line, "^PyG +left out: no layer of PyTorch Geometric")

    def test_no_repository_of_neumanns(self):
        line = self.lines("--case=molecules gcn", "--runners=Neumann")[0]
        self.assertRegex(line, "^Neumann +left out: no --neumann=FOLDER is given; git clone ")

    def test_a_random_graph_is_in_no_file(self):
        case_of = "--case=synth rgcn --nodes=20 --edges=30 --dim=4"
        result = run_bench(case_of, "--runners=PyG,vecc cpu", "--repeat=1", "--warmup=1")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[2], "^PyG +left out: a random graph is in no file")
        self.assertRegex(lines[3], "^vecc cpu +[0-9.]+ ")

    def test_neuralogic_has_its_own_molecules(self):
        line = self.lines("--case=molecules gcn", "--runners=NeuraLogic")[0]
        self.assertRegex(line, "^NeuraLogic +left out: only its own molecules")

    def test_usage(self):
        for arguments in (["--case=nothing gcn"], ["--case=MUTAG"], ["--runners=nobody"],
                          ["--repeat=0"]):
            self.assertEqual(run_bench(*arguments).returncode, 2, arguments)


class Ended(unittest.TestCase):
    """What a runner printed before it ended counts. A shell script stands for a peer's Python."""

    ROW = '{"version": "v", "set_up": 1.5, "forward": {"warmup": 1, "seconds": [9, 2, 3, 4]}}'

    def line(self, words, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder) / "python"
            python.write_text(f"#!/bin/sh\ntest \"$1\" = -c && exit 0\n{words}\n", encoding="utf-8")
            python.chmod(0o755)
            path = Path(folder) / "peers.json"
            result = run_bench("--case=molecules gcn", "--runners=PyG", f"--python={python}",
                               f"--json={path}", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            (row,) = json.loads(path.read_text(encoding="utf-8"))["cases"][0]["rows"]
        return result.stdout.splitlines()[2:4], row

    def test_failed(self):
        (line, why), row = self.line(f"printf '%s\\n' '{self.ROW}'; printf '{{\"set_up\"'; exit 3")
        self.assertRegex(line, "^PyG +1.50 +3000 +- +- ")
        self.assertRegex(why, r"^ +stopped: it failed \(exit code 3\), see stderr")
        self.assertEqual((row["forward"]["median"], row["forward"]["runs"]), (3, 3))
        self.assertIn("exit code 3", row["stopped"])

    def test_too_late(self):
        (line, why), _ = self.line(f"printf '%s\\n' '{self.ROW}'; exec sleep 60", "--give-up=1")
        self.assertRegex(line, "^PyG +1.50 +3000 ")
        self.assertRegex(why, "^ +stopped: it took more than 1 s")

    def test_in_its_own_words(self):
        stopped = self.ROW[:-1] + ', "stopped": "no memory: 7 GiB"}'
        (line, why), _ = self.line(f"printf '%s\\n' '{self.ROW}' '{stopped}'")
        self.assertRegex(line, "^PyG +1.50 +3000 ")
        self.assertRegex(why, "^ +stopped: no memory: 7 GiB")

    def test_what_cannot_be_compared_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "o.json"
            path.write_text('{"outputs": [{"sample": "a", "value": 1}]}', encoding="utf-8")
            row = differences(torch.tensor([[torch.nan]]).numpy(), None,
                              SimpleNamespace(outputs=path, gradients=None))
        self.assertTrue(differs(row))
        self.assertNotIn("Infinity", json.dumps(row))

    def test_nothing_was_measured(self):
        (line, _), row = self.line("printf '{\"set_up\"'; exit 3")
        self.assertRegex(line, r"^PyG +left out: it failed \(exit code 3\)")
        self.assertNotIn("forward", row)

    def test_only_a_row_with_times_is_kept(self):
        show = peer_runs.Shown()
        self.assertEqual(show.after("why", "how"), {"absent": "why", "remedy": "how"})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            show({"set_up": 1})
        self.assertEqual(json.loads(out.getvalue()), {"set_up": 1})
        self.assertEqual(show.after("why", "how"), {"set_up": 1, "stopped": "why"})


class Gpu(unittest.TestCase):
    def test_a_gpu_that_the_host_emulates(self):
        if EMULATOR is None:
            self.skipTest("no emulator was built")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "peers.json"
            result = run_bench(
                "--device=cuda", "--case=molecules gcn --dim=2", "--runners=PyG captured,vecc cuda",
                f"--python={sys.executable}", "--warmup=1", "--repeat=2", "--limit=0.01", "--once",
                f"--json={path}", VECC_CUDA_DRIVER=EMULATOR, VECC_NVRTC=EMULATOR)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(found["device"], "cuda:0")
        self.assertRegex(result.stdout, "forward +on GPU +fwd.bwd +on GPU +epoch")
        row = found["cases"][0]["rows"][1]
        self.assertRegex(row["device"], "^cuda:0 ")
        self.assertLess(row["difference"], 1e-5)
        self.assertLess(row["gradient_difference"], 1e-4)
        for series in ("forward", "forward_device", "both", "both_device", "epoch", "batch_1",
                       "batch_32"):
            self.assertGreater(row[series]["median"], 0, series)
        self.assertGreater(row["peak_bytes"], 0)
        self.assertNotIn("set_up_cold_seconds", row)

    def test_captured_on_a_gpu_only(self):
        script = Path(__file__).resolve().parents[2] / "tools/bench/pyg/time_peer.py"
        result = subprocess.run(
            [sys.executable, "-B", script, "--graph=none.pb", "--case=molecules gcn",
             "--directory=none", "--way=capture", "--device=cpu"],
            capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(result.stdout), {
            "absent": "CUDA graphs are captured on a GPU only", "remedy": "--device=cuda"})

    def test_runners_and_cases_of_each_device(self):
        for device, name, known in (("cpu", "vecc cuda", False), ("cuda", "vecc cuda", True)):
            result = run_bench(f"--device={device}", "--case=MUTAG gcn", f"--runners={name}",
                               "--data=/none")
            self.assertEqual(result.returncode, 0 if known else 2, result.stderr)
        self.assertEqual(run_bench("--device=auto").returncode, 2)


class Networks(unittest.TestCase):
    """The peers' networks with vecc's weights: outputs and gradients."""

    @classmethod
    def setUpClass(cls):
        cls.tools = Tools(*TOOLS)
        cls.addClassCleanup(cls.tools.close)

    def check(self, line, layers="pyg"):
        what = case(line)
        kind, name, _ = SETS[what.set]
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            data.mkdir()
            MAKERS[name](data)
            graph, known = Path(folder) / "graph.pb", SimpleNamespace(
                outputs=Path(folder) / "o.json", gradients=Path(folder) / "g.tsv")
            import_graph(self.tools, kind, data, what.model, what.options, graph)
            self.tools.run([self.tools.vecc, graph, "--backend=reference", "--quiet", "--json", "-o",
                            known.outputs, f"--gradients={known.gradients}"])
            file = read_graph(graph)
            problem = problem_of(what, data, layers, file)
            copy_weights(file, problem.places)
            outputs = problem.network(*problem.arguments)
            outputs.sum().backward()
            gradients = gradients_of(file, problem.places)
            learnable = {name for name, table in file.tables.items() if table.learnable}
            self.assertEqual(set(gradients), learnable)
            row = differences(outputs.detach().numpy(), gradients, known)
            self.assertFalse(differs(row), row)
            with torch.no_grad():
                first = next(problem.network.parameters())
                first.add_(torch.linspace(0.1, 0.9, first.numel()).view_as(first))
                outputs = problem.network(*problem.arguments)
            self.assertTrue(differs(differences(outputs.numpy(), None, known)))
        return problem

    def test_molecules(self):
        for model in ("gcn", "sage", "gin", "gcn-norm", "gat"):
            self.check(f"odd-classes {model} --dim=3")
        self.check("odd-classes gcn-norm --dim=3 --layers=4 --features=attributes")
        self.check("odd-graphs gat --dim=3 --slope=0.01")
        self.check("odd-classes gin --dim=3 --layers=2 --pool=sum")

    def test_relations(self):
        self.check("odd-triples rgcn --dims=4,5,3")
        self.check("odd-triples rgcn --dims=4,4", layers="fast")
        self.check("odd-triples rgat --dims=4,6,4 --attention=shared --heads=2 --bias=on")
        self.check("odd-triples hgt --dims=4,4")
        self.check("odd-triples hgt --dims=4,6,6 --heads=2 --inverse=off")
        self.check("odd-triples hgt --dims=4,4 --skip=off --bias=off")

    def test_classes_of_nodes(self):
        self.check("odd-hgb rgcn --dim=4 --layers=2")

    @unittest.skipIf(os.environ.get("VECC_RDF") == "OFF", "vecc was built without RDF")
    def test_classes_of_nodes_of_rdf(self):
        self.check("odd-rdf rgcn --dim=4 --layers=2")
        self.check("odd-rdf rgcn --dim=4", layers="types")

    def test_a_product_for_each_type(self):
        self.check("odd-triples rgcn --dims=4,5,3 --bias=on", layers="types")
        self.check("odd-triples rgcn --dims=4,4 --aggregation=sum --inverse=off", layers="types")
        self.check("odd-triples rgat --dims=4,6,4 --heads=2 --bias=on", layers="types")
        self.check("odd-triples rgat --dims=4,4 --attention=shared", layers="types")
        self.check("odd-triples hgt --dims=4,4", layers="types")
        self.check("odd-triples hgt --dims=4,6,6 --heads=2", layers="types")
        self.check("odd-triples transr --dim=4 --relation-dim=3 --triples=all", layers="types")
        self.check("odd-triples rescal --dim=4 --triples=all --first=3", layers="types")

    def test_scores(self):
        for model in ("transr", "rescal", "transe", "complex"):
            self.check(f"odd-triples {model} --dim=4 --triples=all --negatives=2", layers="torch")

    def test_what_a_peer_has_not(self):
        for line, layers, why in (("odd-triples rgat --dims=4,4", "pyg", "one attention vector"),
                                  ("odd-triples hgt --dims=4,4", "fast", "layer of RGCN alone"),
                                  ("odd-triples transe --dim=4", "types", "has no matrix"),
                                  ("odd-triples rgcn --dims=4,4 --norm=layer", "pyg", "without norm"),
                                  ("odd-graphs gcn", "types", "has no types")):
            with self.assertRaisesRegex(peer_runs.Absent, why):
                self.check(line, layers)

    def test_vecc_itself_is_compared(self):
        """With its own gradients, with one of them changed, with a row less."""
        with tempfile.TemporaryDirectory() as folder:
            graph, outputs, gradients = (Path(folder) / name for name in ("g.pb", "o.json", "g.tsv"))
            MAKERS["odd_graphs"](Path(folder))
            import_graph(self.tools, "tu", folder, "gcn", {"dim": "3"}, graph)
            self.tools.run([self.tools.vecc, graph, "--backend=reference", "--quiet", "--json", "-o",
                            outputs, f"--gradients={gradients}"])
            right = gradients.read_text(encoding="utf-8")
            name, row, values = right.splitlines()[0].split("\t")
            other = " ".join([repr(float(values.split()[0]) + 0.01), *values.split()[1:]])
            for text, is_right in ((right, True),
                                   (right.replace(values, other), False),
                                   (right + f"{name}\t{int(row) + 1}\t{values}\n", False)):
                gradients.write_text(text, encoding="utf-8")
                result = subprocess.run(
                    [BENCH, "peers-one", f"--graph={graph}", "--backend=interpreter",
                     f"--outputs={outputs}", f"--gradients={gradients}", "--repeat=1", "--warmup=1"],
                    capture_output=True, text=True, check=True)
                found = json.loads(result.stdout.splitlines()[-1])
                self.assertEqual(found["gradient_difference"] < 1e-4, is_right, text)
                self.assertEqual("both" in found, is_right)

    def test_batches_hold_every_graph_once(self):
        problem = self.check("odd-graphs gcn --dim=3")
        whole = problem.network(*problem.arguments)
        parts = [problem.network(*arguments) for arguments, _ in problem.batches(2, False)]
        self.assertEqual([len(part) for part in parts], [2, 2, 2, 1])
        torch.testing.assert_close(torch.cat(parts), whole)
        targets = torch.cat([targets for _, targets in problem.batches(2, False)])
        self.assertTrue(torch.equal(targets, problem.targets))

    def test_a_captured_training_begins_where_the_graph_does(self):
        """On the CPU, with a stand-in that runs what a CUDA graph replays."""
        class Replayed:
            def __init__(self, step, _):
                self.step = step
                for _ in range(captured.WARMUP):
                    step()

            def __call__(self):
                return self.step()

        losses = []
        known = SimpleNamespace(loss="crossentropy", lr=0.1, device=torch.device("cpu"))
        for is_captured in (False, True):
            problem = self.check("odd-graphs gcn --dim=3")
            if is_captured:
                with mock.patch.object(captured, "Captured", Replayed), mock.patch.object(
                        captured, "Training", lambda *options, capturable: Training(*options)):
                    training = captured.CapturedTraining(problem, known)
                step = training.step
            else:
                training = Training(problem.network.parameters(), known)
                step = functools.partial(training.step, problem.network, problem.arguments,
                                         problem.targets)
            for _ in range(4):
                step()
            losses.append(training.losses)
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(len(set(losses[0])), 4)

    def test_slow_steps_are_measured_three_times(self):
        known = SimpleNamespace(warmup=10, repeat=100, limit=0)
        series = measure(lambda: None, known)
        self.assertEqual((series["warmup"], len(series["seconds"])), (1, 4))


if __name__ == "__main__":
    BENCH, *TOOLS = sys.argv[1:4]
    EMULATOR = sys.argv[4] if len(sys.argv) > 4 else None
    unittest.main(argv=sys.argv[:1])
