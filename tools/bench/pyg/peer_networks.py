"""The peers' networks as a user of PyTorch Geometric writes them, with the weights of a graph.pb: which parameter is
which table, and which of them has the matrix the other way round."""

from dataclasses import dataclass

import numpy as np
import torch
from torch_geometric.nn import FastRGCNConv, RGCNConv

from data_tu import node_features
from models_typed import dimensions
from time_tu import Network, targets_of


class RelationalNetwork(torch.nn.Module):
    """Learnable embeddings and layers of RGCN over edges of many types."""

    def __init__(self, nodes, relations, dims, convolution):
        super().__init__()
        self.embedding = torch.nn.Parameter(torch.empty(nodes, dims[0]))
        self.layers = torch.nn.ModuleList(convolution(before, after, relations, bias=False)
                                          for before, after in zip(dims, dims[1:]))

    def forward(self, edges, types):
        x = self.embedding
        for number, layer in enumerate(self.layers):
            x = layer(x, edges, types)
            if number + 1 < len(self.layers):
                x = torch.relu(x)
        return x


def table_parameters(model, network):
    """(table, parameter, whether its matrices are those of the table transposed) of every weight."""
    if model == "rgcn":
        yield "e", network.embedding, False
    for number, layer in enumerate(network.layers, 1):
        name = f"h{number}."
        if model == "gcn":
            yield name + "W", layer.lin.weight, False
        elif model == "sage":
            yield name + "W_neighbours", layer.lin_l.weight, False
            yield name + "W_self", layer.lin_r.weight, False
        elif model == "gin":
            yield name + "W1", layer.nn[0].weight, False
            yield name + "W2", layer.nn[2].weight, False
        elif model == "rgcn":
            yield name + "W", layer.weight, True
            yield name + "W_0", layer.root, True
        else:
            raise ValueError(f"no weights are copied for {model}")
    for number, head in enumerate(getattr(network, "heads", []), 1):
        yield f"predict.W{number if model == 'gin' else ''}", head.weight, False


def copy_weights(graph_file, model, network):
    """The weight tables of a graph.pb into the network."""
    for table, parameter, transposed in table_parameters(model, network):
        shape = tuple(parameter.mT.shape if transposed else parameter.shape)
        values = torch.tensor(graph_file.tables[table].values.reshape(shape))
        with torch.no_grad():
            parameter.copy_(values.mT if transposed else values)


def gradients_of(model, network):
    """By table: [count, elements], as vecc --gradients prints them."""
    result = {}
    for table, parameter, transposed in table_parameters(model, network):
        grad = parameter.grad.mT if transposed else parameter.grad
        rows = len(grad) if grad.dim() == 3 or table == "e" else 1
        result[table] = grad.reshape(rows, -1).cpu().numpy()
    return result


@dataclass
class Problem:
    """What is computed: arguments of the network, and targets of its outputs' shape."""

    network: torch.nn.Module
    arguments: tuple
    targets: torch.Tensor
    batches: object = None  # (size, shuffle) -> an iterable of (arguments, targets); None: one graph


def molecule_problem(data, model, options):
    features = torch.tensor(node_features(data, "auto"), dtype=torch.float32)
    classes = len(np.unique(data.graph_labels))
    outputs = 1 if classes == 2 else classes
    network = Network(model, features.size(1), options.take("dim", 10), outputs)
    targets = targets_of(data.graph_labels, outputs, "cpu")
    edges = torch.tensor(np.stack([data.source, data.target]))
    batch = torch.tensor(data.graph_of)
    return Problem(network, (features, edges, batch, data.graphs), targets,
                   GraphBatches(data, features, edges, targets))


class GraphBatches:
    """Mini-batches by PyTorch Geometric's own loader."""

    def __init__(self, data, features, edges, targets):
        from torch_geometric.data import Data
        first = np.searchsorted(data.graph_of, np.arange(data.graphs + 1))
        order = np.argsort(data.graph_of[data.source], kind="stable")
        ends = np.searchsorted(data.graph_of[data.source][order], np.arange(data.graphs + 1))
        self.graphs = [
            Data(x=features[first[g]:first[g + 1]], y=targets[g:g + 1],
                 edge_index=edges[:, order[ends[g]:ends[g + 1]]] - int(first[g]))
            for g in range(data.graphs)]

    def __call__(self, size, shuffle):
        from torch_geometric.loader import DataLoader
        for batch in DataLoader(self.graphs, batch_size=size, shuffle=shuffle):
            yield (batch.x, batch.edge_index, batch.batch, batch.num_graphs), batch.y


def relational_problem(data, model, options, fast):
    source, relation, target, names = data.messages(options.on("inverse", True))
    convolution = FastRGCNConv if fast else RGCNConv
    network = RelationalNetwork(data.nodes, len(names), dimensions(data, options), convolution)
    arguments = (torch.tensor(np.stack([source, target])), torch.tensor(relation))
    return Problem(network, arguments, torch.zeros(data.nodes, network.layers[-1].out_channels))
