"""Model.to_torch(): a torch.nn.Module that runs vecc's kernels, by an op with autograd."""

from __future__ import annotations

import itertools
import threading
import weakref
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Tuple

import numpy as np
import torch

from vecc import _core
from vecc.arrays import as_array
from vecc.error import usage_error
from vecc.nn.data import Data, FeatureKey, Source
from vecc.nn.lower import stored_rows

if TYPE_CHECKING:
    from vecc.nn.model import Model
    from vecc.program import Program


NO_TENSORS: Mapping[Any, torch.Tensor] = MappingProxyType({})


class _Compiled:
    """A program of one graph; `shape` is that of its outputs."""

    def __init__(self, program: "Program", names: List[str], shapes: List[Tuple[int, ...]],
                 row: Tuple[int, ...], features: List[FeatureKey]) -> None:
        self.program, self.names, self.shapes = program, names, shapes
        self.features = features  #: with gradients; their tables are the last of `names`
        self.shape = (program.sample_count, *row)
        self.lock = threading.Lock()  # of its weights
        self.number = next(_numbers)
        _compiled[self.number] = self

    def set(self, weights: List[torch.Tensor], seed: int, step: int) -> None:
        arrays: Dict[str, Any] = {
            name: as_array(weight, np.float64).reshape(shape)
            for name, shape, weight in zip(self.names, self.shapes, weights)}
        if step:
            known = self.program.weights.keys()
            arrays.update((name, np.full(1, value)) for name, value in
                          _core.step_inputs(seed, step).items() if name in known)
        self.program.set_weights(arrays)


_numbers = itertools.count(1)
_compiled: "weakref.WeakValueDictionary[int, _Compiled]" = weakref.WeakValueDictionary()


def _run(number: int, seed: int, step: int, weights: List[torch.Tensor]) -> torch.Tensor:
    it = _compiled[number]
    with it.lock:
        it.set(weights, seed, step)
        outputs = np.asarray(it.program()).reshape(it.shape)
    return torch.from_numpy(outputs.copy()).to(weights[0])


def _gradients(number: int, seed: int, step: int, weights: List[torch.Tensor],
               direction: torch.Tensor) -> List[torch.Tensor]:
    it = _compiled[number]
    with it.lock:
        it.set(weights, seed, step)
        found = it.program.gradients(as_array(direction, np.float64).ravel())
    return [torch.from_numpy(found[name].copy()).reshape(weight.shape).to(weight)
            for name, weight in zip(it.names, weights)]


_SCHEMA = "(int number, int seed, int step, Tensor[] weights"
torch.library.define("vecc::run", _SCHEMA + ") -> Tensor")
torch.library.define("vecc::gradients", _SCHEMA + ", Tensor direction) -> Tensor[]")
torch.library.impl("vecc::run", ("cpu", "cuda"))(_run)
torch.library.impl("vecc::gradients", ("cpu", "cuda"))(_gradients)


def _run_fake(number: int, seed: int, step: int, weights: List[torch.Tensor]) -> torch.Tensor:
    return weights[0].new_empty(_compiled[number].shape)


def _gradients_fake(number: int, seed: int, step: int, weights: List[torch.Tensor],
                    direction: torch.Tensor) -> List[torch.Tensor]:
    return [torch.empty_like(weight) for weight in weights]


