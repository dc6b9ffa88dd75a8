"""vecc.nn: every function and every layer with every kind of wrong argument. Each is a vecc.Error
that names the line of the call and says what was expected."""

import inspect
import unittest

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from vecc.nn import layers

RNG = np.random.default_rng(0)
SRC, DST = [0, 2, 1, 2, 2], [1, 0, 1, 1, 0]


def data():
    source = nn.Data().nodes(x=RNG.normal(size=(4, 3)), s=RNG.normal(size=4),
                             label=np.array([0, 1, 1, 0]), graph=np.array([0, 0, 1, 1]))
    source.edges(SRC, DST, a=RNG.normal(size=(5, 2)), w=RNG.normal(size=5),
                 kind=np.array([0, 1, 1, 0, 2]))
    return source.graphs(2, u=RNG.normal(size=(2, 2)))


def other_graph():
    return nn.Data().nodes("paper", x=RNG.normal(size=(3, 5)), topic=np.array([0, 1, 2])).edges(
        [0], [1], type=("paper", "cites", "paper"), a=RNG.normal(size=(1, 2)))


class Foreign:
    """What a model of another graph has."""

    def __init__(self):
        def network(g):
            self.graph, self.value, self.end = g, g.x, g.src
            self.category, self.table = g.topic, nn.table("t", 3, 2)
            self.edges = g.edges
            return g.x
        nn.Model(network).trace(other_graph())


FOREIGN = Foreign()
OTHERS = [None, "x", b"x", object(), [1, 2], {"a": 1}, lambda x: x, ..., np.array(["a"])]
NUMBERS = [np.nan, np.inf, -np.inf, 1j, 10**400, True]


def wrong(kind, g):
    """What an argument of this kind cannot be."""
    values = [g.x, FOREIGN.value]
    sets = [g, g.nodes, g.src, g.kind, FOREIGN.graph]
    huge, texts = 10**12, [None, 3, 2.5, [1], g.x, g, ""]
    sizes = [0, -1, 2.5, "3", None, np.nan, True, g.x, g, g.kind, [[2]], (2, -2)]
    return {
        "value": OTHERS + sets + NUMBERS + [FOREIGN.value],
        "operand": OTHERS + sets + NUMBERS + [FOREIGN.value, np.zeros((2, 2, 2)), np.zeros(0)],
        "vector": OTHERS + sets + NUMBERS + [FOREIGN.value, nn.linear(g.x, (2, 2)), nn.sum(g.x)],
        "nodes": OTHERS + sets + NUMBERS + [FOREIGN.value, g.a, g.graphs.u, 3, (g.x,) * 3,
                                            nn.linear(g.x, (2, 2)), nn.weight("own", 3)],
        "pair": OTHERS + sets + NUMBERS + [FOREIGN.value, g.a, (g.x, g.a), (g.a, g.x), (g.x, None),
                                           (g.x,), (), (g.x, g.kind), nn.linear(g.x, (2, 2))],
        "edge value": [None, "y", 3, object(), [1], g, g.edges, g.src, g.kind, g.x, "kind",
                       g.graphs.u, FOREIGN.value],
        "edge number": ["y", "kind", "a", 3, g.a, g.x, g.kind, FOREIGN.value],
        "matrix": OTHERS + sets + [FOREIGN.value, g.x],
        "end": OTHERS + NUMBERS + values + [g, g.edges, g.kind, FOREIGN.end, g.graph],
        "any end": OTHERS[1:] + NUMBERS + values + [g, g.edges, g.kind, FOREIGN.end],
        "category": OTHERS[1:] + NUMBERS + values + [g, g.edges, g.src, FOREIGN.category],
        "edge category": OTHERS[1:] + values + [g, g.src, FOREIGN.category, g.label],
        "size": sizes + [huge, [2], (2, 2)],
        "sides": sizes + [huge, (huge, 2), (1, 2, 3), "ab"],
        "steps": sizes + [huge, [2]],
        "count": sizes + [huge, 2**32 - 1, [2]],
        "number": ["1", None, [1], g.x, g, *NUMBERS],
        "positive": ["1", None, [1], g.x, g, 0, -1, *NUMBERS],
        "not negative": ["1", None, [1], g.x, g, -1e-9, *NUMBERS],
        "share": ["1", None, [1], g.x, g, -0.1, 1.1, *NUMBERS],
        "probability": ["1", None, [1], g.x, g, -0.1, 1, *NUMBERS],
        "flag": [None, 0, 1, "yes", g.x, [True]],
        "text": texts,
        "name": texts[1:],
        "init": [None, [1], g.x, g, "", "zero", "Glorot", (0.1,), *NUMBERS],
        "aggregation": texts + ["median", ["mean"]],
        "aggregations": [None, 3, "mean", [], ["median"], [None], g.x],
        "scalers": [None, 3, "identity", [], ["linearly"], [[]], g.x],
        "formula": texts + ["sum($0", "foo($0)", "sum($0, $7)", "transp($0)"],
        "network": [None, 3, 16, "mlp", g.x, g, [layers.mlp], lambda: g.x, lambda x, y: x,
                    lambda x: None, lambda x: 3, lambda x: g.kind, lambda x: nn.weight("own", 3),
                    lambda x: FOREIGN.value],
        "ends": OTHERS + NUMBERS + values + [g.nodes, g.src, g.kind, FOREIGN.graph, FOREIGN.edges],
        "edges": OTHERS + values + [g, g.nodes, g.src, FOREIGN.graph, FOREIGN.edges],
        "graph": OTHERS + values + [g.nodes, g.edges, g.src, FOREIGN.graph],
        "sets": OTHERS[:5] + [g.x, {}, {"nodes": g.x}, {"node": None}, {"node": g.a}, {3: g.x},
                              {"node": g.x, "paper": g.x}, {"node": FOREIGN.value}],
        "array": [None, "1", ["a"], [[1], [1, 2]], np.nan, np.inf, 1j, {}, object(), [],
                  np.zeros((1, 1, 1)), g, g.x, [g.x], g.kind, g.src],
    }[kind]


