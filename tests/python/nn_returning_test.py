"""vecc.nn: weights of a model go back to the module of PyTorch Geometric that was ported."""

import unittest

import numpy as np
import torch
import torch_geometric.nn as pyg
from torch_geometric.data import Batch, Data, HeteroData

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn

KEYS = [("a", "to", "b"), ("b", "to", "a"), ("b", "of", "b")]


def graphs():
    torch.manual_seed(1)
    return [Data(num_nodes=n, z=torch.randint(0, 5, (n,)), y=torch.randn(1).double(),
                 edge_index=torch.randint(0, n, (2, 3 * n)), edge_type=torch.randint(0, 3, (3 * n,)),
                 edge_attr=torch.randn(3 * n, 2).double()) for n in range(4, 12)]


class Peer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.atom = torch.nn.Embedding(6, 8)
        self.conv1 = pyg.GINEConv(pyg.Linear(8, 8), edge_dim=2, train_eps=True)
        self.norm = pyg.BatchNorm(8)
        self.conv2 = pyg.FiLMConv(8, 8, 3)
        self.conv3 = pyg.GatedGraphConv(8, 2)
        self.conv4 = pyg.GATConv(8, 4, heads=2)
        self.conv5 = pyg.GINConv(torch.nn.Sequential(torch.nn.Linear(8, 8)), eps=0.5)
        self.conv6 = pyg.TransformerConv(8, 8, root_weight=False)
        self.head = torch.nn.Linear(8, 1)

    def forward(self, data):
        ends = data.edge_index
        h = self.norm(self.conv1(self.atom(data.z), ends, data.edge_attr))
        h = self.conv3(self.conv2(h, ends, data.edge_type), ends)
        h = self.conv6(self.conv5(self.conv4(h, ends), ends), ends)
        return self.head(pyg.global_mean_pool(h, data.batch))


def network(g):
    layers = nn.layers
    h = layers.gine(g, nn.embedding(g.z.with_count(6), 8, name="atom"), lambda v: nn.linear(
        v, 8, bias=True, name="nn"), "edge_attr", train_eps=True, name="conv1")
    h = layers.film(g, nn.batch_norm(h, name="norm"), 8, g.edge_type, name="conv2")
    h = layers.gat(g, layers.gated_graph(g, h, 8, 2, name="conv3"), 4, heads=2, name="conv4")
    h = layers.gin(g, h, lambda v: layers.mlp(v, 8), eps=0.5, name="conv5")
    h = layers.transformer(g, h, 8, root_weight=False, name="conv6")
    return nn.linear(nn.mean(h, over=g.graph), 1, bias=True, name="head")


