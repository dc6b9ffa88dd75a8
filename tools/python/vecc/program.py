"""vecc.Program: a compiled graph; it runs, trains, and becomes a torch.nn.Module."""

from __future__ import annotations

import inspect
import os
import sys
import time
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, NoReturn,
                    Optional, Sequence, Union, cast)

import numpy as np

from vecc import _core
from vecc.arrays import Weights, as_array, give_weights
from vecc.options import option_words, text_of
from vecc.predictions import Outputs as Outputs, Predictions as Predictions, predictions_of
from vecc.saved_program import SavedProgram

if TYPE_CHECKING:
    import torch

    from vecc.graph import Graph

Path = Union[str, "os.PathLike[str]"]

#: Of all optimizers.
HYPERPARAMETERS = {name for each in _core.optimizers().values() for name in each["hyperparameters"]}


@dataclass
class Training:
    """How a training went."""

    end: str  #: "done", "early stop", "interrupted"
    epochs: int  #: in all, with those before a resume
    best_epoch: int  #: of the lowest validation loss; 0: there was none
    seconds: float  #: of the steps
    #: How the steps came about: "all" (no batches), "bind", "mask", "restrict" (each batch a program
    #: of its own).
    batch: str
    batch_bytes: int  #: of "bind": values and index arrays of the first batch
    #: Of every epoch: epoch, rate, loss, seconds, train_loss, validation_accuracy, ...
    history: List[Dict[str, float]] = field(default_factory=list, repr=False)


