"""vecc.nn's layers between two sets of nodes, of computed values on edges and without self loops,
beside PyTorch Geometric's: with the same weights, in float64, both ways down."""

import unittest

import numpy as np
import torch
import torch_geometric.nn as pyg

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from vecc.nn import layers

RNG = np.random.default_rng(4)
SOURCES, TARGETS, EDGES, OUT, RELATIONS = 9, 7, 30, 5, 3
KEY = ("user", "rates", "item")
ENDS = np.stack([RNG.integers(0, SOURCES, EDGES), RNG.integers(1, TARGETS, EDGES)])
KIND = np.append(RNG.integers(0, RELATIONS, EDGES - 1), RELATIONS - 1)
X, Y, A = (RNG.normal(size=(rows, n)) for rows, n in ((SOURCES, 6), (TARGETS, 4), (EDGES, 3)))
SAME = RNG.normal(size=(TARGETS, 6))
TYPED = nn.Data().nodes("user", x=X).nodes("item", x=Y, same=SAME).edges(
    *ENDS, type=KEY, a=A, kind=KIND)
LOOPS = np.stack([ENDS[0] % TARGETS, ENDS[1]])
SINGLE = nn.Data().nodes(x=Y).edges(LOOPS, a=A, w=np.abs(A[:, 0]) + 0.5)


def near(found, expected):
    return np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)), initial=0)


def mlp(*sizes):
    parts = []
    for number, (a, b) in enumerate(zip(sizes, sizes[1:])):
        parts += [torch.nn.ReLU()] * (number > 0) + [torch.nn.Linear(a, b)]
    return torch.nn.Sequential(*parts)


def pair(g):
    return g["user"].x, g["item"].x


def pair_of_same(g):
    return g["user"].x, g["item"].same


def two(x):
    return layers.mlp(x, 7, OUT)


