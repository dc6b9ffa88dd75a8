"""vecc.nn: weights begin as those of torch's and PyTorch Geometric's modules, of the same laws.
Both draw every weight that set_weights(module) knows, with many seeds."""

import unittest

import numpy as np
import torch
import torch_geometric.nn as pyg
from torch_geometric.data import HeteroData

from command_line import VECC  # noqa: F401  takes the arguments

from vecc import nn
from vecc.nn import layers

SEEDS = range(40)
NODES, EDGES, RELATIONS, KINDS = 12, 30, 3, 20
DIM, OUT, HEADS, EDGE_DIM = 24, 30, 2, 8  # each law has bounds of its own with these
RNG = np.random.default_rng(0)
ENDS = RNG.integers(0, NODES, (2, EDGES))
DATA = nn.Data().nodes(
    x=RNG.normal(size=(NODES, DIM)), kind=np.arange(NODES) + KINDS - NODES).edges(
        ENDS, edge_attr=RNG.normal(size=(EDGES, EDGE_DIM)), edge_type=np.arange(EDGES) % RELATIONS)


def typed_data():
    data = HeteroData()
    for kind, size in (("paper", DIM), ("author", OUT)):
        data[kind].x = torch.randn(NODES, size)
    ends = torch.randint(0, NODES, (2, EDGES))
    for key in (("author", "writes", "paper"), ("paper", "by", "author"),
                ("paper", "cites", "paper")):
        data[key].edge_index = ends
    return data


def mlp(*sizes):
    parts = []
    for number, (a, b) in enumerate(zip(sizes, sizes[1:])):
        parts += [torch.nn.ReLU()] * (number > 0) + [torch.nn.Linear(a, b)]
    return torch.nn.Sequential(*parts)


def without(*parts):
    """Of a module's state_dict what is not of these."""
    return lambda holder: {name: tensor for name, tensor in holder.state_dict().items()
                           if name.split(".")[1] not in parts}


def two(size):
    return lambda v: layers.mlp(v, 16, size)


def gen_network(v):
    return nn.linear(nn.linear(v, 2 * OUT, bias=True, name="mlp/0"), OUT, bias=True, name="mlp/3")


