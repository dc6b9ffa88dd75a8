"""vecc.nn: models in a language of typed graphs (docs/models.md).

    from vecc import nn

    def network(g):
        h = nn.linear(g.x, 16)
        a = nn.leaky_relu(nn.linear(h, 1)[g.src] + nn.linear(h, 1)[g.dst], 0.2)
        h = nn.sum(nn.softmax(a, over=g.dst) * h[g.src], over=g.dst)
        return nn.linear(nn.relu(h), 7)

    model = nn.Model(network)
    model.fit(data, epochs=200)
"""

from typing import TYPE_CHECKING, NoReturn

from vecc.nn import layers
from vecc.nn.convert import as_data, from_arrays, from_hetero, from_networkx, from_pyg, from_scipy
from vecc.nn.data import Data, batch
from vecc.nn.dgl import from_dgl
from vecc.nn.files import from_edge_list, from_npz
from vecc.nn.model import Model
from vecc.nn.molecules import from_smiles
from vecc.nn.named import layer
from vecc.nn.norms import batch_norm, dropout, layer_norm
from vecc.nn.ops import (abs_, concat, constant, count, dot, elementwise, elu, embedding, exp, gelu,
                         leaky_relu, linear, log, lstm, matmul, max, maximum, mean, min,
                         minimum, numbers, one_hot, relu, reshape, sigmoid, softmax, sqrt, square,
                         sum, table, tanh, transpose, uniform, weight)
from vecc.nn.trace import Category, Domain, Endpoint, Table, Value, no_name
from vecc.nn.view import Edges, GraphView, Nodes
from vecc.nn.words import instead

__all__ = ["Category", "Data", "Domain", "Edges", "Endpoint", "GraphView", "Model", "Nodes",
           "Table", "Value", "abs_", "as_data", "batch", "batch_norm", "concat", "constant",
           "count", "dot", "dropout", "elementwise", "elu", "embedding", "exp", "from_arrays",
           "from_dgl", "from_edge_list", "from_hetero", "from_networkx", "from_npz", "from_pyg",
           "from_scipy", "from_smiles", "gelu", "layer", "layer_norm", "layers", "leaky_relu",
           "linear", "log", "lstm", "matmul", "max", "maximum", "mean", "min", "minimum", "numbers",
           "one_hot", "relu", "reshape", "sigmoid", "softmax", "sqrt", "square", "sum", "table",
           "tanh", "transpose", "uniform", "weight"]

if not TYPE_CHECKING:  # what is not there is an error for mypy, too
    def __getattr__(name: str) -> NoReturn:
        no_name(__name__, name, instead)