def _keep(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    number, ctx.seed, ctx.step, weights = inputs
    ctx.compiled = _compiled[number]  # stays as long as a backward pass may come
    ctx.save_for_backward(*weights)


def _backward(ctx: Any, direction: torch.Tensor) -> Any:
    weights = list(ctx.saved_tensors)
    found = torch.ops.vecc.gradients(ctx.compiled.number, ctx.seed, ctx.step, weights, direction)
    return None, None, None, found


def _no_second(ctx: Any, directions: Any) -> Any:
    raise usage_error("to_torch", "vecc's kernels have first derivatives: of a gradient itself "
                      "(create_graph=True) program(data).to_torch() has some")


torch.library.register_autograd("vecc::gradients", _no_second)
torch.library.register_fake("vecc::run")(_run_fake)
torch.library.register_fake("vecc::gradients")(_gradients_fake)
torch.library.register_autograd("vecc::run", _backward, setup_context=_keep)


class TorchModel(torch.nn.Module):
    """The model as a module: forward(data) is its outputs, a row each, by vecc's kernels; gradients
    reach the parameters, which have the names of Model.weights with dots. `steps` counts forward
    passes in training mode: with `seed` it decides what dropout leaves out. An nn.Data is compiled
    once; other data is converted and compiled each time (nn.as_data() converts it once)."""

    def __init__(self, model: "Model", seed: int, trained: "frozenset[str]") -> None:
        super().__init__()
        self.model, self.seed, self.steps = model, seed, 0
        self._trained = trained
        self._programs: "weakref.WeakKeyDictionary[Data, Dict[Tuple[Any, ...], _Compiled]]" = (
            weakref.WeakKeyDictionary())
        dtype = torch.float64 if model.options.get("dtype") == "f64" else torch.float32
        for name, value in model.weights.items():
            owner: torch.nn.Module = self
            *path, last = name.split("/")
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, torch.nn.Module())
                owner = owner.get_submodule(part)
            tensor = torch.tensor(value, dtype=dtype)
            if name in trained:
                owner.register_parameter(last, torch.nn.Parameter(tensor))
            else:
                owner.register_buffer(last, tensor)

    def forward(self, source: Source, features: Mapping[Any, torch.Tensor] = NO_TENSORS,
                **more: torch.Tensor) -> torch.Tensor:
        """Outputs, a row each. `features` by keyword, or in a mapping by (set, name), stand in the
        place of the data's, of the same shapes; they and tensors of the data that require a
        gradient get it. With one nn.Data they are new values without compiling. torch.compile
        compiles what is around it."""
        if torch.compiler.is_compiling():  # what makes a program is not for it to trace
            disable: Any = torch.compiler.disable
            made: torch.Tensor = disable(self._forward)(source, {**features, **more})
            return made
        return self._forward(source, {**features, **more})

    def _forward(self, source: Source, features: Mapping[Any, torch.Tensor]) -> torch.Tensor:
        if self.training and len(self._trained) < len(self.model.weights):
            raise usage_error("to_torch", "batch norm's running statistics are learned by "
                              "Model.fit(): in a torch loop the module is in eval() mode")
        data = self.model.data_of(source)
        tensors = {key: tensor for key, tensor in data.tensors.items()
                   if tensor.requires_grad and tensor.numel()}
        for name, tensor in features.items():
            tensors[_replaced(data, name, tensor)] = tensor
        compiled = self._compile(data, tuple(tensors))
        if self.training:
            self.steps += 1
        inputs = [self.get_parameter_or_buffer(name) for name in self.model.weights]
        inputs += [tensors[key] for key in compiled.features]
        step = self.steps if self.training else 0
        if not inputs:  # the op takes its device and type from them
            return torch.from_numpy(np.asarray(compiled.program()).reshape(compiled.shape).copy())
        outputs: torch.Tensor = torch.ops.vecc.run(compiled.number, self.seed, step, inputs)
        return outputs

    def get_parameter_or_buffer(self, name: str) -> torch.Tensor:
        """By its name in the model: conv1/lin/weight."""
        path, _, last = name.replace("/", ".").rpartition(".")
        tensor: torch.Tensor = getattr(self.get_submodule(path), last)
        return tensor

    def _compile(self, data: Data, features: Tuple[FeatureKey, ...] = ()) -> _Compiled:
        programs = self._programs.setdefault(data, {})
        key = (self.training, features)
        if key not in programs:
            programs[key] = self._compiled(data, features)
        return programs[key]

    def _compiled(self, data: Data, features: Tuple[FeatureKey, ...]) -> _Compiled:
        model = self.model
        tables = {key: key[0].table_of(key[1]) for key in features}
        program = model.with_features(data, tables, trains=self.training)
        known = program.weights
        read = [key for key in features if tables[key] in known]
        names = [*model.weights, *(tables[key] for key in read)]
        shapes = [*map(model.stored_shape, model.weights), *(
            stored_rows(data.features[key[0]][key[1]].values).shape for key in read)]
        return _Compiled(program, names, shapes, model.output_shape, read)

    def __deepcopy__(self, memo: Any) -> "TorchModel":
        copied = TorchModel(self.model, self.seed, self._trained)
        copied.load_state_dict(self.state_dict())
        copied.steps = self.steps
        return copied.train(self.training)


def _replaced(data: Data, name: Any, tensor: torch.Tensor) -> FeatureKey:
    """The only feature of this name, or of (set, name)."""
    of, own = name if isinstance(name, tuple) else (None, name)
    found = [domain for domain, features in data.features.items()
             if own in features and of in (None, domain.key)]
    if len(found) != 1:
        raise usage_error("features", f"{len(found)} sets have a feature {own!r}"
                          + (f" and are called {of!r}" if of else "") + ": expected one; "
                          "features={(set, name): tensor} says which")
    feature = data.features[found[0]][own]
    if feature.kinds or not tensor.is_floating_point():
        raise usage_error("features", f"{own!r} is of whole numbers: only floats are given anew")
    if tuple(tensor.shape) != feature.values.shape:
        raise usage_error("features", f"{own!r} has shape {list(tensor.shape)}, expected "
                          f"{list(feature.values.shape)} as in the data")
    if not tensor.numel():
        raise usage_error("features", f"{own!r} has no elements")
    return found[0], own
