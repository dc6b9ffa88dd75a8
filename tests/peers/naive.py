"""The formulas of docs/architectures.md, node by node, as slow and plain as they read there.
Weights are numpy arrays by table name: [count, rows, cols], or [count] for scalars."""

import math

import numpy as np


def relu(x):
    return np.maximum(x, 0)


def leakyrelu(x, slope):
    return np.where(x > 0, x, slope * x)


def softmax(x):
    e = np.exp(np.asarray(x) - np.max(x, axis=0))
    return e / e.sum(axis=0)


def total(columns, rows):
    return sum(columns, np.zeros((rows, 1)))


def mean(columns, rows):
    return total(columns, rows) / max(1, len(columns))


def neighbours(data):
    sources = [[] for _ in range(data.nodes)]
    for j, i in zip(data.source, data.target):
        sources[i].append(j)
    return sources


def gcn(w, layer, x, near):
    weight = w[layer + "W"][0]
    return [total([weight @ x[j] for j in near[i]], len(weight)) for i in range(len(x))]


def sage(w, layer, x, near):
    own, other = w[layer + "W_self"][0], w[layer + "W_neighbours"][0]
    return [own @ x[i] + other @ mean([x[j] for j in near[i]], len(x[i])) for i in range(len(x))]


def gin(w, layer, x, near):
    first, second = w[layer + "W1"][0], w[layer + "W2"][0]
    sums = [x[i] + total([x[j] for j in near[i]], len(x[i])) for i in range(len(x))]
    return [relu(second @ relu(first @ a)) for a in sums]


def with_loops(near):
    return [sorted(set(sources) | {i}) for i, sources in enumerate(near)]


def gcn_norm(w, layer, x, near):
    near, weight, bias = with_loops(near), w[layer + "W"][0], w[layer + "b"][0]
    return [total([weight @ x[j] / math.sqrt(len(near[j]) * len(near[i])) for j in near[i]],
                  len(weight)) + bias for i in range(len(x))]


def gat(w, layer, x, near, slope=0.2):
    near = with_loops(near)
    z = [w[layer + "W"][0] @ column for column in x]
    a_target, a_source = w[layer + "a_target"][0], w[layer + "a_source"][0]
    out = []
    for i, sources in enumerate(near):
        alpha = softmax([leakyrelu((a_target @ z[i] + a_source @ z[j]).item(), slope)
                         for j in sources])
        out.append(total([a * z[j] for a, j in zip(alpha, sources)], len(z[i])) +
                   w[layer + "b"][0])
    return out


MOLECULES = {"gcn": gcn, "sage": sage, "gin": gin, "gcn-norm": gcn_norm, "gat": gat}


def predict(w, data, model, features, layers):
    """sigmoid of the readout, by graph, of several classes softmax; [outputs] each."""
    x, near, sums = [row[:, None] for row in features], neighbours(data), 0
    for l in range(1, layers + 1):
        x = MOLECULES[model](w, f"h{l}.", x, near)
        if l < layers and model != "gin":
            x = [relu(column) for column in x]
        if l == layers or model == "gin":
            weight = w[f"predict.W{l if model == 'gin' else ''}"][0]
            sums = sums + np.array([
                (weight @ mean([x[i] for i in range(data.nodes) if data.graph_of[i] == g],
                               len(x[0])))[:, 0] for g in range(data.graphs)])
    if sums.shape[1] > 1:
        powers = np.exp(sums)
        return powers / powers.sum(axis=1, keepdims=True)
    return 1 / (1 + np.exp(-sums))


class Typed:
    def __init__(self, data, inverse, heads=1):
        source, relation, target, self.names = data.messages(inverse)
        self.into = [[] for _ in range(data.nodes)]  # by node: (source, relation) of its in-edges
        for j, r, i in zip(source, relation, target):
            self.into[i].append((j, r))
        self.types, self.heads = data.types(), heads


def rgcn(w, layer, x, g, aggregate=mean):
    weight, root, out = w[layer + "W"], w[layer + "W_0"][0], []
    for i, edges in enumerate(g.into):
        h = root @ x[i]
        for r in range(len(g.names)):
            h = h + aggregate([weight[r] @ x[j] for j, s in edges if s == r], len(h))
        out.append(h)
    return out


def rgat(w, layer, x, g, shared=False, slope=0.2):
    weight, a_target, a_source, out = (w[layer + "W"], w[layer + "a_target"],
                                       w[layer + "a_source"], [])
    rows = weight.shape[1]
    width = rows // g.heads
    for i, edges in enumerate(g.into):
        h = np.zeros((rows, 1))
        for head in range(g.heads if edges else 0):
            scores, parts = [], []
            for j, r in edges:
                row = head if shared else r * g.heads + head
                y, z = weight[r] @ x[i], weight[r] @ x[j]
                scores.append(leakyrelu((a_target[row] @ y + a_source[row] @ z).item(), slope))
                parts.append(z[head * width:(head + 1) * width])
            h[head * width:(head + 1) * width] = total(
                [s * part for s, part in zip(softmax(scores), parts)], width)
        out.append(h)
    return out


def hgt(w, layer, x, g, skip=True, bias=True):
    def linear(name, node, column):
        t = g.types[node]
        return w[layer + name][t] @ column + (w[layer + "b_" + name][t] if bias else 0)
    rows, out = w[layer + "O"].shape[1], []
    width = rows // g.heads
    for i, edges in enumerate(g.into):
        m = np.zeros((rows, 1))
        for head in range(g.heads if edges else 0):
            part = slice(head * width, (head + 1) * width)
            q = linear("Q", i, x[i])[part]
            rs = [r * g.heads + head for _, r in edges]
            scores = [w[layer + "p"][row] * (q.T @ w[layer + "A"][row] @ linear("K", j, x[j])[part])
                      .item() / math.sqrt(width) for (j, _), row in zip(edges, rs)]
            m[part] = total([s * w[layer + "M"][row] @ linear("V", j, x[j])[part]
                             for s, (j, _), row in zip(softmax(scores), edges, rs)], width)
        gelu = m * 0.5 * (1 + np.vectorize(math.erf)(m / math.sqrt(2)))
        h = linear("O", i, gelu)
        if skip and len(x[i]) == rows:
            gate = 1 / (1 + math.exp(-w[layer + "skip"][g.types[i]]))
            h = gate * h + (1 - gate) * x[i]
        out.append(h)
    return out


def norm(x):
    return (x - x.mean()) / math.sqrt(x.var() + 1e-10)
