"""vecc.nn.Model: a function of a graph, with weights; it fits, evaluates and predicts."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import replace
from html import escape
from typing import (TYPE_CHECKING, AbstractSet, Any, Callable, Dict, Iterable, List, Mapping,
                    Optional, Sequence, Set, Tuple, Union)

import numpy as np

from vecc import _core
from vecc.error import Diagnostic, Error, usage_error
from vecc.graph import Graph, Outputs
from vecc.nn.binding import Binding
from vecc.nn.checks import is_network
from vecc.nn.convert import as_data, with_validation
from vecc.nn.data import Data, FeatureKey, Source, batch
from vecc.nn.initial import check_seed, first_values
from vecc.nn.labels import check_chosen, check_labels, fitting_loss, samples_of
from vecc.nn.lower import NO_TABLES, Lowering, stored_rows, table_sides
from vecc.nn.places import place_of
from vecc.nn.sparse import columns_of, weight_of
from vecc.nn.statistics import check_batches, check_whole, has_graphs
from vecc.nn.targets import NeuronTarget, ProgramTarget, Target
from vecc.nn.trace import GRAPHS, ONE, Domain, Shape, Trace, Value, describe, tracing
from vecc.nn.view import GraphView, Schema
from vecc.nn.weights import given_weights
from vecc.nn.words import check_loss
from vecc.options import errors_of_python
from vecc.predictions import with_labels
from vecc.program import (Predictions, Program, Training, check_options, check_training_options,
                          training_options)

if TYPE_CHECKING:
    import torch

Path = Union[str, "os.PathLike[str]"]
_LOSS = "loss"  # in the metadata of a file of weights


def _check_options(options: Iterable[str]) -> None:
    """A TypeError of Model() that says what takes an option of training."""
    known = [name for name in inspect.signature(Graph.compile).parameters if name != "self"]
    check_options("Model", options, ["loss", "seed", *known],
                  {"way": "program(data, way=...)",
                   "class_weights": "data.labels(class_weights=...)",
                   **{name: f"fit({name}=...)" for name in training_options()}})


class Model:
    """`function(g)` returns the output: a value of nodes, edges, pairs or graphs (docs/models.md).

    It is called once, with the sets and features of the first data (`trace()`); all data after
    that must have the features that it reads. The options are those of Graph.compile().

        model = nn.Model(network)
        model.fit(data, epochs=200, lr=0.01)
        model.evaluate(data, split="test")
        model.predict(other)                          # new graphs; the same weights
    """

    def __init__(self, function: Callable[[GraphView], Value], *, loss: Optional[str] = None,
                 seed: int = 0, **options: Any) -> None:
        if not is_network(function):
            raise usage_error("nn.Model", f"found {describe(function)}, expected a function of a "
                              "graph, as def network(g): return nn.linear(g.x, 3)")
        _check_options(options)
        check_loss(loss)
        self.function, self.loss, self.options = function, loss, options
        self.seed = check_seed(seed, "nn.Model")
        self._trace: Optional[Trace] = None
        self._output: Optional[Value] = None
        self._weights: Dict[str, np.ndarray] = {}
        self._fits: Optional[str] = None  # the loss that fits the labels of what it was traced with

    def trace(self, source: Source) -> "Model":
        """Calls the function, unless that was done, and makes weights; errors name its line."""
        if self._trace is None:
            data = as_data(source)
            schema = Schema.of(data)
            trace = Trace(schema.features)
            trace.pools = GRAPHS in schema.features
            with tracing(trace):
                output = self._call(GraphView(schema))
                if isinstance(output, Value):
                    trace.check_own(output)
            if not isinstance(output, Value) or output.domain == ONE:
                raise usage_error(place_of(self.function), f"returned {describe(output)}, expected "
                                  "a value of nodes, edges or graphs")
            if output.domain.loops is not None:
                raise usage_error(place_of(self.function), f"returned {describe(output)}: self "
                                  "loops have no row in the data; return a value of its edges")
            self._trace, self._output = trace, output
            self._fits = fitting_loss(data, output)
            self.initialize(self.seed)
        return self

    def _call(self, g: GraphView) -> Value:
        try:
            inspect.signature(self.function).bind(g)
        except TypeError as error:
            raise usage_error(place_of(self.function), f"{error}: expected a function of a graph "
                              "alone") from None
        except ValueError:  # of a function that says nothing of itself
            pass
        return self.function(g)

    def initialize(self, seed: int = 0) -> None:
        """New values for all weights, by what `init` says of each; layers have PyTorch Geometric's
        laws."""
        tables, seed = self._traced("initialize").tables, check_seed(seed, "initialize")
        self._weights = {name: first_values(table, seed).reshape(self.stored_shape(name))
                         for name, table in tables.items()}

    def graph(self, source: Source, way: str = "direct") -> Graph:
        """The data's computation with the weights of now. "direct": a program of arrays;
        "neurons": a neuron a row, as NeuraLogic grounds a template, for small graphs: the model as
        it is outside training, without dropout and with batch norms' running statistics."""
        return self._graph(source, way, trains=True)

    def _graph(self, source: Source, way: str = "direct", *, trains: bool, with_labels: bool = True,
               as_weights: Mapping[FeatureKey, str] = NO_TABLES) -> Graph:
        if way not in ("direct", "neurons"):
            raise usage_error("way", f"{way!r} is none of direct, neurons")
        target = ProgramTarget(trains) if way == "direct" else NeuronTarget()
        return self._lowered(self.data_of(source), target, with_labels=with_labels,
                             as_weights=as_weights)[0]

    def _lowered(self, data: Data, target: Target, *, by_entries: bool = False,
                 with_labels: bool = True, as_weights: Mapping[FeatureKey, str] = NO_TABLES
                 ) -> Tuple[Graph, Set[str]]:
        """The graph with the weights of now, and which of them it has as columns."""
        self.trace(data)
        assert self._trace is not None and self._output is not None
        if self._trace.pools and GRAPHS not in data.counts:
            data = batch([data], data.name)  # one graph, of a set of one
        binding = Binding(data)
        samples = samples_of(data, self._output, self._rows(binding), with_labels)
        lowering = Lowering(self._trace, binding, target, as_weights, by_entries,
                            self._counts_graphs(data), self.options.get("place") or ())
        lowering.tables()
        graph = target.finish(lowering.lower(self._output).handle, samples, data.name)
        graph.set_weights({**self._given(lowering.columns), **{
            table: stored_rows(data.features[domain][name].values)
            for (domain, name), table in as_weights.items()}})
        return graph, lowering.columns

    def _counts_graphs(self, data: Data) -> bool:
        """Whether batch norms are of the graphs that a step has, which are its samples."""
        assert self._output is not None
        return self._output.domain == GRAPHS and all(
            has_graphs(data, domain) for domain in self._normed())

    def _normed(self) -> Set[Domain]:
        """Of whose rows there are batch norms."""
        return {value.attributes["rows"] for value in self._traced("fit").values
                if value.op == "unbiased"}

    def _given(self, columns: Set[str]) -> Dict[str, np.ndarray]:
        """The weights, some by columns."""
        return {name: columns_of(value) if name in columns else value
                for name, value in self._weights.items()}

    def _compiled(self, data: Data, *, trains: bool, by_entries: bool = True,
                  with_labels: bool = True, runs_later: bool = False) -> Tuple[Program, Set[str]]:
        """To run or train it here: features that are mostly 0 are read by their entries, but not
        where members are drawn, as entries would be. `runs_later`: Graph's."""
        graph, columns = self._lowered(data, ProgramTarget(trains), by_entries=by_entries,
                                       with_labels=with_labels)
        graph._runs_later = runs_later
        with errors_of_python():
            return graph.compile(**self.options), columns

    def program(self, source: Source, way: str = "direct", **options: Any) -> Program:
        """graph(), compiled."""
        return self.graph(source, way).compile(**{**self.options, **options})

    def evaluated(self, source: Source) -> Program:
        """program() without what only training does: to run, not to train."""
        return self._graph(source, trains=False).compile(**self.options)

    def with_features(self, data: Data, tables: Mapping[FeatureKey, str], *,
                      trains: bool) -> Program:
        """program() or evaluated() whose features of these keys are weights of these names, in the
        data's order; of those that the model does not read there are none. Without labels."""
        self.trace(data)
        read = self._features_read()
        return self._graph(data, trains=trains, with_labels=False, as_weights={
            key: name for key, name in tables.items() if key in read}).compile(**self.options)

    def _features_read(self) -> Set[FeatureKey]:
        return {(value.domain._replace(loops=None), value.attributes["name"])
                for value in self._traced("features").values if value.op == "feature"}

    def __call__(self, source: Source) -> np.ndarray:
        """Outputs [rows, *output_shape], in the data's order; labels have no part, nor need they
        fit."""
        return self._by_rows(self._compiled(self.data_of(source), trains=False,
                                            with_labels=False)[0]())

    def _by_rows(self, outputs: Outputs) -> np.ndarray:
        """As the model has them: programs have no sides of 1."""
        array = np.asarray(outputs)
        return array.reshape(len(array), *self.output_shape)

    def fit(self, source: Source, **options: Any) -> Training:
        """Learns the weights from those of now, as Program.train() does with these options: of all
        rows with labels, or of those that masks mark. `validate`: also a list of graphs.

        Options: epochs=100, lr=0.01, optimizer="adam", loss, batch_size="all", batch, batch_values,
        validate, early_stop, schedule, clip_value, clip_norm, reduction, margin, shuffle=True,
        seed, fanout, fanout_scale, eval_batch_size, log, log_every, checkpoint, checkpoint_every,
        resume, progress, on_epoch; and the optimizer's: alpha, beta1, beta2, betas, centered, eps,
        epsilon, initial_accumulator_value, lr_decay, momentum, weight_decay."""
        check_training_options("fit", options)
        check_loss(options.get("loss"))
        data = self._training_data(source, options)
        options["loss"] = self._compared(data, options.get("loss"))
        program, columns = self._trainable(data, options, runs_later=True)
        before, self.loss = self.loss, options["loss"]
        options.setdefault("seed", self.seed)
        try:
            with errors_of_python():
                return program.train(**options)
        except Error:
            self.loss = before  # maybe no loss at all
            raise
        finally:
            self._keep(program.weights, columns)

    def _training_data(self, source: Source, options: Dict[str, Any]) -> Data:
        """With the graphs that validate= has."""
        validation = options.get("validate")
        if validation is None or isinstance(validation, (float, int, str, os.PathLike)):
            return self.data_of(source)
        return with_validation(source, options.pop("validate"), self._kinds())

    def data_of(self, source: Source) -> Data:
        """What was traced says what an attribute is of, where its rows do not."""
        return as_data(source, self._kinds())

    def _kinds(self) -> Dict[str, str]:
        return {} if self._trace is None else {
            name: domain.kind for domain, own in self._trace.features.items() for name in own
            if not domain.are_pairs}

    def _trainable(self, data: Data, options: Mapping[str, Any], *,
                   runs_later: bool = False) -> Tuple[Program, Set[str]]:
        """Refuses batch norms whose statistics would be others than torch's."""
        self.trace(data)
        assert self._output is not None
        check_labels(data, self._output)
        domains = self._normed()
        if domains and self._counts_graphs(data):
            check_batches(data, domains, options)
        elif domains:
            check_whole(data, options)
        return self._compiled(data, trains=True, by_entries=not options.get("fanout"),
                              runs_later=runs_later)

    def fit_seeds(self, source: Source, seeds: Sequence[int], *, split: Optional[str] = None,
                  **options: Any) -> Dict[str, Tuple[float, float]]:
        """fit() from new weights of each seed, then evaluate(): the mean of each metric over the
        seeds and its standard error. The weights are then those of the last seed."""
        check_training_options("fit_seeds", options)
        check_loss(options.get("loss"))
        data = self._training_data(source, options)
        if len(seeds) < 2 or len(set(seeds)) < len(seeds):
            raise usage_error("seeds", f"{list(seeds)}: expected two or more, each once")
        seeds = [check_seed(seed, "fit_seeds") for seed in seeds]
        options["loss"] = loss = self._compared(data, options.get("loss"))
        program, columns = self._trainable(data, options)
        found: List[Dict[str, float]] = []
        for seed in seeds:
            self.initialize(seed)
            program.set_weights(self._given(columns))
            with errors_of_python():
                program.train(**{**options, "seed": seed})
                found.append(program.evaluate(split=split, loss=loss))
        self.loss = loss
        self._keep(program.weights, columns)
        return {name: (float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5))
                for name in found[0] for values in [[each.get(name, np.nan) for each in found]]
                if name != "samples"}

    def evaluate(self, source: Source, *, split: Optional[str] = None,
                 eval_batch_size: int = 0) -> Dict[str, float]:
        """Loss and metrics, as Program.evaluate()."""
        data = self.data_of(source)
        program = self._compiled(data, trains=False)[0]
        with errors_of_python():
            return program.evaluate(split=split, loss=self._compared(data),
                                    eval_batch_size=eval_batch_size)

    def predict(self, source: Source, *, split: Optional[str] = None) -> Predictions:
        """Classes and probabilities, or numbers, as Program.predict(); of several labels those that
        are more probable than not."""
        data = self.data_of(source)
        loss = self._loss(data)
        program = self._compiled(data, trains=False)[0]
        with errors_of_python():
            found = program.predict(split=split, loss=loss)
        assert self._output is not None
        has_labels = loss == "binary_crossentropy" and self._output.size > 1
        if found.predicted is None:
            return replace(found, values=self._by_rows(found.values))
        return with_labels(found) if has_labels else found

    def to_torch(self, seed: int = 0) -> "torch.nn.Module":
        """A module whose forward(data) runs vecc's kernels, with gradients for its parameters and
        for features that are tensors which require them: for loops, losses and optimizers of torch.
        Its parameters begin as the weights of now; set_weights(module.state_dict()) brings them
        back. `seed`: of dropout. Models with batch norm run in eval() mode only.
        (program(data).to_torch() is a module of torch's own ops, of one graph.)"""
        from vecc.nn.torch_model import TorchModel  # imports torch
        trace = self._traced("to_torch")
        tracked = {running.attributes["table"].name for running, _ in trace.tracked}
        return TorchModel(self, seed, frozenset(trace.tables.keys() - tracked))

    @property
    def output_shape(self) -> Shape:
        """Of a row of the outputs."""
        self._traced("output_shape")
        assert self._output is not None
        return self._output.shape

    # Weights.

    @property
    def weights(self) -> Dict[str, np.ndarray]:
        """Copies by name, of the shapes that the function gave them; tables have a row first."""
        trace = self._traced("weights")
        return {name: self._weights[name].reshape(self._shape(name)).copy()
                for name in trace.tables}

    def set_weights(self, weights: Union[Mapping[str, Any], "torch.nn.Module"]) -> List[str]:
        """Arrays by name, a state_dict (`conv1.weight` is conv1/weight), or a module of torch, whose
        options are compared as well. Lists of weights of PyG's layers are tables here. Returns the
        names that it does not have, whose weights stay. Sides of 1 do not matter: PyG's
        [1, heads, n] is [heads, n]."""
        trace = self._traced("set_weights")
        given = given_weights(weights, trace, {name: self._shape(name) for name in trace.tables})
        arrays = {name: array.reshape(self.stored_shape(name)) for name, array in given.items()}
        graph = self._tables()
        graph.set_weights({**self._weights, **arrays})
        self._keep(graph.weights)
        return [name for name in trace.tables if name not in arrays]

    def state_dict_of(self, module: "torch.nn.Module") -> "Dict[str, torch.Tensor]":
        """The weights as this module has them, which set_weights() would take:
        module.load_state_dict(model.state_dict_of(module)). What the model does not have (counts of
        batches, what PyG makes but does not use) is the module's own."""
        from vecc.nn.returning import state_dict_of  # imports torch
        trace = self._traced("state_dict_of")
        return state_dict_of(module, trace, {name: self._shape(name) for name in trace.tables},
                             self.weights)

    def save(self, path: Path) -> None:
        """All weights as safetensors, and the loss that they were trained by."""
        self._traced("save")
        if os.fspath(path).endswith((".npz", ".npy", ".pt", ".pth")):  # what reads these would fail
            raise usage_error(os.fspath(path), "is written as safetensors: expected a name as "
                              "w.safetensors; numpy.savez(path, **model.weights) writes an .npz")
        graph = self._tables()
        graph.set_weights(self._weights)
        loss = self.loss or self._fits
        graph._core.save_weights(os.fspath(path), [(_LOSS, loss)] if loss else [])

    def load(self, path: Path, source: Optional[Source] = None) -> "Model":
        """Weights that save() wrote, and their loss, unless the model was given one: it says what
        outputs are. `source`: data to trace with, where nothing was traced."""
        if source is not None:
            self.trace(source)
        if self._trace is None:
            raise usage_error("load", "the model was not traced, so it has no weights yet: "
                              "load(path, data) traces it with this data")
        graph = self._tables()
        try:
            metadata = dict(graph._core.load_weights(os.fspath(path), False))
        except Error as error:
            raise error.rewritten(self._with_categories) from None
        self.loss = self.loss or _loss_in(os.fspath(path), metadata)
        self._keep(graph.weights)
        return self

    def _with_categories(self, found: Diagnostic) -> Diagnostic:
        """The way out where a file's table has more rows than the data has values."""
        rows = re.search(r"has shape \[(\d+).* expected \[(\d+)", found.message)
        tables = tuple(f'weight table "{name}"' for name in self._indexed())
        if not rows or int(rows[1]) <= int(rows[2]) or not found.place.endswith(tables):
            return found
        return found._replace(message=f"{found.message}; it has a row for each value of a "
                              "category: trace with data that has all values, or say how many "
                              f"there are, feature.with_count({rows[1]})")

    def _traced(self, what: str) -> Trace:
        if self._trace is None:
            raise usage_error(what, "the model was not traced, so it has no weights yet: "
                              "model.trace(data) first")
        return self._trace

    def _tables(self) -> Graph:
        target = ProgramTarget()
        for table in self._traced("weights").tables.values():
            target.table(table.name, table.count, table_sides(table.shape))
        return target.finish_tables("weights")

    def _shape(self, name: str) -> Shape:
        """One weight has its own shape; a table that categories read [count, ...]."""
        table = self._traced("weights").tables[name]
        return ((table.count,) if name in self._indexed() else ()) + table.shape

    def _indexed(self) -> Set[str]:
        values = self._traced("weights").values
        single = {v.attributes["table"].name for v in values if v.op == "weight"}
        return set(self._traced("weights").tables) - single

    def stored_shape(self, name: str) -> Shape:
        """As a program has the weights of this name."""
        table = self._traced("weights").tables[name]
        return (table.count, *table_sides(table.shape))

    def _keep(self, weights: Mapping[str, Optional[np.ndarray]],
              columns: AbstractSet[str] = frozenset()) -> None:
        tables = self._traced("weights").tables
        self._weights = {name: weight_of(value) if name in columns else value
                         for name, value in weights.items()
                         if value is not None and name in tables}

    def _loss(self, data: Data) -> Optional[str]:
        self.trace(data)
        assert self._output is not None
        return self.loss or fitting_loss(data, self._output) or self._fits

    def _compared(self, data: Data, said: Optional[str] = None) -> Optional[str]:
        """The loss of what is compared with labels: they must say one, where nothing else does."""
        self.trace(data)
        assert self._output is not None
        if said is None and self.loss is None:
            check_chosen(data, self._output)
        return said or self._loss(data)

    def _rows(self, binding: Binding) -> np.ndarray:
        assert self._output is not None
        if self._output.domain not in binding.data.counts:
            raise usage_error(binding.data.name, f"has no {self._output.domain}, of which the "
                              "model's output is")
        return binding.output_rows(self._output.domain)

    def _repr_html_(self) -> str:
        """The weights, with the lines that make them."""
        from vecc.nn.html import weights_table
        return escape(repr(self)) if self._trace is None else weights_table(
            repr(self), self._trace, self.weights)

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", "model")
        if self._trace is None:
            return f"<vecc.nn.Model {name}: not traced>"
        count = sum(weight.size for weight in self._weights.values())
        return f"<vecc.nn.Model {name}: {count:,} weights, {describe(self._output)}>"


def _loss_in(path: str, metadata: Mapping[str, str]) -> Optional[str]:
    """What a file of weights says that they were trained by."""
    loss = metadata.get(_LOSS)
    if loss is not None and loss not in _core.losses():
        raise usage_error(path, f"the metadata {_LOSS!r} is {loss[:40]!r}, expected one of "
                          f"{', '.join(_core.losses())}")
    return loss
