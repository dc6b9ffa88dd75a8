"""vecc.nn's layers beside PyTorch Geometric's: with the same weights, in float64."""

import unittest

import numpy as np
import torch
import torch_geometric.nn as pyg
from torch_geometric.data import HeteroData
from torch_geometric.nn.models import MLP

from command_line import VECC  # noqa: F401  takes the arguments

from vecc import nn
from vecc.nn import layers
from vecc.nn.peers import arrays_of

TOLERANCE = 1e-10
NODES, EDGES, RELATIONS, DIM, OUT = 14, 40, 4, 6, 5


def near(found, expected):
    return np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)), initial=0)


def graph():
    """Without self loops twice; node 0 has no edge into it."""
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, NODES, EDGES), rng.integers(1, NODES, EDGES)
    return {"x": rng.normal(size=(NODES, DIM)), "edge_index": np.stack([src, dst]),
            "edge_attr": rng.normal(size=(EDGES, 3)), "same": rng.normal(size=(EDGES, DIM)),
            "w": rng.uniform(0.5, 2, EDGES),
            "edge_type": np.append(rng.integers(0, RELATIONS, EDGES - 1), RELATIONS - 1)}


ARRAYS = graph()
TORCH = {name: torch.tensor(array) for name, array in ARRAYS.items()}
DATA = nn.Data().nodes(x=ARRAYS["x"]).edges(
    ARRAYS["edge_index"], edge_attr=ARRAYS["edge_attr"], same=ARRAYS["same"], w=ARRAYS["w"],
    edge_type=ARRAYS["edge_type"])


def sequential(*sizes):
    parts = []
    for number, (a, b) in enumerate(zip(sizes, sizes[1:])):
        parts += [torch.nn.ReLU()] * (number > 0) + [torch.nn.Linear(a, b)]
    return torch.nn.Sequential(*parts)




def renamed(names=None):
    """a.b of the peer is a/b here, but what `names` maps."""
    return lambda arrays: {(names or {}).get(name, name.replace(".", "/")): array
                           for name, array in arrays.items()}


