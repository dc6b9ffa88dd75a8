"""What differs in training: dropout, batch norm; and layer norm. Formulas, names and defaults are
PyTorch's."""

from __future__ import annotations

from vecc.nn.checks import NotNegative, Probability, Share, checked
from vecc.nn.named import layer
from vecc.nn.ops import mean, reshape, square, weight
from vecc.nn.places import fail
from vecc.nn.trace import ONE, Value, current, describe


@checked
def dropout(x: Value, p: Probability = 0.5) -> Value:
    """While it is trained: each element is 0 with probability p, else x / (1 - p). What is 0
    depends on the seed, the step, this call's place in the model, the row and the element alone."""
    if p == 0:
        return x
    trace = current()
    trace.draws += 1
    return Value("dropout", (x,), x.domain, x.shape, p=float(p), number=trace.draws)


@layer
@checked
def layer_norm(x: Value, *, eps: NotNegative = 1e-5, affine: bool = True) -> Value:
    """Each row less its mean, by its standard deviation, over the last axis (torch.nn.LayerNorm of
    the last axis, PyG's of mode="node"); times NAME/weight plus NAME/bias."""
    _check_vector("layer_norm", x, 2)
    n = x.shape[-1]
    centred = x - _along(mean(x), x)
    normal = centred * _along((mean(square(centred)) + eps) ** -0.5, x)
    if not affine:
        return normal
    return normal * weight("weight", n, "ones") + weight("bias", n, "zeros")


def _along(statistic: Value, x: Value) -> Value:
    """One number a row of a matrix, beside its elements."""
    return reshape(statistic, (x.shape[0], 1)) if len(x.shape) == 2 else statistic


@layer
@checked
def batch_norm(x: Value, *, eps: NotNegative = 1e-5, momentum: Share = 0.1,
               affine: bool = True) -> Value:
    """Each element less its mean over all rows, by its standard deviation there (torch's
    BatchNorm1d); times NAME/weight plus NAME/bias. Outside training by NAME/running_mean and
    NAME/running_var, to which every step adds `momentum` of its own."""
    _check_vector("batch_norm", x, 1)
    if x.domain == ONE:
        fail(f"batch_norm of {describe(x)}, which has one row")
    running_mean = weight("running_mean", x.shape, "zeros")
    running_var = weight("running_var", x.shape, "ones")
    own_mean = Value("mean_of_rows", (x,), ONE, x.shape)
    own_var = Value("variance_of_rows", (x, own_mean), ONE, x.shape)
    unbiased = own_var * Value("unbiased", (), ONE, (), rows=x.domain)
    for running, own in ((running_mean, own_mean), (running_var, unbiased)):
        current().tracked.append((running, running * (1 - momentum) + own * momentum))
    y = (x - _trained(own_mean, running_mean)) * (_trained(own_var, running_var) + eps) ** -0.5
    if not affine:
        return y
    return y * weight("weight", x.shape, "ones") + weight("bias", x.shape, "zeros")


def _check_vector(what: str, x: Value, most: int) -> None:
    if not 1 <= len(x.shape) <= most:
        fail(f"{what} of {describe(x)}: expected a vector" + (" or a matrix" if most == 2 else ""))


def _trained(training: Value, otherwise: Value) -> Value:
    """`training` while the model is trained, else `otherwise`."""
    return Value("trained", (training, otherwise), ONE, training.shape)
