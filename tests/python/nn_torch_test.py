"""Model.to_torch(): vecc's kernels in loops of torch."""

import copy
import unittest

import numpy as np
import torch
import torch.nn.functional as functional

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from vecc.nn import Domain


def graph(seed=0, nodes=20):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (2, 3 * nodes))
    return nn.Data().nodes(x=rng.normal(size=(nodes, 4))).edges(ends).labels(
        rng.integers(0, 3, nodes))


def network(g):
    h = nn.dropout(nn.relu(nn.layers.gcn(g, g.x, 8, name="conv1")), 0.4)
    return nn.layers.sage(g, h, 3, name="conv2")


class TorchTest(unittest.TestCase):
    def setUp(self):
        self.data = graph()
        self.model = nn.Model(network, dtype="f64", seed=2).trace(self.data)

    def test_a_loop_of_torch_is_fit(self):
        """With its losses, its masks, its weights."""
        module = self.model.to_torch(seed=7)
        self.assertEqual(sorted(module.state_dict()),
                         sorted(name.replace("/", ".") for name in self.model.weights))
        optimizer, y = torch.optim.Adam(module.parameters(), lr=0.01), torch.tensor(
            self.data.targets)
        losses = []
        for _ in range(6):
            optimizer.zero_grad()
            loss = functional.cross_entropy(module(self.data), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        history = self.model.fit(self.data, epochs=6, lr=0.01, seed=7).history
        np.testing.assert_allclose([each["loss"] for each in history], losses, rtol=1e-9)
        for name, value in module.state_dict().items():
            np.testing.assert_allclose(self.model.weights[name.replace(".", "/")], value, atol=1e-9)
        self.model.initialize(5)
        self.model.set_weights(module.state_dict())
        module.eval()
        np.testing.assert_allclose(module(self.data).detach(), self.model(self.data), atol=1e-12)

    def test_other_graphs(self):
        """Two graphs before one backward pass; each has its own gradients."""
        module, other = self.model.to_torch().eval(), graph(1, 9)
        parameters = list(module.parameters())
        first, second = module(self.data).sum(), module(other).square().sum()
        both = torch.autograd.grad(first + second, parameters)
        alone = [torch.autograd.grad(each, parameters)
                 for each in (module(self.data).sum(), module(other).square().sum())]
        for sums, a, b in zip(both, *alone):
            np.testing.assert_allclose(sums, a + b, atol=1e-12)
        np.testing.assert_allclose(module(other).detach(), self.model(other), atol=1e-12)

    def test_gradients_are_those_of_differences(self):
        module = self.model.to_torch().eval()
        direction = torch.randn(20, 3, dtype=torch.float64, generator=torch.manual_seed(1))
        (module(self.data) * direction).sum().backward()
        weight = module.conv1.lin.weight
        with torch.no_grad():
            values = []
            for step in (1e-5, -2e-5):
                weight[0, 1] += step
                values.append((module(self.data) * direction).sum().item())
        self.assertAlmostEqual(weight.grad[0, 1].item(), (values[0] - values[1]) / 2e-5, places=6)

    def test_the_op_obeys_torchs_rules(self):
        module = self.model.to_torch().eval()
        compiled = module._compile(self.data)
        weights = [module.get_parameter_or_buffer(name) for name in compiled.names]
        torch.library.opcheck(torch.ops.vecc.run.default, (compiled.number, 0, 0, weights))
        key = (Domain("node", "node"), "x")
        compiled = module._compile(self.data, (key,))
        x = torch.tensor(self.data.features[key[0]]["x"].values, requires_grad=True)
        torch.library.opcheck(torch.ops.vecc.run.default, (compiled.number, 0, 0, [*weights, x]))
        copied = copy.deepcopy(module)
        np.testing.assert_array_equal(copied(self.data).detach(), module(self.data).detach())

    def test_torch_compile(self):
        """Compiles what is around it, here an encoder and a loss; lists of graphs, too."""
        module, encoder = self.model.to_torch().eval(), torch.nn.Linear(4, 4).double()
        x = torch.tensor(self.data.features[Domain("node", "node")]["x"].values)

        def loss(data):
            return module(data, x=torch.tanh(encoder(x))).square().sum()
        for call, inputs in ((module, self.data), (loss, self.data), (module, [graph(1), graph(2)])):
            found = []
            for each in (call, torch.compile(call, backend="eager")):
                module.zero_grad()
                made = each(inputs)
                made.sum().backward()
                found.append([made, *(weight.grad.clone() for weight in module.parameters())])
            for one, other in zip(*found):
                np.testing.assert_array_equal(one.detach(), other.detach())

    def check_gradients(self, network, data, features, training=False):
        """By torch's gradcheck, of inputs that stand in the place of the data's features."""
        module = nn.Model(network, dtype="f64").trace(data).to_torch(seed=3).train(training)
        inputs = [torch.tensor(data.features[key][name].values, dtype=torch.float64,
                               requires_grad=True) for key, name in features.values()]

        def run(*tensors):
            module.steps = 0
            return module(data, dict(zip(features, tensors)))
        run(*inputs)
        self.assertTrue(torch.autograd.gradcheck(run, inputs))
        return module, inputs

    def test_features_have_gradients(self):
        rng = np.random.default_rng(3)
        nodes, edges = Domain("node", "node"), Domain("edge", ("node", "to", "node"))
        ends = rng.integers(0, 6, (2, 15))
        ends[:, 3] = ends[:, 7] = 2  # two loops at a node
        data = nn.Data().nodes(x=rng.normal(size=(6, 3)), s=rng.normal(size=6)).edges(
            ends, a=rng.normal(size=(15, 2)))
        for fill, keep in (("mean", False), (0.5, False), (0.5, True), (None, False)):
            def with_edges(g):
                e = g.edges if fill is None else g.with_self_loops(fill, keep=keep)
                h = nn.dropout(nn.concat(g.x, g.s), 0.3)
                return nn.sum(nn.tanh(nn.linear(e.a, 3) * nn.linear(h, 3)[e.src]), over=e.dst)
            for training in (False, True):
                with self.subTest(fill=fill, keep=keep, training=training):
                    self.check_gradients(with_edges, data, {
                        "x": (nodes, "x"), "s": (nodes, "s"), "a": (edges, "a")}, training)

    def test_features_of_typed_sets(self):
        rng = np.random.default_rng(4)
        data = nn.Data().nodes("p", x=rng.normal(size=(4, 2))).nodes("q", x=rng.normal(size=(3, 2)))
        data.edges(rng.integers(0, 3, 8), rng.integers(0, 4, 8), type=("q", "to", "p"))

        def network(g):
            e = g["q", "to", "p"]
            return nn.linear(g["p"].x + nn.mean(nn.relu(g["q"].x)[e.src], over=e.dst), 2)
        module, _ = self.check_gradients(network, data, {
            ("p", "x"): (Domain("node", "p"), "x"), ("q", "x"): (Domain("node", "q"), "x")})
        with self.assertRaisesRegex(vecc.Error, r"2 sets have a feature 'x': expected one"):
            module(data, x=torch.zeros(4, 2))
        with self.assertRaisesRegex(vecc.Error, r"shape \[3, 2\], expected \[4, 2\]"):
            module(data, {("p", "x"): torch.zeros(3, 2)})

    def test_tensors_of_the_data_have_gradients(self):
        """Also in a list of graphs; what is not read has none. One nn.Data compiles once, and has
        the tensor's values of now."""
        def network(g):
            return nn.sum(nn.linear(g.x, 3)[g.src] * nn.relu(g.x[:1])[g.dst], over=g.dst)
        ends = np.array([[0, 1, 2, 2], [1, 1, 0, 2]])
        parts = [torch.randn(3, 2, dtype=torch.float64, requires_grad=one) for one in (True, False)]
        other = torch.ones(3, requires_grad=True)
        graphs = [nn.Data().nodes(x=x, other=other).edges(ends) for x in parts]
        module = nn.Model(network, dtype="f64").trace(graphs).to_torch().eval()
        module(graphs).square().sum().backward()
        alone = parts[0].detach().requires_grad_()
        both = nn.as_data(graphs)
        for _ in range(2):
            outputs = module(both, x=torch.cat([alone, parts[1]]))
            outputs.square().sum().backward()
        np.testing.assert_allclose(alone.grad / 2, parts[0].grad, atol=1e-13)
        self.assertIsNone(other.grad)
        self.assertEqual(len(module._programs[both]), 1)
        parts[0].data *= 2
        np.testing.assert_allclose(module(graphs[0]).detach(), module(graphs[0], x=parts[0]).detach())
        self.assertEqual(len(module._programs[graphs[0]]), 1)

    def test_an_encoder_of_torch_before_it(self):
        encoder = torch.nn.Linear(4, 4).double()
        module = self.model.to_torch().eval()
        x = torch.tensor(self.data.features[Domain("node", "node")]["x"].values)
        module(self.data, x=encoder(x)).square().sum().backward()
        found = encoder.weight.grad.clone()
        features = encoder(x).detach()

        def changed(step):
            return module(self.data, x=features + step * x[:, 1:2] * torch.eye(4)[2]).square().sum()
        difference = (changed(1e-6) - changed(-1e-6)).item() / 2e-6
        self.assertAlmostEqual(found[2, 1].item(), difference, places=5)

    def test_models_without_weights(self):
        module = nn.Model(lambda g: nn.relu(g.x), dtype="f64").trace(self.data).to_torch()
        x = self.data.features[Domain("node", "node")]["x"].values
        np.testing.assert_array_equal(module(self.data), np.maximum(x, 0))

    def test_second_derivatives_are_refused(self):
        module = self.model.to_torch().eval()
        weight = module.conv1.lin.weight
        first, = torch.autograd.grad(module(self.data).square().sum(), weight, create_graph=True)
        with self.assertRaisesRegex(vecc.Error, "first derivatives"):
            first.sum().backward()

    def test_batch_norm_runs_but_does_not_learn(self):
        model = nn.Model(lambda g: nn.linear(nn.batch_norm(g.x), 3), dtype="f64")
        model.fit(self.data, epochs=2)
        module = model.to_torch()
        with self.assertRaisesRegex(vecc.Error, "running statistics"):
            module(self.data)
        found = module.eval()(self.data)
        np.testing.assert_allclose(found.detach(), model(self.data), atol=1e-12)
        self.assertEqual({name for name, _ in module.named_parameters()},
                         {"batch_norm.weight", "batch_norm.bias", "linear.weight"})

    def test_torch_in_models(self):
        """Is refused at its line, with the word that vecc.nn has for it."""
        x, module = torch.ones(20, 4), torch.nn.Linear(4, 4)
        for call, message in (
                (lambda g: torch.relu(g.x), r"torch's relu is of tensors, .*: nn\.relu"),
                (lambda g: functional.leaky_relu(g.x, 0.2), r"nn\.leaky_relu"),
                (lambda g: functional.dropout(g.x, 0.5), r"nn\.dropout"),
                (lambda g: torch.cat([g.x, g.x], -1), r"nn\.concat"),
                (lambda g: torch.sum(g.x), r"nn\.sum"),
                (lambda g: module(g.x), r"torch's linear .*: nn\.linear"),
                (lambda g: x + g.x, r"torch's add .*: a \+ nn\.constant"),
                (lambda g: g.x * x, "found Tensor of shape .20, 4., expected a value of the model"),
                (lambda g: nn.layers.gcn(g, x, 8), "g.x reads a feature x of the data"),
                (lambda g: nn.layers.gcn(torch.ones(2, 3), g.x, 8), "expected the graph"),
                (lambda g: nn.layers.gin(g, g.x, module), "found Linear.*expected a function of")):
            with self.assertRaisesRegex(vecc.Error, rf"{__file__}:\d+: error: .*{message}"):
                nn.Model(call).trace(self.data)
        with self.assertRaisesRegex(vecc.Error, "nn.Model: .*expected a function of a graph"):
            nn.Model(module)


if __name__ == "__main__":
    unittest.main()
