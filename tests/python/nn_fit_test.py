"""vecc.nn with data as people have it: PyTorch Geometric's, NetworkX's; training as PyG trains."""

import unittest

import networkx
import numpy as np
import torch
import torch.nn.functional as functional
import torch_geometric.nn as pyg
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from vecc.nn.convert import as_data


def peer_data(seed=0, nodes=50):
    torch.manual_seed(seed)
    y = torch.randint(0, 3, (nodes,))
    x = torch.randn(nodes, 6) + functional.one_hot(y, 6)
    ends = torch.randint(0, nodes, (2, 6 * nodes))
    ends = ends[:, (y[ends[0]] == y[ends[1]]) | (torch.rand(ends.shape[1]) < 0.1)]
    data = Data(x=x, edge_index=ends, y=y, edge_attr=torch.randn(ends.shape[1], 2))
    data.train_mask = torch.arange(nodes) < 25
    data.val_mask = (torch.arange(nodes) >= 25) & (torch.arange(nodes) < 30)
    data.test_mask = torch.arange(nodes) >= 30
    return data


class Peer(torch.nn.Module):
    """The two layers that docs/models.md ports."""

    def __init__(self):
        super().__init__()
        self.conv1 = pyg.GATv2Conv(6, 8, heads=2, edge_dim=2)
        self.conv2 = pyg.GATv2Conv(16, 3, edge_dim=2)

    def forward(self, x, edge_index, edge_attr):
        h = functional.elu(self.conv1(x, edge_index, edge_attr))
        return self.conv2(h, edge_index, edge_attr)


def network(g):
    h = nn.elu(nn.layers.gatv2(g, g.x, 8, heads=2, edge_attr="edge_attr", name="conv1"))
    return nn.layers.gatv2(g, h, 3, edge_attr="edge_attr", name="conv2")


def ported(peer):
    return {name.replace(".", "/"): value for name, value in peer.state_dict().items()}