def network(x):
    return layers.mlp(x, 4, 3)


def unary(function):
    return function, lambda g: {"x": g.x}, {"x": "operand"}


CONV = {"g": "ends", "x": "nodes"}
PAIR = {"g": "ends", "x": "pair"}
LESS = {"bias": False, "root_weight": False}
FLAGS = {"bias": "flag", "root_weight": "flag"}

#: The function, arguments that it takes, and the kinds of all that it has.
CALLS = {
    **{name: unary(getattr(nn, name)) for name in (
        "abs_", "exp", "gelu", "log", "relu", "sigmoid", "sqrt", "square", "tanh")},
    "elu": (nn.elu, lambda g: {"x": g.x}, {"x": "value"}),
    "leaky_relu": (nn.leaky_relu, lambda g: {"x": g.x, "slope": 0.2},
                   {"x": "value", "slope": "number"}),
    "maximum": (nn.maximum, lambda g: {"a": g.x, "b": 0}, {"a": "operand", "b": "operand"}),
    "minimum": (nn.minimum, lambda g: {"a": g.x, "b": 0}, {"a": "operand", "b": "operand"}),
    "dot": (nn.dot, lambda g: {"a": g.x, "b": g.x}, {"a": "operand", "b": "operand"}),
    "matmul": (nn.matmul, lambda g: {"a": g.x, "b": g.x}, {"a": "operand", "b": "operand"}),
    "sum": (nn.sum, lambda g: {"x": g.a, "over": g.dst}, {"x": "value", "over": "any end"}),
    "mean": (nn.mean, lambda g: {"x": g.a, "over": g.dst}, {"x": "value", "over": "any end"}),
    "max": (nn.max, lambda g: {"x": g.a, "over": g.dst}, {"x": "value", "over": "end"}),
    "min": (nn.min, lambda g: {"x": g.a, "over": g.dst}, {"x": "value", "over": "end"}),
    "softmax": (nn.softmax, lambda g: {"x": g.a, "over": g.dst},
                {"x": "value", "over": "any end"}),
    "count": (nn.count, lambda g: {"over": g.dst, "by": g.kind},
              {"over": "end", "by": "edge category"}),
    "lstm": (nn.lstm, lambda g: {"x": g.a, "over": g.dst, "size": 2, "padded": False},
             {"x": "vector", "over": "end", "size": "size", "padded": "flag"}),
    "concat": (lambda x: nn.concat(x, x), lambda g: {"x": g.x}, {"x": "operand"}),
    "reshape": (nn.reshape, lambda g: {"x": g.x, "shape": (3, 1)},
                {"x": "value", "shape": "sides"}),
    "transpose": (nn.transpose, lambda g: {"x": nn.linear(g.x, (2, 2))}, {"x": "matrix"}),
    "elementwise": (lambda expression, x: nn.elementwise(expression, x),
                    lambda g: {"expression": "tanh($0)", "x": g.x},
                    {"expression": "formula", "x": "operand"}),
    "constant": (nn.constant, lambda g: {"value": [1, 2, 3]}, {"value": "array"}),
    "one_hot": (nn.one_hot, lambda g: {"category": g.kind}, {"category": "category"}),
    "numbers": (nn.numbers, lambda g: {"category": g.kind}, {"category": "category"}),
    "embedding": (nn.embedding, lambda g: {"category": g.kind, "dim": 2, "name": "e",
                                           "init": "ones"},
                  {"category": "category", "dim": "sides", "name": "text", "init": "init"}),
    "table": (lambda **options: nn.table(**options)[FOREIGN.now.kind],
              lambda g: {"name": "t", "count": 3, "shape": 2, "init": "ones"},
              {"name": "text", "count": "count", "shape": "sides", "init": "init"}),
    "weight": (nn.weight, lambda g: {"name": "w", "shape": 2, "init": "ones"},
               {"name": "text", "shape": "sides", "init": "init"}),
    "uniform": (lambda bound: nn.weight("w", 2, nn.uniform(bound)), lambda g: {"bound": 0.1},
                {"bound": "positive"}),
    "linear": (nn.linear, lambda g: {"x": g.a, "out": 2, "by": g.kind, "bias": True, "name": "l",
                                     "init": nn.uniform(0.1)},
               {"x": "value", "out": "sides", "by": "edge category", "bias": "flag",
                "name": "text", "init": "init"}),
    "dropout": (nn.dropout, lambda g: {"x": g.x, "p": 0.5}, {"x": "value", "p": "probability"}),
    "layer_norm": (nn.layer_norm, lambda g: {"x": g.x, "eps": 0.1, "affine": True, "name": "n"},
                   {"x": "value", "eps": "not negative", "affine": "flag", "name": "name"}),
    "batch_norm": (nn.batch_norm, lambda g: {"x": g.x, "eps": 0.1, "momentum": 0.1, "affine": True,
                                             "name": "n"},
                   {"x": "vector", "eps": "not negative", "momentum": "share", "affine": "flag",
                    "name": "name"}),
    "mlp": (lambda x, size, name: layers.mlp(x, size, name=name),
            lambda g: {"x": g.x, "size": 2, "name": "n"},
            {"x": "value", "size": "size", "name": "text"}),
    "symmetric": (layers.symmetric, lambda g: {"x": g.x, "e": g.edges, "w": g.w},
                  {"x": "value", "e": "edges", "w": "edge value"}),
    "gcn": (layers.gcn, lambda g: {"g": g, "x": g.x, "out": 2, "edge_weight": "w",
                                   "self_loops": True, "bias": False, "name": "n"},
            {**CONV, "out": "size", "edge_weight": "edge number", "self_loops": "flag",
             "bias": "flag", "name": "name"}),
    "sage": (layers.sage, lambda g: {"g": g, "x": g.x, "out": 2, "aggregation": "max", **LESS,
                                     "project": True, "normalize": True},
             {**PAIR, "out": "size", "aggregation": "aggregation", **FLAGS, "project": "flag",
              "normalize": "flag"}),
    "gin": (layers.gin, lambda g: {"g": g, "x": g.x, "network": network, "eps": 0.1,
                                   "train_eps": True},
            {**PAIR, "network": "network", "eps": "number", "train_eps": "flag"}),
    "gine": (layers.gine, lambda g: {"g": g, "x": g.x, "network": network, "edge_attr": "a",
                                     "eps": 0.1, "train_eps": True},
             {**PAIR, "network": "network", "edge_attr": "edge value", "eps": "number",
              "train_eps": "flag"}),
    **{name: (getattr(layers, name), lambda g: {
        "g": g, "x": g.x, "out": 2, "heads": 2, "slope": 0.2, "concatenated": False,
        "edge_attr": "a", "dropout": 0.1, "self_loops": False, "residual": True,
        "bias": False},
        {**PAIR, "out": "size", "heads": "size", "slope": "number", "concatenated": "flag",
         "edge_attr": "edge value", "dropout": "probability", "self_loops": "flag",
         "residual": "flag", "bias": "flag"})
       for name in ("gat", "gatv2")},
    "transformer": (layers.transformer, lambda g: {
        "g": g, "x": g.x, "out": 2, "heads": 2, "concatenated": False, "edge_attr": "a",
        "dropout": 0.1, "beta": True, **LESS},
        {**PAIR, "out": "size", "heads": "size", "concatenated": "flag",
         "edge_attr": "edge value", "dropout": "probability", "beta": "flag",
         **FLAGS}),
    "rgcn": (layers.rgcn, lambda g: {"g": g, "x": g.x, "out": 2, "relation": g.kind,
                                     **LESS, "bases": 2},
             {**PAIR, "out": "size", "relation": "edge category", **FLAGS, "bases": "size"}),
    "rgat": (layers.rgat, lambda g: {"g": g, "x": g.x, "out": 2, "relation": g.kind, "heads": 2,
                                     "slope": 0.1, "dropout": 0.1, "bias": False},
             {**CONV, "out": "size", "relation": "edge category", "heads": "size",
              "slope": "number", "dropout": "probability", "bias": "flag"}),
    "hgt": (lambda **options: layers.hgt(**options)["node"],
            lambda g: {"g": g, "x": {"node": g.x}, "out": 4, "heads": 2},
            {"g": "graph", "x": "sets", "out": "size", "heads": "size"}),
    "film": (layers.film, lambda g: {"g": g, "x": g.x, "out": 2, "relation": g.kind},
             {**CONV, "out": "size", "relation": "edge category"}),
    "gru": (lambda x, h, size, inputs, name: layers.gru(size, inputs, name)(x, h),
            lambda g: {"x": g.x, "h": g.x, "size": 3, "inputs": 3, "name": "rnn"},
            {"x": "vector", "h": "vector", "size": "size", "inputs": "size", "name": "text"}),
    "gated_graph": (layers.gated_graph, lambda g: {"g": g, "x": g.x, "out": 4, "steps": 2,
                                                   "bias": False},
                    {**CONV, "out": "size", "steps": "steps", "bias": "flag"}),
    "edge": (layers.edge, lambda g: {"g": g, "x": g.x, "network": network, "aggregation": "max"},
             {**PAIR, "network": "network", "aggregation": "aggregation"}),
    "nn_conv": (layers.nn_conv, lambda g: {
        "g": g, "x": g.x, "out": 2, "network": lambda a: layers.mlp(a, 6), "edge_attr": "a",
        "aggregation": "mean", **LESS},
        {**PAIR, "out": "size", "network": "network", "edge_attr": "edge value",
         "aggregation": "aggregation", **FLAGS}),
    "appnp": (layers.appnp, lambda g: {"g": g, "x": g.x, "steps": 2, "alpha": 0.1},
              {**CONV, "steps": "steps", "alpha": "share"}),
    "gen": (layers.gen, lambda g: {"g": g, "x": g.x, "out": 3, "network": network,
                                   "temperature": 1.0, "eps": 1e-7, "edge_attr": "a"},
            {**PAIR, "out": "size", "network": "network", "temperature": "positive",
             "eps": "not negative", "edge_attr": "edge value"}),
    "pna": (layers.pna, lambda g: {"g": g, "x": g.x, "out": 2, "mean_log_degree": 1.0,
                                   "mean_degree": 2.0, "aggregations": ["mean"],
                                   "scalers": ["identity"]},
            {**CONV, "out": "size", "mean_log_degree": "positive", "mean_degree": "positive",
             "aggregations": "aggregations", "scalers": "scalers"}),
}

