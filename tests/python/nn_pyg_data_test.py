"""PyTorch Geometric's data as users have it: what an attribute is of, what is missing, what is
refused, and labels that are there in part."""

import sys
import unittest
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader, NeighborLoader, RandomNodeLoader
from torch_geometric.nn import GINEConv, SAGEConv, global_mean_pool

import vecc
from vecc import nn
from vecc.nn.trace import GRAPHS, Domain

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
NODES, EDGES = Domain("node", "node"), Domain("edge", ("node", "to", "node"))


def graph(nodes, edges, **more):
    return Data(x=torch.randn(nodes, 4), edge_index=torch.randint(0, max(nodes, 1), (2, edges)),
                edge_attr=torch.randn(edges, 3), w=torch.rand(edges), z=torch.rand(nodes),
                u=torch.randn(1, 2), **more)


def network(g):
    h = nn.layers.gine(g, g.x, lambda v: nn.layers.mlp(v, 8, 8), "edge_attr", name="conv")
    h = nn.sum(g.w * h[g.src], over=g.dst) + g.z * h
    return nn.linear(nn.concat(nn.mean(h, over=g.graph), g.graphs.u), 2, bias=True, name="head")


class Peer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GINEConv(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(),
                                                 torch.nn.Linear(8, 8)), edge_dim=3)
        self.head = torch.nn.Linear(10, 2)

    def forward(self, data):
        h = self.conv(data.x, data.edge_index, data.edge_attr)
        sent = data.w[:, None] * h[data.edge_index[0]]
        h = torch.zeros_like(h).index_add(0, data.edge_index[1], sent) + data.z[:, None] * h
        return self.head(torch.cat([global_mean_pool(h, data.batch, data.num_graphs), data.u], 1))


class RowsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(4)

    def check(self, call, message):
        with self.assertRaisesRegex(vecc.Error, message):
            call()

    def test_as_many_edges_as_nodes(self):
        """Other graphs of the list show what an attribute is of; later the traced model does."""
        ambiguous = [graph(5, 5), graph(1, 1), graph(1, 4), graph(6, 1), graph(1, 0)]
        parts = [*ambiguous, graph(3, 7)]
        data = nn.as_data(parts)
        self.assertEqual(set(data.features[NODES]), {"x", "z"})
        self.assertEqual(set(data.features[EDGES]), {"edge_attr", "w"})
        self.assertEqual(set(data.features[GRAPHS]), {"u"})
        peer, model = Peer(), nn.Model(network, dtype="f64").trace(parts)
        self.assertEqual(model.set_weights(peer), [])
        for some in (parts, ambiguous, *([each] for each in parts)):
            with torch.no_grad():
                expected = peer(Batch.from_data_list(some)).numpy()
            np.testing.assert_allclose(model(some), expected, atol=1e-6)
            np.testing.assert_allclose(model(some[0]), expected[:1], atol=1e-6)
            np.testing.assert_allclose(model.to_torch()(some).detach(), expected, atol=1e-6)
        for part in parts:
            part.y = torch.randint(0, 2, (1,))
        self.assertEqual(model.fit(ambiguous, epochs=1, validate=parts[4:]).epochs, 1)

    def test_rows_that_do_not_fit(self):
        """edge_attr of as many rows as nodes would be a feature of nodes, of others none."""
        for name, rows, message in (("edge_attr", 5, "has 5 rows, expected 8: one an edge"),
                                    ("edge_attr", 7, "has 7 rows, expected 8: one an edge"),
                                    ("edge_weight", 5, "has 5 rows, expected 8: one an edge"),
                                    ("edge_type", 1, "has 1 rows, expected 8: one an edge")):
            wrong = graph(5, 8)
            wrong[name] = torch.ones(rows)
            self.check(lambda: nn.as_data(wrong), f"{name} {message}")
            self.check(lambda: nn.as_data([graph(5, 8), wrong]), f"{name} {message}")
        wrong = graph(5, 8)
        wrong.num_nodes = 6
        self.check(lambda: nn.as_data(wrong), "x has 5 rows, expected 6: one a node")
        typed = HeteroData()
        typed["a"].x = torch.ones(3, 2)
        typed["a", "to", "a"].edge_index = torch.tensor([[0, 1], [1, 2]])
        typed["a", "to", "a"].edge_attr = torch.ones(3, 2)
        self.check(lambda: nn.as_data(typed), "a to a: error: edge_attr has 3 rows, expected 2")

    def test_typed_graphs(self):
        """Features and labels of graphs are in no set; a Batch is its graphs."""
        parts = []
        for number in range(6):
            a, b = 1 + number % 3, 2 + number % 2
            part = HeteroData(y=torch.tensor([number % 2]), u=torch.randn(1, 2))
            part["a"].x, part["b"].x = torch.randn(a, 3), torch.randn(b, 2)
            part["a", "to", "b"].edge_index = torch.stack([torch.randint(0, a, (5,)),
                                                           torch.randint(0, b, (5,))])
            parts.append(part)

        def typed(g):
            h = nn.layers.sage(g["a", "to", "b"], (g["a"].x, g["b"].x), 4)
            return nn.linear(nn.concat(nn.mean(h, over=g["b"].graph), g.graphs.u), 2)
        model = nn.Model(typed).trace(parts)
        self.assertEqual(nn.as_data(parts).targets.tolist(), [0, 1] * 3)
        expected = model(parts)
        self.assertEqual(expected.shape, (6, 2))
        np.testing.assert_allclose(model(Batch.from_data_list(parts)), expected, atol=1e-6)
        for number, part in enumerate(parts):
            np.testing.assert_allclose(model(part), expected[number:number + 1], atol=1e-6)
        self.assertEqual(model.fit(parts, epochs=2, batch_size=2, validate=parts[:2]).epochs, 2)
        parts[3]["a"].y = torch.zeros(1, dtype=torch.long)  # comes before the graphs'
        self.assertEqual(nn.as_data(parts[3]).targets.tolist(), [0])
        parts[3]["b"].y = torch.zeros(3, dtype=torch.long)
        self.check(lambda: nn.as_data(parts), r"several sets have y: .* del data\['b'\].y")

    def test_tensors_that_are_no_features_of_graphs(self):
        """They stop nothing, in no graph of a list."""
        def part(**more):
            data = HeteroData(u=torch.ones(1, 2), **more)
            data["a"].x = torch.ones(3, 2)
            data["a", "to", "a"].edge_index = torch.tensor([[0, 1], [1, 2]])
            return data
        for one, other in ((torch.tensor([[3, 4]]), torch.tensor([[3, 4]])),
                           (torch.tensor([-1]), torch.tensor([1]))):
            for data in (nn.as_data(part(size=one)), nn.as_data([part(size=one), part(size=other)])):
                self.assertEqual(set(data.features[GRAPHS]), {"u"})
        with self.assertRaisesRegex(vecc.Error, "no feature 'size'"):
            nn.Model(lambda g: nn.linear(g.graphs["size"], 1)).trace(part(size=torch.tensor([-1])))

    def test_graphs_that_differ(self):
        wide, whole, less = graph(5, 8), graph(5, 8), graph(5, 8)
        wide.x = torch.ones(5, 6)
        whole.z = torch.arange(5)
        del less.edge_attr
        self.check(lambda: nn.as_data([graph(5, 8), wide]), r"'x' differ from graph to graph: "
                   r"graph 0 has floats of \[4\], graph 1 has floats of \[6\]")
        self.check(lambda: nn.as_data([graph(5, 8), graph(4, 6), whole]),
                   "'z' differ .* graph 0 has floats of .*, graph 2 has whole numbers")
        self.check(lambda: nn.as_data([graph(5, 8), less]), r"graph 1 \['w'\]")
        bare = graph(5, 0)
        bare.edge_attr = torch.empty(0)  # as torch.cat takes it
        self.assertEqual(nn.as_data([bare, graph(4, 6)]).features[EDGES]["edge_attr"].values.shape,
                         (6, 3))

    def test_edges_that_are_missing(self):
        data = graph(5, 8)
        data.edge_index = None
        self.check(lambda: nn.as_data(Data(x=torch.ones(3, 2))), r"torch.empty\(2, 0")
        data = Data(x=torch.ones(3, 2), adj_t=torch.eye(3).to_sparse())
        self.check(lambda: nn.as_data(data), "no edge_index beside the adj_t")
        data.edge_index = torch.tensor([[0, 1, 2], [0, 1, 2]])
        self.assertEqual(set(nn.as_data(data).features[NODES]), {"x"})
        typed = HeteroData()
        typed["a"].x, typed["a", "to", "a"].adj_t = torch.ones(3, 2), torch.eye(3).to_sparse()
        self.check(lambda: nn.as_data(typed), "a to a: error: there is no edge_index beside the adj_t")
        typed["a", "to", "a"].edge_index = torch.tensor([[0, 1, 2], [0, 1, 2]])
        self.assertEqual(set(nn.as_data(typed).features[Domain("edge", ("a", "to", "a"))]), set())

    def test_typed_graphs_without_a_set(self):
        typed = HeteroData()
        typed["a"].x = torch.ones(3, 2)
        typed["a", "to", "b"].edge_index = torch.tensor([[0, 1], [1, 0]])
        self.check(lambda: nn.as_data(typed), r"edges a to b, but no nodes of b: expected "
                   r"data\['b'\].x or .num_nodes")

    def test_batches_to_validate_with(self):
        """As the lists of their graphs."""
        train, other = ([graph(5, 8, y=torch.rand(1, 2)) for _ in range(n)] for n in (4, 3))
        of_lists = nn.Model(network).fit(train, validate=other, epochs=2).history
        for source, validation in ((Batch.from_data_list(train), Batch.from_data_list(other)),
                                   (train, Batch.from_data_list(other))):
            found = nn.Model(network).fit(source, validate=validation, epochs=2).history
            self.assertEqual([epoch["validation_loss"] for epoch in found],
                             [epoch["validation_loss"] for epoch in of_lists])

    def test_other_sets_of_graphs_to_validate_with(self):
        """Batches that were changed, or made by hand, and nn.Data of several graphs: as the lists."""
        def changed(parts):
            both = Batch.from_data_list(parts)
            both.w, both.edge_index = both.w + 0, both.edge_index.clone()
            both.degree = torch.bincount(both.edge_index[1], minlength=both.num_nodes).double()
            return both

        def by_hand(parts):
            both = Batch.from_data_list(parts)
            return Batch(**{name: both[name] for name in (
                "x", "edge_index", "edge_attr", "w", "z", "u", "y", "batch")})
        train, other = ([graph(5, 8, y=torch.rand(1, 2)) for _ in range(n)] for n in (4, 3))
        of_lists = nn.Model(network).fit(train, validate=other, epochs=2).history
        for make in (changed, by_hand, nn.as_data):
            given, held_out = make(train), make(other)
            nn.Model(network).fit(given, epochs=1)
            for source, validation in ((given, held_out), *(
                    ((train, held_out), (given, other)) if make is not changed else ())):
                found = nn.Model(network).fit(source, validate=validation, epochs=2).history
                self.assertEqual([epoch["validation_loss"] for epoch in found],
                                 [epoch["validation_loss"] for epoch in of_lists])
            self.check(lambda: nn.Model(network).fit(given, validate=other[0]),
                       "validate: error: expected a list of graphs beside a list")
        typed, one = [], HeteroData(y=torch.tensor([0]))
        one["a"].x, one["a", "to", "a"].edge_index = torch.ones(2, 3), torch.tensor([[0], [1]])
        for number in range(4):
            typed.append(one.clone())
            typed[-1]["a"].x, typed[-1].y = torch.randn(2, 3), torch.tensor([number % 2])
        histories = [nn.Model(lambda g: nn.linear(nn.mean(g.x, over=g.graph), 2)).fit(
            source, validate=validation, epochs=2).history for source, validation in (
                (typed[:2], typed[2:]), (Batch.from_data_list(typed[:2]), nn.as_data(typed[2:])))]
        self.assertEqual(*([epoch["validation_loss"] for epoch in each] for each in histories))

    def test_sparse_edges(self):
        """The way out has the edges that PyTorch Geometric's layers read."""
        from torch_geometric.utils import to_edge_index
        data, conv = graph(5, 8), SAGEConv(4, 2)
        edge_index = torch.tensor([[0, 1, 2, 2, 3], [1, 2, 0, 4, 1]])
        sparse = torch.sparse_coo_tensor(edge_index, torch.ones(5), (5, 5)).coalesce()
        model = nn.Model(lambda g: nn.layers.sage(g, g.x, 2, name="conv"))
        dense = Data(x=data.x, edge_index=to_edge_index(sparse)[0].flip(0))
        model.trace(dense).set_weights(torch.nn.ModuleDict({"conv": conv}))
        np.testing.assert_allclose(model(dense), conv(data.x, sparse).detach(), atol=1e-6)
        says = (r"expected \[2, count\]: torch_geometric.utils.to_edge_index\(edge_index\)\[0\].flip"
                r"\(0\), and \[1\] are edge weights")
        self.check(lambda: model(Data(x=data.x, edge_index=sparse)), f"data: error: .*{says}")
        typed = HeteroData()
        typed["a"].x, typed["a", "to", "a"].edge_index = data.x, sparse
        self.check(lambda: nn.as_data(typed), f"a to a: error: edge_index is a sparse .*{says}")

    def test_sources_that_are_none(self):
        """Loaders, sparse matrices in the place of edges, tensors alone, numbers that are complex."""
        data = graph(5, 8)
        loader = NeighborLoader(data, [2], batch_size=2)
        self.check(lambda: nn.as_data(loader), "NeighborLoader draws batches itself: give its .data"
                   r", .* fit\(..., batch_size=1024, fanout=\[15, 10\]\)")
        loader = RandomNodeLoader(data, 2)
        self.check(lambda: nn.as_data(loader), "RandomNodeLoader draws batches itself: give its .data")
        self.check(lambda: nn.as_data(DataLoader([data])), r"its .dataset, and fit\(..., batch_size=")
        self.check(lambda: nn.as_data(data.x), "Tensor is none of vecc.nn.Data")
        sparse = graph(5, 8)
        sparse.edge_index = torch.eye(5).to_sparse()
        for source in (sparse, [sparse]):
            self.check(lambda: nn.as_data(source), r"edge_index is a sparse tensor \(torch.sparse_coo"
                       r"\), .* expected \[2, count\]: .*to_edge_index")
        data.x = data.x + 1j
        self.check(lambda: nn.as_data(data), "x is complex128, expected floats or whole numbers")

    def test_sparse_features(self):
        data = graph(5, 8)
        dense = nn.as_data(data).features[NODES]["x"].values
        data.x = data.x.to_sparse()
        np.testing.assert_array_equal(nn.as_data(data).features[NODES]["x"].values, dense)

    def test_masks_without_labels(self):
        """They hold for the labels that come later."""
        mask = torch.tensor([True, False, True, False, False])
        data = nn.as_data(graph(5, 8, train_mask=mask, test_mask=~mask)).labels([0, 1, 1, 0, 1])
        self.assertEqual(data.splits.tolist(), [1, 3, 1, 3, 3])
        for make in (lambda one: [one, one], lambda one: Batch.from_data_list([one, one])):
            both = nn.as_data(make(graph(5, 8, train_mask=mask, test_mask=~mask)))
            self.assertEqual(both.labels(np.arange(10) % 2).splits.tolist(), [1, 3, 1, 3, 3] * 2)
        for name in "ab":
            typed = HeteroData()
            typed["a"].x, typed["b"].x = torch.ones(5, 2), torch.ones(4, 2)
            typed["a", "to", "b"].edge_index = torch.tensor([[0, 1], [1, 2]])
            marks = mask[:len(typed[name].x)]
            typed[name].train_mask, typed[name].test_mask = marks, ~marks
            self.assertEqual(nn.as_data(typed).labels(np.ones(len(marks), int)).splits.tolist(),
                             np.where(marks, 1, 3).tolist())
        typed["a"].train_mask = mask
        data, model = nn.as_data(typed), nn.Model(lambda g: nn.linear(g["a"].x, 2))
        self.assertEqual(model(data).shape, (5, 2))
        self.check(lambda: model.fit(data.labels(np.ones(5, int)), epochs=1),
                   r"several sets have masks, and none has labels: \['a', 'b'\]")
        data.labels(train=mask)
        self.assertEqual(model.fit(data, epochs=1).epochs, 1)

    def test_masks_that_do_not_fit(self):
        """They stop what reads labels, not outputs."""
        mask = torch.tensor([True, False, True, False, False])
        for more, message in (({"train_mask": mask, "val_mask": ~mask, "test_mask": ~mask},
                               "3 rows are in validation and in test"),
                              ({"train_mask": torch.ones(5, 10, dtype=torch.bool)},
                               r"one mask of several, as train_mask\[:, 0\]")):
            for y in (torch.tensor([0, 1, 0, 1, 1]), None):
                data = graph(5, 8, y=y, **more)
                model = nn.Model(lambda g: nn.linear(g.x, 2))
                self.assertEqual(model(data).shape, (5, 2))
                self.assertEqual(model([data, data]).shape, (10, 2))
                for source, times in ((data, 1), ([data, data], 2)):
                    known = nn.as_data(source)
                    if y is None:
                        known.labels(np.tile([0, 1, 0, 1, 1], times))
                    for call in (lambda: model.fit(known, epochs=1), lambda: model.evaluate(known)):
                        self.check(call, message)
                    model.fit(known.labels(masks=False), epochs=1)

    def test_what_masks_are_of(self):
        """Of nodes they say nothing of pairs, or graphs, of which there are as many."""
        mask = torch.tensor([True, False, True, False, False])
        ends = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])

        def links(g):
            return nn.sum(nn.linear(g.x, 2)[g.pairs.src] * g.x[g.pairs.dst][:2])
        for y in (torch.zeros(5), None):
            data = nn.as_data(graph(5, 8, y=y, train_mask=mask, test_mask=~mask))
            data.pairs(ends).labels([1.0, 0, 1, 0, 1])
            self.check(lambda: nn.Model(links).fit(data, epochs=1),
                       r"masks are of nodes of node \(labels\(train=.*masks=False.*pairs of node")
            self.assertEqual(nn.Model(links)(data).shape, (5,))
            nn.Model(links).fit(data.labels(masks=False), epochs=1)
        parts = [Data(x=torch.randn(1, 4), edge_index=torch.empty(2, 0, dtype=torch.long),
                      train_mask=mask[i:i + 1]) for i in range(5)]
        pooled = nn.Model(lambda g: nn.linear(nn.mean(g.x, over=g.graph), 2))
        self.check(lambda: pooled.fit(nn.as_data(parts).labels([0, 1, 0, 1, 1]), epochs=1),
                   "masks are of nodes of node")