class PairsTest(unittest.TestCase):
    def compare(self, data, network, peer, *inputs):
        """Outputs and gradients of a layer named `l`."""
        peer = peer.double()
        torch.manual_seed(5)
        inputs = [tuple(map(torch.tensor, each)) if isinstance(each, tuple) else torch.tensor(each)
                  for each in inputs]
        for parameter in peer.parameters():
            torch.nn.init.normal_(parameter, std=0.5)
        expected = peer(*inputs)
        direction = np.random.default_rng(9).normal(size=expected.shape)
        (expected * torch.tensor(direction)).sum().backward()
        model = nn.Model(network, dtype="f64", backend="interpreter").trace(data)
        model.set_weights({f"l/{name}": array for name, array in peer.state_dict().items()})
        for way in ("direct", "neurons"):
            program = model.program(data, way=way)
            self.assertLess(near(program(), expected.detach().numpy()), 1e-10, way)
            found = program.gradients(direction)
            for name, parameter in peer.named_parameters():
                own = found["l/" + name.replace(".", "/")].ravel()
                self.assertLess(near(own, parameter.grad.numpy().ravel()), 1e-10, f"{way} {name}")

    def test_two_sets_of_nodes(self):
        sides, xs, same = (6, 4), (X, Y), (X, SAME)
        cases = {
            "sage": (lambda e, x: layers.sage(e, x, OUT, name="l"), pyg.SAGEConv(sides, OUT), xs),
            "gat": (lambda e, x: layers.gat(e, x, OUT, 2, edge_attr="a", self_loops=False,
                                            name="l"),
                    pyg.GATConv(sides, OUT, 2, edge_dim=3, add_self_loops=False), xs, ENDS, A),
            "gatv2": (lambda e, x: layers.gatv2(e, x, OUT, 2, edge_attr="a", self_loops=False,
                                                name="l"),
                      pyg.GATv2Conv(sides, OUT, 2, edge_dim=3, add_self_loops=False), xs, ENDS, A),
            "transformer": (lambda e, x: layers.transformer(e, x, OUT, 2, edge_attr="a", name="l"),
                            pyg.TransformerConv(sides, OUT, 2, edge_dim=3), xs, ENDS, A),
            "rgcn": (lambda e, x: layers.rgcn(e, x, OUT, e.kind, name="l"),
                     pyg.RGCNConv(sides, OUT, RELATIONS), xs, ENDS, KIND),
            "nn": (lambda e, x: layers.nn_conv(e, x, OUT, lambda a: layers.mlp(a, 6 * OUT), "a",
                                               name="l"),
                   pyg.NNConv(sides, OUT, mlp(3, 6 * OUT)), xs, ENDS, A),
            "gen": (lambda e, x: layers.gen(e, x, OUT, lambda m: layers.mlp(m, OUT, name="mlp"),
                                            name="l"),
                    pyg.GENConv(sides, OUT, num_layers=1, norm=None, bias=True), xs),
            "gin": (lambda e, x: layers.gin(e, x, two, 0.25, train_eps=True, name="l"),
                    pyg.GINConv(mlp(6, 7, OUT), 0.25, train_eps=True), same),
            "gine": (lambda e, x: layers.gine(e, x, two, "a", name="l"),
                     pyg.GINEConv(mlp(6, 7, OUT), edge_dim=3), same, ENDS, A),
            "edge": (lambda e, x: layers.edge(e, x, two, name="l"),
                     pyg.EdgeConv(mlp(12, 7, OUT)), same),
        }
        for name, (layer, peer, x, *more) in cases.items():
            with self.subTest(name):
                read = pair_of_same if x is same else pair
                self.compare(TYPED, lambda g: layer(g[KEY], read(g)), peer, x, *(more or [ENDS]))

    def test_values_on_edges(self):
        """`edge_attr` is what an encoder makes of the edges' features."""
        encoded = np.tanh(A)
        cases = {
            "gine": (lambda g, a: layers.gine(g, g.x, two, a, train_eps=True, name="l"),
                     pyg.GINEConv(mlp(4, 7, OUT), edge_dim=3, train_eps=True)),
            "transformer": (lambda g, a: layers.transformer(g, g.x, OUT, 2, edge_attr=a, name="l"),
                            pyg.TransformerConv(4, OUT, 2, edge_dim=3)),
            "gat": (lambda g, a: layers.gat(g, g.x, OUT, edge_attr=a, self_loops=False, name="l"),
                    pyg.GATConv(4, OUT, edge_dim=3, add_self_loops=False)),
            "gatv2": (lambda g, a: layers.gatv2(g, g.x, OUT, edge_attr=a, self_loops=False,
                                                name="l"),
                      pyg.GATv2Conv(4, OUT, edge_dim=3, add_self_loops=False)),
            "nn": (lambda g, a: layers.nn_conv(g, g.x, OUT, lambda a: layers.mlp(a, 4 * OUT), a,
                                               name="l"),
                   pyg.NNConv(4, OUT, mlp(3, 4 * OUT))),
        }
        for name, (layer, peer) in cases.items():
            with self.subTest(name):
                self.compare(SINGLE, lambda g: layer(g, nn.tanh(g.a)), peer, Y, LOOPS, encoded)

    def test_gcn_without_self_loops(self):
        self.compare(SINGLE, lambda g: layers.gcn(g, g.x, OUT, nn.sqrt(g.w), self_loops=False,
                                                  name="l"),
                     pyg.GCNConv(4, OUT, add_self_loops=False), Y, LOOPS,
                     np.sqrt(np.abs(A[:, 0]) + 0.5))

    def test_what_does_not_fit(self):
        """Is said at the user's line, in the names of what is there."""
        here = rf"{__file__}:\d+: error: .*"
        for network, message in (
                (lambda g: layers.gat(g[KEY], pair(g), 2), "self_loops=False"),
                (lambda g: layers.sage(g[KEY], g["user"].x, 2), "expected a pair"),
                (lambda g: layers.sage(g[KEY], (g["user"].x,) * 3, 2), "found 3 values"),
                (lambda g: layers.sage(g[KEY], pair(g)[::-1], 2), "is not of nodes of user"),
                (lambda g: layers.gine(g[KEY], pair_of_same(g), two, g[KEY].kind), "one_hot"),
                (lambda g: layers.gine(g[KEY], pair_of_same(g), two, "b"), "there is no feature"),
                (lambda g: layers.gine(g[KEY], pair_of_same(g), two, g["item"].x),
                 "is not of edges of user rates item"),
                (lambda g: layers.gine(g[KEY], pair_of_same(g), two, 3), "by its name, or a value"),
                (lambda g: g[KEY].feature(3), "is read by its name")):
            with self.assertRaisesRegex(vecc.Error, here + message):
                nn.Model(network).trace(TYPED)
        with self.assertRaisesRegex(vecc.Error, here + "self_loops=False leaves them out"):
            nn.Model(lambda g: layers.gatv2(g, g.x, 2, edge_attr=nn.relu(g.a))).trace(SINGLE)


if __name__ == "__main__":
    unittest.main()
