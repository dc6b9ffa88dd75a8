"""PyNeuraLogic's networks through the bridge's jar, in PyNeuraLogic's own JVM."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence, Union

from vecc import _core
from vecc.error import Error, usage_error
from vecc.graph import Graph, load

try:
    import jpype  # type: ignore[import-untyped]
    from neuralogic.core.builder.components import NeuralSample
    from neuralogic.core.builder.dataset import BuiltDataset, GroundedDataset
    from neuralogic.core.builder.static_graph import StaticGraphDataset
    from neuralogic.core.neural_module import NeuralModule
    from neuralogic.dataset.base import BaseDataset
except ImportError as error:
    raise ImportError(f"vecc.neuralogic needs PyNeuraLogic: pip install neuralogic==0.9.2 ({error})"
                      ) from error
from vecc.neuralogic_settings import TrainingSettings  # noqa: E402: which need PyNeuraLogic
from vecc.neuralogic_template import Template  # noqa: E402

JAR = Path(__file__).parent / "vecc-neuralogic.jar"
NEURALOGIC = "0.9.2"  #: whose jar the bridge is built for
UNKNOWN_FUNCTION, WEIGHTS_DO_NOT_FIT, CANNOT_WRITE = 19, 27, 51  # docs/errors.md


class Network:
    """A model and the networks of a data set, read once, for the time of a `with`."""

    def __init__(self, model: Any, dataset: Any):
        bridge = _bridge_class()
        _check_model(model)
        samples, self.batch_size = _samples_of(model, dataset)
        self._model = model
        self._java = [sample._java_sample for sample in samples]
        self.has_output: List[bool] = [sample.query.neuron is not None for sample in self._java]
        if not any(self.has_output):
            raise usage_error("dataset", "has no sample whose query follows from template and "
                              "example")
        omitted = self.has_output.count(False)
        if omitted:
            warnings.warn(f"{omitted} of {len(samples)} samples left out: their queries do not "
                          "follow from template and example", stacklevel=3)
        with _errors(UNKNOWN_FUNCTION):
            self._graph = bridge(model._neural_model, jpype.java.util.ArrayList(self._java))
        self._holder: Optional["tempfile.TemporaryDirectory[str]"] = None

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._holder:
            self._holder.cleanup()

    def folder(self) -> Path:
        """For files that are there as long as the network is."""
        if not self._holder:
            self._holder = tempfile.TemporaryDirectory(prefix="vecc-neuralogic-")
        return Path(self._holder.name)

    def has_vector_targets(self) -> bool:
        targets = (sample.target for sample in self._java)
        return any(target is not None and len(target.getAsArray()) > 1 for target in targets)

    def settings(self) -> TrainingSettings:
        return TrainingSettings.of_proxy(self._model._settings)

    def sample_of_other_steps(self, whole_tables: bool) -> Optional[str]:
        """One whose step PyNeuraLogic makes with other weights than vecc's; `whole_tables`: than a
        step that moves all rows of a table."""
        name = self._graph.sampleOfOtherSteps(self.batch_size, whole_tables)
        return None if name is None else str(name)

    def write(self, path: Union[str, "os.PathLike[str]"], names: bool = False) -> None:
        with _errors(CANNOT_WRITE):
            self._graph.write(os.path.abspath(path), names)

    def load(self) -> Graph:
        path = self.folder() / "graph.pb"
        self.write(path)
        graph = load(path)
        path.unlink()
        return graph

    def load_weights(self, path: Union[str, "os.PathLike[str]"]) -> None:
        with _errors(WEIGHTS_DO_NOT_FIT):
            self._graph.loadWeights(os.path.abspath(path))
        self._model._update_tensor_parameters()  # those of Model.build(torch=True)

    def take_weights(self, program: Any) -> None:
        path = self.folder() / "weights.safetensors"
        program.save_weights(path)
        self.load_weights(path)


class TemplateNetwork(Network):
    """Of a Template, whose weights go into a Model and come back."""

    def __init__(self, template: Template, dataset: Any):
        if not isinstance(dataset, BaseDataset):
            raise TypeError("the dataset of a Template is one of neuralogic.dataset, not "
                            f"{type(dataset).__name__}")
        self._template = template
        super().__init__(template.to_model(), dataset)
        template.take(self._model)

    def load_weights(self, path: Union[str, "os.PathLike[str]"]) -> None:
        super().load_weights(path)
        self._template.take(self._model)


def _bridge_class() -> Any:
    """NeuronGraph of the jar, in the JVM that runs."""
    if not jpype.isJVMStarted():
        raise usage_error("vecc.neuralogic", "PyNeuraLogic's JVM does not run: it is started by "
                          "the first Model, needs Java (apt install default-jre-headless, or "
                          "JAVA_HOME), and cannot be started again after neuralogic.shutdown()")
    version = _version_there() or _add_jar()
    if version != _core.VERSION:
        raise usage_error("vecc.neuralogic", f"the JVM has vecc-neuralogic.jar of version "
                          f"{version}, expected {_core.VERSION}")
    with _errors(UNKNOWN_FUNCTION):
        return jpype.JClass("vecc.neuralogic.NeuronGraph")


def _version_there() -> Optional[str]:
    try:
        return str(jpype.JClass("vecc.neuralogic.Version").text())
    except TypeError:  # no such class
        return None


def _add_jar() -> Optional[str]:
    if not JAR.exists():
        raise usage_error("vecc.neuralogic", f"{JAR} is not there: build vecc where CMake finds "
                          "a JDK and NeuraLogic.jar (docs/neuralogic.md, Set up)")
    jpype.addClassPath(str(JAR))
    return _version_there()


def _check_model(model: Any) -> None:
    if not isinstance(model, NeuralModule):
        raise TypeError(f"the model is a neuralogic.core.Model, not {type(model).__name__}")
    if model._neural_model is None:
        raise usage_error("model", "is not built: model.build(Settings()) does it")


def _samples_of(model: Any, dataset: Any) -> Any:
    """Built samples, and how many make a batch, of what Model.train() takes: also of a data set
    that is not built, of a list of built samples, of one."""
    if isinstance(dataset, StaticGraphDataset):
        raise usage_error("dataset", "is a static graph, one network whose facts change from "
                          "sample to sample: build it with model.build_dataset()")
    if isinstance(dataset, (BaseDataset, GroundedDataset)):
        dataset = model.build_dataset(dataset)
    if isinstance(dataset, BuiltDataset):
        return dataset._samples, dataset._batch_size
    samples = [dataset] if isinstance(dataset, NeuralSample) else dataset
    if not isinstance(samples, Sequence) or not all(isinstance(s, NeuralSample) for s in samples):
        raise TypeError(f"the dataset is what model.build_dataset() returns or takes, or a list "
                        f"of built samples, not {type(dataset).__name__}")
    return list(samples), 1


@contextlib.contextmanager
def _errors(code: int) -> Iterator[None]:
    """What the bridge says, as Python says it."""
    try:
        yield
    except jpype.JException as raised:
        kind, text = str(raised.getClass().getName()), str(raised.getMessage())
        if kind == "vecc.neuralogic.Failure":
            raise Error(f"{text} [E{code:03}]", [(code, "", text)],
                        int(raised.exitCode())) from None
        if isinstance(raised, jpype.JClass("java.lang.LinkageError")):
            raise usage_error("vecc.neuralogic", f"PyNeuraLogic's jar is not that of neuralogic "
                              f"{NEURALOGIC}, which the bridge is for ({kind}: {text})") from None
        if kind == "java.lang.OutOfMemoryError":
            raise MemoryError("Java has no more memory: neuralogic.initialize(max_memory_size=16), "
                              "in gigabytes, before the first Model") from None
        raise


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """The JVM ends the process on Ctrl-C; within this Python gets it, as KeyboardInterrupt."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    libc, java = ctypes.CDLL(None), ctypes.create_string_buffer(1024)  # above a struct sigaction
    libc.sigaction(signal.SIGINT, None, java)
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        libc.sigaction(signal.SIGINT, java, None)
