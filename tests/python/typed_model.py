"""What a user writes, with types: types_test.py gives it to mypy --strict and runs it."""

from __future__ import annotations

from typing import Dict, Tuple

import numpy as np

from vecc import Predictions, Training, nn


@nn.layer
def convolution(g: nn.GraphView, x: nn.Value, out: int, heads: int = 1) -> nn.Value:
    h = nn.linear(x, (heads, out), bias=True)
    s = nn.leaky_relu(nn.dot(h[g.src] + h[g.dst], nn.weight("att", (heads, out))), 0.2)
    messages = nn.softmax(s, over=g.dst)[:, None] * h[g.src]
    return nn.reshape(nn.sum(messages, over=g.dst), heads * out)


def network(g: nn.GraphView) -> nn.Value:
    h = nn.dropout(nn.relu(convolution(g, g.x, 4, heads=2, name="first")), 0.2)
    e: nn.Edges = g["node", "to", "node"]
    kind: nn.Category = e.kind
    h = nn.layer_norm(h + nn.mean(nn.embedding(kind, 8) * 0.5, over=e.dst))
    return nn.layers.gin(g, h, lambda x: nn.layers.mlp(x, 8, 3))


def main() -> Dict[str, float]:
    rng = np.random.default_rng(0)
    data = nn.Data().nodes(x=rng.normal(size=(20, 5))).edges(
        rng.integers(0, 20, 60), rng.integers(0, 20, 60), kind=rng.integers(0, 3, 60)).labels(
        rng.integers(0, 3, 20), train=np.arange(20) < 15, test=np.arange(20) >= 15)
    model = nn.Model(network, seed=1, dtype="f64")
    training: Training = model.fit(data, epochs=3, lr=0.01)
    predictions: Predictions = model.predict(data)
    assert training.epochs == 3 and predictions.predicted is not None
    errors: Dict[str, Tuple[float, float]] = model.fit_seeds(data, range(2), epochs=2)
    assert errors["loss"][1] >= 0
    return model.evaluate(data, split="test")


if __name__ == "__main__":
    print(main()["samples"])
