"""A child-sum tree-LSTM (Tai, Socher, Manning 2015), neuron by neuron from NumPy columns.

Random trees over words; the class of a tree is whether most of its words are "good". vecc finds the
levels of the trees by itself and computes all trees at once.

    python tools/python/examples/tree_lstm.py [--trees 200] [--dim 8] [--epochs 100]
"""

import argparse

import numpy as np

import vecc

WORDS = 20  # the first half of them is good


def random_forest(random, trees, most_nodes=15):
    """Children come before parents. By node: its word and its parent (-1: a root)."""
    words, parents, labels = [], [], []
    for _ in range(trees):
        size, first = int(random.integers(2, most_nodes + 1)), len(words)
        tree = random.integers(0, WORDS, size)
        # Node i hangs under any later one; the last one is the root.
        parents += [first + int(random.integers(i + 1, size)) for i in range(size - 1)] + [-1]
        words += tree.tolist()
        labels.append(float((tree < WORDS // 2).mean() > 0.5))
    return np.array(words), np.array(parents), np.array(labels)


def tree_lstm(words, parents, labels, dim):
    """h_j = o_j * tanh(c_j), c_j = i_j * u_j + sum over children k of f_jk * c_k, where i, o, u
    read the word and the sum of the children's h, and f_jk the word and h_k."""
    nodes, roots = len(words), np.flatnonzero(parents < 0)
    children = np.flatnonzero(parents >= 0)
    children = children[np.argsort(parents[children], kind="stable")]  # by parent
    parent = parents[children]
    count = np.bincount(parent, minlength=nodes)  # of children

    b = vecc.GraphBuilder("tree_lstm.py")
    embedding = b.weights("embedding", shape=(dim,), count=WORDS,
                          row_names=[f"word {w}" for w in range(WORDS)])
    x = b.facts("word", weights=embedding)[words]
    h, c = b.reserve(nodes), b.reserve(nodes)  # read before they are added
    h_sum = b.neurons("children", h[children], fan_in=count, shape=(dim,))

    def gate(name, inputs, transformation):
        w, u, bias = (b.weights(f"{letter}_{name}", shape=shape) for letter, shape in
                      (("W", (dim, dim)), ("U", (dim, dim)), ("b", (dim,))))
        return b.neurons(name, np.stack(inputs, 1), weights=np.concatenate([w, u]), offsets=bias,
                         transformation=transformation)

    i = gate("i", (x, h_sum), "sigmoid")
    o = gate("o", (x, h_sum), "sigmoid")
    u = gate("u", (x, h_sum), "tanh")
    f = gate("f", (x[parent], h[children]), "sigmoid")  # one a child
    kept = b.neurons("kept", np.stack([f, c[children]], 1), combination="elproduct")
    new = b.neurons("new", np.stack([i, u], 1), combination="elproduct")
    # c_j reads new_j, then what its children keep: they lie one after another.
    reads = np.insert(kept, np.cumsum(count) - count, new)
    b.neurons("c", reads, fan_in=count + 1, ids=c)
    c_tanh = b.neurons("c_tanh", c[:, None], transformation="tanh")
    b.neurons("h", np.stack([o, c_tanh], 1), combination="elproduct", ids=h)
    w_out = b.weights("W_out", shape=(1, dim))
    out = b.neurons("out", h[roots][:, None], weights=w_out, transformation="sigmoid")
    b.samples(out, targets=labels, splits=["train" if k % 5 else "validation"
                                           for k in range(len(roots))])
    return b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--dim", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--save", metavar="FILE", help="also write the graph there")
    options = parser.parse_args()
    forest = random_forest(np.random.default_rng(1), options.trees)
    builder = tree_lstm(*forest, options.dim)
    if options.save:
        builder.save(options.save)
    graph = builder.build()
    graph.initialize("glorot", seed=1)
    print(graph)
    program = graph.compile(backend=options.backend)
    print(program)
    training = program.train(epochs=options.epochs, lr=0.02, log_every=options.epochs)
    last = training.history[-1]
    print(f"{training.epochs} epochs: loss {last['loss']:.4f}, accuracy "
          f"{last['train_accuracy']:.3f}, of validation {last['validation_accuracy']:.3f}")


if __name__ == "__main__":
    main()
