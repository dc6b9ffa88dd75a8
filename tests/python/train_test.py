"""Program.train: as the command line trains."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from command_line import MUTAGENESIS, XOR, run

import vecc


def compile_graph(path=MUTAGENESIS, backend="interpreter", **options):
    return vecc.load(path).compile(backend=backend, **options)


class TrainTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_same(self, words, path=MUTAGENESIS, backend="interpreter", **options):
        """The same bits as the command line's."""
        file = self.folder / "w.safetensors"
        run(path, f"--backend={backend}", "--train", *words, f"--save-weights={file}")
        program = compile_graph(path, backend)
        training = program.train(**options)
        expected = vecc.load(path)
        expected.set_weights(file)
        for name, w in program.weights.items():
            np.testing.assert_array_equal(w, expected.weights[name])
        return training

    def test_trains_as_the_command_line_does(self):
        log = self.folder / "log.csv"
        training = self.check_same(["--epochs=5", "--lr=0.05", "--loss=softentropy"],
                                   epochs=5, lr=0.05, loss="softentropy", log=f"csv:{log}")
        self.assertEqual((training.end, training.epochs, len(training.history)), ("done", 5, 5))
        self.assertLess(training.history[-1]["loss"], training.history[0]["loss"])
        self.assertEqual(len(log.read_text().splitlines()), 6)
        self.assertIn("train_accuracy", training.history[0])

    def test_options(self):
        training = self.check_same(
            ["--epochs=4", "--optimizer=sgd", "--momentum=0.9", "--batch-size=64", "--seed=3",
             "--schedule=step:2:0.5", "--clip-norm=1", "--validate=0.25", "--early-stop=3",
             "--no-shuffle"],
            epochs=4, optimizer="sgd", momentum=0.9, batch_size=64, seed=3, schedule="step:2:0.5",
            clip_norm=1, validate=0.25, early_stop=3, shuffle=False)
        self.assertIn("validation_loss", training.history[0])
        self.assertGreater(training.best_epoch, 0)

    def test_metrics_of_some_samples_at_a_time(self):
        def train(**options):
            program = vecc.load(MUTAGENESIS).compile(backend="cpu", dtype="f64")
            training = program.train(epochs=2, validate=0.25, **options)
            return program, [epoch["validation_loss"] for epoch in training.history]

        program, expected = train()
        np.testing.assert_allclose(train(eval_batch_size=7)[1], expected, rtol=1e-12)
        all_at_once = program.evaluate()
        in_parts = program.evaluate(eval_batch_size=7)
        self.assertEqual(in_parts.keys(), all_at_once.keys())
        for name, value in all_at_once.items():
            self.assertAlmostEqual(in_parts[name], value, 12)
        with self.assertRaisesRegex(ValueError, "eval_batch_size: found 1.5"):
            program.evaluate(eval_batch_size=1.5)
        for call in (compile_graph().evaluate, compile_graph().train):
            with self.assertRaisesRegex(vecc.Error, "--eval-batch-size.* needs"):
                call(eval_batch_size=7)

    def test_ways_of_a_batch(self):
        def train(backend="cpu", **options):
            program = vecc.load(MUTAGENESIS).compile(backend=backend, dtype="f64")
            return program.train(epochs=2, seed=1, **options), program.weights

        bound, expected = train(batch_size=32, batch="bind")
        masked, weights = train(batch_size=32, batch="mask")
        self.assertEqual((bound.batch, masked.batch), ("bind", "mask"))
        self.assertGreater(bound.batch_bytes, 0)
        compact, same = train(batch_size=32, batch_values="compact")
        self.assertEqual(compact.batch, "bind")
        for name, values in expected.items():
            np.testing.assert_array_equal(same[name], values)
        self.assertEqual(train()[0].batch, "all")
        self.assertEqual(train("interpreter", batch_size=32)[0].batch, "restrict")
        for name, values in expected.items():
            np.testing.assert_allclose(weights[name], values, atol=1e-9)
        for text, options in (("cannot bind", {"backend": "interpreter", "batch": "bind"}),
                              ("--batch-size", {"batch_size": "all", "batch": "bind"}),
                              ("none of", {"batch": "half"}),
                              ("cannot bind", {"backend": "interpreter", "batch_values": "compact"}),
                              ("--batch-size", {"batch_size": "all", "batch_values": "compact"}),
                              ("mask", {"batch": "mask", "batch_values": "compact"}),
                              ("none of", {"batch_values": "half"}),
                              ("lazy-adam", {"batch": "mask", "optimizer": "lazy-adam"})):
            with self.assertRaisesRegex(vecc.Error, text):
                train(**{"batch_size": 32, **options})

    def test_fanout(self):
        options = dict(epochs=2, seed=5, batch_size=32)
        words = ["--epochs=2", "--seed=5", "--batch-size=32"]
        on_cpu = dict(options, backend="cpu")
        self.check_same(words + ["--fanout=3,2"], fanout=[3, 2], **on_cpu)
        self.check_same(words + ["--fanout=all,2"], fanout=["all", 2], **on_cpu)
        self.check_same(words + ["--fanout=2", "--fanout-scale"], fanout=2, fanout_scale=True,
                        **on_cpu)
        with self.assertRaisesRegex(vecc.Error, "do not reach all parameters"):
            compile_graph().train(fanout=[3, 2], **options)
        with self.assertRaisesRegex(vecc.Error, "expected numbers of members"):
            compile_graph(MUTAGENESIS).train(fanout=[0], **options)

    def test_online_as_neuralogic(self):
        self.check_same(["--epochs=3", "--optimizer=lazy-adam", "--batch-size=online"], XOR,
                        epochs=3, optimizer="lazy-adam", batch_size="online")

    def test_validates_on_another_graph(self):
        training = self.check_same(["--epochs=2", f"--validate={MUTAGENESIS}"], epochs=2,
                                   validate=MUTAGENESIS)
        last = training.history[-1]
        self.assertAlmostEqual(last["validation_loss"], last["train_loss"], places=6)

    def test_outputs_follow(self):
        program = compile_graph(XOR)
        before = program()
        program.train(epochs=20, lr=0.1)
        self.assertGreater(np.abs(program() - before).max(), 1e-3)
        again = compile_graph(XOR)
        np.testing.assert_array_equal(again(program.weights), program())

    def test_goes_on_from_the_weights_of_now(self):
        first = compile_graph(XOR)
        first.train(epochs=3, optimizer="sgd", seed=1)
        first.train(epochs=3, optimizer="sgd", seed=1)
        second = compile_graph(XOR)
        second.train(epochs=6, optimizer="sgd", seed=1)
        for name, w in first.weights.items():
            np.testing.assert_array_equal(w, second.weights[name])

    def test_graph_keeps_its_weights(self):
        graph = vecc.load(XOR)
        before = graph.weights
        graph.compile(backend="interpreter").train(epochs=2)
        for name, w in graph.weights.items():
            np.testing.assert_array_equal(w, before[name])

    def test_resume(self):
        checkpoint = self.folder / "run"
        compile_graph(XOR).train(epochs=4, checkpoint=checkpoint)
        program = compile_graph(XOR)
        training = program.train(epochs=9, checkpoint=checkpoint, resume=True)
        self.assertEqual((training.epochs, len(training.history)), (9, 5))
        whole = compile_graph(XOR)
        whole.train(epochs=9)
        for name, w in program.weights.items():
            np.testing.assert_array_equal(w, whole.weights[name])
        with self.assertRaisesRegex(vecc.Error, "lr|rate") as raised:
            compile_graph(XOR).train(epochs=9, lr=0.5, checkpoint=checkpoint, resume=True)
        self.assertEqual(raised.exception.code, "E027")

    def test_every_optimizer_resumes(self):
        for backend in sorted({"interpreter", "cpu"} & {*vecc.backends("cpu")}):
            for name, each in vecc.optimizers().items():
                given = {h: True if isinstance(value, bool) else 0.5 * value + 0.1
                         for h, value in each["hyperparameters"].items()}
                with self.subTest(backend=backend, optimizer=name):
                    folder = self.folder / f"{backend}-{name}"
                    options = {"optimizer": name, "batch_size": 2, **given}
                    graph = vecc.load(XOR)
                    graph.compile(backend=backend).train(epochs=3, checkpoint=folder, **options)
                    program, whole = (graph.compile(backend=backend) for _ in range(2))
                    program.train(epochs=7, checkpoint=folder, resume=True, **options)
                    whole.train(epochs=7, **options)
                    for table, w in program.weights.items():
                        np.testing.assert_array_equal(w, whole.weights[table])
                    with self.assertRaisesRegex(vecc.Error, "weight_decay"):
                        program.train(epochs=9, checkpoint=folder, resume=True,
                                      **{**options, "weight_decay": 0.7})

    def test_unknown_hyperparameter(self):
        with self.assertRaisesRegex(TypeError, "'gamma'"):
            compile_graph(XOR).train(gamma=0.5)
        with self.assertRaisesRegex(vecc.Error, "--momentum is of sgd.*adam has none"):
            compile_graph(XOR).train(momentum=0.5)

    def test_on_epoch(self):
        seen, program = [], compile_graph(XOR)
        program.train(epochs=3, on_epoch=lambda epoch: seen.append((epoch["epoch"], program())))
        self.assertEqual([epoch for epoch, _ in seen], [1, 2, 3])

    def test_on_epoch_ends_it(self):
        class Enough(Exception):
            pass

        def stop(epoch):
            if epoch["epoch"] == 2:
                raise Enough("now")

        program, expected = compile_graph(XOR), compile_graph(XOR)
        with self.assertRaisesRegex(Enough, "now"):
            program.train(epochs=100, shuffle=False, on_epoch=stop)
        trained = sum(np.abs(w - expected.weights[name]).max()
                      for name, w in program.weights.items())
        self.assertGreater(trained, 0)

    def test_bad_options_change_nothing(self):
        program = compile_graph(XOR)
        before = program.weights
        for options, message in (({"lr": -1}, "--lr"), ({"loss": "regret"}, "--loss"),
                                 ({"early_stop": 3}, "--early-stop"), ({"validate": 2}, "validate"),
                                 ({"beta1": 1.0}, "--beta1"), ({"epsilon": -1}, "--epsilon"),
                                 ({"optimizer": "sgd", "beta2": 0.9}, "--beta2 is of adam"),
                                 ({"schedule": "arithmetic:5:1"}, "--schedule"),
                                 ({"reduction": "elements"}, "--reduction"),
                                 ({"log": "xml:a"}, "--log"), ({"resume": True}, "--resume")):
            with self.subTest(**options), self.assertRaisesRegex(vecc.Error, message) as raised:
                program.train(**options)
            self.assertEqual(raised.exception.code, "E050")
        for name, w in program.weights.items():
            np.testing.assert_array_equal(w, before[name])

    def test_not_finite(self):
        program = compile_graph()
        before = program.weights
        with self.assertRaises(vecc.Error) as raised:
            program.train(epochs=50, optimizer="sgd", lr=1e30)
        self.assertEqual((raised.exception.code, raised.exception.exit_code), ("E070", 6))
        for name, w in program.weights.items():
            np.testing.assert_array_equal(w, before[name])


if __name__ == "__main__":
    unittest.main()