class Encoder(torch.nn.Module):
    """As OGB's: an embedding for each column of whole numbers."""

    def __init__(self):
        super().__init__()
        self.atom = torch.nn.ModuleList([torch.nn.Embedding(2 + i, 16) for i in range(9)])
        self.head = torch.nn.Linear(16, 1)

    def forward(self, data):
        h = sum(each(data.x[:, i]) for i, each in enumerate(self.atom))
        return self.head(global_mean_pool(h, data.batch))


class PageTest(unittest.TestCase):
    def test_columns_of_whole_numbers(self):
        block, = (block for block in PAGE.split("```python\n")[1:] if "def columns(" in block)
        names = {"nn": nn, "Data": Data}
        exec(compile(block.split("```")[0], "models.md", "exec"), names)
        torch.manual_seed(5)
        parts = []
        for nodes in (4, 1, 6, 3):
            data = graph(nodes, 6)
            data.x = torch.stack([torch.randint(0, 2 + i, (nodes,)) for i in range(9)], 1)
            data.edge_attr = torch.randint(0, 4, (6, 3))
            parts.append(Data(x=data.x, edge_index=data.edge_index, edge_attr=data.edge_attr))
        parts[0].x[0] = torch.arange(1, 10)  # each value occurs
        peer = Encoder()

        def network(g):
            return nn.linear(nn.mean(names["encoded"](g), over=g.graph), 1, bias=True, name="head")
        data = [names["columns"](part) for part in parts]
        model = nn.Model(network, dtype="f64").trace(data)
        self.assertEqual(model.set_weights(peer), [])
        expected = peer(Batch.from_data_list(parts)).detach().numpy()
        self.assertEqual(expected.shape, model(data).shape)
        np.testing.assert_allclose(model(data), expected, atol=1e-6)
        with self.assertRaisesRegex(vecc.Error, "give each column a name of its own"):
            nn.as_data(parts)


class PartsTest(unittest.TestCase):
    def test_labels_that_are_there_in_part(self):
        """As the documentation says it: by a mask, in a loop of torch."""
        torch.manual_seed(2)
        parts = [graph(5, 8, y=torch.randn(1, 2)) for _ in range(6)]
        for number, part in enumerate(parts):
            part.y[0, number % 2] = np.nan
        with self.assertRaisesRegex(vecc.Error, r"in part: .* model.to_torch\(\)"):
            nn.Model(network).fit(parts, epochs=1)
        peer, model = Peer(), nn.Model(network, dtype="f64").trace(parts)
        model.set_weights(peer)
        y, data = torch.cat([part.y for part in parts]), nn.as_data(parts)
        losses = []
        for module, source in ((peer, Batch.from_data_list(parts)), (model.to_torch(), data)):
            optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
            losses.append([])
            for _ in range(5):
                optimizer.zero_grad()
                out, there = module(source), ~y.isnan()
                loss = functional.mse_loss(out[there].float(), y[there])
                loss.backward()
                optimizer.step()
                losses[-1].append(loss.item())
        np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
