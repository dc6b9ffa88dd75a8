"""vecc.nn: losses, class weights, optimizers and schedules beside torch's own; early stop, seeds."""

import unittest

import numpy as np
import torch
import torch.nn.functional as functional

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn

ROWS = 30


def network(g):
    return nn.linear(nn.tanh(nn.linear(g.x, 5, bias=True, name="a")), 3, bias=True, name="b")


class Peer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(4, 5), torch.nn.Linear(5, 3)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


class TrainingTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(ROWS, 4))
        self.classes = rng.choice(3, ROWS, p=[0.6, 0.3, 0.1])
        self.numbers = rng.normal(size=(ROWS, 3))
        self.train = np.arange(ROWS) < 20
        self.peer = Peer().double()

    def data(self, y, **options):
        return nn.Data().nodes(x=self.x).labels(y, train=self.train, **options)

    def compare(self, data, loss_of, peer_optimizer=None, peer_schedule=None, epochs=8,
                rtol=1e-9, **options):
        """From the same weights: every epoch's loss, and the weights in the end."""
        model = nn.Model(network, dtype="f64", backend="cpu").trace(data)
        model.set_weights(self.peer.state_dict())
        optimizer = peer_optimizer or torch.optim.Adam(self.peer.parameters(), lr=0.02)
        schedule = peer_schedule and peer_schedule(optimizer)
        x, losses, rates = torch.tensor(self.x), [], []
        for _ in range(epochs):
            optimizer.zero_grad()
            loss = loss_of(self.peer(x)[self.train])
            loss.backward()
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            losses.append(loss.item())
            if schedule:
                schedule.step()
        history = model.fit(data, epochs=epochs, **{"lr": 0.02, **options}).history
        np.testing.assert_allclose([each["rate"] for each in history], rates, rtol=1e-12)
        np.testing.assert_allclose([each["loss"] for each in history], losses, rtol=rtol)
        for name, value in self.peer.state_dict().items():
            np.testing.assert_allclose(model.weights[name.replace(".", "/")], value, atol=rtol)
        return model

    def test_class_weights(self):
        y, weight = torch.tensor(self.classes[self.train]), [0.5, 1, 4]
        self.compare(self.data(self.classes, class_weights=weight), lambda out:
                     functional.cross_entropy(out, y, weight=torch.tensor(weight).double()),
                     rtol=1e-7)  # weights of rows are kept in single precision
        balanced = 1 / np.bincount(self.classes[self.train])
        self.peer = Peer().double()
        self.compare(self.data(self.classes, class_weights="balanced"), lambda out:
                     functional.cross_entropy(out, y, weight=torch.tensor(balanced)), rtol=1e-7)

    def test_class_weights_that_do_not_fit(self):
        for weights, message in ([1, 2], "2 numbers, expected 3"), ("even", "or 'balanced'"), (
                [1, -1, 1], "at least 0"):
            with self.assertRaisesRegex(vecc.Error, message):
                nn.Model(network).program(self.data(self.classes, class_weights=weights))
        with self.assertRaisesRegex(vecc.Error, "labels are none"):
            nn.Model(network).program(self.data(self.numbers, class_weights=[1, 1, 1]))

    def test_several_labels_a_row(self):
        y = (self.numbers > 0).astype(float)
        model = self.compare(
            self.data(y.astype(int)), lambda out:
            functional.binary_cross_entropy_with_logits(out, torch.tensor(y)[self.train],
                                                        reduction="sum") / 20)
        metrics = model.evaluate(self.data(y.astype(int)), split="train")
        probabilities = torch.sigmoid(self.peer(torch.tensor(self.x)))[self.train]
        right = ((probabilities > 0.5).numpy() == (y[self.train] > 0.5)).all(1).mean()
        self.assertAlmostEqual(metrics["accuracy"], right)

    def test_absolute_errors(self):
        """F.l1_loss."""
        y = torch.tensor(self.numbers[self.train])
        model = self.compare(self.data(self.numbers), lambda out: functional.l1_loss(out, y),
                             loss="absolute_diff")
        self.assertEqual(model.loss, "absolute_diff")
        metrics = model.evaluate(self.data(self.numbers), split="train")
        self.assertAlmostEqual(metrics["loss"], metrics["mae"])

    def test_several_numbers_a_row(self):
        y = torch.tensor(self.numbers[self.train])
        model = self.compare(self.data(self.numbers), lambda out: functional.mse_loss(out, y))
        out = self.peer(torch.tensor(self.x)).detach().numpy()[self.train]
        metrics = model.evaluate(self.data(self.numbers), split="train")
        self.assertAlmostEqual(metrics["mae"], np.abs(out - self.numbers[self.train]).mean())

    def test_adamw_by_torchs_names(self):
        y = torch.tensor(self.classes[self.train])
        options = {"betas": (0.8, 0.99), "eps": 1e-6, "weight_decay": 0.1}
        self.compare(self.data(self.classes), lambda out: functional.cross_entropy(out, y),
                     torch.optim.AdamW(self.peer.parameters(), lr=0.02, **options),
                     optimizer="adamw", **options)
        model = nn.Model(network, dtype="f64").trace(self.data(self.classes))
        with self.assertRaisesRegex(TypeError, "betas"):
            model.fit(self.data(self.classes), betas=(0.9,), epochs=1)
        with self.assertRaisesRegex(TypeError, "once"):
            model.fit(self.data(self.classes), eps=1e-8, epsilon=1e-8, epochs=1)

    def test_schedules(self):
        y = torch.tensor(self.classes[self.train])
        for text, schedule in (("step:3:0.5", lambda o: torch.optim.lr_scheduler.StepLR(o, 3, 0.5)),
                               ("cosine:8:0.001", lambda o: torch.optim.lr_scheduler.
                                CosineAnnealingLR(o, 8, 0.001))):
            with self.subTest(text):
                self.peer = Peer().double()
                self.compare(self.data(self.classes), lambda out: functional.cross_entropy(out, y),
                             peer_schedule=schedule, schedule=text)

    def test_early_stop_keeps_the_best(self):
        data = nn.Data().nodes(x=self.x).labels(self.classes, train=self.train,
                                                validation=~self.train)
        model = nn.Model(network, dtype="f64")
        training = model.fit(data, epochs=400, lr=0.1, early_stop=10)
        self.assertEqual(training.end, "early stop")
        self.assertEqual(training.epochs, training.best_epoch + 10)
        best = min(each["validation_loss"] for each in training.history)
        self.assertAlmostEqual(model.evaluate(data, split="validation")["loss"], best, places=12)

    def test_seeds(self):
        data, model = self.data(self.classes), nn.Model(network, dtype="f64")
        found = model.fit_seeds(data, range(3), split="train", epochs=5)
        losses = []
        for seed in range(3):
            single = nn.Model(network, dtype="f64", seed=seed).trace(data)
            single.fit(data, epochs=5)
            losses.append(single.evaluate(data, split="train")["loss"])
        self.assertAlmostEqual(found["loss"][0], np.mean(losses))
        self.assertAlmostEqual(found["loss"][1], np.std(losses, ddof=1) / 3**0.5)


if __name__ == "__main__":
    unittest.main()
