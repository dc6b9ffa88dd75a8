"""Random models over random graphs, for both ways down."""

import numpy as np

from vecc import nn


def random_data(rng, kinds=3):
    """A graph with typed edges; some nodes have no edges, some edges are loops or twice there."""
    nodes, edges, graphs = rng.integers(2, 12), rng.integers(1, 30), rng.integers(1, 4)
    data = nn.Data()
    data.nodes(x=rng.normal(size=(nodes, 3)), s=rng.normal(size=nodes),
               label=np.append(rng.integers(0, 4, nodes - 1), 3),
               graph=rng.integers(0, graphs, nodes))
    data.edges(rng.integers(0, nodes, edges), rng.integers(0, nodes, edges),
               a=rng.normal(size=(edges, 2)), m=rng.normal(size=(edges, 2, 3)),
               kind=np.append(rng.integers(0, kinds, edges - 1), kinds - 1))
    data.graphs(int(graphs), u=rng.normal(size=(graphs, 2)))
    return data


def _smooth(x):
    """Within (-1, 1), so that depth makes no large numbers."""
    return nn.tanh(x)


class RandomModel:
    """Draws operations on values made before; the same seed makes the same model."""

    def __init__(self, seed, operations=12):
        self.seed, self.operations = seed, operations

    def __call__(self, g):
        self.rng, self.g = np.random.default_rng(self.seed), g
        self.ends = [g.src, g.dst, g.graph]
        fill, keep = [(0.5, False), (0.5, True), ("mean", False)][self.rng.integers(3)]
        loops = g.with_self_loops(fill=fill, keep=keep)
        self.ends += [loops.src, loops.dst]
        self.values = [_smooth(v) for v in (
            g.x, g.s, g.a, g.m, g.graphs.u, nn.one_hot(g.label), loops.a,
            nn.embedding(g.kind, 3), nn.numbers(g.kind) * 0.1)]
        for _ in range(self.operations):
            made = self.draw()
            if made is not None:
                self.values.append(_smooth(made))
        return self.output()

    def pick(self, fits=lambda value: True):
        found = [value for value in self.values if fits(value)]
        return found[self.rng.integers(len(found))] if found else None

    def output(self):
        """All values that nodes can have, together."""
        parts = []
        for value in self.values[-self.operations:]:
            for end in self.ends:
                if value.domain == end.source and value.domain.kind == "edge":
                    parts.append(nn.sum(value, over=end))
                    break
            else:
                parts.append(value[self.g.graph] if value.domain.kind == "graph" else value)
        columns = [nn.reshape(part, part.size) for part in parts]
        return nn.linear(nn.concat(*columns), 2, bias=True, name="output")

    def draw(self):
        names = ["linear", "typed", "gather", "reduce", "softmax", "binary", "unary", "concat",
                 "slice", "product", "element", "sum", "reshape", "transpose", "weight",
                 "row_softmax"]
        return getattr(self, names[self.rng.integers(len(names))])()

    def vector(self):
        x = self.pick(lambda value: value.size > 1)
        return nn.reshape(x, x.size)

    def linear(self):
        out = [1, 3, (2, 3), (1, 2), (2, 1)][self.rng.integers(5)]
        return nn.linear(self.vector(), out, bias=bool(self.rng.integers(2)))

    def typed(self):
        x = self.pick(lambda value: value.domain == self.g.src.source and len(value.shape) == 1)
        return x if x is None else nn.linear(x, 2, by=self.g.kind, bias=bool(self.rng.integers(2)))

    def gather(self):
        end = self.ends[self.rng.integers(len(self.ends))]
        x = self.pick(lambda value: value.domain == end.target)
        return x if x is None else x[end]

    def reduce(self):
        end = self.ends[self.rng.integers(len(self.ends))]
        x = self.pick(lambda value: value.domain == end.source)
        function = [nn.sum, nn.mean, nn.max, nn.min][self.rng.integers(4)]
        return x if x is None else function(x, over=end)

    def softmax(self):
        end = self.ends[self.rng.integers(len(self.ends))]
        x = self.pick(lambda value: value.domain == end.source)
        return x if x is None else nn.softmax(x, over=end)

    def row_softmax(self):
        return nn.softmax(self.vector())

    def binary(self):
        a = self.pick()
        b = self.pick(lambda value: value.domain == a.domain and (
            value.shape in (a.shape, (), a.shape[-1:]) or
            len(a.shape) == 2 and value.shape == (a.shape[0], 1)))
        functions = [lambda: a + b, lambda: a * b, lambda: a - b, lambda: a / (2 + nn.square(b)),
                     lambda: nn.maximum(a, b), lambda: nn.minimum(b, 0.25), lambda: 1 - a]
        return functions[self.rng.integers(len(functions))]()

    def unary(self):
        x = self.pick()
        functions = [nn.relu, nn.sigmoid, nn.exp, nn.square, nn.leaky_relu, nn.elu, nn.gelu,
                     lambda v: (1 + nn.abs_(v)) ** -1.5, lambda v: nn.log(2 + v), lambda v: -v]
        return functions[self.rng.integers(len(functions))](x)

    def concat(self):
        a = self.pick(lambda value: value.shape)
        b = self.pick(lambda value: value.domain == a.domain and value.shape[:-1] == a.shape[:-1]
                      and len(value.shape) == len(a.shape))
        return nn.concat(a, b)

    def slice(self):
        x = self.pick(lambda value: value.shape)
        begin = self.rng.integers(x.shape[-1])
        return x[begin:self.rng.integers(begin, x.shape[-1]) + 1]

    def element(self):
        x = self.pick(lambda value: value.shape)
        return x[int(self.rng.integers(x.shape[0]))]

    def product(self):
        a = self.pick(lambda value: value.shape)
        out = int(self.rng.integers(1, 4))
        w = nn.weight("w", (a.shape[-1], out))
        b = self.pick(lambda value: value.domain == a.domain and value.shape
                      and value.shape[0] == a.shape[-1])
        return a @ w if b is None or self.rng.integers(2) else a @ b

    def sum(self):
        return [nn.sum, nn.mean][self.rng.integers(2)](self.pick())

    def reshape(self):
        x = self.vector()
        return nn.reshape(x, (2, x.size // 2)) if x.size % 2 == 0 else nn.reshape(x, (1, x.size))

    def transpose(self):
        x = self.pick(lambda value: len(value.shape) == 2)
        return x if x is None else nn.transpose(x)

    def weight(self):
        x = self.pick()
        return x * nn.weight("scale", x.shape)
