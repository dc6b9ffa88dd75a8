"""vecc.neuralogic: PyNeuraLogic's models and data sets, trained and evaluated."""

import contextlib
import importlib.util
import io
import json
import unittest

import numpy as np
from neuralogic.core import Model, R, Settings, Transformation, V
from neuralogic.dataset import Dataset, Sample
from neuralogic.nn.loss import MSE, CrossEntropy, SoftEntropy
from neuralogic.nn.optim import SGD, Adam
from neuralogic.nn.optim.lr_scheduler import ArithmeticLR, GeometricLR, LRDecay

from command_line import DATASETS
from neuralogic_models import (EXACT, FEATURES, RAW, NeuraLogicTest, build, build_ancestors,
                               largest_change, rules, samples, weights_of)

import vecc
import vecc.neuralogic as vn

class TrainTest(NeuraLogicTest):
    def compare(self, size=1, output=Transformation.IDENTITY, batch_size=1, backend="interpreter",
                epochs=3, **settings):
        """With PyNeuraLogic's own training from the same weights."""
        model, built = build(output, size, batch_size, **settings)
        self.compare_model(model, built, backend, epochs)

    def compare_model(self, model, built, backend="interpreter", epochs=3, **options):
        initial, rate = model.state_dict(), model._settings.optimizer.lr
        model.train(built, epochs)
        theirs = weights_of(model)
        model.load_state_dict(initial)
        model._settings.optimizer.lr = rate  # a decay has changed it
        before = weights_of(model)
        training = vn.train(model, built, epochs=epochs, dtype="f64", backend=backend, **options)
        self.assertEqual((training.end, len(training.history)), ("done", epochs))
        ours = weights_of(model)
        self.assertGreater(largest_change(ours, before), 1e-4)
        self.assert_same(ours, theirs)

    def test_where_nothing_is_given_it_is_neuralogics(self):
        for settings in ({"optimizer": SGD(lr=0.1)}, {"optimizer": Adam(lr=0.01)},
                         {"optimizer": SGD(lr=0.1), "error_function": SoftEntropy()},
                         {"optimizer": SGD(lr=0.1, weight_decay=0.1), **RAW},
                         {"optimizer": Adam(lr=0.01, weight_decay=0.1)},
                         {"optimizer": SGD(lr=0.1), "clip_grad_value": 0.05},
                         {"optimizer": SGD(lr=0.1), "clip_grad_norm": 0.05},
                         {"optimizer": SGD(lr=0.1), "clip_grad_norm": 0.1, "clip_grad_value": 0.03},
                         {"optimizer": Adam(lr=0.01, betas=(0.8, 0.9), eps=1e-3)},
                         {"optimizer": SGD(lr=0.1), "error_function": MSE("sum")}):
            with self.subTest(**{name: str(value) for name, value in settings.items()}):
                for batch_size in (1, 2):
                    self.compare(batch_size=batch_size, **settings)
        for loss in (MSE(), MSE("sum"), SoftEntropy(), SoftEntropy("sum")):
            for batch_size in (1, 2):
                self.compare(size=3, batch_size=batch_size, optimizer=SGD(lr=0.1), error_function=loss)
        self.compare(output=Transformation.SIGMOID, optimizer=SGD(lr=0.1),
                     error_function=CrossEntropy(with_logits=False))

    def test_outputs_of_several_sizes_in_a_batch(self):
        for loss in (MSE(), MSE("sum")):
            model = Model()
            model += [R.q[1, 3] <= R.a(V.X), R.v[2, 3] <= R.a(V.X)]
            model.build(Settings(optimizer=SGD(lr=0.1), error_function=loss))
            queries = [R.q[1.0], R.v[[1.0, 2.0]]]
            facts = [R.a(0)[list(FEATURES[0])]]
            built = model.build_dataset(Dataset([Sample(queries, facts)]), batch_size=2)
            self.compare_model(model, built)

    def test_rates_decay(self):
        for decay in (lambda: GeometricLR(0.5, 2), lambda: ArithmeticLR(5)):
            for optimizer in (SGD, Adam):
                self.compare(epochs=5, optimizer=optimizer(lr=0.05, lr_decay=decay()))

    def test_several_queries_on_one_example(self):
        self.compare_model(*build_ancestors(optimizer=SGD(lr=0.1)))
        for optimizer in (Adam(lr=0.01), SGD(lr=0.1, weight_decay=0.1)):
            self.compare_model(*build_ancestors(3, optimizer=optimizer))

    def test_steps_of_weights_that_no_query_of_the_batch_reads(self):
        for optimizer, message in (
                (Adam(), r"Adam also moves weights that sample s_1:anc\(b, f\) does not depend"),
                (SGD(weight_decay=0.1), r"decays the weights that a step touches.*s_1:anc\(b, f\)")):
            model, built = build_ancestors(optimizer=optimizer)
            before = weights_of(model)
            with self.assertRaisesRegex(vecc.Error, message):
                vn.train(model, built, **EXACT)
            self.assert_unchanged(model, before)
        vn.train(model, built, epochs=2, optimizer="lazy-adam", lr=0.01, **EXACT)
        self.assertGreater(largest_change(weights_of(model), before), 1e-4)

    def test_what_neuralogics_train_takes(self):
        model, built = build(optimizer=SGD(lr=0.1))
        for dataset in (samples(), built[1:4], [built[2], built[0]], [built[3]]):
            self.compare_model(model, dataset)
        np.testing.assert_allclose(vn.evaluate(model, model.ground(samples()), **EXACT),
                                   model.test(built), rtol=0, atol=1e-12)
        outputs = vn.evaluate(model, built[1], **EXACT)
        np.testing.assert_allclose(outputs, [model.test(built[1])], rtol=0, atol=1e-12)
        np.testing.assert_allclose(vn.evaluate(model, samples(), **EXACT), model.test(built),
                                   rtol=0, atol=1e-12)

    @unittest.skipUnless("cuda" in vecc.backends("cuda"), "no GPU, and none that is emulated")
    def test_on_a_gpu(self):
        self.compare(backend="cuda", optimizer=Adam(lr=0.01))

    def test_what_is_given_counts(self):
        model, built = build(optimizer=SGD(lr=0.1))
        path = self.folder / "graph.pb"
        vn.export(model, built, path)
        options = {"optimizer": "adam", "lr": 0.03, "batch_size": "all", "loss": "softentropy",
                   "weight_decay": 0.01}
        log = self.folder / "log.jsonl"
        vn.train(model, built, epochs=4, log=f"jsonl:{log}", opt=1, **options, **EXACT)
        program = vecc.load(path).compile(opt=1, **EXACT)
        program.train(epochs=4, **options)
        ours = weights_of(model)
        theirs = {name: np.ravel(values) for name, values in program.weights.items()}
        self.assert_same(ours, {name: theirs[name] for name in ours}, 0)
        self.assertEqual(json.loads(log.read_text().splitlines()[-1])["epoch"], 4)

    def test_the_model_predicts_what_vecc_does(self):
        for settings in ({}, RAW):
            model, built = build(**settings)
            before = model.test(built)
            vn.train(model, built, epochs=5, lr=0.1, **EXACT)
            self.assertGreater(np.abs(np.subtract(model.test(built), before)).max(), 1e-3)
            self.assert_predicts_the_same(model, built)

    def test_learnable_facts(self):
        model, built = build(learnable_facts=True)
        before = weights_of(model, built)
        vn.train(model, built, epochs=5, lr=0.1, **EXACT)
        after = weights_of(model, built)
        self.assertGreater(np.abs(after["a(0)"] - before["a(0)"]).max(), 1e-3)
        self.assert_predicts_the_same(model, built)

    def test_validates_on_another_data_set(self):
        model, built = build()
        other = model.build_dataset(samples(3))
        training = vn.train(model, built, epochs=2, validate=other, backend="interpreter")
        error = np.mean([error for _, _, error in model.validate(other)])
        self.assertAlmostEqual(training.history[-1]["validation_loss"], error, places=6)

    def test_what_vecc_has_not_is_refused(self):
        class OwnDecay(GeometricLR):
            pass

        class OwnAdam(Adam):
            def name(self):
                return "Adam"

        softmax = {"error_function": CrossEntropy(with_logits=False), "size": 3,
                   "output": Transformation.SOFTMAX}
        for settings, message in (
                ({"optimizer": SGD(lr_decay=OwnDecay(0.5, 2))}, "its decay is OwnDecay.*schedule="),
                ({"optimizer": SGD(lr_decay=ArithmeticLR(20))}, "a rate below 0 after 20 epochs"),
                ({"optimizer": OwnAdam()}, "is OwnAdam, and vecc takes over"),
                (softmax, "cross-entropy of vectors of probabilities")):
            model, built = build(**settings)
            before = weights_of(model)
            with self.subTest(message), self.assertRaisesRegex(vecc.Error, message) as raised:
                vn.train(model, built, **EXACT)
            self.assertEqual(raised.exception.code, "E050")
            self.assert_unchanged(model, before)
            vn.train(model, built, epochs=1, optimizer="sgd", lr=0.1, clip_norm=1,
                     loss="squared_diff", **EXACT)
        model, built = build(optimizer=SGD())
        java = model._settings.settings
        java.dropoutMode, java.dropoutRate = java.DropoutMode.DROPOUT, 0.5
        with self.assertRaisesRegex(vecc.Error, "drop 0.5 of the neurons"):
            vn.train(model, built, **EXACT)
        with self.assertRaisesRegex(vecc.Error, "reference evaluates.*does not train"):
            vn.train(model, built, backend="reference")

    def test_bad_options_change_nothing(self):
        model, built = build()
        before = weights_of(model)
        for options, error, message in (
                ({"lr": -1}, vecc.Error, "--lr"), ({"loss": "regret"}, vecc.Error, "--loss"),
                ({"backend": "none"}, vecc.Error, "backend"),
                ({"epoch": 3}, TypeError, "no option 'epoch'"),
                ({"optimizer": "sgd", "lr": 1e300}, vecc.Error, "finite")):
            with self.subTest(**options), self.assertRaisesRegex(error, message):
                vn.train(model, built, **{"backend": "interpreter", **options})
            self.assert_unchanged(model, before)

    def test_an_observer_that_raises_leaves_what_was_learned(self):
        class Enough(Exception):
            pass

        def stop(epoch):
            if epoch["epoch"] == 3:
                raise Enough

        model, built = build()
        before = weights_of(model)
        with self.assertRaises(Enough):
            vn.train(model, built, epochs=100, on_epoch=stop, **EXACT)
        after = weights_of(model)
        self.assertGreater(largest_change(after, before), 1e-4)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_tensors_of_a_torch_model_follow(self):
        model = Model()
        model += rules()
        model.build(Settings(), torch=True)
        built, parameters = model.build_dataset(samples()), model.tensor_parameters()
        vn.train(model, built, epochs=3, lr=0.1, **EXACT)
        tensors = np.concatenate([np.ravel(p.detach().numpy()) for p in parameters])
        ours = np.concatenate(list(weights_of(model).values()))
        np.testing.assert_allclose(np.sort(tensors), np.sort(ours), atol=1e-6)