class FitTest(unittest.TestCase):
    def test_training_as_pyg_trains(self):
        """From the same weights: the loss of every epoch, and the weights in the end."""
        data, peer = peer_data(), Peer().double()
        model = nn.Model(network, dtype="f64", backend="cpu").trace(data)
        model.set_weights(ported(peer))
        inputs = data.x.double(), data.edge_index, data.edge_attr.double()
        np.testing.assert_allclose(model(data), peer(*inputs).detach(), atol=1e-10)
        optimizer, losses = torch.optim.Adam(peer.parameters(), lr=0.01), []
        for _ in range(20):
            optimizer.zero_grad()
            loss = functional.cross_entropy(peer(*inputs)[data.train_mask], data.y[data.train_mask])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        history = model.fit(data, epochs=20, lr=0.01).history
        np.testing.assert_allclose([epoch["loss"] for epoch in history], losses, rtol=1e-7)
        for name, value in ported(peer).items():
            np.testing.assert_allclose(model.weights[name].ravel(), value.ravel(), atol=1e-7)
        predicted = peer(*inputs).argmax(1)[data.test_mask]
        right = (predicted == data.y[data.test_mask]).double().mean().item()
        self.assertAlmostEqual(model.evaluate(data, split="test")["accuracy"], right)
        in_parts = model.evaluate(data, split="test", eval_batch_size=3)
        self.assertAlmostEqual(in_parts["accuracy"], right)
        other = peer_data(seed=1, nodes=20)  # a new graph
        expected = peer(other.x.double(), other.edge_index, other.edge_attr.double())
        np.testing.assert_allclose(model(other), expected.detach(), atol=1e-6)

    def test_a_program_to_train_runs_as_any_other(self):
        """What runs it is made when it is first asked for, with the weights of then."""
        data = peer_data()
        model = nn.Model(network, dtype="f64", backend="cpu").trace(data)

        def programs():
            trained = model._compiled(as_data(data), trains=True, runs_later=True)[0]
            return trained, model.program(data)
        other = {name: value + 0.25 for name, value in programs()[1].weights.items()}
        for ask in (lambda p: p(), lambda p: p.evaluate(loss="crossentropy", split="test"),
                    lambda p: p.gradients(), lambda p: p.predict().values, lambda p: p.device):
            later, now = programs()
            for program in (later, now):
                program.set_weights(other)
            np.testing.assert_equal(ask(later), ask(now))
            np.testing.assert_equal(later(), now())
            later, now = programs()
            for program in (later, now):
                program.train(epochs=2, loss="crossentropy")
            np.testing.assert_equal(ask(later), ask(now))
            np.testing.assert_equal(later.weights, now.weights)
            for program in (later, now):
                program.train(epochs=1, loss="crossentropy")
            np.testing.assert_equal(later(), now())

    def test_compact_batches_of_many_rows(self):
        """Row numbers of 17 bits, members of 16."""
        rng = np.random.default_rng(1)
        nodes, edges = 70_000, 60_000
        ends = np.tile(rng.permutation(nodes)[:edges // 2], 2)
        data = nn.Data().nodes(x=rng.normal(size=(nodes, 4)).astype(np.float32))
        data.edges(np.stack([rng.integers(0, nodes, edges), ends]))
        data.labels(rng.integers(0, 3, nodes))

        def loss(form):
            model = nn.Model(lambda g: nn.layers.gat(g, g.x, 3, self_loops=False), dtype="f32",
                             seed=2, backend="cpu").trace(data)
            return model.fit(data, epochs=1, lr=0.01, batch_size=2048, batch="bind",
                             batch_values=form).history[-1]["loss"]
        self.assertEqual(loss("compact"), loss("spread"))

    def test_sets_of_graphs(self):
        parts = [peer_data(seed, nodes=8 + seed) for seed in range(4)]
        for number, part in enumerate(parts):
            part.y = torch.tensor([number % 2])
            for mask in ("train_mask", "val_mask", "test_mask"):
                del part[mask]
            part.u = torch.randn(1, 2)
        model = nn.Model(lambda g: g.graphs.u + nn.linear(nn.mean(network(g), over=g.graph),
                                                          2)).trace(parts)
        batch = Batch.from_data_list(parts)
        found = model(parts)
        self.assertEqual(found.shape, (4, 2))
        np.testing.assert_allclose(model(batch), found, atol=1e-6)
        for number, part in enumerate(parts):
            np.testing.assert_allclose(model([part]), found[number:number + 1], atol=1e-5)
        self.assertEqual(model.fit(parts, epochs=2).epochs, 2)

    def test_a_port_of_graph_classification(self):
        """GINE, PyG's BatchNorm, pooling: by its state_dict as it is, then on new graphs."""
        class GraphPeer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                mlp = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(),
                                          torch.nn.Linear(8, 8))
                self.conv1 = pyg.GINEConv(mlp, eps=0.25, edge_dim=2)
                self.norm = pyg.BatchNorm(8)
                self.conv2 = pyg.TransformerConv(8, 4, heads=2, edge_dim=2)
                self.lin = torch.nn.Linear(8, 3)

            def forward(self, x, edge_index, edge_attr, batch):
                h = functional.relu(self.norm(self.conv1(x, edge_index, edge_attr)))
                h = pyg.global_mean_pool(self.conv2(h, edge_index, edge_attr), batch)
                return self.lin(functional.dropout(h, 0.2, training=self.training))

        def ported_graphs(g, eps=0.25):
            h = nn.layers.gine(g, g.x, lambda x: nn.layers.mlp(x, 8, 8), eps=eps, name="conv1")
            h = nn.relu(nn.batch_norm(h, name="norm"))
            h = nn.layers.transformer(g, h, 4, heads=2, edge_attr="edge_attr", name="conv2")
            return nn.linear(nn.dropout(nn.mean(h, over=g.graph), 0.2), 3, bias=True, name="lin")

        graphs = [peer_data(seed, nodes=6 + seed) for seed in range(6)]
        for number, each in enumerate(graphs):
            each.y = torch.tensor([number % 3])
            for mask in ("train_mask", "val_mask", "test_mask"):
                del each[mask]
        peer = GraphPeer().double()
        peer.train()
        both = Batch.from_data_list(graphs)
        inputs = both.x.double(), both.edge_index, both.edge_attr.double(), both.batch
        peer(*inputs)  # running statistics
        model = nn.Model(ported_graphs, dtype="f64").trace(graphs)
        model.set_weights(peer.state_dict())
        expected = peer.eval()(*inputs).detach()
        np.testing.assert_allclose(model(graphs), expected, atol=1e-10)
        model.fit(graphs[:4], epochs=2)
        new = model.predict(graphs[4:])
        np.testing.assert_allclose(model.predict(graphs[5]).values, new.values[1:], atol=1e-12)
        other = nn.Model(lambda g: ported_graphs(g, 0.5)).trace(graphs)
        with self.assertRaisesRegex(vecc.Error, r"'conv1/eps' is \[0.25\], but the .* has 0.5"):
            other.set_weights(peer.state_dict())
        with self.assertRaisesRegex(vecc.Error, "give its .dataset, and fit"):
            model.fit(DataLoader(graphs, batch_size=2))

    def test_a_port_of_a_typed_model(self):
        """Two HGT layers, by the module or its state_dict: lists of weights become tables."""
        torch.manual_seed(0)
        data = HeteroData()
        data["paper"].x, data["author"].x = torch.randn(20, 5), torch.randn(7, 3)
        ends = torch.stack([torch.randint(0, 7, (30,)), torch.randint(0, 20, (30,))])
        data["author", "writes", "paper"].edge_index = ends
        data["paper", "cites", "paper"].edge_index = torch.randint(0, 20, (2, 25))

        class HgtPeer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                sizes = {"paper": 8, "author": 6}
                self.lin = torch.nn.ModuleDict({"paper": torch.nn.Linear(5, 8),
                                                "author": torch.nn.Linear(3, 6)})
                self.conv1 = pyg.HGTConv(sizes, 8, data.metadata(), heads=2)
                self.films = pyg.FiLMConv(8, 8)
                self.gated = pyg.GatedGraphConv(8, 2)

            def forward(self, x, edges):
                x = {kind: self.lin[kind](rows).relu() for kind, rows in x.items()}
                h = self.conv1(x, edges)["paper"]
                cites = edges["paper", "cites", "paper"]
                return self.gated(self.films(h, cites), cites)

        def typed(g):
            x = {kind: nn.relu(nn.linear(g[kind].x, size, bias=True, name=f"lin/{kind}"))
                 for kind, size in (("paper", 8), ("author", 6))}
            h = nn.layers.hgt(g, x, 8, heads=2, name="conv1")["paper"]
            cites = g["paper", "cites", "paper"]
            return nn.layers.gated_graph(cites, nn.layers.film(cites, h, 8, name="films"), 8, 2,
                                         name="gated")
        peer = HgtPeer().double()
        for parameter in peer.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
        x = {kind: data[kind].x.double() for kind in data.node_types}
        expected = peer(x, data.edge_index_dict).detach()
        for weights in (peer, peer.state_dict()):
            model = nn.Model(typed, dtype="f64").trace(data)
            self.assertEqual(model.set_weights(weights), [])
            np.testing.assert_allclose(model(data), expected, atol=1e-10)

    def test_typed_sets(self):
        data = HeteroData()
        data["paper"].x, data["author"].x = torch.randn(4, 3), torch.randn(2, 5)
        data["paper"].y, data["paper"].train_mask = torch.tensor([0, 1, 1, 0]), torch.ones(4).bool()
        data["author", "writes", "paper"].edge_index = torch.tensor([[0, 1, 1], [0, 1, 3]])
        data["paper", "rev", "author"].edge_index = torch.tensor([[0, 1, 3], [0, 1, 1]])

        def typed(g):
            x = {t: nn.linear(g[t].x, 4, name=f"in/{t}") for t in g.node_types}
            return nn.linear(nn.layers.hgt(g, x, 4, heads=2)["paper"], 2)
        model = nn.Model(typed)
        training = model.fit(data, epochs=30, lr=0.05)
        self.assertLess(training.history[-1]["loss"], training.history[0]["loss"])
        data["author"].y = torch.tensor([0, 1])
        with self.assertRaisesRegex(vecc.Error, "several sets have y"):
            model.evaluate(data)

    def test_networkx(self):
        graph = networkx.karate_club_graph()
        for node, attributes in graph.nodes(data=True):
            attributes["degree"] = float(graph.degree[node])
            attributes["y"] = int(attributes["club"] == "Officer")

        def weighted(g):  # the weights are whole numbers
            return nn.sum(nn.numbers(g.weight) * g.degree[g.src], over=g.dst)
        strength = nn.Model(weighted, dtype="f64")(graph)
        expected = [sum(graph.edges[a, b]["weight"] * graph.degree[b] for b in graph[a])
                    for a in graph]
        np.testing.assert_allclose(strength, expected)
        model = nn.Model(lambda g: nn.linear(nn.layers.gcn(g, nn.reshape(g.degree, 1), 8), 2))
        self.assertIn("train_accuracy", model.fit(graph, epochs=2).history[-1])

    def test_torch_arrays(self):
        """Numbers of half precision become single; whole numbers stay."""
        data = nn.Data().nodes(x=torch.ones(3, 2, dtype=torch.bfloat16),
                               kind=torch.tensor([2, 0, 1]))
        kinds = {name: feature.values.dtype for name, feature in
                 data.features[next(iter(data.counts))].items()}
        self.assertEqual(kinds, {"x": np.float32, "kind": np.uint32})


if __name__ == "__main__":
    unittest.main()
