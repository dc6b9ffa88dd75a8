"""What PyNeuraLogic's Settings say of training, as options of Program.train()."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from vecc.error import usage_error

LOSSES = {"SQUARED_DIFF": "squared_diff", "CROSSENTROPY": "crossentropy",
          "SOFTENTROPY": "softentropy"}
OPTIMIZERS = {"SGD": "sgd", "Adam": "lazy-adam"}
ADAM: Dict[str, Any] = {"betas": (0.9, 0.999), "eps": 1e-8}  # vecc's


def training_options(model: Any, batch_size: int, given: Dict[str, Any]) -> Dict[str, Any]:
    """`given` (None: not given), and for the rest what PyNeuraLogic would do."""
    result = {name: value for name, value in given.items() if value is not None}
    chosen, settings = set(result), model._settings
    if "optimizer" not in result:
        result.update(_optimizer(settings.optimizer, result))
    result.setdefault("lr", float(settings.optimizer.lr))
    if settings.optimizer._lr_decay is not None and not {"schedule", "lr"} & chosen:
        raise usage_error("optimizer", f"its {settings.optimizer._lr_decay} is none of vecc's "
                          "schedules; give schedule=, or lr= for a constant rate")
    result.setdefault("loss", LOSSES[str(settings.error_function)])
    result.setdefault("reduction", str(settings.settings.errorReduction).lower())
    if not {"clip_norm", "clip_value"} & chosen:
        result.update(_clipping(settings))
    if "batch_size" not in result:
        result["batch_size"] = "online" if batch_size == 1 else batch_size
        result.setdefault("shuffle", False)
    return result


def _optimizer(optimizer: Any, given: Dict[str, Any]) -> Dict[str, Any]:
    for name, value in ADAM.items():
        theirs = getattr(optimizer, name, value)
        if not np.array_equal(theirs, value):
            raise usage_error("optimizer", f"its {name} is {theirs}, vecc's {value}; "
                              'optimizer="lazy-adam" trains with vecc\'s')
    result = {"optimizer": OPTIMIZERS[optimizer.name()]}
    if optimizer.weight_decay and "weight_decay" not in given:
        result["weight_decay"] = optimizer.weight_decay
    return result


def _clipping(settings: Any) -> Dict[str, float]:
    limits = {"clip_norm": settings.clip_grad_norm, "clip_value": settings.clip_grad_value}
    if None not in limits.values():
        raise usage_error("settings", "clip the norm, then values; vecc does it the other way "
                          "round: give clip_norm= or clip_value=")
    return {option: limit for option, limit in limits.items() if limit is not None}