class EvaluateTest(NeuraLogicTest):
    def test_other_weights_leave_the_model(self):
        model, built = build()
        before, outputs = weights_of(model), model.test(built)
        zeros = {name: values * 0 for name, values in self.tables(model, built).items()}
        other = vn.evaluate(model, built, zeros, **EXACT)
        np.testing.assert_array_equal(other, np.zeros(5))
        self.assert_unchanged(model, before)
        np.testing.assert_allclose(vn.evaluate(model, built, **EXACT), outputs, rtol=0, atol=1e-12)

    def tables(self, model, built):
        path = self.folder / "graph.pb"
        vn.export(model, built, path)
        return vecc.load(path).weights

    def test_queries_without_a_neuron(self):
        for size in (1, 3):
            model = Model()
            model += rules(size=size)
            model.build(Settings())
            dataset, target = samples(2, size), 0.5 if size == 1 else [0.5] * size
            queries = [R.q[target], R.other[2.0]]
            dataset.samples.insert(1, Sample(queries, dataset.samples[0].example))
            built = model.build_dataset(dataset)
            total = len(built)
            has_output = [sample._java_sample.query.neuron is not None for sample in built]
            self.assertEqual(has_output.count(False), 1)
            with self.assertWarnsRegex(UserWarning, f"1 of {total} samples left out"):
                outputs = vn.evaluate(model, built, **EXACT)
            gaps = np.isnan(outputs.reshape(total, -1)).all(axis=1)
            np.testing.assert_array_equal(gaps, np.invert(has_output))
            for ours, theirs, has in zip(outputs, model.test(built), has_output):
                if has:
                    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)

    def test_outputs_of_several_shapes(self):
        model = Model()
        model += [R.q[1, 3] <= R.a(V.X), R.v[2, 3] <= R.a(V.X)]
        model.build(Settings())
        queries = [R.q[1.0], R.other[1.0], R.v[[1.0, 2.0]]]
        built = model.build_dataset(Dataset([Sample(queries, [R.a(0)[list(FEATURES[0])]])]))
        with self.assertWarnsRegex(UserWarning, "1 of 3 samples left out"):
            outputs = vn.evaluate(model, built, **EXACT)
        self.assertEqual(sorted(np.shape(output) for output in outputs), [(), (), (2,)])
        for ours, theirs, sample in zip(outputs, model.test(built), built):
            if sample._java_sample.query.neuron is None:
                self.assertTrue(np.isnan(ours))
            else:
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)

    def test_the_reference(self):
        model, built = build()
        outputs = vn.evaluate(model, built, backend="reference")
        np.testing.assert_allclose(outputs, model.test(built), rtol=0, atol=1e-12)
        zeros = {name: values * 0 for name, values in self.tables(model, built).items()}
        np.testing.assert_array_equal(vn.evaluate(model, built, zeros, backend="reference"),
                                      np.zeros(5))
        with self.assertRaisesRegex(vecc.Error, "reference compiles nothing: dtype="):
            vn.evaluate(model, built, backend="reference", dtype="f32")

    def test_learned_facts_of_another_data_set(self):
        """What both have, by name: with PyNeuraLogic's own state_dict()."""
        model, built = build(learnable_facts=True)
        vn.train(model, built, epochs=5, lr=0.1, **EXACT)
        facts = [R.a(0)[[0, 0, 0]], R.a(7)[[1, 1, 1]], R.e(0, 7), R.e(7, 0)]
        other = model.build_dataset(Dataset([Sample(R.q[1.0], facts)]), learnable_facts=True)
        keys = other.load_state_dict(built.state_dict(), strict=False)
        self.assertEqual(keys.missing_keys, ["a(7)"])
        learned = weights_of(model, built)
        np.testing.assert_array_equal(weights_of(model, other)["a(0)"], learned["a(0)"])
        self.assert_predicts_the_same(model, other)

    def test_no_training_options(self):
        with self.assertRaisesRegex(TypeError, "'lr'"):
            vn.evaluate(*build(), lr=3)


class DocumentTest(NeuraLogicTest):
    def test_document(self):
        """docs/neuralogic.md: its code runs, and gets as far as it says."""
        text = (DATASETS.parent / "docs" / "neuralogic.md").read_text()
        code, without_jvm = text.split("```python\n")[1:]
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code.split("```")[0], names)  # pylint: disable=exec-used
        self.assertEqual(len(out.getvalue().splitlines()), 2)
        model, built = names["model"], names["built"]
        targets = np.array([float(sample._java_sample.target.value) for sample in built])
        right = (np.array(model.test(built)) > 0) == (targets > 0.5)
        self.assertAlmostEqual(right.mean(), 0.915, delta=0.03)  # in single precision
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(without_jvm.split("```")[0], names)  # pylint: disable=exec-used
        self.assertRegex(out.getvalue(), "^native ")


if __name__ == "__main__":
    unittest.main()