class PygTest(unittest.TestCase):
    def compare(self, network, peer, *inputs, convert=renamed(), data=DATA, output=lambda y: y,
                **options):
        """Outputs and gradients. `convert`: arrays by the peer's names to those by vecc's."""
        peer = peer.double()
        torch.manual_seed(5)
        for parameter in peer.parameters():  # biases too, which are first 0
            torch.nn.init.normal_(parameter, std=0.5)
        expected = output(peer(*inputs, **options))
        direction = torch.tensor(np.random.default_rng(9).normal(size=expected.shape))
        (expected * direction).sum().backward()
        used = {name: p for name, p in peer.named_parameters() if p.grad is not None}

        model = nn.Model(network, dtype="f64", backend="interpreter").trace(data)
        layer = next(iter(model.weights)).split("/")[0]
        weights = convert({name: p.detach().numpy() for name, p in used.items()})
        self.assertEqual({f"{layer}/{name}" for name in weights}, set(model.weights))
        model.set_weights({f"{layer}/{name}": array for name, array in weights.items()})
        program = model.program(data)
        self.assertLess(near(program(), expected.detach().numpy()), TOLERANCE)
        found = program.gradients(direction.numpy())
        gradients = convert({name: p.grad.numpy() for name, p in used.items()})
        for name, gradient in gradients.items():
            own = found[f"{layer}/{name}"].ravel()
            self.assertLess(near(own, gradient.ravel()), TOLERANCE, name)

    def test_gcn(self):
        self.compare(lambda g: layers.gcn(g, g.x, OUT), pyg.GCNConv(DIM, OUT), TORCH["x"],
                     TORCH["edge_index"])

    def test_gcn_of_weighted_edges(self):
        """Loops keep their own weights, of two at a node the last one's; where the weights of a
        node are 0 in all, nothing comes to it."""
        self.assertTrue((ARRAYS["edge_index"][0] == ARRAYS["edge_index"][1]).any())
        self.compare(lambda g: layers.gcn(g, g.x, OUT, edge_weight="w"), pyg.GCNConv(DIM, OUT),
                     TORCH["x"], TORCH["edge_index"], TORCH["w"])
        more = [[0, 0, 1, 1, 4, 4], [0, 0, 1, 4, 4, 1]]
        weights = [2.0, 3.0, 0.0, 0.5, -0.75, 0.25]
        ends = np.concatenate([ARRAYS["edge_index"], more], 1)
        keep = ends[1] != 1
        keep[-6:] = True
        ends, w = ends[:, keep], np.append(ARRAYS["w"], weights)[keep]
        w[(ends[1] == 1) & (ends[0] != 1)] = 0
        for loops in (True, False):
            with self.subTest(loops=loops):
                self.compare(
                    lambda g: layers.gcn(g, g.x, OUT, edge_weight="w", self_loops=loops),
                    pyg.GCNConv(DIM, OUT, add_self_loops=loops), TORCH["x"], torch.tensor(ends),
                    torch.tensor(w), data=nn.Data().nodes(x=ARRAYS["x"]).edges(ends, w=w))

    def test_values_on_edges_with_loops(self):
        """Weights and attributes that a model computes there; loops are as the value has them."""
        def outputs(network):
            return nn.Model(network, dtype="f64", backend="interpreter")(DATA)
        for layer, given, name in ((layers.gcn, "edge_weight", "w"), (layers.gat, "edge_attr", "edge_attr"),
                                   (layers.gatv2, "edge_attr", "edge_attr")):
            loops = {"fill": 1, "keep": True} if layer is layers.gcn else {}
            np.testing.assert_array_equal(
                outputs(lambda g: layer(g, g.x, OUT, **{given: g.with_self_loops(**loops)[name]})),
                outputs(lambda g: layer(g, g.x, OUT, **{given: name})))
        self.compare(lambda g: layers.gat(g, g.x, OUT, edge_attr=g.with_self_loops(0.5).edge_attr),
                     pyg.GATConv(DIM, OUT, edge_dim=3, fill_value=0.5), TORCH["x"],
                     TORCH["edge_index"], TORCH["edge_attr"])
        w = [outputs(lambda g: layers.gcn(g, g.x, OUT, g.with_self_loops(1, keep=keep).w))
             for keep in (False, True)]
        self.assertGreater(np.abs(w[0] - w[1]).max(), 0.01)

    def test_sage(self):
        for aggregation in ("mean", "max", "sum"):
            with self.subTest(aggregation):
                self.compare(lambda g: layers.sage(g, g.x, OUT, aggregation),
                             pyg.SAGEConv(DIM, OUT, aggr=aggregation), TORCH["x"],
                             TORCH["edge_index"])

    def test_sage_of_projected_rows_and_of_length_1(self):
        for options in ({"project": True}, {"normalize": True},
                        {"project": True, "normalize": True, "root_weight": False}):
            with self.subTest(options):
                self.compare(lambda g: layers.sage(g, g.x, OUT, **options),
                             pyg.SAGEConv(DIM, OUT, **options), TORCH["x"], TORCH["edge_index"])

    def test_sage_lstm(self):
        """PyG takes edges by their targets; lists are padded to the longest there."""
        order = np.argsort(ARRAYS["edge_index"][1], kind="stable")
        self.compare(lambda g: layers.sage(g, g.x, OUT, "lstm"),
                     pyg.SAGEConv(DIM, OUT, aggr="lstm"), TORCH["x"],
                     TORCH["edge_index"][:, order])

    def test_lstm(self):
        """Of each node the last state over its own edges, in their order."""
        def lists(x, edge_index):
            states = []
            for node in range(NODES):
                rows = x[edge_index[0][edge_index[1] == node]]
                empty = torch.zeros(1, OUT, dtype=x.dtype)
                states.append(peer(rows)[0][-1:] if len(rows) else empty)
            return torch.cat(states)
        peer = torch.nn.LSTM(DIM, OUT)
        caller = torch.nn.Module()
        caller.lstm, caller.forward = peer, lists
        self.compare(lambda g: nn.lstm(g.x[g.src], g.dst, OUT), caller, TORCH["x"],
                     TORCH["edge_index"], convert=lambda arrays: {
                         name.rpartition(".")[2]: array for name, array in arrays.items()})

    def test_gin(self):
        self.compare(lambda g: layers.gin(g, g.x, lambda x: layers.mlp(x, 7, OUT), eps=0.25),
                     pyg.GINConv(sequential(DIM, 7, OUT), eps=0.25), TORCH["x"],
                     TORCH["edge_index"])

    def test_gine(self):
        self.compare(
            lambda g: layers.gine(g, g.x, lambda x: layers.mlp(x, 7, OUT), "edge_attr"),
            pyg.GINEConv(sequential(DIM, 7, OUT), edge_dim=3), TORCH["x"], TORCH["edge_index"],
            TORCH["edge_attr"])
        self.compare(
            lambda g: layers.gine(g, g.x, lambda x: layers.mlp(x, 7, OUT), "same"),
            pyg.GINEConv(sequential(DIM, 7, OUT)), TORCH["x"], TORCH["edge_index"], TORCH["same"])

    def test_gat(self):
        for heads, concatenated in ((1, True), (3, True), (2, False)):
            with self.subTest(heads=heads, concatenated=concatenated):
                self.compare(
                    lambda g: layers.gat(g, g.x, OUT, heads, concatenated=concatenated),
                    pyg.GATConv(DIM, OUT, heads, concat=concatenated), TORCH["x"],
                    TORCH["edge_index"])
        self.compare(lambda g: layers.gat(g, g.x, OUT, 2, edge_attr="edge_attr"),
                     pyg.GATConv(DIM, OUT, 2, edge_dim=3), TORCH["x"], TORCH["edge_index"],
                     TORCH["edge_attr"])

    def test_gatv2(self):
        for heads, concatenated in ((1, True), (3, True), (2, False)):
            with self.subTest(heads=heads, concatenated=concatenated):
                self.compare(
                    lambda g: layers.gatv2(g, g.x, OUT, heads, concatenated=concatenated),
                    pyg.GATv2Conv(DIM, OUT, heads, concat=concatenated), TORCH["x"],
                    TORCH["edge_index"])
        self.compare(lambda g: layers.gatv2(g, g.x, OUT, 2, edge_attr="edge_attr"),
                     pyg.GATv2Conv(DIM, OUT, 2, edge_dim=3), TORCH["x"], TORCH["edge_index"],
                     TORCH["edge_attr"])

    def test_attention_with_residual(self):
        for layer, peer in (layers.gat, pyg.GATConv), (layers.gatv2, pyg.GATv2Conv):
            for concatenated in True, False:
                with self.subTest(layer=layer.__name__, concatenated=concatenated):
                    self.compare(
                        lambda g: layer(g, g.x, OUT, 2, concatenated=concatenated, residual=True),
                        peer(DIM, OUT, 2, concat=concatenated, residual=True), TORCH["x"],
                        TORCH["edge_index"])

    def test_transformer(self):
        self.compare(lambda g: layers.transformer(g, g.x, OUT, 2),
                     pyg.TransformerConv(DIM, OUT, 2), TORCH["x"], TORCH["edge_index"])
        for concat in (True, False):
            self.compare(lambda g: layers.transformer(g, g.x, OUT, 2, concat, beta=True),
                         pyg.TransformerConv(DIM, OUT, 2, concat=concat, beta=True), TORCH["x"],
                         TORCH["edge_index"])
        self.compare(lambda g: layers.transformer(g, g.x, OUT, 2, False, edge_attr="edge_attr"),
                     pyg.TransformerConv(DIM, OUT, 2, concat=False, edge_dim=3), TORCH["x"],
                     TORCH["edge_index"], TORCH["edge_attr"])

    def test_rgcn(self):
        self.compare(lambda g: layers.rgcn(g, g.x, OUT, g.edge_type),
                     pyg.RGCNConv(DIM, OUT, RELATIONS), TORCH["x"], TORCH["edge_index"],
                     TORCH["edge_type"])

    def test_rgcn_of_bases(self):
        for bases in (1, 2, RELATIONS + 1):
            with self.subTest(bases):
                self.compare(lambda g: layers.rgcn(g, g.x, OUT, g.edge_type, bases=bases),
                             pyg.RGCNConv(DIM, OUT, RELATIONS, num_bases=bases), TORCH["x"],
                             TORCH["edge_index"], TORCH["edge_type"])

    def test_rgat(self):
        self.compare(lambda g: layers.rgat(g, g.x, OUT, g.edge_type, heads=2),
                     pyg.RGATConv(DIM, OUT, RELATIONS, heads=2), TORCH["x"], TORCH["edge_index"],
                     TORCH["edge_type"])

    def test_film(self):
        self.compare(lambda g: layers.film(g, g.x, OUT), pyg.FiLMConv(DIM, OUT), TORCH["x"],
                     TORCH["edge_index"], convert=renamed({
                         "lins.0.weight": "lins/weight", "films.0.weight": "films/weight",
                         "films.0.bias": "films/bias"}))

    def test_film_of_relations(self):
        def convert(arrays):
            """PyG has a list of weights where a table is here."""
            found = {f"{name}/weight": arrays[f"{name}.weight"]
                     for name in ("lin_skip", "film_skip")}
            for name in ("lins/weight", "films/weight", "films/bias"):
                found[name] = np.stack([arrays[name.replace("/", f".{r}.")]
                                        for r in range(RELATIONS)])
            return found
        self.compare(lambda g: layers.film(g, g.x, OUT, g.edge_type),
                     pyg.FiLMConv(DIM, OUT, RELATIONS), TORCH["x"], TORCH["edge_index"],
                     TORCH["edge_type"], convert=convert)

    def test_modules_are_taken_as_they_are(self):
        """Lists of weights by relation."""
        peer = pyg.FiLMConv(DIM, OUT, RELATIONS).double()
        model = nn.Model(lambda g: layers.film(g, g.x, OUT, g.edge_type), dtype="f64",
                         backend="interpreter").trace(DATA)
        model.set_weights({f"film.{name}": array for name, array in arrays_of(peer).items()})
        expected = peer(TORCH["x"], TORCH["edge_index"], TORCH["edge_type"]).detach().numpy()
        self.assertLess(near(model(DATA), expected), TOLERANCE)

    def test_gated_graph(self):
        def convert(arrays):
            steps = arrays.pop("weight")
            return {**renamed()(arrays), **{f"weight/{step}": array
                                            for step, array in enumerate(steps)}}
        for size in (DIM, 8):
            with self.subTest(size):
                self.compare(lambda g: layers.gated_graph(g, g.x, size, 3),
                             pyg.GatedGraphConv(size, 3), TORCH["x"], TORCH["edge_index"],
                             convert=convert)

    def test_edge(self):
        self.compare(lambda g: layers.edge(g, g.x, lambda x: layers.mlp(x, 7, OUT)),
                     pyg.EdgeConv(sequential(2 * DIM, 7, OUT)), TORCH["x"], TORCH["edge_index"])

    def test_nn(self):
        self.compare(
            lambda g: layers.nn_conv(g, g.x, OUT, lambda a: layers.mlp(a, 4, DIM * OUT)),
            pyg.NNConv(DIM, OUT, sequential(3, 4, DIM * OUT)), TORCH["x"], TORCH["edge_index"],
            TORCH["edge_attr"])

    def test_appnp(self):
        class Peer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lin, self.propagation = torch.nn.Linear(DIM, OUT), pyg.APPNP(4, 0.15)

            def forward(self, x, edge_index):
                return self.propagation(self.lin(x), edge_index)

        @nn.layer
        def network(g):
            return layers.appnp(g, nn.linear(g.x, OUT, bias=True, name="lin"), 4, 0.15)
        self.compare(network, Peer(), TORCH["x"], TORCH["edge_index"])

    def test_gen(self):
        names = {"mlp.lins.0.weight": "nn/0/weight", "mlp.lins.0.bias": "nn/0/bias",
                 "mlp.lins.1.weight": "nn/2/weight", "mlp.lins.1.bias": "nn/2/bias"}

        def peer(out, **options):
            result = pyg.GENConv(DIM, out, bias=True, **options)
            result.mlp = MLP([out, 2 * out, out], norm=None, bias=True)
            return result
        network = lambda x: layers.mlp(x, 2 * x.size, x.size)  # noqa: E731
        self.compare(lambda g: layers.gen(g, g.x, DIM, network), peer(DIM), TORCH["x"],
                     TORCH["edge_index"], convert=renamed(names))
        self.compare(lambda g: layers.gen(g, g.x, OUT, network, edge_attr="edge_attr"),
                     peer(OUT, edge_dim=3), TORCH["x"], TORCH["edge_index"], TORCH["edge_attr"],
                     convert=renamed(names))

    def test_pna(self):
        degrees = torch.bincount(torch.bincount(TORCH["edge_index"][1], minlength=NODES))
        aggregations = ["mean", "min", "max", "std", "sum"]
        scalers = ["identity", "amplification", "attenuation", "linear"]
        peer = pyg.PNAConv(DIM, OUT, aggregations, scalers, degrees.double())
        scaled = peer.aggr_module
        self.compare(
            lambda g: layers.pna(g, g.x, OUT, float(scaled.avg_deg_log), float(scaled.avg_deg_lin),
                                 aggregations, scalers),
            peer, TORCH["x"], TORCH["edge_index"])

    def test_hgt(self):
        rng = np.random.default_rng(8)
        heads, out = 2, 6
        counts = {"paper": 7, "author": 5}
        keys = [("author", "writes", "paper"), ("paper", "cites", "paper"),
                ("paper", "by", "author")]
        data, peer_data = nn.Data(), HeteroData()
        for name, count in counts.items():
            x = rng.normal(size=(count, out if name == "paper" else 4))
            data.nodes(name, x=x)
            peer_data[name].x = torch.tensor(x)
        for key in keys:
            ends = np.stack([rng.integers(0, counts[key[end]], 9) for end in (0, 2)])
            data.edges(ends, type=key)
            peer_data[key].edge_index = torch.tensor(ends)
        def convert(arrays):
            found = {}
            for name in counts:
                for what in ("weight", "bias"):
                    parts = arrays.get(f"kqv_lin.lins.{name}.{what}")
                    for part, array in zip("kqv", () if parts is None else np.split(parts, 3)):
                        found[f"{part}/{name}/{what}"] = array
                    if f"out_lin.lins.{name}.{what}" in arrays:
                        found[f"out_lin/{name}/{what}"] = arrays[f"out_lin.lins.{name}.{what}"]
                if f"skip.{name}" in arrays and name == "paper":
                    found["skip/paper"] = arrays[f"skip.{name}"]
            for key, number in peer.edge_types_map.items():
                label = "__".join(key)
                for head in range(heads):
                    for what in ("k_rel", "v_rel"):
                        row = head * len(keys) + number
                        found[f"{what}/{label}/{head}"] = arrays[f"{what}.weight"][row]
                    found[f"p_rel/{label}/{head}"] = arrays[f"p_rel.{label}"][0, head]
            return found

        def network(g):
            rows = layers.hgt(g, {t: g[t].x for t in g.node_types}, out, heads)
            e = g["author", "writes", "paper"]  # so that both sets are part of one output
            return rows["paper"] + nn.sum(rows["author"][e.src], over=e.dst)

        def output(found):
            src, dst = peer_data["author", "writes", "paper"].edge_index
            return found["paper"].index_add(0, dst, found["author"][src])
        peer = pyg.HGTConv({"paper": out, "author": 4}, out, peer_data.metadata(), heads)
        self.compare(network, peer, peer_data.x_dict, peer_data.edge_index_dict, convert=convert,
                     data=data, output=output)


if __name__ == "__main__":
    unittest.main()
