"""What PyNeuraLogic's Settings say of training, as options of Program.train()."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional

from neuralogic.nn.optim import SGD, Adam
from neuralogic.nn.optim.lr_scheduler import ArithmeticLR, GeometricLR

from vecc.error import usage_error

LOSSES = {"SQUARED_DIFF": "squared_diff", "CROSSENTROPY": "crossentropy",
          "SOFTENTROPY": "softentropy"}


@dataclass
class TrainingSettings:
    optimizer: Any  #: PyNeuraLogic's
    error_function: str  #: by NeuraLogic's name
    reduction: str  #: mean or sum, over elements
    clip_norm: Optional[float]
    clip_value: Optional[float]
    dropout: float = 0  #: 0: none

    @staticmethod
    def of_proxy(proxy: Any) -> TrainingSettings:
        """Of a built model, in Java."""
        java = proxy.settings
        drops = str(java.dropoutMode) == "DROPOUT"
        return TrainingSettings(proxy.optimizer, str(proxy.error_function),
                                str(java.errorReduction).lower(), proxy.clip_grad_norm,
                                proxy.clip_grad_value, java.dropoutRate if drops else 0)

    @staticmethod
    def of_settings(settings: Any) -> TrainingSettings:
        loss = settings.error_function
        return TrainingSettings(settings.optimizer, str(loss), loss.reduction,
                                settings.clip_grad_norm, settings.clip_grad_value)


def training_options(network: Any, epochs: int, given: Dict[str, Any]) -> Dict[str, Any]:
    """`given` (None: not given), and for the rest what PyNeuraLogic would do."""
    result = {name: value for name, value in given.items() if value is not None}
    chosen, settings = set(result), network.settings()
    _refuse_dropout(settings)
    if "optimizer" not in chosen:
        result.update({**_optimizer(settings.optimizer), **result})
    result.setdefault("lr", float(settings.optimizer.lr))
    decay = settings.optimizer._lr_decay
    if decay is not None and not {"schedule", "lr"} & chosen:
        result["schedule"] = _schedule(decay, epochs)
    if "loss" not in chosen:
        result["loss"] = _loss(settings, network)
    result.setdefault("reduction", f"element-{settings.reduction}")
    if not {"clip_norm", "clip_value"} & chosen:
        limits = {"clip_norm": settings.clip_norm, "clip_value": settings.clip_value}
        result.update({name: limit for name, limit in limits.items() if limit is not None})
    if "batch_size" not in chosen:
        result["batch_size"] = _batch_size(network)
        result.setdefault("shuffle", False)
        if "optimizer" not in chosen:
            _refuse_other_steps(network, result)
    return result


def _refuse_dropout(settings: TrainingSettings) -> None:
    if settings.dropout > 0:
        raise usage_error("settings", f"drop {settings.dropout} of the neurons, and vecc has no "
                          'dropout: settings["dropoutRate"] = 0 trains without')


def _optimizer(optimizer: Any) -> Dict[str, Any]:
    # Not by isinstance: a class of the user's own may step as it likes.
    if type(optimizer) is SGD:
        result: Dict[str, Any] = {"optimizer": "sgd"}
    elif type(optimizer) is Adam:
        result = {"optimizer": "lazy-adam", "beta1": float(optimizer.betas[0]),
                  "beta2": float(optimizer.betas[1]), "epsilon": float(optimizer.eps)}
    else:
        raise usage_error("optimizer", f"is {type(optimizer).__name__}, and vecc takes over "
                          "PyNeuraLogic's SGD and Adam; optimizer= names one of vecc's")
    if optimizer.weight_decay:
        result["weight_decay"] = float(optimizer.weight_decay)
    return result


def _schedule(decay: Any, epochs: int) -> str:
    if type(decay) is GeometricLR:
        return f"geometric:{decay.steps}:{decay.decay_rate!r}"
    if type(decay) is not ArithmeticLR:
        raise usage_error("optimizer", f"its decay is {type(decay).__name__}, and vecc takes over "
                          "PyNeuraLogic's ArithmeticLR and GeometricLR; give schedule=, or lr= "
                          "for a constant rate")
    if epochs > decay.max_steps:
        raise usage_error("optimizer", f"its {decay} has a rate below 0 after {decay.max_steps} "
                          f"epochs, and there are {epochs}; give schedule=, or lr= for a constant "
                          "rate")
    return f"arithmetic:{decay.max_steps}"


def _loss(settings: TrainingSettings, network: Any) -> str:
    name = settings.error_function
    if name not in LOSSES:
        raise usage_error("settings", f"have the error function {name}, and vecc takes over "
                          "PyNeuraLogic's MSE, CrossEntropy and SoftEntropy; loss= names one of "
                          "vecc's")
    if name == "CROSSENTROPY" and network.has_vector_targets():
        raise usage_error("settings", "have the cross-entropy of vectors of probabilities, whose "
                          "gradient in PyNeuraLogic is not its derivative; loss=\"crossentropy\" "
                          "trains by the derivative")
    return LOSSES[name]


def _batch_size(network: Any) -> Any:
    if network.batch_size == 1:
        return "online"
    if not all(network.has_output):
        raise usage_error("dataset", "has samples whose queries do not follow from template and "
                          "example: PyNeuraLogic's batches have gaps there, vecc's have not; give "
                          "batch_size=")
    return network.batch_size


def _refuse_other_steps(network: Any, options: Dict[str, Any]) -> None:
    if options["optimizer"] == "lazy-adam":
        sample = network.sample_of_other_steps(whole_tables=False)
        if sample is not None:
            raise usage_error("optimizer", "PyNeuraLogic's Adam also moves weights that sample "
                              f"{sample} does not depend on, of other queries of its example; "
                              "vecc's moves those that it depends on: optimizer=\"lazy-adam\" "
                              "trains so")
    elif options.get("weight_decay"):
        sample = network.sample_of_other_steps(whole_tables=True)
        if sample is not None:
            raise usage_error("optimizer", "PyNeuraLogic decays the weights that a step touches, "
                              "vecc whole tables, and they are not the same for sample "
                              f"{sample}: optimizer=\"sgd\" trains so")
