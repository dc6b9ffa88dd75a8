"""vecc.neuralogic: PyNeuraLogic's models and data sets with vecc (docs/neuralogic.md).

    import vecc.neuralogic as vn

    built = model.build_dataset(dataset)                      # PyNeuraLogic's own
    vn.train(model, built, backend="cuda", epochs=200)        # the model has the weights then
    outputs = vn.evaluate(model, built)                       # as model.test(built)
    vn.export(model, built, "graph.pb")                       # for vecc
    vn.import_weights(model, built, "weights.safetensors")    # from vecc

A Template instead of a Model needs no JVM where vecc can ground its rules:

    template = vn.Template(rules, settings=Settings())        # PyNeuraLogic's rules, modules
    vn.train(template, dataset)                               # template.weights, by name
    outputs = vn.evaluate(template, dataset)

Networks are taken as they were built: with PyNeuraLogic's pruning and compression, or without
(Settings(chain_pruning=False, iso_value_compression=False)); both compute what model.test() does.
Bad input raises vecc.Error, and leaves model and files as they were.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from vecc.arrays import Weights
from vecc.error import Error, usage_error
from vecc.graph import Graph
from vecc.neuralogic_jvm import interruptible
from vecc.neuralogic_networks import AnyNetwork, networks
from vecc.neuralogic_settings import training_options
from vecc.neuralogic_template import Template
from vecc.program import HYPERPARAMETERS, Outputs, Program, Training

if TYPE_CHECKING:
    from neuralogic.core import Model
    from neuralogic.core.builder.components import NeuralSample
    from neuralogic.core.builder.dataset import BuiltDataset, GroundedDataset
    from neuralogic.dataset.base import BaseDataset

    #: What Model.train() takes: built, or built by each call; some of the built samples.
    Samples = Union[BuiltDataset, GroundedDataset, BaseDataset, Sequence[NeuralSample],
                    NeuralSample]

__all__ = ["Template", "evaluate", "export", "import_weights", "train"]

FilePath = Union[str, "os.PathLike[str]"]


def train(model: Union[Model, Template], dataset: Samples, *, epochs: int = 100,
          backend: str = "auto", grounder: str = "auto",
          loss: Optional[str] = None, optimizer: Optional[str] = None, lr: Optional[float] = None,
          batch_size: Union[int, str, None] = None,
          validate: Union[float, FilePath, Samples, None] = None, **options: Any) -> Training:
    """Learns the weights, from those of now, and leaves them in the model (and in the data set,
    where its facts are learnable).

    `dataset` is what Model.train() takes: a built data set, one that is not built, built samples.
    With a Template it is one that is not built, and `grounder` says what grounds it: "native" (no
    JVM starts), "jvm", or "auto", which is native where that can be; one line on stderr says which.

    All options are those of Graph.compile() and Program.train(). Where loss, optimizer (with its
    betas, epsilon and decay), lr, schedule, batch_size, clip_value, clip_norm and reduction are not
    given they are those of the model's settings and the data set, and so the training is
    PyNeuraLogic's own; what vecc has not of these is refused. `validate` may also be a data set.
    Adam and a decay of the rate begin anew: the moments that PyNeuraLogic keeps with its weights,
    and the epochs that it has counted, are neither read nor changed.

    Ctrl-C and what an `on_epoch` raises end it as they end Program.train(): the model has the
    weights learned so far.
    """
    compiling, training = _split(options)
    training.update(loss=loss, optimizer=optimizer, lr=lr, batch_size=batch_size)
    if backend == "reference":
        raise usage_error("backend", "reference evaluates, neuron by neuron, and does not train; "
                          "interpreter does, slowly")
    exact_steps = optimizer is None and batch_size is None
    with networks(model, dataset, grounder, exact_steps=exact_steps) as network:
        training = training_options(network, epochs, training)
        program = _compile(network, backend, compiling)
        if not isinstance(validate, (float, int, str, os.PathLike, type(None))):
            path = network.folder() / "validation.pb"
            export(model, validate, path, grounder=grounder)
            validate = path
        try:
            with interruptible():
                result = program.train(epochs=epochs, validate=validate, **training)
        except Error:
            raise
        except BaseException:  # the program has the weights learned so far
            network.take_weights(program)
            raise
        network.take_weights(program)
    return result


def evaluate(model: Union[Model, Template], dataset: Samples,
             weights: Optional[Weights] = None, *, backend: str = "auto", grounder: str = "auto",
             **options: Any) -> Outputs:
    """vecc's outputs, in the order of the data set, with the model's weights, or with others, which
    the model does not get. `options` are those of Graph.compile(); backend="reference" computes
    neuron by neuron, in float64, and has none. NaN where a query does not follow from template and
    example (model.test() says 0 there)."""
    compiling, others = _split(options)
    if others:
        raise TypeError(f"evaluate() got an unexpected keyword argument '{min(others)}'")
    with networks(model, dataset, grounder) as network:
        if backend == "reference":
            if compiling:
                raise usage_error("backend", f"reference compiles nothing: {min(compiling)}= is "
                                  "for the others")
            graph = network.load()
            if weights is not None:
                graph.set_weights(weights)
            outputs = graph.evaluate()
        else:
            outputs = _compile(network, backend, compiling)(weights)
        return _with_gaps(outputs, network.has_output)


def export(model: Union[Model, Template], dataset: Samples, path: FilePath, *,
           names: bool = False, grounder: str = "auto") -> None:
    """Writes the networks as a graph of vecc, whole or not at all; `names`: also the neurons', which
    only the JVM has."""
    with networks(model, dataset, grounder, names=names) as network:
        network.write(path, names)


def import_weights(model: Union[Model, Template], dataset: Samples, path: FilePath, *,
                   grounder: str = "auto") -> None:
    """Puts the weights of a safetensors file, as vecc writes it, into the model (and the data set,
    where its facts are learnable): every name, shape and number is checked, all differences are
    listed, and after one nothing has changed."""
    with networks(model, dataset, grounder) as network:
        network.load_weights(path)


def _compile(network: AnyNetwork, backend: str, options: Dict[str, Any]) -> Program:
    return network.load().compile(backend=backend, **options)


def _split(options: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Those of compile(), those of train(): before any work."""
    compiling = {name for name in inspect.signature(Graph.compile).parameters if name != "self"}
    training = set(inspect.signature(Program.train).parameters) - {"self", "hyperparameters"}
    training |= HYPERPARAMETERS
    for name in options:
        if name not in compiling | training:
            raise TypeError(f"there is no option '{name}' of Graph.compile() or Program.train()")
    return ({name: value for name, value in options.items() if name in compiling},
            {name: value for name, value in options.items() if name not in compiling})


def _with_gaps(outputs: Outputs, has_output: List[bool]) -> Outputs:
    if all(has_output):
        return outputs
    if isinstance(outputs, list):
        rest = iter(outputs)
        return [next(rest) if has else np.array(np.nan) for has in has_output]
    result = np.full((len(has_output), *outputs.shape[1:]), np.nan, outputs.dtype)
    result[has_output] = outputs
    return result
