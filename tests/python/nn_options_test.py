"""vecc.nn: options of PyTorch Geometric's modules that their weights do not show."""

import functools
import unittest

import numpy as np
import torch
import torch_geometric.nn as pyg

import vecc
from vecc import nn
from vecc.nn import layers
from nn_pyg_test import DATA, DIM, OUT, RELATIONS, TOLERANCE, TORCH, near, sequential


class OptionsTest(unittest.TestCase):
    def test_options_that_no_layer_has(self):
        """With the same weights they would compute something else."""
        def gin(g, x, out, name):
            return layers.gin(g, x, lambda v: layers.mlp(v, out), name=name)

        def gen(**options):
            peer = pyg.GENConv(DIM, OUT, bias=True, **options)
            peer.mlp = sequential(OUT, OUT)
            return peer

        def layers_gen(g, x, out, name):
            return layers.gen(g, x, out, lambda v: layers.mlp(v, out, name="mlp"), name=name)

        def appnp(g, x, out, name):
            return layers.appnp(g, x, 3, 0.1, name=name)
        for peer, layer, option in (
                (pyg.SAGEConv(DIM, OUT, normalize=True), layers.sage, "normalize=True"),
                (pyg.GCNConv(DIM, OUT, improved=True), layers.gcn, "improved=True"),
                (pyg.GATConv(DIM, OUT, edge_dim=3, fill_value=0.5),
                 functools.partial(layers.gat, edge_attr="edge_attr"), "fill_value=0.5"),
                (pyg.GCNConv(DIM, OUT, aggr="mean"), layers.gcn, "aggr='mean'"),
                (pyg.GATConv(DIM, OUT, aggr="max"), layers.gat, "aggr='max'"),
                (pyg.GATv2Conv(DIM, OUT, share_weights=True), layers.gatv2, "share_weights=True"),
                (pyg.GINConv(sequential(DIM, OUT), aggr="mean"), gin, "aggr='mean'"),
                (gen(aggr="mean"), layers_gen, "aggr='mean'"),
                (gen(aggr="add"), layers_gen, "aggr='add'"),
                (pyg.APPNP(3, 0.1, add_self_loops=False), appnp, "add_self_loops=False"),
                (pyg.SAGEConv(DIM, OUT, flow="target_to_source"), layers.sage,
                 "flow='target_to_source'")):
            model = nn.Model(lambda g: layer(g, g.x, OUT, name="conv")).trace(DATA)
            module = torch.nn.ModuleDict({"conv": peer})
            with self.assertRaises(vecc.Error) as raised:
                model.set_weights(module)
            self.assertIn(f"conv is {type(peer).__name__}({option})", str(raised.exception))
            self.assertEqual(model.set_weights(module.state_dict()), [])

    def test_options_that_the_call_lacks(self):
        """Or has otherwise: a forgotten argument shows in no weight."""
        def gen(g):
            return layers.gen(g, g.x, OUT, lambda v: layers.mlp(v, OUT, name="mlp"), name="conv")
        peer_gen = pyg.GENConv(DIM, OUT, t=2.0)
        for peer, network, says in (
                (pyg.GATConv(DIM, OUT, negative_slope=0.1),
                 lambda g: layers.gat(g, g.x, OUT, name="conv"), "gat(slope=0.2, name='conv')"),
                (pyg.GATv2Conv(DIM, OUT, add_self_loops=False, dropout=0.5),
                 lambda g: layers.gatv2(g, g.x, OUT, dropout=0.5, name="conv"),
                 "gatv2(self_loops=True, name='conv')"),
                (pyg.TransformerConv(DIM, OUT, dropout=0.5),
                 lambda g: layers.transformer(g, g.x, OUT, name="conv"), "transformer(dropout=0.0"),
                (pyg.SAGEConv(DIM, OUT, aggr="max"),
                 lambda g: layers.sage(g, g.x, OUT, name="conv"), "sage(aggregation='mean'"),
                (pyg.SAGEConv(DIM, OUT, project=True),
                 lambda g: layers.sage(g, g.x, OUT, name="conv"),
                 "SAGEConv(project=True), but the model calls sage(project=False"),
                (pyg.RGCNConv(DIM, OUT, RELATIONS, num_bases=2),
                 lambda g: layers.rgcn(g, g.x, OUT, g.edge_type, name="conv"),
                 "RGCNConv(num_bases=2), but the model calls rgcn(bases=None"),
                (pyg.RGCNConv(DIM, OUT, RELATIONS, num_blocks=1),
                 lambda g: layers.rgcn(g, g.x, OUT, g.edge_type, name="conv"),
                 "conv is RGCNConv(num_blocks=1), but vecc.nn has num_blocks=None alone"),
                (pyg.BatchNorm(DIM, eps=0.1),
                 lambda g: nn.batch_norm(g.x, name="conv"), "batch_norm(eps=1e-05, name='conv')"),
                (pyg.APPNP(3, 0.1), lambda g: layers.appnp(g, g.x, 3, 0.2),
                 "APPNP(alpha=0.1), but the model calls appnp(alpha=0.2"),
                (pyg.APPNP(3, 0.1), lambda g: layers.appnp(g, layers.appnp(g, g.x, 3, 0.2), 2, 0.1),
                 "APPNP(K=3), but the model calls appnp(steps=2"),
                (peer_gen, gen, "GENConv(t=2.0), but the model calls gen(temperature=1.0"),
                (pyg.GENConv(DIM, OUT, eps=0.5), gen, "GENConv(eps=0.5)"),
                (torch.nn.BatchNorm1d(DIM, track_running_stats=False),
                 lambda g: nn.batch_norm(g.x, name="conv"), "(track_running_stats=False)"),
                (pyg.FiLMConv(DIM, OUT, act=torch.nn.Tanh()),
                 lambda g: layers.film(g, g.x, OUT, name="conv"), "FiLMConv(act=Tanh())"),
                (pyg.LayerNorm(DIM), lambda g: nn.layer_norm(g.x, name="conv"),
                 "conv is LayerNorm(mode='graph'), but vecc.nn has mode='node' alone")):
            model = nn.Model(network).trace(DATA)
            with self.assertRaises(vecc.Error) as raised:
                model.set_weights(torch.nn.ModuleDict({"conv": peer}))
            self.assertIn(says, str(raised.exception))
        for peer, network in (
                (pyg.SAGEConv(DIM, OUT, aggr="add"),
                 lambda g: layers.sage(g, g.x, OUT, "sum", name="conv")),
                (pyg.GATConv(DIM, OUT, negative_slope=0.1, add_self_loops=False, dropout=0.5),
                 lambda g: layers.gat(g, g.x, OUT, 1, 0.1, dropout=0.5, self_loops=False,
                                      name="conv")),
                (pyg.SAGEConv(DIM, OUT, normalize=True, project=True),
                 lambda g: layers.sage(g, g.x, OUT, normalize=True, project=True, name="conv")),
                (pyg.RGCNConv(DIM, OUT, RELATIONS, num_bases=2),
                 lambda g: layers.rgcn(g, g.x, OUT, g.edge_type, bases=2, name="conv")),
                (pyg.LayerNorm(DIM, mode="node"), lambda g: nn.layer_norm(g.x, name="conv"))):
            model = nn.Model(network).trace(DATA)
            self.assertEqual(model.set_weights(torch.nn.ModuleDict({"conv": peer})), [])

    def test_without_bias_or_root(self):
        """As the module without them; of a layer that has them they would stay as they began."""
        x, ends, types, attributes = (TORCH[name] for name in (
            "x", "edge_index", "edge_type", "edge_attr"))
        bias, root = {"bias": False}, {"root_weight": False}

        def to_matrices(e):
            return nn.linear(e, DIM * OUT, bias=True, name="nn")

        def of_x(conv, layer, *options):
            return [(functools.partial(conv, DIM, OUT),
                     lambda g, **o: layer(g, g.x, OUT, **o), each, (x, ends)) for each in options]
        for peer, layer, options, inputs in (
                *of_x(pyg.GCNConv, layers.gcn, bias), *of_x(pyg.SAGEConv, layers.sage, bias, root),
                *of_x(pyg.GATConv, layers.gat, bias), *of_x(pyg.GATv2Conv, layers.gatv2, bias),
                *of_x(pyg.TransformerConv, layers.transformer, bias, root),
                (lambda **o: pyg.RGCNConv(DIM, OUT, RELATIONS, **o),
                 lambda g, **o: layers.rgcn(g, g.x, OUT, g.edge_type, **o), {**bias, **root},
                 (x, ends, types)),
                (lambda **o: pyg.NNConv(DIM, OUT, torch.nn.Linear(3, DIM * OUT), **o),
                 lambda g, **o: layers.nn_conv(g, g.x, OUT, to_matrices, **o), {**bias, **root},
                 (x, ends, attributes)),
                (lambda **o: pyg.GatedGraphConv(DIM, 2, **o),
                 lambda g, **o: layers.gated_graph(g, g.x, DIM, 2, **o), bias, (x, ends))):
            conv = peer(**options).double()
            module = torch.nn.ModuleDict({"conv": conv})
            with self.subTest(conv, **options):
                model = nn.Model(lambda g: layer(g, name="conv", **options), dtype="f64",
                                 backend="interpreter").trace(DATA)
                self.assertEqual(model.set_weights(module), [])
                self.assertLess(near(model(DATA), conv(*inputs).detach().numpy()), TOLERANCE)
                whole = nn.Model(lambda g: layer(g, name="conv")).trace(DATA)
                left_out = " and ".join(f"{option}=False" for option in options)
                with self.assertRaisesRegex(vecc.Error, (
                        f"conv is {type(conv).__name__}" r"(\(root_weight=False\), but the model "
                        rf"calls .*root_weight=True| without conv/.*\(\) has: {left_out} leave)")):
                    whole.set_weights(module)
                lacks = whole.weights.keys() - model.weights.keys()
                unused = {f"conv/{name.replace('.', '/')}" for name in conv.state_dict()} & lacks
                self.assertEqual(set(whole.set_weights(module.state_dict())), lacks - unused)

    def check_incomplete(self, network, peer, says):
        """Refused as a module; a state_dict lets the rest stay."""
        model = nn.Model(network).trace(DATA)
        with self.assertRaisesRegex(vecc.Error, says):
            model.set_weights(peer)
        self.assertGreater(len(model.set_weights(peer.state_dict())), 0)

    def test_weights_that_modules_of_torch_lack(self):
        """What they were made without would stay as it began."""
        linear = torch.nn.Linear
        for parts, network, says in (
                ({"head": linear(DIM, OUT, bias=False)},
                 lambda g: nn.linear(g.x, OUT, bias=True, name="head"), "head is Linear without "
                 r"head/bias, which the model's linear\(\) has: bias=False leaves it out; model"),
                ({"nn": torch.nn.Sequential(linear(DIM, 8, bias=False), torch.nn.ReLU(),
                                            linear(8, OUT))},
                 lambda g: layers.mlp(g.x, 8, OUT), r"nn.0 is Linear without nn/0/bias, .*: nn.linear"
                 r"\(x, n, name=\"nn/0\"\) in mlp's place has none; "),
                ({"rnn": torch.nn.GRUCell(DIM, DIM, bias=False)},
                 lambda g: layers.gru(DIM, DIM)(g.x, g.x), r"rnn is GRUCell without rnn/bias_ih, "
                 r"rnn/bias_hh, which the model's gru\(\) has: bias=False leaves them out"),
                ({"norm": torch.nn.LayerNorm(DIM, bias=False)},
                 lambda g: nn.layer_norm(g.x, name="norm"), "norm is LayerNorm without norm/bias")):
            self.check_incomplete(network, torch.nn.ModuleDict(parts), says)
        self.assertEqual(nn.Model(lambda g: nn.linear(g.x, OUT, name="head")).trace(
            DATA).set_weights(torch.nn.ModuleDict({"head": linear(DIM, OUT, bias=False)})), [])

    def test_weights_that_no_argument_leaves_out(self):
        """Then only what is missing is said."""
        def gin(g, x):
            return layers.gin(g, x, lambda v: nn.linear(v, OUT) + nn.weight("own", OUT), name="conv")
        self.check_incomplete(
            lambda g: layers.gated_graph(g, g.x, DIM, 3, name="conv"),
            torch.nn.ModuleDict({"conv": pyg.GatedGraphConv(DIM, 2)}),
            r"conv is GatedGraphConv without conv/weight/2, which the model's gated_graph\(\) has; ")
        peer = pyg.GINConv(torch.nn.Module())
        peer.linear = torch.nn.Linear(DIM, OUT, bias=False)
        self.check_incomplete(lambda g: gin(g, g.x), torch.nn.ModuleDict({"conv": peer}),
                              r"GINConv without conv/own, which the model's gin\(\) has; model")

    def check_behind(self, parts, network, says=None):
        """Of Sequential(Linear, ReLU, Linear, *parts) beside network(mlp(...))."""
        linear = torch.nn.Linear
        conv = pyg.GINConv(torch.nn.Sequential(linear(DIM, 8), torch.nn.ReLU(), linear(8, OUT),
                                               *parts)).double()
        module = torch.nn.ModuleDict({"conv": conv})
        model = nn.Model(lambda g: layers.gin(g, g.x, lambda v: network(layers.mlp(v, 8, OUT)),
                                              name="conv"), dtype="f64", backend="interpreter")
        model.trace(DATA)
        with self.subTest(parts=parts):
            if says is not None:
                with self.assertRaisesRegex(vecc.Error, says):
                    model.set_weights(module)
                return
            self.assertEqual(model.set_weights(module), [])
            expected = conv.eval()(TORCH["x"], TORCH["edge_index"]).detach().numpy()
            self.assertLess(near(model(DATA), expected), TOLERANCE)

    def test_functions_behind_linear_layers(self):
        t = torch.nn
        for part, network in (
                (t.LeakyReLU(0.2), lambda v: nn.leaky_relu(v, 0.2)), (t.ELU(), nn.elu),
                (t.SiLU(), lambda v: v * nn.sigmoid(v)), (t.Softmax(-1), nn.softmax),
                (t.GELU(), nn.gelu), (t.Sigmoid(), nn.sigmoid)):
            self.check_behind([part], network)
            self.check_behind([t.Dropout(0.5), part], lambda v: network(nn.dropout(v)))
            self.check_behind([part], lambda v: v, r"Linear\): .*mlp\(...\)")
            self.check_behind([part, part], network, r"Linear\): .*mlp\(...\)")
        leaky = r"nn.leaky_relu\(nn.layers.mlp\(...\), slope\)"
        self.check_behind([t.LeakyReLU(0.2)], lambda v: nn.leaky_relu(v, 0.1), leaky)
        self.check_behind([t.SiLU()], lambda v: v * nn.sigmoid(v * 2), r"v \* nn.sigmoid\(v\)")
        for part, network in ((t.Hardtanh(), nn.tanh), (t.ELU(0.5), nn.elu), (t.Softplus(), nn.relu),
                              (t.GELU("tanh"), nn.gelu), (t.Softmax(0), nn.softmax),
                              (t.InstanceNorm1d(OUT), lambda v: v)):
            self.check_behind([part], network, rf"{type(part).__name__} behind it is not compared; "
                              r"model.set_weights\(module.state_dict\(\)\)")

    def test_layers_behind_linear_layers(self):
        """Norms and more linear layers, with functions behind them."""
        t = torch.nn

        def last(v):
            return nn.linear(v, OUT, bias=True, name="nn/4")

        class Own(t.Linear):
            pass

        class Scale(t.Module):
            def __init__(self):
                super().__init__()
                self.weight = t.Parameter(torch.randn(OUT))

            def forward(self, x):
                return x * self.weight
        norm = t.BatchNorm1d(OUT)
        for parts, network in (
                ([norm, t.ReLU()], lambda v: nn.relu(nn.batch_norm(v, name="nn/3"))),
                ([norm, t.Dropout(), t.ReLU()],
                 lambda v: nn.relu(nn.dropout(nn.batch_norm(v, name="nn/3")))),
                ([pyg.BatchNorm(OUT), t.ReLU()], lambda v: nn.relu(nn.batch_norm(v, name="nn/3"))),
                ([t.LayerNorm(OUT), t.Tanh()], lambda v: nn.tanh(nn.layer_norm(v, name="nn/3"))),
                ([t.LayerNorm(OUT, elementwise_affine=False), t.Tanh()],
                 lambda v: nn.tanh(nn.layer_norm(v, affine=False))),
                ([t.Tanh(), Own(OUT, OUT)], lambda v: last(nn.tanh(v))),
                ([t.Tanh(), t.Linear(OUT, OUT), t.Tanh()], lambda v: nn.tanh(last(nn.tanh(v)))),
                ([Scale(), t.Tanh()], lambda v: nn.tanh(v * nn.weight("nn/3/weight", OUT)))):
            self.check_behind(parts, network)
        tanh = r"nn.tanh\(nn.layers.mlp\(...\)\)"
        for parts, network, says in (
                ([t.Tanh(), t.Linear(OUT, OUT)], lambda v: last(nn.relu(v)), tanh),
                ([t.Tanh(), t.Linear(OUT, OUT), t.Tanh()], lambda v: last(nn.tanh(v)), tanh),
                ([t.Identity(), t.Linear(OUT, OUT)], lambda v: last(nn.tanh(v)), "Linear behind it is"),
                ([norm, t.ReLU()], lambda v: nn.batch_norm(nn.relu(v), name="nn/3"), "BatchNorm1d"),
                ([t.LayerNorm(OUT, elementwise_affine=False)], lambda v: v, "LayerNorm behind it")):
            self.check_behind(parts, network, says)

    def test_functions_between_linear_layers(self):
        """Of a Sequential they are in no weight's name."""
        linear, relu = torch.nn.Linear, torch.nn.ReLU()

        def network(g, behind=lambda v: v):
            return layers.gin(g, g.x, lambda v: behind(layers.mlp(v, 8, OUT)), name="conv")
        for parts, behind, says in (
                ((torch.nn.Tanh(),), lambda v: v, r"Sequential\(Linear, Tanh, Linear\), but the "
                 r"model calls mlp\(name='nn'\), which is Sequential\(Linear, ReLU, Linear\)"),
                ((relu, relu), lambda v: v, r"\): nn.relu\(nn.layers.mlp\(...\)\)"),
                ((relu, relu), nn.tanh, r"\): nn.relu\(nn.layers.mlp\(...\)\)"),
                ((relu, torch.nn.Tanh()), lambda v: v, r"\): nn.tanh\(nn.layers.mlp\(...\)\)"),
                ((relu, relu), nn.relu, None), ((relu, torch.nn.Tanh()), nn.tanh, None),
                ((relu, torch.nn.Identity()), lambda v: v, None), ((relu,), nn.relu, None)):
            peer = pyg.GINConv(torch.nn.Sequential(
                linear(DIM, 8), parts[0], linear(8, OUT), *parts[1:])).double()
            module = torch.nn.ModuleDict({"conv": peer})
            model = nn.Model(lambda g: network(g, behind), dtype="f64",
                             backend="interpreter").trace(DATA)
            if says is not None:
                with self.assertRaisesRegex(vecc.Error, f"conv.nn is .*{says}"):
                    model.set_weights(module)
                self.assertEqual(model.set_weights(module.state_dict()), [])
                continue
            self.assertEqual(model.set_weights(module), [])
            if len(parts) > 1:
                expected = peer(TORCH["x"], TORCH["edge_index"]).detach().numpy()
                self.assertLess(near(model(DATA), expected), TOLERANCE)

    def test_pna(self):
        """Degrees are among a state_dict's entries; in which order statistics are is not."""
        degrees = torch.bincount(torch.bincount(TORCH["edge_index"][1]))
        statistics, scalers = ["mean", "max", "sum"], ["identity", "attenuation"]
        conv = pyg.PNAConv(DIM, OUT, statistics, scalers, degrees).double()
        module, log = torch.nn.ModuleDict({"conv": conv}), conv.aggr_module.init_avg_deg_log

        def model(*arguments):
            return nn.Model(lambda g: layers.pna(g, g.x, OUT, *arguments, name="conv"), dtype="f64",
                            backend="interpreter").trace(DATA)
        right = model(log, 9.0, statistics, scalers)  # nothing reads mean_degree
        for weights in (module, module.state_dict()):
            self.assertEqual(right.set_weights(weights), [])
        expected = conv(TORCH["x"], TORCH["edge_index"]).detach().numpy()
        self.assertLess(near(right(DATA), expected), 1e-6)  # of degrees in single precision
        for arguments, says in (
                ((log + 0.1, 9.0, statistics, scalers), "'conv/aggr_module/avg_deg_log' is"),
                ((log, 9.0, statistics[::-1], scalers), "PNAConv(aggrs=.*calls pna(aggregations="),
                ((log, 9.0, statistics, scalers[::-1]), "PNAConv(scaler=.*calls pna(scalers=")):
            with self.assertRaisesRegex(vecc.Error, says.replace("(", r"\(")):
                model(*arguments).set_weights(module)

    def test_options_that_change_nothing(self):
        """The numbers are the same: of one head, of loops without features, by another name."""
        for peer, network in (
                (pyg.GATConv(DIM, OUT, concat=False, fill_value=0.5),
                 lambda g: layers.gat(g, g.x, OUT, name="conv")),
                (pyg.GATv2Conv(DIM, OUT, concat=False),
                 lambda g: layers.gatv2(g, g.x, OUT, name="conv")),
                (pyg.TransformerConv(DIM, OUT, concat=False),
                 lambda g: layers.transformer(g, g.x, OUT, name="conv")),
                (pyg.SAGEConv(DIM, OUT, aggr=pyg.MeanAggregation()),
                 lambda g: layers.sage(g, g.x, OUT, name="conv")),
                (pyg.SAGEConv(DIM, OUT, aggr=["mean"]),
                 lambda g: layers.sage(g, g.x, OUT, name="conv")),
                (pyg.GCNConv(DIM, OUT, aggr="sum"),
                 lambda g: layers.gcn(g, g.x, OUT, name="conv")),
                (pyg.GatedGraphConv(DIM, 2, aggr="sum"),
                 lambda g: layers.gated_graph(g, g.x, DIM, 2, name="conv")),
                (pyg.FiLMConv(DIM, OUT, act=torch.relu),
                 lambda g: layers.film(g, g.x, OUT, name="conv")),
                (pyg.GATConv(DIM, OUT, dropout=0.1),
                 lambda g: layers.gat(g, g.x, OUT, dropout=np.float32(0.1), name="conv")),
                (pyg.APPNP(3, 0.1),
                 lambda g: layers.appnp(g, layers.appnp(g, g.x, 2, 0.2), 3, 0.1))):
            with self.subTest(peer):
                model = nn.Model(network, dtype="f64", backend="interpreter").trace(DATA)
                module = torch.nn.ModuleDict({"conv": peer.double()})
                self.assertEqual(model.set_weights(module), [])
                if not isinstance(peer, pyg.APPNP):
                    expected = peer.eval()(TORCH["x"], TORCH["edge_index"]).detach().numpy()
                    self.assertLess(near(model(DATA), expected), TOLERANCE)

    def test_modules_that_no_layer_replaces(self):
        """Their options are the business of who ports them."""
        class Peer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.films, self.norm = pyg.FiLMConv(DIM, OUT, RELATIONS), pyg.LayerNorm(OUT)
                self.flow = torch.nn.Linear(OUT, OUT)  # no direction

        @nn.layer
        def of_one_graph(x):
            centred = x - nn.mean(x)
            return centred * nn.weight("weight", OUT) + nn.weight("bias", OUT)

        def network(g):
            h = layers.film(g, g.x, OUT, g.edge_type, name="films")
            return nn.linear(of_one_graph(h, name="norm"), OUT, bias=True, name="flow")
        peer = Peer()
        for weights in (peer, peer.state_dict()):
            model = nn.Model(network).trace(DATA)
            self.assertEqual(model.set_weights(weights), [])
            np.testing.assert_array_equal(model.weights["films/lins/weight"], np.stack(
                [each.weight.detach().numpy() for each in peer.films.lins]))

    def test_rgat(self):
        """PyTorch Geometric makes weights of mod= alone, which are not used without it."""
        inputs = TORCH["x"], TORCH["edge_index"], TORCH["edge_type"]
        for heads, options in ((2, {}), (2, {"bias": False}), (1, {"concat": False})):
            conv = pyg.RGATConv(DIM, OUT, RELATIONS, heads=heads, **options).double()
            module = torch.nn.ModuleDict({"conv": conv})
            bias = options.get("bias", True)
            model = nn.Model(lambda g: layers.rgat(g, g.x, OUT, g.edge_type, heads=heads, bias=bias,
                                                   name="conv"), dtype="f64").trace(DATA)
            for weights in (module, module.state_dict()):
                self.assertEqual(model.set_weights(weights), [])
            self.assertLess(near(model(DATA), conv(*inputs).detach().numpy()), TOLERANCE)
            for name, tensor in model.state_dict_of(module).items():
                self.assertTrue(torch.equal(tensor, module.state_dict()[name]), name)
        conv = pyg.RGATConv(DIM, OUT, RELATIONS, heads=2, concat=False, bias=False)
        model = nn.Model(lambda g: layers.rgat(g, g.x, OUT, g.edge_type, heads=2, bias=False,
                                               name="conv")).trace(DATA)
        with self.assertRaisesRegex(vecc.Error, r"RGATConv\(concat=False\), but vecc.nn has"):
            model.set_weights(torch.nn.ModuleDict({"conv": conv}))

    def test_a_module_of_two_names(self):
        class Peer(torch.nn.Module):
            def __init__(self, conv):
                super().__init__()
                self.a = self.b = conv
        def films(g):
            return layers.film(g, g.x, OUT, name="a") + layers.film(g, g.x, OUT, name="b")
        model = nn.Model(films).trace(DATA)
        self.assertEqual(model.set_weights(Peer(pyg.FiLMConv(DIM, OUT))), [])

        def gats(g):
            return (layers.gat(g, g.x, OUT, slope=0.5, name="a") +
                    layers.gat(g, g.x, OUT, name="b"))
        with self.assertRaisesRegex(vecc.Error, r"b is GATConv\(negative_slope=0.5\)"):
            nn.Model(gats).trace(DATA).set_weights(Peer(pyg.GATConv(DIM, OUT, negative_slope=0.5)))


if __name__ == "__main__":
    unittest.main()
