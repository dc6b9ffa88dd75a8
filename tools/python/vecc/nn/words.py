"""Words of NumPy, torch and PyTorch Geometric: what they are in vecc.nn, for messages."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Collection, Mapping, Optional

from vecc.error import usage_error

_NORMS = ("nn.batch_norm and nn.layer_norm are there; nn.mean(v, over=g.graph)[g.graph] is a "
          "graph's mean at its nodes")
_OUTSIDE = "nn.Model(network, loss=...) and fit(optimizer=..., lr=...) have losses and optimizers"

_WORDS = {
    # Shapes.
    "view": "nn.reshape(v, sides)", "flatten": "nn.reshape(v, size)",
    "squeeze": "nn.reshape(v, sides)", "unsqueeze": "v[:, None], of a scalar v[None]",
    "cat": "nn.concat(a, b)",
    "concatenate": "nn.concat(a, b)", "stack": "nn.concat(a, b)", "hstack": "nn.concat(a, b)",
    "t": "nn.transpose(v)", "T": "nn.transpose(v)", "dim": "len(v.shape)", "ndim": "len(v.shape)",
    "numel": "v.size",
    # By element.
    "abs": "nn.abs_(v)", "absolute": "nn.abs_(v)", "pow": "v ** p", "power": "v ** p",
    "add": "a + nn.constant(b)", "mul": "a * nn.constant(b)", "sub": "a - nn.constant(b)",
    "mm": "a @ b", "bmm": "a @ b", "einsum": "a @ b, nn.dot(a, b)",
    "clamp": "nn.minimum(nn.maximum(v, low), high)", "clip": "nn.minimum(nn.maximum(v, low), high)",
    "silu": "v * nn.sigmoid(v)", "swish": "v * nn.sigmoid(v)",
    "softplus": 'nn.elementwise("softplus($0)", v)',
    "log_softmax": "the loss takes logits: leave it out",
    "where": "values are not compared; nn.maximum, nn.minimum and nn.relu choose by element, "
             "products with one_hot() by category",
    # Over rows and axes.
    "amax": "nn.max(v, over=g.dst)", "amin": "nn.min(v, over=g.dst)",
    "var": "nn.mean(nn.square(v - nn.mean(v)))",
    "std": "nn.sqrt(nn.mean(nn.square(v - nn.mean(v))))",
    "norm": "nn.sqrt(nn.sum(nn.square(v)))",
    "normalize": "v * (nn.sum(nn.square(v)) + 1e-24) ** -0.5", "softmin": "nn.softmax(-v)",
    "scatter": "nn.sum(v, over=g.dst)", "scatter_add": "nn.sum(v, over=g.dst)",
    "scatter_mean": "nn.mean(v, over=g.dst)", "propagate": "nn.sum(v[g.src], over=g.dst)",
    "degree": "nn.count(g.dst)", "global_add_pool": "nn.sum(v, over=g.graph)",
    "global_mean_pool": "nn.mean(v, over=g.graph)", "global_max_pool": "nn.max(v, over=g.graph)",
    "instance_norm": _NORMS, "graph_norm": _NORMS, "pair_norm": _NORMS, "group_norm": _NORMS,
    # What modules are made of.
    "functional": "its functions are nn's own: F.relu(v) is nn.relu(v)",
    "F": "its functions are nn's own: F.relu(v) is nn.relu(v)",
    "Module": "a model is a function of a graph, and @nn.layer makes a layer of one",
    "init": 'nn.linear(x, n, init="glorot"), and init= of nn.weight',
    "Parameter": 'nn.weight("name", sides)', "Sequential": "one call after another: nn.linear(...)",
    "optim": _OUTSIDE, "cross_entropy": _OUTSIDE, "mse_loss": _OUTSIDE}

#: Losses of torch and Keras.
_LOSSES = {
    **dict.fromkeys(("mse", "l2", "meansquarederror"), "squared_diff is F.mse_loss"),
    **dict.fromkeys(("mae", "l1", "meanabsoluteerror"), "absolute_diff is F.l1_loss"),
    **dict.fromkeys(("bce", "bcewithlogits", "binary", "binarycrossentropywithlogits"),
                    "binary_crossentropy is F.binary_cross_entropy_with_logits, a row's sum"),
    **dict.fromkeys(("ce", "nll", "crossentropy", "categoricalcrossentropy"),
                    "softentropy is F.cross_entropy, of logits")}

#: Arguments of torch's and PyTorch Geometric's functions, by the name that they have here.
_ARGUMENTS = {
    "concat": "concatenated", "negative_slope": "slope", "add_self_loops": "self_loops",
    "aggr": "aggregation", "K": "steps", "num_layers": "steps", "t": "temperature",
    "nn": "network", "edge_type": "relation", "dim_size": "over",
    "index": "over", "out_channels": "out", "out_features": "out", "embedding_dim": "dim"}
_LAST = "a row's last axis, where over= says no other rows"
#: Those that are not needed.
_NO_ARGUMENTS = {
    **dict.fromkeys(("in_channels", "in_features"), "there are as many inputs as x has"),
    "edge_dim": "edge_attr= alone, which is as wide as the data has it", "dim": _LAST, "axis": _LAST,
    "training": "fit() trains, all else does not", "num_embeddings": "category.with_count(n)",
    "num_relations": "relation.with_count(n)"}

#: Layers that are not there, as formulas.
_LAYERS = {
    "graph_conv": "nn.linear(x, n) + nn.linear(nn.sum(x[g.src], over=g.dst), n, bias=True)"}


def _find(word: str, said: Mapping[str, str]) -> Optional[str]:
    """What is said of a word, also of LeakyReLU as leaky_relu, BatchNorm1d as batch_norm, GINEConv
    as gine."""
    plain = {name.replace("_", "").lower(): text for name, text in said.items()}
    key = word.replace("_", "").lower()
    keys = [key, *(key.removesuffix(ending) for ending in ("1d", "conv", "cell"))]
    return said.get(word) or next((plain[each] for each in keys if each in plain), None)


def _layer(word: str) -> Optional[str]:
    from vecc.nn.layers import __all__ as names
    return _find(word, {**{name: f"nn.layers.{name}(...)" for name in names}, **_LAYERS})


def instead(word: str) -> str:
    """The function of vecc.nn that does what this word says elsewhere."""
    from vecc import nn
    functions = {name: f"nn.{name}(...)" for name in nn.__all__ if callable(getattr(nn, name))}
    said = _find(word, {**functions, **_WORDS}) or _layer(word)
    if said:
        return said
    near = get_close_matches(word.lower(), functions, 3, 0.75)
    return (f"{', '.join(map(functions.__getitem__, near))}?" if near else
            "a model is written in the functions and operators of docs/models.md")


def instead_of_argument(word: str, known: Collection[str]) -> str:
    """What a function's argument is that is called so elsewhere, or misspelt; "" of any other."""
    own = _ARGUMENTS.get(word)
    if own in known:
        return f", which is {own}="
    if word in _NO_ARGUMENTS:
        return f": {_NO_ARGUMENTS[word]}"
    near = get_close_matches(word, known, 1, 0.75)
    return f", did you mean {near[0]}=?" if near else ""


def check_loss(loss: Any) -> None:
    """Refuses what is none of vecc's losses, with the one that torch calls so."""
    from vecc import _core
    known = _core.losses()
    if loss is None or loss in known:
        return
    name = loss if isinstance(loss, str) else (
        getattr(loss, "__name__", None) or type(loss).__name__)  # functions, classes; modules
    said = _LOSSES.get(str(name).lower().replace("_", "").removesuffix("loss"))
    raise usage_error("vecc", f"loss: {name[:40]} is none of {'|'.join(known)}"
                      + (f"; {said}" if said else "")
                      + ("" if isinstance(loss, str) else "; losses of one's own are for a loop of "
                         "torch, model.to_torch()"))


def instead_of_layer(word: str) -> str:
    """The layer that has this name elsewhere, or its formula, and all that there are."""
    from vecc.nn.layers import __all__ as names
    said = _layer(word)
    return (f"{said}; " if said else "") + f"there are: {', '.join(names)}"
