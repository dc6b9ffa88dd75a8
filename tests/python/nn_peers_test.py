"""vecc.nn: GIN, GATv2, RGCN, HGT trained beside PyTorch Geometric's from the same weights, over seeds:
the same losses of every epoch, the same accuracy in the end.

nn_peers_test.py VECC DATASETS
"""

import unittest

import numpy as np
import torch
import torch.nn.functional as functional
import torch_geometric.nn as pyg
from torch_geometric.data import Batch, Data, HeteroData

from command_line import VECC  # noqa: F401  takes the arguments

from vecc import nn

SEEDS, EPOCHS, RATE = range(3), 20, 0.02
torch.set_num_threads(1)  # small graphs


def gin_graphs():
    """Classes by the density of edges."""
    graphs = []
    for number in range(24):
        torch.manual_seed(number)
        nodes, y = 8 + number % 5, number % 2
        graphs.append(Data(x=torch.randn(nodes, 4), y=torch.tensor([y]),
                           edge_index=torch.randint(0, nodes, (2, (2 + 2 * y) * nodes))))
    return graphs


class Gin(torch.nn.Module):
    def __init__(self):
        super().__init__()
        def mlp(inputs):
            return torch.nn.Sequential(torch.nn.Linear(inputs, 8), torch.nn.ReLU(),
                                       torch.nn.Linear(8, 8))
        self.conv1, self.conv2 = pyg.GINConv(mlp(4)), pyg.GINConv(mlp(8))
        self.lin = torch.nn.Linear(8, 2)

    def forward(self, x, edge_index, batch):
        h = functional.relu(self.conv1(x, edge_index))
        return self.lin(pyg.global_mean_pool(self.conv2(h, edge_index), batch))


def gin(g):
    h = nn.relu(nn.layers.gin(g, g.x, lambda x: nn.layers.mlp(x, 8, 8), name="conv1"))
    h = nn.layers.gin(g, h, lambda x: nn.layers.mlp(x, 8, 8), name="conv2")
    return nn.linear(nn.mean(h, over=g.graph), 2, bias=True, name="lin")


def nodes_data():
    torch.manual_seed(1)
    y = torch.randint(0, 3, (60,))
    ends = torch.randint(0, 60, (2, 300))
    ends = ends[:, (y[ends[0]] == y[ends[1]]) | (torch.rand(300) < 0.2)]
    return Data(x=torch.randn(60, 5) + functional.one_hot(y, 5), edge_index=ends, y=y,
                edge_type=torch.randint(0, 3, (ends.shape[1],)),
                train_mask=torch.arange(60) < 30, test_mask=torch.arange(60) >= 30)


class Gatv2(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = pyg.GATv2Conv(5, 4, heads=2), pyg.GATv2Conv(8, 3)

    def forward(self, x, edge_index):
        return self.conv2(functional.elu(self.conv1(x, edge_index)), edge_index)


def gatv2(g):
    return nn.layers.gatv2(g, nn.elu(nn.layers.gatv2(g, g.x, 4, heads=2, name="conv1")), 3,
                           name="conv2")


class Rgcn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = pyg.RGCNConv(5, 8, 3), pyg.RGCNConv(8, 3, 3)

    def forward(self, x, edge_index, edge_type):
        return self.conv2(functional.relu(self.conv1(x, edge_index, edge_type)), edge_index,
                          edge_type)


def rgcn(g):
    h = nn.relu(nn.layers.rgcn(g, g.x, 8, g.edge_type, name="conv1"))
    return nn.layers.rgcn(g, h, 3, g.edge_type, name="conv2")


def typed_data():
    torch.manual_seed(2)
    data, y = HeteroData(), torch.randint(0, 3, (40,))
    data["paper"].x, data["author"].x = torch.randn(40, 6), torch.randn(15, 6)
    data["paper"].x += 3 * functional.one_hot(y, 6)
    data["paper"].y = y
    data["paper"].train_mask = torch.arange(40) < 20
    data["paper"].test_mask = torch.arange(40) >= 20
    ends = torch.stack([torch.randint(0, 15, (80,)), torch.randint(0, 40, (80,))])
    data["author", "writes", "paper"].edge_index = ends
    data["paper", "by", "author"].edge_index = ends.flip(0)
    cites = torch.randint(0, 40, (2, 400))
    data["paper", "cites", "paper"].edge_index = cites[:, y[cites[0]] == y[cites[1]]]
    return data


class Hgt(torch.nn.Module):
    def __init__(self, metadata):
        super().__init__()
        self.conv1, self.conv2 = (pyg.HGTConv(6, 6, metadata, heads=2) for _ in range(2))
        self.lin = torch.nn.Linear(6, 3)

    def forward(self, x, edges):
        return self.lin(self.conv2(self.conv1(x, edges), edges)["paper"])


def hgt(g):
    x = nn.layers.hgt(g, {kind: g[kind].x for kind in g.node_types}, 6, heads=2, name="conv1")
    x = nn.layers.hgt(g, x, 6, heads=2, name="conv2")
    return nn.linear(x["paper"], 3, bias=True, name="lin")


class PeersTest(unittest.TestCase):
    def compare(self, network, make_peer, data, inputs, y, train, test, evaluated=None,
                trained=None):
        """`trained`, `evaluated`: data where there are no masks."""
        accuracies = []
        for seed in SEEDS:
            torch.manual_seed(seed)
            peer = make_peer().double()
            model = nn.Model(network, dtype="f64", backend="cpu").trace(data)
            model.set_weights(peer)
            history = model.fit(trained or data, epochs=EPOCHS, lr=RATE).history
            optimizer, losses = torch.optim.Adam(peer.parameters(), lr=RATE), []
            for _ in range(EPOCHS):
                optimizer.zero_grad()
                loss = functional.cross_entropy(peer(*inputs)[train], y[train])
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            np.testing.assert_allclose([each["loss"] for each in history], losses, rtol=1e-7, atol=1e-9)
            right = (peer(*inputs)[test].argmax(1) == y[test]).double().mean().item()
            split = "all" if evaluated else "test"
            accuracies.append((model.evaluate(evaluated or data, split=split)["accuracy"], right))
        own, peers = np.array(accuracies).T
        error = peers.std(ddof=1) / len(peers) ** 0.5
        self.assertLessEqual(abs(own.mean() - peers.mean()), error + 1e-12)
        self.assertGreater(own.mean(), 0.4)

    def test_gin(self):
        graphs = gin_graphs()
        both = Batch.from_data_list(graphs)
        rows = torch.arange(len(graphs))
        # Training is on the first graphs alone; the whole batch gives them the same outputs.
        self.compare(gin, Gin, graphs, (both.x.double(), both.edge_index, both.batch), both.y,
                     rows < 16, rows >= 16, graphs[16:], graphs[:16])

    def test_gatv2(self):
        data = nodes_data()
        self.compare(gatv2, Gatv2, data, (data.x.double(), data.edge_index), data.y,
                     data.train_mask, data.test_mask)

    def test_rgcn(self):
        data = nodes_data()
        self.compare(rgcn, Rgcn, data, (data.x.double(), data.edge_index, data.edge_type), data.y,
                     data.train_mask, data.test_mask)

    def test_hgt(self):
        data = typed_data()
        x = {kind: data[kind].x.double() for kind in data.node_types}
        self.compare(hgt, lambda: Hgt(data.metadata()), data, (x, data.edge_index_dict),
                     data["paper"].y, data["paper"].train_mask, data["paper"].test_mask)


if __name__ == "__main__":
    unittest.main()