#: A model whose weights are peer/..., and the module of these names.
PAIRS = {
    "linear": (lambda g: nn.linear(g.x, OUT, bias=True, name="peer"), torch.nn.Linear(DIM, OUT)),
    "linear of one": (lambda g: nn.linear(g.x, 1, name="peer"), pyg.Linear(DIM, 1, bias=False)),
    "linear, glorot": (lambda g: nn.linear(g.x, OUT, bias=True, name="peer", init="glorot"),
                       pyg.Linear(DIM, OUT, weight_initializer="glorot")),
    "linear, kaiming_uniform": (
        lambda g: nn.linear(g.x, OUT, bias=True, name="peer", init="kaiming_uniform"),
        pyg.Linear(DIM, OUT, weight_initializer="kaiming_uniform")),
    "embedding": (lambda g: nn.embedding(g.kind, OUT, name="peer"),
                  torch.nn.Embedding(KINDS, OUT)),
    "mlp": (lambda g: layers.mlp(g.x, 16, OUT, name="peer"), mlp(DIM, 16, OUT)),
    "layer_norm": (lambda g: nn.layer_norm(g.x, name="peer"), torch.nn.LayerNorm(DIM)),
    "batch_norm": (lambda g: nn.batch_norm(g.x, name="peer"), pyg.BatchNorm(DIM)),
    "gru": (lambda g: layers.gru(DIM, DIM, name="peer")(g.x, g.x), torch.nn.GRUCell(DIM, DIM)),
    "lstm": (lambda g: nn.lstm(g.x[g.src], g.dst, OUT, name="peer"), torch.nn.LSTM(DIM, OUT)),
    "gcn": (lambda g: layers.gcn(g, g.x, OUT, name="peer"), pyg.GCNConv(DIM, OUT)),
    "sage mean": (lambda g: layers.sage(g, g.x, OUT, name="peer"), pyg.SAGEConv(DIM, OUT)),
    "sage max": (lambda g: layers.sage(g, g.x, OUT, "max", name="peer"),
                 pyg.SAGEConv(DIM, OUT, aggr="max")),
    "sage of projected rows": (lambda g: layers.sage(g, g.x, OUT, project=True, name="peer"),
                               pyg.SAGEConv(DIM, OUT, project=True)),
    "sage lstm": (lambda g: layers.sage(g, g.x, OUT, "lstm", name="peer"),
                  pyg.SAGEConv(DIM, OUT, aggr="lstm")),
    "gin": (lambda g: layers.gin(g, g.x, two(OUT), 0.25, train_eps=True, name="peer"),
            pyg.GINConv(mlp(DIM, 16, OUT), 0.25, train_eps=True)),
    "gine": (lambda g: layers.gine(g, g.x, two(OUT), name="peer"),
             pyg.GINEConv(mlp(DIM, 16, OUT), edge_dim=EDGE_DIM)),
    "gat": (lambda g: layers.gat(g, g.x, OUT, HEADS, edge_attr="edge_attr", residual=True,
                                 name="peer"),
            pyg.GATConv(DIM, OUT, HEADS, edge_dim=EDGE_DIM, residual=True)),
    "gat of a pair": (lambda g: layers.gat(g, (g.x, g.x), OUT, self_loops=False, name="peer"),
                      pyg.GATConv((DIM, DIM), OUT, add_self_loops=False)),
    "gatv2": (lambda g: layers.gatv2(g, g.x, OUT, HEADS, edge_attr="edge_attr", residual=True,
                                     name="peer"),
              pyg.GATv2Conv(DIM, OUT, HEADS, edge_dim=EDGE_DIM, residual=True)),
    "transformer": (lambda g: layers.transformer(g, g.x, OUT, HEADS, edge_attr="edge_attr",
                                                 name="peer"),
                    pyg.TransformerConv(DIM, OUT, HEADS, edge_dim=EDGE_DIM)),
    "rgcn": (lambda g: layers.rgcn(g, g.x, OUT, g.edge_type, name="peer"),
             pyg.RGCNConv(DIM, OUT, RELATIONS)),
    "rgcn of bases": (lambda g: layers.rgcn(g, g.x, OUT, g.edge_type, bases=5, name="peer"),
                      pyg.RGCNConv(DIM, OUT, RELATIONS, num_bases=5)),
    "film": (lambda g: layers.film(g, g.x, OUT, g.edge_type, name="peer"),
             pyg.FiLMConv(DIM, OUT, RELATIONS)),
    "gated_graph": (lambda g: layers.gated_graph(g, g.x, OUT, 2, name="peer"),
                    pyg.GatedGraphConv(OUT, 2)),
    "edge": (lambda g: layers.edge(g, g.x, two(OUT), name="peer"),
             pyg.EdgeConv(mlp(2 * DIM, 16, OUT))),
    "nn_conv": (lambda g: layers.nn_conv(g, g.x, OUT, two(DIM * OUT), name="peer"),
                pyg.NNConv(DIM, OUT, mlp(EDGE_DIM, 16, DIM * OUT))),
    "gen": (lambda g: layers.gen(g, g.x, OUT, gen_network, edge_attr="edge_attr", name="peer"),
            pyg.GENConv((DIM, DIM), OUT, norm=None, bias=True, edge_dim=EDGE_DIM)),
}


class Holder(torch.nn.Module):
    def __init__(self, peer):
        super().__init__()
        self.peer = peer

    def redraw(self):
        """As PyTorch Geometric's reset() goes down to what has reset_parameters()."""
        pyg.inits.reset(self)


def draws(model, draw):
    """Of each weight the values of all seeds, in one array."""
    found = []
    for seed in SEEDS:
        draw(seed)
        found.append(model.weights)
    return {name: np.stack([each[name] for each in found]).ravel() for name in found[0]}


def distance(a, b):
    """Kolmogorov's and Smirnov's: how far apart the shares of values up to some x are."""
    both = np.concatenate([a, b])
    shares = [np.searchsorted(np.sort(each), both, side="right") / len(each) for each in (a, b)]
    return np.abs(shares[0] - shares[1]).max()


