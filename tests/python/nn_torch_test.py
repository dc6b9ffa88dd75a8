"""Model.to_torch(): vecc's kernels in loops of torch."""

import copy
import unittest

import numpy as np
import torch
import torch.nn.functional as functional

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn


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
        copied = copy.deepcopy(module)
        np.testing.assert_array_equal(copied(self.data).detach(), module(self.data).detach())

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


if __name__ == "__main__":
    unittest.main()
