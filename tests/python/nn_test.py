"""vecc.nn's language: what operations compute, and the errors of those that do not fit."""

import re
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn

SRC, DST = np.array([0, 2, 1, 2, 2]), np.array([1, 0, 1, 1, 0])
X = np.array([[1.0, -2, 3], [0.5, 4, -1], [2, 2, -3], [7, 8, 9]])  # node 3 has no edges
A = np.array([[1.0, 5], [-2, 3], [0, 1], [4, -4], [2, 2]])
KIND = np.array([0, 1, 1, 0, 2])


def data():
    return nn.Data().nodes(x=X, s=X[:, 0]).edges(SRC, DST, a=A, kind=KIND)


def compute(network, source=None, weights=None):
    """Both ways down, which must agree."""
    source = source or data()
    model = nn.Model(network, dtype="f64", backend="interpreter").trace(source)
    model.set_weights(weights or {})
    outputs = [model.program(source, way=way)() for way in ("direct", "neurons")]
    np.testing.assert_allclose(*outputs, atol=1e-13)
    return outputs[0]


class LanguageTest(unittest.TestCase):
    def check(self, network, expected, **options):
        np.testing.assert_allclose(compute(network, **options), expected, atol=1e-13)

    def test_row_by_row(self):
        self.check(lambda g: 2 - g.x / 4 + g.x * g.s, 2 - X / 4 + X * X[:, :1])
        self.check(lambda g: -g.x ** 2, -X ** 2)
        self.check(lambda g: (1 + nn.square(g.x)) ** -1.5, (1 + X ** 2) ** -1.5)
        self.check(lambda g: 1 / (2 + nn.abs_(g.x)), 1 / (2 + abs(X)))
        self.check(lambda g: nn.maximum(g.x, g.s), np.maximum(X, X[:, :1]))
        self.check(lambda g: nn.minimum(0.5, g.x), np.minimum(X, 0.5))
        self.check(lambda g: nn.elu(g.x), np.where(X > 0, X, np.exp(X) - 1))
        self.check(lambda g: nn.leaky_relu(g.x, 0.1), np.where(X > 0, X, 0.1 * X))
        e = np.exp(X - X.max(1, keepdims=True))
        self.check(lambda g: nn.softmax(g.x), e / e.sum(1, keepdims=True))

    def test_shapes(self):
        outer = X[:, :2, None] * X[:, None]
        self.check(lambda g: g.x[:2][:, None] * g.x, outer)
        self.check(lambda g: nn.reshape(g.x[:2][:, None] * g.x, (3, 2)), outer.reshape(4, 3, 2))
        self.check(lambda g: nn.transpose(g.x[:2][:, None] * g.x), outer.swapaxes(1, 2))
        self.check(lambda g: (g.x[:2][:, None] * g.x)[1], outer[:, 1])
        self.check(lambda g: nn.concat(g.x, nn.sum(g.x)[None]), np.c_[X, X.sum(1)])
        self.check(lambda g: (g.x[:2][:, None] * g.x)[:, 1:], outer[:, :, 1:])
        self.check(lambda g: nn.sum(g.x[:2][:, None] * g.x), outer.sum(2))
        self.check(lambda g: nn.mean(g.x), X.mean(1))
        self.check(lambda g: g.x[1], X[:, 1])
        self.check(lambda g: g.x[-1] + g.x[1:2], X[:, 2] + X[:, 1])
        self.check(lambda g: nn.concat(g.x, g.s, g.x[:1]), np.hstack([X, X[:, :1], X[:, :1]]))
        self.check(lambda g: nn.concat(*[g.x[i:i + 1][:, None] * g.x for i in range(2)]),
                   np.hstack([X[:, :1] * X, X[:, 1:2] * X]))

    def test_products(self):
        w = np.arange(6.0).reshape(2, 3) - 2
        self.check(lambda g: nn.linear(g.x, 2, bias=True), X @ w.T + [1, -1],
                   weights={"linear/weight": w, "linear/bias": [1, -1]})
        self.check(lambda g: nn.linear(g.x, (2, 1)), (X @ w.T), weights={"linear/weight": w})
        self.check(lambda g: nn.weight("w", (2, 3)) @ g.x, X @ w.T, weights={"w": w})
        self.check(lambda g: g.x @ nn.weight("w", (3, 2)), X @ w.T, weights={"w": w.T})
        self.check(lambda g: g.x @ nn.constant(w.T), X @ w.T)
        self.check(lambda g: g.x @ g.x, (X * X).sum(1))
        self.check(lambda g: nn.dot(g.x, nn.weight("a", 3)), X @ [1, 2, 3],
                   weights={"a": [1, 2, 3]})
        self.check(lambda g: (g.x[:2][:, None] * g.x) @ g.x,
                   np.einsum("ni,nj,nj->ni", X[:, :2], X, X))

    def test_edges(self):
        def sums(values, at):
            result = np.zeros((4, *values.shape[1:]))
            np.add.at(result, at, values)
            return result
        self.check(lambda g: nn.sum(g.x[g.src], over=g.dst), sums(X[SRC], DST))
        self.check(lambda g: nn.sum(g.a, over=g.src), sums(A, SRC))
        degree = np.bincount(DST, minlength=4)
        self.check(lambda g: nn.count(g.dst), degree)
        self.check(lambda g: nn.mean(g.a, over=g.dst),
                   sums(A, DST) / np.maximum(degree, 1)[:, None])
        most = [A[DST == i].max(0) if (DST == i).any() else [0, 0] for i in range(4)]
        self.check(lambda g: nn.max(g.a, over=g.dst), np.array(most))
        least = [A[SRC == i].min(0) if (SRC == i).any() else [0, 0] for i in range(4)]
        self.check(lambda g: nn.min(g.a, over=g.src), np.array(least))
        e = np.exp(A)
        self.check(lambda g: nn.softmax(g.a, over=g.dst), e / sums(e, DST)[DST])
        self.check(lambda g: nn.softmax(g.a, over=g.src), e / sums(e, SRC)[SRC])
        self.check(lambda g: g.x[g.src] - g.x[g.dst], X[SRC] - X[DST])  # in the data's order

    def test_categories(self):
        rows = np.arange(6.0).reshape(3, 2)
        self.check(lambda g: nn.embedding(g.kind, 2), rows[KIND], weights={"embedding": rows})
        self.check(lambda g: nn.one_hot(g.kind), np.eye(3)[KIND])
        self.check(lambda g: nn.numbers(g.kind), KIND)
        w = np.arange(12.0).reshape(3, 2, 2)
        b = rows - 1
        self.check(lambda g: nn.linear(g.a, 2, by=g.kind, bias=True),
                   np.einsum("eij,ej->ei", w[KIND], A) + b[KIND],
                   weights={"linear/weight": w, "linear/bias": b})
        same = [((DST == d) & (KIND == k)).sum() for d, k in zip(DST, KIND)]
        self.check(lambda g: nn.count(g.dst, by=g.kind), same)

    def test_self_loops(self):
        """An edge (1, 1) is replaced."""
        src, dst = np.append(SRC[[0, 1, 3, 4]], range(4)), np.append(DST[[0, 1, 3, 4]], range(4))
        kept = A[[0, 1, 3, 4]]
        total = np.zeros((4, 3))
        np.add.at(total, dst, X[src])

        def network(g):
            e = g.with_self_loops()
            return nn.sum(g.x[e.src], over=e.dst)
        self.check(network, total)
        for fill, loops in (("mean", [A[[1, 4]].mean(0), A[[0, 3]].mean(0), [0, 0], [0, 0]]),
                            (2, np.full((4, 2), 2))):
            filled = np.zeros((4, 2))
            np.add.at(filled, dst, np.vstack([kept, loops]))

            def features(g):
                e = g.with_self_loops(fill)
                return nn.sum(e.a, over=e.dst)
            self.check(features, filled)

    def test_typed_sets(self):
        y = np.array([[1.0], [5]])
        source = nn.Data().nodes("paper", x=X).nodes("author", y=y)
        source.edges([0, 1, 1], [3, 3, 0], type=("author", "writes", "paper"))
        source.edges([], [], type=("paper", "cites", "paper"))

        def network(g):
            e, c = g["author", "writes", "paper"], g["paper", "cites", "paper"]
            return (g["paper"].x * nn.sum(g["author"].y[e.src], over=e.dst) +
                    nn.max(nn.relu(g["paper"].x)[c.src], over=c.dst))
        self.check(network, X * [[5], [0], [0], [6]], source=source)

    def test_pooling(self):
        graph = np.array([1, 0, 1, 0])  # in no order
        source = nn.Data().nodes(x=X, graph=graph).edges(SRC, DST).graphs(3, u=np.eye(3))
        self.check(lambda g: nn.mean(g.x, over=g.graph) + g.graphs.u,
                   np.array([X[[1, 3]].mean(0), X[[0, 2]].mean(0), [0, 0, 0]]) + np.eye(3),
                   source=source)
        self.check(lambda g: g.x - nn.mean(g.x, over=g.graph)[g.graph],
                   X - np.array([X[[1, 3]].mean(0), X[[0, 2]].mean(0)])[graph], source=source)

    def test_names(self):
        @nn.layer
        def block(x):
            return nn.linear(nn.linear(x, 2), 2)

        model = nn.Model(lambda g: block(block(block(g.x, name="first")))).trace(data())
        self.assertEqual(list(model.weights), [
            "first/linear/weight", "first/linear_2/weight", "block/linear/weight",
            "block/linear_2/weight", "block_2/linear/weight", "block_2/linear_2/weight"])

    def test_few_lines(self):
        """The formulas that docs/models.md shows are as short as it says."""
        page = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
        for name, most in (("rgat", 15), ("gatv2", 10), ("score", 3)):
            body = re.search(rf"def {name}\(.*?```", page, re.DOTALL).group().rstrip("`")
            lines = [line for line in body.splitlines() if line.strip()]
            self.assertLessEqual(len(lines), most, name)

    def test_the_pages_models(self):
        """They run."""
        page = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
        names = {"nn": nn}
        for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
            if "def " in block and "torch.nn" not in block:
                exec(compile(block.split("\nmodel = ")[0], "models.md", "exec"), names)
        source = nn.Data().nodes(x=X).edges(SRC, DST, a=A, edge_type=KIND)
        for name in ("rgat", "gatv2"):
            kinds = [] if name == "gatv2" else [lambda g: g.edge_type]
            compute(lambda g: names[name](g, g.x, 2, *[kind(g) for kind in kinds], heads=2), source)
        compute(lambda g: names["score"](g, g.x, g.edge_type), source)
        compute(names["network"], source)
        compute(names["links"], source.pairs(DST, SRC))