class Program:
    """A compiled graph, with weights of its own. Graph.compile() makes it.

    Its functions may be called from any thread; they run one at a time, without the
    interpreter's lock.
    """

    def __init__(self, core: _core.Program, words: Sequence[str]):
        self._core = core
        self._words = list(words)  # of compile()

    backend = property(lambda self: self._core.backend)
    device = property(lambda self: self._core.device)
    dtype = property(lambda self: np.dtype({"f32": "float32", "f64": "float64"}[self._core.dtype]))
    sample_count = property(lambda self: self._core.sample_count)

    @property
    def sample_ids(self) -> List[str]:
        return self._core.sample_ids()

    @property
    def targets(self) -> Optional[Outputs]:
        """As Graph.targets."""
        return self._core.targets()

    @property
    def is_cached(self) -> bool:
        """Whether the optimized program was there, in the program cache."""
        return self._core.is_cached

    @property
    def sizes(self) -> Dict[str, int]:
        """ops, rows, and bytes of values, indices and parameters."""
        return self._core.sizes()

    def __call__(self, weights: Union[Weights, Graph, None] = None) -> Outputs:
        """Outputs in the order of samples: [samples] of scalars, [samples, n] of vectors,
        [samples, m, n] of matrices; a list of arrays if they have several shapes.

        `weights` are kept, as set_weights() does. Of a Graph instead: the outputs of its samples,
        as `template` gives them.
        """
        if hasattr(weights, "sample_ids") and hasattr(weights, "_core"):
            return self.template(cast("Graph", weights))
        if weights is not None:
            self.set_weights(weights)
        return self._core.run()

    @property
    def weights(self) -> Dict[str, Optional[np.ndarray]]:
        """Copies of all weight tables by their names, [count, rows, cols] or [count]."""
        return self._core.weights()

    def set_weights(self, weights: Weights, *, by_name: bool = False) -> None:
        """Arrays by name (NumPy, torch, DLPack; others stay as they are), a module that
        to_torch() made, or a weight file: all of it, or what is in both `by_name`."""
        give_weights(self._core, weights, by_name)

    def save_weights(self, path: Path) -> None:
        """Writes all weight tables as safetensors."""
        self._core.save_weights(os.fspath(path))

    def gradients(self, output_gradients: Optional[Any] = None) -> Dict[str, np.ndarray]:
        """Derivatives by all learnable weights of a number with these derivatives by the outputs
        (of their shape); without: of the sum of all elements of all outputs."""
        if output_gradients is None:
            return self._core.gradients(None)
        if isinstance(output_gradients, (list, tuple)):
            parts = [as_array(part, np.float64).ravel() for part in output_gradients]
            return self._core.gradients(np.concatenate(parts) if parts else np.zeros(0))
        return self._core.gradients(as_array(output_gradients, np.float64).ravel())

    def time(self, runs: int = 10, *, gradients: bool = False) -> List[float]:
        """Seconds of each of `runs` runs, until the device is done; with `gradients` of the
        derivatives of the sum of all outputs, too. Results stay on the device."""
        _check_count("runs", runs, least=1)
        return self._core.time(runs, gradients)

    def train(self, *, epochs: int = 100, lr: float = 0.01, optimizer: str = "adam",
              loss: Optional[str] = None, batch_size: Union[int, str] = "all",
              batch: Optional[str] = None, batch_values: Optional[str] = None,
              validate: Union[float, Path, None] = None,
              early_stop: Optional[int] = None, schedule: Optional[str] = None,
              clip_value: Optional[float] = None, clip_norm: Optional[float] = None,
              reduction: Optional[str] = None,
              margin: Optional[float] = None, shuffle: bool = True, seed: int = 0,
              fanout: Union[int, str, Sequence[Union[int, str]]] = (), fanout_scale: bool = False,
              eval_batch_size: Optional[int] = None,
              log: Union[str, Sequence[str]] = (), log_every: int = 1,
              checkpoint: Optional[Path] = None, checkpoint_every: Optional[int] = None,
              resume: bool = False, progress: bool = False,
              on_epoch: Optional[Callable[[Dict[str, float]], Any]] = None,
              **hyperparameters: Any) -> Training:
        """Learns the weights, from those of now, as `vecc --train` does (docs/training.md has the
        options). `batch`: "bind" or "mask", how a step of `batch_size` samples is made; None: as is
        less work. `batch_values`: "compact" or "spread", where bound batches have their values (in
        memory of a batch's size, or in places of all samples); None: by what they take. `hyperparameters`: momentum, weight_decay, beta1 and such, which the optimizer
        has (vecc.optimizers()), or by torch's names, betas and eps; None: its default. `on_epoch`
        gets what Training.history gets, while the program still has the weights from before;
        `progress` prints a line a second. `fanout`: [15, 10], or "all" in the place of a number:
        how many members of an aggregation a step reads (docs/training.md, Neighbour sampling).
        `eval_batch_size`: metrics of so many samples at a time, in their memory (backend="cpu").

        Ctrl-C ends the step at hand, leaves a checkpoint, and raises KeyboardInterrupt; what an
        `on_epoch` raises ends the training alike. The program then has the weights learned so far.
        """
        check_training_options("train", hyperparameters)
        hyperparameters = _renamed(hyperparameters)
        words = option_words(
            train=True, epochs=epochs, lr=lr, optimizer=optimizer, loss=loss,
            batch_size=batch_size, batch=batch, batch_values=batch_values, validate=validate,
            early_stop=early_stop, schedule=schedule, clip_value=clip_value, clip_norm=clip_norm,
            reduction=reduction, margin=margin, no_shuffle=not shuffle, fanout=fanout,
            fanout_scale=fanout_scale, eval_batch_size=eval_batch_size, seed=seed,
            log_every=log_every, checkpoint=checkpoint, checkpoint_every=checkpoint_every,
            resume=resume, **hyperparameters)
        words += [f"--log={text_of(each)}" for each in ([log] if isinstance(log, str) else log)]
        history: List[Dict[str, float]] = []
        lines = _Lines(epochs) if progress else None

        def observe(epoch: Dict[str, float]) -> None:
            history.append(epoch)
            if lines:
                lines.print(epoch)
            if on_epoch:
                on_epoch(epoch)

        return Training(**self._core.train(self._words + words, observe), history=history)

    def evaluate(self, *, split: Optional[str] = None, loss: Optional[str] = None,
                 eval_batch_size: int = 0) -> Dict[str, float]:
        """samples, loss, and the metrics that apply: accuracy, auroc, aupr, f1_macro of classes, mae,
        rmse, r2 of numbers, sampled_mrr, sampled_hits@1 ... of positives among drawn negatives. Of
        the samples of a split (train, validation, test, all); by default test where the graph marks
        samples so, else all. `eval_batch_size`: so many samples at a time, in their memory
        (backend="cpu"); 0: all at once."""
        _check_count("eval_batch_size", eval_batch_size, least=0)
        return self._core.evaluate(split, loss, eval_batch_size)

    def predict(self, graph: Optional[Graph] = None, *, split: Optional[str] = None,
                loss: Optional[str] = None) -> Predictions:
        """Classes and probabilities of samples, or numbers, as `vecc predict` prints them
        (docs/predict.md); of all samples or those of a split, of this graph or of another one of
        its template. `loss`: what the weights were trained by, where raw outputs are logits."""
        if graph is not None:
            return self.template.predict(graph, split=split, loss=loss)
        return predictions_of(self._core.predict(split, loss))

    @property
    def template(self) -> SavedProgram:
        """What other graphs of the same groups, functions, shapes and weight tables are bound to,
        with the weights of now: nothing is compiled for them (docs/bind.md). Of the backends cpu and cuda."""
        return SavedProgram(self._core.saved())

    def save_program(self, path: Path) -> None:
        """Writes `template`, for load_program(), `vecc run` and `vecc predict`."""
        self.template.save(path)

    def to_torch(self, dtype: Optional["torch.dtype"] = None, *,
                 loss: Optional[str] = None) -> "torch.nn.Module":
        """The emitted module (docs/python.md), with the weights of now: torch's own autograd,
        state_dict and torch.compile; .loss() where samples have targets. set_weights(module)
        brings weights back."""
        from vecc.torch_module import make_module  # imports torch
        return make_module(self, dtype, loss)

    def emit(self, kind: str, path: Path, **options: Any) -> None:
        """As --emit=KIND -o PATH: python, cpp, cuda (folders), html, ir, plan, dot, stats."""
        options.setdefault("output", path)
        self._core.emit(self._words + option_words(emit=kind, **options))

    @property
    def text(self) -> str:
        """The program, an op a line; long arrays are shortened."""
        return self._core.text()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a compiled vecc.Program holds machine code and cannot be pickled or "
                        "copied: pickle or copy its Graph and compile() that again; weights go by "
                        "program.weights and set_weights(), or save_weights()")

    def __repr__(self) -> str:
        sizes = self.sizes
        return (f"<vecc.Program: {sizes['ops']:,} ops, {sizes['rows']:,} rows, "
                f"{self.sample_count:,} outputs; {self.backend} on {self.device}, {self.dtype}>")

    def _repr_html_(self) -> str:
        """The layer graph."""
        return self._core.picture()


