"""vecc.nn: a model's Program is the same function as its neurons, and as NumPy's plain formulas.

nn_ways_test.py VECC DATASETS [MODELS]: how many random models (CI: 300).
"""

import sys
import unittest

MODELS = int(sys.argv.pop(3)) if len(sys.argv) > 3 else 300

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments
from nn_random import RandomModel, random_data

from vecc import nn
from vecc.nn import layers

TOLERANCE = 1e-12


def assert_near(found, expected, what):
    bound = TOLERANCE * np.maximum(1, np.abs(expected))
    assert found.shape == expected.shape, f"{what}: {found.shape}, {expected.shape}"
    worst = np.max(np.abs(found - expected) - bound, initial=-1)
    assert worst <= 0, f"{what}: {worst:g} beyond the tolerance"


def compare_ways(model, data, what, **options):
    """Outputs, and gradients of their sum."""
    ways = [model.program(data, way=way, dtype="f64", **options) for way in ("direct", "neurons")]
    assert_near(ways[0](), ways[1](), what)
    gradients = [program.gradients() for program in ways]
    assert gradients[0].keys() == gradients[1].keys() == model.weights.keys()
    for name in gradients[0]:
        assert_near(gradients[0][name], gradients[1][name], f"{what}: gradient of {name}")


LAYERS = {
    "gcn": lambda g: layers.gcn(g, g.x, 4),
    "gcn_weighted": lambda g: layers.gcn(g, g.x, 4, edge_weight="w"),
    "sage": lambda g: layers.sage(g, g.x, 4),
    "sage_lstm": lambda g: layers.sage(g, g.x, 3, "lstm"),
    "lstm": lambda g: nn.lstm(g.x[g.src], g.dst, 2),
    "lstm_of_one": lambda g: nn.lstm(g.x[g.src], g.dst, 1),
    "sage_max": lambda g: layers.sage(g, g.x, 4, "max"),
    "max_of_matrices": lambda g: nn.reshape(nn.max(nn.linear(g.x, (2, 3))[g.src], g.dst), 6),
    "min_of_one": lambda g: nn.min(nn.linear(g.x, 1)[g.src], g.dst),
    "softmax_of_matrices": lambda g: nn.reshape(nn.sum(nn.square(nn.softmax(
        nn.linear(g.x, (2, 3))[g.src], g.dst)), g.dst), 6),
    "gin": lambda g: layers.gin(g, g.x, lambda x: layers.mlp(x, 5, 4), eps=0.3),
    "gine": lambda g: layers.gine(g, g.x, lambda x: layers.mlp(x, 5, 4), "a"),
    "gat": lambda g: layers.gat(g, g.x, 4, heads=2, edge_attr="a"),
    "gat_mean": lambda g: layers.gat(g, g.x, 4, heads=2, concatenated=False),
    "gatv2": lambda g: layers.gatv2(g, g.x, 4, heads=3, edge_attr="a"),
    "transformer": lambda g: layers.transformer(g, g.x, 4, heads=2, edge_attr="a"),
    "rgcn": lambda g: layers.rgcn(g, g.x, 4, g.kind),
    "rgat": lambda g: layers.rgat(g, g.x, 4, g.kind, heads=2),
    "hgt": lambda g: layers.hgt(g, {"node": g.x}, 4, heads=2)["node"],
    "film": lambda g: layers.film(g, g.x, 4),
    "film_typed": lambda g: layers.film(g, g.x, 4, g.kind),
    "gated_graph": lambda g: layers.gated_graph(g, g.x, 4, 2),
    "edge": lambda g: layers.edge(g, g.x, lambda x: layers.mlp(x, 5, 4)),
    "nn_conv": lambda g: layers.nn_conv(g, g.x, 4, lambda a: layers.mlp(a, 5, 12), "a"),
    "appnp": lambda g: layers.appnp(g, nn.linear(g.x, 2), 3, 0.2),
    "gen": lambda g: layers.gen(g, g.x, 4, lambda x: layers.mlp(x, 8, 4), edge_attr="a"),
    "pna": lambda g: layers.pna(g, g.x, 4, mean_log_degree=1.1, mean_degree=2.5, scalers=(
        "identity", "amplification", "attenuation", "linear")),
}


class WaysTest(unittest.TestCase):
    def test_layers(self):
        rng = np.random.default_rng(1)
        data = random_data(rng)
        edges = len(data.ends["node", "to", "node"][0])
        weighted = nn.Data().nodes(**{k: f.values for k, f in data.features[
            next(iter(data.counts))].items()})
        ends = data.ends["node", "to", "node"]
        own = data.features[next(d for d in data.counts if d.kind == "edge")]
        weighted.edges(*ends, w=rng.uniform(0.5, 2, edges), a=own["a"].values,
                       kind=own["kind"].values)
        for name, network in LAYERS.items():
            with self.subTest(name):
                model = nn.Model(network, backend="cpu").trace(weighted)
                compare_ways(model, weighted, name)

    def test_random_models(self):
        for seed in range(MODELS):
            with self.subTest(seed=seed):
                data = random_data(np.random.default_rng([seed, 1]))
                model = nn.Model(RandomModel(seed), seed=seed).trace(data)
                compare_ways(model, data, f"model {seed}", backend="interpreter",
                             opt=[0, 2][seed % 2])


if __name__ == "__main__":
    unittest.main()
