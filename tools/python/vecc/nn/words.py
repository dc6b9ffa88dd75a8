"""Words of NumPy, torch and PyTorch Geometric: what they are in vecc.nn, for messages."""

from __future__ import annotations

_WORDS = {
    "view": "nn.reshape(v, sides)", "flatten": "nn.reshape(v, size)",
    "squeeze": "nn.reshape(v, sides)", "unsqueeze": "v[:, None]", "cat": "nn.concat(a, b)",
    "concatenate": "nn.concat(a, b)", "stack": "nn.concat(a, b)", "abs": "nn.abs_(v)",
    "absolute": "nn.abs_(v)", "pow": "v ** p", "power": "v ** p", "t": "nn.transpose(v)",
    "T": "nn.transpose(v)", "mm": "a @ b", "add": "a + nn.constant(b)",
    "mul": "a * nn.constant(b)", "sub": "a - nn.constant(b)", "amax": "nn.max(v, over=g.dst)",
    "amin": "nn.min(v, over=g.dst)", "silu": "v * nn.sigmoid(v)",
    "softplus": "nn.log(1 + nn.exp(v))", "log_softmax": "the loss takes logits: leave it out"}


def instead(word: str) -> str:
    """The function of vecc.nn that does what this word says elsewhere."""
    from vecc import nn
    if word in _WORDS:
        return _WORDS[word]
    if word in nn.__all__ and callable(getattr(nn, word)):
        return f"nn.{word}(...)"
    return "a model is written in the functions and operators of docs/models.md"