#: Options of other libraries: what says the same here.
_OTHER_OPTIONS = {
    "learning_rate": "lr", "patience": "early_stop", "early_stopping": "early_stop",
    "verbose": "progress", "scheduler": "schedule", "lr_scheduler": "schedule",
    "criterion": "loss", "loss_fn": "loss", "callback": "on_epoch", "callbacks": "on_epoch",
    "validation_data": "validate", "validation_split": "validate", "val_data": "validate",
    "num_neighbors": "fanout", "max_norm": "clip_norm", "random_state": "seed",
    "num_epochs": "epochs", "class_weights": "data.labels(class_weights=...)",
    "class_weight": "data.labels(class_weights=...)", "device": "compile()'s or nn.Model's device",
    "metric": "loss (evaluate() has all metrics)", "metrics": "loss (evaluate() has all metrics)"}


def training_options() -> List[str]:
    """All that train() takes, with the optimizers' hyperparameters after them."""
    own = [name for name, each in inspect.signature(Program.train).parameters.items()
           if each.kind == each.KEYWORD_ONLY]
    return [*own, *sorted(HYPERPARAMETERS | {"betas", "eps"})]


def check_options(function: str, options: Iterable[str], known: List[str],
                  others: Mapping[str, str]) -> None:
    """A TypeError of `function` that names the unknown one, and all that there are. `others`: what
    says the same elsewhere, or here by another name."""
    unknown = min(set(options) - set(known), default=None)
    if unknown is None:
        return
    near = others.get(unknown) or next(iter(get_close_matches(unknown, known, 1)), None)
    raise TypeError(f"{function}() got an unexpected keyword argument {unknown!r}"
                    + (f", did you mean {near}?" if near else ".")
                    + f" The options are: {', '.join(known)}")


def check_training_options(function: str, options: Iterable[str]) -> None:
    """check_options() of what trains."""
    check_options(function, options, training_options(), _OTHER_OPTIONS)


def _check_count(name: str, value: Any, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**32:
        raise ValueError(f"{name}: found {value!r}, expected a whole number of {least} or more")


def _renamed(hyperparameters: Dict[str, Any]) -> Dict[str, Optional[float]]:
    """torch.optim's `betas` and `eps` by the names that vecc has for them."""
    result = dict(hyperparameters)
    for name, own in (("betas", ("beta1", "beta2")), ("eps", ("epsilon",))):
        if name not in result:
            continue
        value = result.pop(name)
        parts = tuple(value) if name == "betas" else (value,)
        if len(parts) != len(own) or set(own) & result.keys():
            raise TypeError(f"train() got {name}={value!r}, expected {' and '.join(own)}, once")
        result.update(zip(own, parts))
    return result


class _Lines:
    """The first epoch, then one a second, then the last."""

    def __init__(self, epochs: int):
        self.epochs, self.last = epochs, 0.0

    def print(self, epoch: Dict[str, float]) -> None:
        now = time.monotonic()
        if now - self.last < 1 and epoch["epoch"] != self.epochs:
            return
        self.last = now
        numbers = "  ".join(f"{name} {value:.5g}" for name, value in epoch.items()
                            if name not in ("epoch", "rate", "seconds"))
        print(f"epoch {epoch['epoch']}/{self.epochs}  {numbers}", file=sys.stderr, flush=True)
