"""vecc.nn: dropout, batch norm and layer norm, beside torch's own."""

import tempfile
import unittest

import numpy as np
import torch
import torch.nn.functional as functional

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn


def nodes(rows=40, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return nn.Data().nodes(x=rng.normal(size=(rows, columns))).labels(y)


def philox(counter, key):
    """4x32-10 in Python's whole numbers."""
    counter, key, low = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [b >> 32 ^ counter[1] ^ key[0], b & low, a >> 32 ^ counter[3] ^ key[1], a & low]
        key = [key[0] + 0x9E3779B9 & low, key[1] + 0xBB67AE85 & low]
    return counter


def mask(rows, columns, p, seed, step, number=1):
    """1 where dropout keeps an element."""
    least = round(p * 2**23)
    return np.array([[philox((step, number, row, column), (seed, 0))[0] >> 9 >= least
                      for column in range(columns)] for row in range(rows)], float)


class DropoutTest(unittest.TestCase):
    def test_steps_are_torchs_with_the_same_masks(self):
        """Losses of every step and the weights after them: the gradient has the step's mask."""
        data, p, seed = nodes(), 0.3, 5
        def network(g):
            return nn.linear(nn.dropout(nn.relu(nn.linear(g.x, 8)), p), 3)
        x = torch.tensor(data.features[next(iter(data.counts))]["x"].values, dtype=torch.float64)
        y = torch.tensor(data.targets)
        for backend in ("cpu", "interpreter", "torch"):
            with self.subTest(backend):
                model = nn.Model(network, dtype="f64", backend=backend, seed=1).trace(data)
                w = {name: torch.tensor(value, requires_grad=True)
                     for name, value in model.weights.items()}
                optimizer = torch.optim.Adam(w.values(), lr=0.01)
                losses = []
                for step in range(1, 6):
                    kept = torch.tensor(mask(40, 8, p, seed, step)) / (1 - p)
                    h = torch.relu(x @ w["linear/weight"].T) * kept
                    loss = functional.cross_entropy(h @ w["linear_2/weight"].T, y)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    losses.append(loss.item())
                history = model.fit(data, epochs=5, lr=0.01, seed=seed).history
                np.testing.assert_allclose([e["loss"] for e in history], losses, rtol=1e-9)
                for name, value in w.items():
                    np.testing.assert_allclose(model.weights[name], value.detach(), atol=1e-9)

    def test_each_call_has_its_own_mask(self):
        """Also where the call's number is a row of a fact that has it among others."""
        x = np.random.default_rng(2).normal(size=(12, 3))
        data = nn.Data().nodes(x=x)
        expected = np.hstack([x * mask(12, 3, 0.3, 4, 6, number) / 0.7 for number in (1, 2)])
        for backend in ("cpu", "interpreter", "torch"):
            model = nn.Model(lambda g: nn.concat(nn.dropout(g.x, 0.3), nn.dropout(g.x, 0.3)),
                             dtype="f64", backend=backend).trace(data)
            program = model.program(data)
            program.set_weights({"step.number": [6.0], "step.seed": [4.0]})
            np.testing.assert_allclose(program(), expected, atol=1e-12, err_msg=backend)

    def test_it_is_off_outside_training(self):
        data = nodes()
        plain = nn.Model(lambda g: nn.linear(g.x, 3), seed=2).trace(data)
        model = nn.Model(lambda g: nn.linear(nn.dropout(g.x, 0.5), 3), seed=2).trace(data)
        np.testing.assert_array_equal(model(data), plain(data))
        program = model.program(data)
        np.testing.assert_allclose(program(), plain(data), rtol=1e-6)
        history = program.train(epochs=3, loss="softentropy", validate=0.25).history
        # Of an evaluation after the epoch, not of the step.
        evaluated = program.evaluate(loss="softentropy", split="all")
        again = program.evaluate(loss="softentropy", split="all")
        self.assertEqual(evaluated, again)
        self.assertIn("validation_loss", history[-1])
        self.assertEqual(float(program.weights["step.number"][0]), 0)

    def test_it_depends_on_seed_and_step_alone(self):
        data = nodes(60)
        def network(g):
            h = nn.dropout(nn.relu(nn.linear(g.x, 16)), 0.5)
            return nn.linear(nn.dropout(h, 0.2), 3)
        def trained(**options):
            model = nn.Model(network, dtype=options.pop("dtype", "f64"), seed=3,
                             threads=options.pop("threads", 1), opt=options.pop("opt", 2))
            model.fit(data, lr=0.01, **{"epochs": 8, "seed": 4, **options})
            return model.weights
        once = trained()
        for name, value in trained(threads=2).items():
            np.testing.assert_array_equal(value, once[name])
        for name, value in trained(opt=0).items():
            np.testing.assert_allclose(value, once[name], atol=1e-12)
        for name, value in trained(dtype="f32").items():
            np.testing.assert_allclose(value, once[name], atol=1e-3)
        self.assertTrue(any(np.abs(value - once[name]).max() > 1e-3
                            for name, value in trained(seed=5).items()))
        with tempfile.TemporaryDirectory() as folder:
            trained(epochs=5, checkpoint=folder)
            for name, value in trained(checkpoint=folder, resume=True).items():
                np.testing.assert_array_equal(value, once[name])

    def test_batches_have_their_own_masks(self):
        """Rows keep their numbers in a batch: on the cpu a batch is data, elsewhere a program."""
        parts = []
        rng = np.random.default_rng(0)
        for number in range(12):
            part = nn.Data().nodes(x=rng.normal(size=(4, 3)))
            part.edges([0, 1, 2], [1, 2, 3])
            parts.append(part.graphs(1).labels(np.array([number % 2])))
        def network(g):
            h = nn.dropout(nn.relu(nn.linear(g.x, 8)), 0.4)
            return nn.linear(nn.mean(h, over=g.graph), 2)
        found = []
        for backend in ("cpu", "interpreter"):
            model = nn.Model(network, dtype="f64", backend=backend, seed=3)
            history = model.fit(parts, epochs=4, batch_size=5, lr=0.02, seed=9).history
            found.append([each["loss"] for each in history])
        np.testing.assert_allclose(found[0], found[1], rtol=1e-10)

    def test_emitted(self):
        """What is emitted is outside training; its step may be set."""
        data = nodes()
        model = nn.Model(lambda g: nn.linear(nn.dropout(g.x, 0.3), 3), dtype="f64").trace(data)
        module = model.program(data).to_torch(torch.float64)
        np.testing.assert_allclose(module().detach().reshape(40, 3), model(data), atol=1e-12)
        with torch.no_grad():
            module.step_number_w.fill_(4)
            module.step_seed_w.fill_(6)
        x = data.features[next(iter(data.counts))]["x"].values * mask(40, 6, 0.3, 6, 4) / 0.7
        expected = x @ model.weights["linear/weight"].T
        np.testing.assert_allclose(module().detach().reshape(40, 3), expected, atol=1e-12)

    def test_what_it_is_of(self):
        data = nodes()
        for p in (-0.1, 1.0, "half"):
            with self.assertRaisesRegex(vecc.Error, "expected a number from 0 to less than 1"):
                nn.Model(lambda g, p=p: nn.dropout(g.x, p)).trace(data)
        with self.assertRaisesRegex(vecc.Error, r"expected less than 2\^32"):
            nn.Model(lambda g: nn.linear(nn.dropout(g.x), 3)).fit(data, seed=2**32, epochs=1)


class Peer(torch.nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.a, self.norm, self.b = torch.nn.Linear(6, 8), norm, torch.nn.Linear(8, 3)

    def forward(self, x):
        return self.b(torch.relu(self.norm(self.a(x))))


class NormTest(unittest.TestCase):
    def compare(self, network, norm, rows=40, backend="cpu", **options):
        """Outputs outside training, a training's losses, weights and running statistics."""
        torch.manual_seed(0)
        data, peer = nodes(rows), Peer(norm).double()
        for parameter in norm.parameters():
            torch.nn.init.normal_(parameter)
        model = nn.Model(network, dtype="f64", backend=backend, **options).trace(data)
        def ported():
            return {name.replace(".", "/"): value for name, value in peer.state_dict().items()}
        model.set_weights(ported())
        x = torch.tensor(data.features[next(iter(data.counts))]["x"].values, dtype=torch.float64)
        y = torch.tensor(data.targets)
        np.testing.assert_allclose(model(data), peer.eval()(x).detach(), atol=1e-10)
        optimizer, losses = torch.optim.SGD(peer.parameters(), lr=0.1), []
        peer.train()
        for _ in range(6):
            optimizer.zero_grad()
            loss = functional.cross_entropy(peer(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        history = model.fit(data, epochs=6, lr=0.1, optimizer="sgd").history
        np.testing.assert_allclose([each["loss"] for each in history], losses, rtol=1e-10)
        for name, value in ported().items():
            if not name.endswith("num_batches_tracked"):
                np.testing.assert_allclose(model.weights[name].ravel(), value.ravel(), atol=1e-10,
                                           err_msg=name)
        np.testing.assert_allclose(model(data), peer.eval()(x).detach(), atol=1e-10)
        return model, data

    def batch_norm(self, g):
        h = nn.batch_norm(nn.linear(g.x, 8, bias=True, name="a"), name="norm")
        return nn.linear(nn.relu(h), 3, bias=True, name="b")

    def test_batch_norm(self):
        for backend in ("cpu", "interpreter", "torch"):
            with self.subTest(backend):
                self.compare(self.batch_norm, torch.nn.BatchNorm1d(8), backend=backend)
        for rows in (2, 3, 5000):
            with self.subTest(rows=rows):
                self.compare(self.batch_norm, torch.nn.BatchNorm1d(8), rows=rows)
        self.compare(self.batch_norm, torch.nn.BatchNorm1d(8), opt=0)

    def test_batch_norm_without_affine(self):
        def network(g):
            h = nn.batch_norm(nn.linear(g.x, 8, bias=True, name="a"), eps=0.01, momentum=0.3,
                              affine=False, name="norm")
            return nn.linear(nn.relu(h), 3, bias=True, name="b")
        self.compare(network, torch.nn.BatchNorm1d(8, eps=0.01, momentum=0.3, affine=False))

    def test_statistics_are_kept_with_the_weights(self):
        model, data = self.compare(self.batch_norm, torch.nn.BatchNorm1d(8))
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder + "/w.safetensors")
            other = nn.Model(self.batch_norm, dtype="f64", backend="cpu")
            other.load(folder + "/w.safetensors", data)
            np.testing.assert_array_equal(other(data), model(data))
            once = nn.Model(self.batch_norm, dtype="f64", seed=1)
            once.fit(data, epochs=6)
            nn.Model(self.batch_norm, dtype="f64", seed=1).fit(data, epochs=4, checkpoint=folder)
            resumed = nn.Model(self.batch_norm, dtype="f64", seed=1)
            resumed.fit(data, epochs=6, checkpoint=folder, resume=True)
            for name, value in once.weights.items():
                np.testing.assert_array_equal(resumed.weights[name], value)
        program = model.program(data)  # runs outside training, and learns
        np.testing.assert_allclose(program(), model(data), atol=1e-12)
        before = program.weights["norm/running_mean"].copy()
        program(), program.evaluate(loss="softentropy"), program.gradients()
        np.testing.assert_array_equal(program.weights["norm/running_mean"], before)
        program.train(epochs=1, loss="softentropy")
        self.assertTrue((program.weights["norm/running_mean"] != before).any())

    def test_transductive_masks(self):
        """Statistics are of all nodes, losses of those marked."""
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(30, 6)), rng.integers(0, 3, 30)
        train = np.arange(30) < 10
        data = nn.Data().nodes(x=x).labels(y, train=train, test=~train)
        torch.manual_seed(0)
        peer = Peer(torch.nn.BatchNorm1d(8)).double()
        model = nn.Model(self.batch_norm, dtype="f64", backend="cpu").trace(data)
        model.set_weights({name.replace(".", "/"): v for name, v in peer.state_dict().items()})
        optimizer = torch.optim.SGD(peer.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            out = peer(torch.tensor(x))
            functional.cross_entropy(out[train], torch.tensor(y)[train]).backward()
            optimizer.step()
        model.fit(data, epochs=4, lr=0.1, optimizer="sgd")
        np.testing.assert_allclose(model.weights["norm/running_var"].ravel(),
                                   peer.norm.running_var, atol=1e-10)
        np.testing.assert_allclose(model(data), peer.eval()(torch.tensor(x)).detach(), atol=1e-10)

    def test_what_batch_norm_refuses(self):
        with self.assertRaisesRegex(vecc.Error, "expected all"):
            nn.Model(self.batch_norm).fit(nodes(), epochs=1, batch_size=10)
        with self.assertRaisesRegex(vecc.Error, "with two or more"):
            nn.Model(self.batch_norm).fit(nodes(rows=1), epochs=1)
        with self.assertRaisesRegex(vecc.Error, "expected a vector"):
            nn.Model(lambda g: nn.batch_norm(nn.sum(g.x))).trace(nodes())

    def test_layer_norm(self):
        def network(g):
            h = nn.layer_norm(nn.linear(g.x, 8, bias=True, name="a"), name="norm")
            return nn.linear(nn.relu(h), 3, bias=True, name="b")
        for backend in ("cpu", "interpreter", "torch"):
            with self.subTest(backend):
                self.compare(network, torch.nn.LayerNorm(8), backend=backend)

    def test_layer_norm_of_matrices(self):
        data = nodes(5, 12)
        model = nn.Model(lambda g: nn.layer_norm(nn.reshape(g.x, (3, 4)), eps=0.1), dtype="f64")
        x = torch.tensor(data.features[next(iter(data.counts))]["x"].values, dtype=torch.float64)
        expected = functional.layer_norm(x.reshape(5, 3, 4), (4,), eps=0.1)
        np.testing.assert_allclose(model(data), expected, atol=1e-10)


if __name__ == "__main__":
    unittest.main()