class ErrorsTest(unittest.TestCase):
    def check(self, network, message, line=1):
        """At the wrong line of `network`, counted from its def."""
        with self.assertRaises(vecc.Error) as raised:
            nn.Model(network).trace(data())
        error = raised.exception
        self.assertIsInstance(error, ValueError)
        self.assertRegex(error.message, message)
        expected = f"{__file__}:{network.__code__.co_firstlineno + line}"
        self.assertEqual(error.place, expected)

    def test_shapes(self):
        def add(g):
            hidden = nn.linear(g.x, 4)
            wide = nn.linear(g.x, 5)
            return hidden + wide
        self.check(add, r"'hidden' \[4\] on nodes of node and 'wide' \[5\] on nodes of node do not "
                        "broadcast", 3)

        def product(g):
            return g.x @ nn.weight("w", (4, 2))
        self.check(product, r"product of 'x' \[3\] on nodes of node and 'w' \[4, 2\] on all: 3 "
                            "columns and 4 rows")

        def vector(g):
            h = nn.linear(g.x, (2, 2))
            return nn.linear(h, 3)
        self.check(vector, r"linear of 'h' \[2, 2\] on nodes of node: expected a vector", 2)

        def reshape(g):
            return nn.reshape(g.x, (2, 2))
        self.check(reshape, "3 and 4 elements")

        def concat(g):
            return nn.concat(nn.linear(g.x, (2, 2)), g.x)
        self.check(concat, "all but the last axis must agree")

        def element(g):
            return g.x[3]
        self.check(element, "has no element 3")

    def test_rows(self):
        def mixed(g):
            h = nn.linear(g.x, 2)
            return h * g.a
        self.check(mixed, r"'h' \[2\] on nodes of node and 'a' \[2\] on edges of node to node are "
                          r"of different rows: v\[g.src\] reads", 2)

        def wrong_way(g):
            return nn.sum(g.x, over=g.dst)
        self.check(wrong_way, "is not of edges of node to node, whose dst it is reduced over")

        def twice(g):
            h = g.x[g.src]
            return h[g.src]
        self.check(twice, "'h' .* is not of nodes of node, the src of edges", 2)

        def loops(g):
            e = g.with_self_loops()
            return nn.sum(g.x[g.src], over=e.dst)
        self.check(loops, "is not of edges of node to node with self loops", 2)

        def other_loops(g):
            return nn.sum(g.with_self_loops(1).a, over=g.with_self_loops(1, keep=True).dst)
        self.check(other_loops, r"with self loops \(fill=1\).* is not of .* with self loops "
                                r"\(fill=1, keep=True\)")

        def pooled(g):
            return nn.mean(g.x, over=g.graph)
        self.check(pooled, "there are no graphs to pool over")

    def test_names(self):
        def feature(g):
            return nn.relu(g.xs)
        self.check(feature, "there is no feature 'xs'; there are: a, kind, s, x; 'x'")

        def both(g):
            return g.s
        source = nn.Data().nodes(s=X).edges(SRC, DST, s=A)
        with self.assertRaisesRegex(vecc.Error, "g.nodes.s or g.edges.s"):
            nn.Model(both).trace(source)

        def sets(g):
            return g["papers"].x
        self.check(sets, "there is no nodes of papers; there are: .*node")

        def init(g):
            return nn.linear(g.x, 2) + nn.weight("b", 2, init="zero")
        self.check(init, r"weight\(init=\): found str 'zero', expected glorot, .*uniform\(bound\)")

    def test_kinds(self):
        def category(g):
            return nn.linear(g.kind, 2)
        self.check(category, r"feature 'kind', .* expected a value of the model: one_hot\(kind\)")

        def by(g):
            return nn.linear(g.a, 2, by=g.a)
        self.check(by, "expected a feature of whole numbers")

        def over(g):
            return nn.sum(g.a, over=1)
        self.check(over, r"expected an end of edges \(g.src, g.dst\) or g.graph")

        def asks(g):
            if g.x > 0:
                return g.x
        self.check(asks, "has no value while a model is traced, so > cannot compare it")

        def constant(g):
            return g.x + nn.constant([1.0, np.nan, 2.0])
        self.check(constant, "a constant that is not finite")

        def end(g):
            return g.x + g.src
        self.check(end, r"found src of edges .*: v\[g.src\] reads v there")

        def exponent(g):
            return g.x ** 0.3
        self.check(exponent, "expected a multiple of 1/2")

    def test_formulas(self):
        """Are read when the model is traced, and have the shape of their operands."""
        for expression, message in (("foo($0)", 'unknown function "foo"'),
                                    ("sum($0, $3)", r"reads operand \$3"),
                                    ("sum($0", "found the end"),
                                    ("concat($0, $0)", r"makes another shape than \[3\]"),
                                    ("transp($0)", "expected a formula by element")):
            def formula(g):
                return nn.elementwise(expression, g.x)
            self.check(formula, message)

    def test_operators_of_what_has_no_value(self):
        """None of them says False, or raises what has no place."""
        for wrong, message in (
                (lambda g: g.x if g.x == 0 else -g.x, "so == cannot compare it"),
                (lambda g: g.x if g.x != 0 else -g.x, "so != cannot compare it"),
                (lambda g: g.x if g.kind == 0 else -g.x, "one_hot.. tells its numbers apart"),
                (lambda g: g.x + (g.kind + 1), "numbers.. makes values of its whole numbers"),
                (lambda g: g.x // 2, "so // cannot round it"),
                (lambda g: g.x % 2, "so % cannot round it"),
                (lambda g: 2 ** g.x, "cannot have it as an exponent"),
                (lambda g: float(g.s) + g.x, "so float and int cannot read it"),
                (lambda g: len(g.s) + g.x, "is a scalar"),
                (lambda g: g.x + nn.weight(3, 4), "weight.name=.: found int 3, expected a text"),
                (lambda g: nn.elementwise(3, g.x), "found int 3, expected a text")):
            self.check(wrong, message, 0)

    def test_what_layers_take(self):
        rgcn = nn.layers.rgcn
        self.check(lambda g: rgcn(g, g.x, 4, g.a), "expected a feature of whole numbers", 0)
        self.check(lambda g: rgcn(g, g.x, 4, "kind"), "found str 'kind'", 0)
        self.check(lambda g: nn.layers.sage(g, g.x, 4, "median"), "'median' is none of sum, ", 0)
        self.check(lambda g: nn.layers.hgt(g, {"nodes": g.x}, 4)["nodes"], "hgt.x=. has nodes", 0)
        self.check(lambda g: nn.layers.pna(g, g.x, 4, 0), "expected a number above 0", 0)
        self.check(lambda g: nn.layers.pna(g, g.x, 4, 1, scalers=["one"]), "scaler 'one'", 0)
        self.check(lambda g: nn.leaky_relu(g.x, g.s), "slope=.: found 's'", 0)
        self.check(lambda g: nn.batch_norm(g.x, momentum=2), "momentum=.: found int 2", 0)
        self.check(lambda g: nn.layer_norm(g.x, eps=-1), "eps=.: found int -1", 0)
        self.check(lambda g: nn.dropout(g.x, np.nan), "dropout.p=.: found float nan", 0)
        self.check(lambda g: nn.linear(g.x, 2.5), "shape float 2.5 is none of", 0)
        self.check(lambda g: nn.linear(g.x, True), "shape bool True is none of", 0)
        self.check(lambda g: g.x + nn.constant("a"), "expected numbers", 0)
        self.check(lambda g: g.x[g.with_self_loops(np.inf).src], "fill=inf", 0)

    def test_data_that_does_not_fit_the_trace(self):
        """Names the line that reads it."""
        def network(g):
            h = nn.embedding(g.kind, 2)
            return nn.sum(h, over=g.dst) + nn.linear(g.x, 2)
        model = nn.Model(network).trace(data())
        line = network.__code__.co_firstlineno
        for x, kinds, message in (
                (X[:, :2], KIND, rf"rows of \[2\], .*; read at {__file__}:{line + 2}"),
                (X, KIND + 5, rf"has 7, .*; read at {__file__}:{line + 1}")):
            other = nn.Data().nodes(x=x).edges(SRC, DST, kind=kinds)
            with self.assertRaisesRegex(vecc.Error, message):
                model(other)

    def test_inside_of_layers(self):
        """The user's line, not the layer's."""
        def network(g):
            h = nn.relu(g.x)
            return nn.layers.hgt(g, {"node": h}, 5, heads=2)["node"]
        self.check(network, "5 is no multiple of 2 heads", 2)

    def test_results(self):
        for network, message in (
                (lambda g: None, "returned NoneType None, expected a value of nodes"),
                (lambda g: nn.weight("w", 3), "expected a value of nodes"),
                (lambda g: g.x[g.with_self_loops().src], "self loops have no row in the data")):
            with self.assertRaisesRegex(vecc.Error, rf"{__file__}:\d+: error: .*{message}"):
                nn.Model(network).trace(data())

    def test_outside_of_models(self):
        with self.assertRaisesRegex(vecc.Error, r"nn_test.py:\d+: error: is outside of a model"):
            nn.weight("w", 2)
        kept = []
        nn.Model(lambda g: kept.append(g.x) or g.x).trace(data())
        with self.assertRaisesRegex(vecc.Error, "belongs to another trace"):
            nn.Model(lambda g: g.x + kept[0]).trace(data())


if __name__ == "__main__":
    unittest.main()
