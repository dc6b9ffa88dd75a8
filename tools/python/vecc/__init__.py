"""vecc compiles neuron-level computation graphs into tensor programs.

    import vecc

    graph = vecc.load("graph.pb")
    program = graph.compile(backend="cpu")
    outputs = program()                       # NumPy, in the order of samples
    program.train(epochs=200, lr=0.01)
    program.save_weights("w.safetensors")
    model = program.to_torch()                # a torch.nn.Module
"""

from typing import Any, Dict, List

from vecc import _core as _core
from vecc.builder import GraphBuilder
from vecc.compiler import choose_compiler
from vecc.error import Diagnostic, Error
from vecc.graph import Graph, load
from vecc.predictions import Predictions
from vecc.program import Program, Training
from vecc.saved_program import SavedProgram, load_program

__all__ = ["Diagnostic", "Error", "Graph", "GraphBuilder", "Predictions", "Program",
           "SavedProgram", "Training", "__version__", "backends", "load", "load_program",
           "optimizers"]

__version__: str = _core.VERSION
choose_compiler()


def backends(device: str = "auto") -> List[str]:
    """Names of the backends that can run on the device here, best first."""
    return _core.backends(device)


def optimizers() -> Dict[str, Dict[str, Any]]:
    """What Program.train(optimizer=...) takes, by name: `hyperparameters` with their defaults, and
    `torch`, the class of torch.optim that makes the same steps (None: none)."""
    return _core.optimizers()