class ReturningTest(unittest.TestCase):
    def check(self, model, source, peer, run):
        """Outputs of the module with the model's weights are the model's."""
        before = {name: tensor.clone() for name, tensor in peer.state_dict().items()}
        state = model.state_dict_of(peer)
        for name, tensor in peer.state_dict().items():
            self.assertTrue(torch.equal(tensor, before[name]), name)
            self.assertEqual(state[name].dtype, tensor.dtype)
        peer.load_state_dict(state)
        np.testing.assert_allclose(model(source), run(peer.eval()).detach(), atol=1e-9)
        self.assertEqual(model.set_weights(peer), [])

    def test_graphs(self):
        """After a training; some layers have lists of weights there and tables here."""
        data, peer = graphs(), Peer().double()
        model = nn.Model(network, dtype="f64", backend="cpu").trace(data)
        model.fit(data, epochs=3)
        with self.assertRaises(AssertionError):
            np.testing.assert_allclose(model(data), peer.eval()(Batch.from_data_list(data)).detach())
        self.check(model, data, peer, lambda it: it(Batch.from_data_list(data)))

    def test_typed_graphs(self):
        """HGT, where PyG has weights that it does not use."""
        torch.manual_seed(2)
        data, counts = HeteroData(), {"a": 5, "b": 7}
        for name, count in counts.items():
            data[name].x = torch.randn(count, 6).double()
        for key in KEYS:
            data[key].edge_index = torch.stack([torch.randint(0, counts[end], (12,))
                                                for end in (key[0], key[2])])
        peer = torch.nn.ModuleDict({"conv": pyg.HGTConv(6, 6, data.metadata(), heads=2)}).double()
        model = nn.Model(lambda g: nn.layers.hgt(
            g, {name: g[name].x for name in g.node_types}, 6, heads=2, name="conv")["b"],
            dtype="f64", seed=3).trace(data)
        self.check(model, data, peer, lambda it: it["conv"](data.x_dict, data.edge_index_dict)["b"])

    def test_tied_weights(self):
        """Entries of one tensor: what the model has for one of them is all of them's."""
        def two(g):
            return nn.layers.gcn(g, g.x, 4, name="a") + nn.layers.gcn(g, g.w, 4, name="b")

        def tied():
            conv = pyg.GCNConv(3, 4)
            return torch.nn.ModuleDict({"a": conv, "b": conv}).double()
        torch.manual_seed(4)
        data = Data(x=torch.randn(9, 3).double(), w=torch.randn(9, 3).double(),
                    y=torch.randint(0, 4, (9,)), edge_index=torch.randint(0, 9, (2, 20)))
        model, peer = nn.Model(two, dtype="f64").trace(data), tied()
        self.assertEqual(model.set_weights(peer), [])
        before = model.state_dict_of(peer)
        for name, tensor in peer.state_dict().items():
            self.assertTrue(torch.equal(before[name], tensor), name)
        model.fit(data, epochs=3)
        with self.assertRaisesRegex(vecc.Error, "a/lin/weight and b/lin/weight are one tensor of "
                                    "ModuleDict, but two of the model, whose values differ"):
            model.state_dict_of(peer)
        apart = torch.nn.ModuleDict({"a": pyg.GCNConv(3, 4), "b": pyg.GCNConv(3, 4)}).double()
        self.check(model, data, apart, lambda it: it["a"](data.x, data.edge_index) +
                   it["b"](data.w, data.edge_index))

    def test_views_of_one_tensor(self):
        """A decoder by the encoder's weights the other way round."""
        class Tied(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = torch.nn.Linear(3, 3, bias=False).double()
                self.decoder = torch.nn.Linear(3, 3, bias=False)
                self.decoder.weight = torch.nn.Parameter(self.encoder.weight.detach().t())
        data, peer = nn.Data().nodes(x=np.eye(3)).edges([0], [1]), Tied()
        model = nn.Model(lambda g: nn.linear(nn.linear(g.x, 3, name="encoder"), 3, name="decoder"),
                         dtype="f64").trace(data)
        weight = np.arange(9.0).reshape(3, 3)
        model.set_weights({"encoder/weight": weight, "decoder/weight": weight.T})
        self.check(model, data, peer, lambda it: it.decoder(it.encoder(torch.eye(3).double())))
        model.set_weights({"encoder/weight": weight, "decoder/weight": weight})
        with self.assertRaisesRegex(vecc.Error, "encoder/weight and decoder/weight are one tensor"):
            model.state_dict_of(peer)

    def test_modules_without_weights(self):
        data = nn.Data().nodes(x=np.eye(3)).edges([0], [1])
        model = nn.Model(lambda g: nn.layers.appnp(g, g.x, 2, 0.1)).trace(data)
        self.assertEqual(model.state_dict_of(torch.nn.ModuleDict({"a": pyg.APPNP(2, 0.1)})), {})
        model = nn.Model(lambda g: nn.layers.sage(g, g.x, 3, name="a")).trace(data)
        lazy = torch.nn.ModuleDict({"a": pyg.SAGEConv(-1, 3)})
        for call in (model.set_weights, model.state_dict_of):
            with self.assertRaisesRegex(vecc.Error, "a.lin_l.weight has no shape yet: expected"):
                call(lazy)
            with self.assertRaisesRegex(vecc.Error, "on the device meta, which has no numbers"):
                call(torch.nn.ModuleDict({"a": pyg.SAGEConv(3, 3)}).to("meta"))

    def test_what_is_refused(self):
        model = nn.Model(network).trace(graphs())
        other = Peer()
        other.conv4 = pyg.GATConv(8, 4, heads=2, negative_slope=0.5)
        lacks = torch.nn.ModuleDict({"head": torch.nn.Linear(8, 1)})
        for module, says in ((other, "negative_slope=0.5"), (lacks, "ModuleDict has no atom, conv1/"),
                             (Peer().state_dict(), "expected a module of torch"),
                             (torch.nn.Linear(3, 3), "there are none called 'weight'")):
            with self.assertRaisesRegex(vecc.Error, says):
                model.state_dict_of(module)


if __name__ == "__main__":
    unittest.main()