class PygInitialTest(unittest.TestCase):
    def compare(self, network, peer, data=DATA, given=lambda holder: holder):
        holder, model = Holder(peer), nn.Model(network).trace(data)

        def redraw(seed):
            torch.manual_seed(seed)
            holder.redraw()
            self.assertEqual(model.set_weights(given(holder)), [])
        own, others = draws(model, model.initialize), draws(model, redraw)
        for name, values in own.items():
            with self.subTest(name):
                self.same_law(values, others[name])

    def same_law(self, own, other):
        if np.ptp(other) == 0:
            np.testing.assert_array_equal(own, other)
            return
        count = len(own)
        self.assertGreaterEqual(count, 600)
        self.assertLess(distance(own, other), 1.95 * (2 / count) ** 0.5)  # 1 of 1,000 is farther
        self.assertLess(abs(own.mean()), 4 * other.std() / count ** 0.5)
        self.assertLess(abs(own.std() / other.std() - 1), 4 * count ** -0.5)
        bounds = np.abs(own).max(), np.abs(other).max()
        if bounds[1] < 2 * other.std():  # uniform: the largest of all is next to the bound
            self.assertLess(abs(bounds[0] / bounds[1] - 1), 10 / count)

    def test_every_layer_is_here(self):
        words = {name.partition(" ")[0] for name in PAIRS}
        self.assertEqual(set(layers.__all__) - words, {"rgat", "pna", "hgt", "appnp", "symmetric"})

    def test_layers(self):
        for name, (network, peer) in PAIRS.items():
            with self.subTest(name):
                self.compare(network, peer)

    def test_rgat(self):
        """PyTorch Geometric's has parameters that no output depends on."""
        self.compare(lambda g: layers.rgat(g, g.x, OUT, g.edge_type, heads=HEADS, name="peer"),
                     pyg.RGATConv(DIM, OUT, RELATIONS, heads=HEADS),
                     given=without("w", "l1", "b1", "l2", "b2"))

    def test_pna(self):
        """What it has of degrees is the layer's argument."""
        aggregations, scalers = ["mean", "min", "max", "std"], ["identity", "amplification"]
        degrees = torch.bincount(torch.bincount(torch.tensor(ENDS[1])))
        self.compare(lambda g: layers.pna(g, g.x, OUT, 1.0, scalers=scalers, name="peer"),
                     pyg.PNAConv(DIM, OUT, aggregations, scalers, degrees),
                     given=without("aggr_module"))

    def test_hgt(self):
        data = typed_data()

        def network(g):
            x = layers.hgt(g, {kind: g[kind].x for kind in g.node_types}, DIM, HEADS, name="peer")
            return x["paper"] + nn.sum(x["author"][g["author", "writes", "paper"].src],
                                       over=g["author", "writes", "paper"].dst)
        self.compare(network, pyg.HGTConv({"paper": DIM, "author": OUT}, DIM, data.metadata(),
                                          HEADS), data)

    def test_appnp_has_no_weights(self):
        model = nn.Model(lambda g: layers.appnp(g, g.x, 3, 0.1)).trace(DATA)
        self.assertEqual(model.weights, {})
        self.assertEqual(list(pyg.APPNP(3, 0.1).parameters()), [])

    def test_another_law_is_found(self):
        """Of every weight that is drawn, each law that is not the module's."""
        laws = ("glorot", "kaiming_uniform", "normal", "zeros", "ones", 0.5, nn.uniform(0.1))
        for right in ("glorot", "kaiming_uniform"):
            peer = pyg.Linear(DIM, OUT, bias=False, weight_initializer=right)
            for law in laws:
                with self.subTest(right=right, law=law):
                    model = nn.Model(lambda g: nn.linear(g.x, OUT, init=law, name="peer"))
                    own = draws(model.trace(DATA), model.initialize)["peer/weight"]
                    torch.manual_seed(0)
                    other = np.concatenate([self.redrawn(peer) for _ in SEEDS])
                    if law == right:
                        self.same_law(own, other)
                    else:
                        self.assertRaises(AssertionError, self.same_law, own, other)

    def redrawn(self, peer):
        peer.reset_parameters()
        return peer.weight.detach().numpy().astype(np.float64).ravel()


if __name__ == "__main__":
    unittest.main()