#: Not called in models, or not by arguments of their own.
OTHER_NAMES = {"Category", "Data", "Domain", "Edges", "Endpoint", "GraphView", "Model", "Nodes",
               "Table", "Value", "as_data", "batch", "from_arrays", "from_dgl", "from_edge_list",
               "from_hetero", "from_networkx", "from_npz", "from_pyg", "from_scipy", "from_smiles",
               "layer", "layers"}
SAYS = (r"expected|there (is|are) no|none of|another trace|no multiple|of different rows|"
        r"do not broadcast|: nn\.|: v\[:, None\]|: v \*\* p|: a . nn|docs/models.md|, so .+ cannot|"
        r"cannot be set|takes one of them")


def required(function):
    """Parameters that cannot be left out."""
    return [name for name, each in inspect.signature(function).parameters.items()
            if each.default is each.empty and each.kind == each.POSITIONAL_OR_KEYWORD]


def optional(function, name):
    """Whether it may be left out by None."""
    parameters = inspect.signature(function).parameters
    return name in parameters and parameters[name].default is None


class ErrorsTest(unittest.TestCase):
    def check(self, call, *about):
        """call(g) is refused, at a line of this file."""
        def network(g):
            FOREIGN.now = g
            return call(g)
        with self.subTest(about):
            try:
                made = nn.Model(network).trace(data())
            except vecc.Error as error:
                self.assertIsInstance(error, ValueError)
                self.assertRegex(error.place, rf"^{__file__}:\d+$")
                self.assertRegex(error.message, SAYS)
                self.assertLess(len(error.message), 500)
                return error.message
            except BaseException as error:  # everything else is what is looked for
                self.fail(f"{type(error).__name__}: {error}")
            self.fail(f"is taken: {made!r}")

    def test_all_are_here(self):
        own = {name for name, thing in vars(layers).items() if inspect.isfunction(thing)
               and getattr(thing, "__module__", "") in (layers.__name__, "vecc.nn.hgt")
               and name[0] != "_"}
        self.assertEqual(CALLS.keys(), (set(nn.__all__) - OTHER_NAMES) | (own - {"layer"}))
        for name, (function, _, kinds) in CALLS.items():
            if function.__module__ != __name__:
                parameters = inspect.signature(function).parameters.keys()
                self.assertLessEqual(parameters - kinds.keys(), {"name"}, name)

    def test_right_arguments(self):
        for name, (function, arguments, _) in CALLS.items():
            with self.subTest(name):
                def network(g):
                    FOREIGN.now = g
                    made = function(**arguments(g))
                    return nn.reshape(made, made.size) + nn.sum(g.x) if (
                        made.domain.kind in ("node", "one")) else made
                nn.Model(network).trace(data())

    def test_wrong_arguments(self):
        count = 0
        for name, (function, arguments, kinds) in CALLS.items():
            for parameter, kind in kinds.items():
                self.wrong_arguments = None

                def look(g):
                    self.wrong_arguments = len(wrong(kind, g))
                    return g.x
                nn.Model(look).trace(data())
                for number in range(self.wrong_arguments):
                    def call(g):
                        thing = wrong(kind, g)[number]
                        if thing is None and optional(function, parameter):
                            thing = object()
                        return function(**{**arguments(g), parameter: thing})
                    self.check(call, name, parameter, number)
                    count += 1
        self.assertGreater(count, 2000)

    def test_too_few_and_too_many(self):
        for name, (function, arguments, _) in CALLS.items():
            if function.__module__ == __name__:  # a lambda of this file
                continue
            for missing in required(function):
                message = self.check(lambda g: function(**{
                    key: thing for key, thing in arguments(g).items() if key != missing}), name)
                self.assertIn(f"a required argument: '{missing}'; expected {name}(", message)
            message = self.check(lambda g: function(**arguments(g), hidden=3), name)
            self.assertIn("got an unexpected keyword argument 'hidden'", message)
            if name != "concat":
                self.check(lambda g: function(*[g.x] * 20), name)
        self.check(lambda g: nn.concat(), "concat")
        self.check(lambda g: layers.mlp(g.x), "mlp")
        self.check(lambda g: layers.mlp(g.x, [16, 16]), "mlp")
        self.check(lambda g: nn.batch_norm(g.x, 3), "torch's number of features")

    def test_operators(self):
        things = [None, "x", [1], object(), b"x", np.array(["a"]), np.zeros((2, 2, 2)), 1j, np.nan,
                  True]
        for number in range(len(things) + 5):
            for sign in ("__add__", "__sub__", "__mul__", "__truediv__", "__matmul__", "__pow__",
                         "__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rmatmul__"):
                self.check(lambda g: getattr(g.x, sign)(
                    [*things, g, g.src, g.kind, FOREIGN.value, nn.linear(g.x, 2)][number]),
                    sign, number)
        for call in (lambda g: g.x & g.x, lambda g: ~g.x, lambda g: g.x | 1, lambda g: 1 ^ g.x,
                     lambda g: round(g.s), lambda g: complex(g.s), lambda g: g.kind + 1,
                     lambda g: g.kind[g.src], lambda g: g.label[g.src], lambda g: g.src + 1,
                     lambda g: g.src[0], lambda g: list(g.src), lambda g: g.src * 2,
                     lambda g: len(g.kind), lambda g: g.x @ 3, lambda g: g.x @ g.s,
                     lambda g: g.x ** 10**400, lambda g: np.array([1.0, 2]) * g.x,
                     lambda g: np.float64(np.nan) * g.x, lambda g: FOREIGN.table[g.kind],
                     lambda g: nn.table("t", 3)[FOREIGN.category], lambda g: nn.table("t", 3)[3],
                     lambda g: nn.table("t", 3)[-1], lambda g: nn.table("t", 3)[1.0],
                     lambda g: nn.table("t", 2)[g.kind]):
            self.check(call)

    def test_elements(self):
        things = [None, "x", 3, -4, 2.5, True, np.nan, 10**30, slice(0, 9), slice(-4, 2),
                  slice(2, 1), slice(0, 0), slice(0, 3, 2), slice(0.5, 2), slice("a", None),
                  slice(None, None, -1), (slice(None), 0), (slice(None), None, None), (0, 1), ...,
                  [0, 1], np.array([0, 1]), object()]
        for number in range(len(things) + 6):
            self.check(lambda g: g.x[[*things, g, g.x, g.kind, g.graph.__class__, FOREIGN.end,
                                      slice(g.s, None)][number]], number)
        self.check(lambda g: g.s[0])
        self.check(lambda g: g.s[:, None])
        def written(g):
            g.x[0] = 3
            return g.x
        self.check(written)

    def test_graphs(self):
        for call in (lambda g: g[0], lambda g: g[None], lambda g: g["x"], lambda g: g["a", "b"],
                     lambda g: g["a", "b", "c"], lambda g: g[0, 1, 2], lambda g: g[:],
                     lambda g: g[g.x], lambda g: list(g), lambda g: g.num_nodes,
                     lambda g: g["node"].y, lambda g: g["node"]["y"], lambda g: g["node"][0],
                     lambda g: g.edges.x, lambda g: g.edges[None], lambda g: g.edges.feature(3),
                     lambda g: FOREIGN.graph.x, lambda g: FOREIGN.graph.topic + 1,
                     lambda g: nn.one_hot(FOREIGN.graph.topic), lambda g: FOREIGN.value,
                     lambda g: g.x[g.with_self_loops("max").src],
                     lambda g: g.x[g.with_self_loops(None).src],
                     lambda g: g.x[g.with_self_loops(10**400).src],
                     lambda g: g.x[g.with_self_loops(g.s).src],
                     lambda g: setattr(g, "x", g.x), lambda g: setattr(g.nodes, "x", g.x),
                     lambda g: g.edges.__setitem__("a", g.a)):
            self.check(call, inspect.getsourcelines(call)[1])
        def optional_feature(g):
            return g.x if getattr(g, "y", None) is None and not hasattr(g.edges, "y") else g.y
        nn.Model(optional_feature).trace(data())

    def test_words_of_other_libraries(self):
        for call, instead in (
                (lambda g: np.exp(g.x), r"nn\.exp"), (lambda g: np.sum(g.x), r"nn\.sum"),
                (lambda g: np.concatenate([g.x, g.x]), r"nn\.concat"),
                (lambda g: np.asarray(g.x), "docs/models.md"),
                (lambda g: np.add.reduce(g.x), "NumPy's add"),
                (lambda g: g.x.view(-1, 3), r"nn\.reshape"), (lambda g: g.x.relu(), r"nn\.relu"),
                (lambda g: g.x.mean(dim=0), r"nn\.mean"), (lambda g: g.x.T, r"nn\.transpose"),
                (lambda g: g.x.unsqueeze(-1), "v.:, None."), (lambda g: g.x.pow(2), r"v \*\* p"),
                (lambda g: nn.reshape(g.x, (-1, 3)), "rows are not counted")):
            self.assertRegex(self.check(call, instead) or "", instead)
        x = nn.Model(lambda g: np.ones(3) + np.float64(2) * g.x - np.arange(3.0)).trace(data())
        self.assertEqual(x.output_shape, (3,))

    def test_layers_of_users(self):
        @nn.layer
        def block(x, size):
            return nn.linear(x, size)
        for call in (lambda g: block(g.x), lambda g: block(g.x, 2, 3), lambda g: block(g.x, out=2),
                     lambda g: block(g.x, 2, name=3), lambda g: block(g.x, 2, name=""),
                     lambda g: block(g.x, 0), lambda g: nn.layer(3), lambda g: nn.layer("name")):
            self.check(call)
        with self.assertRaisesRegex(vecc.Error, rf"{__file__}:.*missing a required argument"):
            nn.layer(name="conv")

    def test_models(self):
        for function in (None, 3, "network", lambda: None, lambda g, x: x, nn.Data()):
            with self.assertRaisesRegex(vecc.Error, rf"({__file__}:\d+|nn.Model): .*expected"):
                nn.Model(function).trace(data())

    def test_weights(self):
        model = nn.Model(lambda g: nn.linear(g.x, 2)).trace(data())
        for weights, message in ((3, "found int 3, expected arrays"), ("w.safetensors", "found str"),
                                 ({"linear": np.zeros((2, 3))}, "there are none called 'linear'"),
                                 ({"linear/weight": np.zeros(2)}, r"expected \[2, 3\]")):
            with self.assertRaisesRegex(vecc.Error, message):
                model.set_weights(weights)


if __name__ == "__main__":
    unittest.main()
