"""What is computed for a case of vecc-bench peers: a network with its arguments and targets."""

from dataclasses import dataclass

import numpy as np
import torch

from cases import SCORES, SETS
from check_case import LOADERS
from data_tu import node_features
from models_typed import Graph, default_output, dimensions, samples
from outputs import OUTPUTS
from peer_networks import RelationalNetwork, geometric_arguments, geometric_layer
from peer_places import molecule_places
from peer_runs import Absent
from peer_scores import ScoreNetwork, SortedScores
from peer_types import typed_layer
from score_samples import check_samples, positives
from scores import tables
from time_tu import Network, targets_of
from twin import Options


def move(value, device):
    """Tensors, and what holds them, to a device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: move(each, device) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(move(each, device) for each in value)
    return value


@dataclass
class Problem:
    """Arguments of the network, and targets of its outputs' shape."""

    network: torch.nn.Module
    arguments: tuple
    targets: torch.Tensor
    places: list            # Place: where the graph's weights are
    batches: object = None  # (size, shuffle) -> an iterable of (arguments, targets); None: one graph

    def to(self, device):
        self.network.to(device)
        self.arguments, self.targets = move((self.arguments, self.targets), device)


def problem_of(what, directory, layers, graph_file, device=torch.device("cpu")):
    """`layers`: pyg, fast (of a typed graph), types (of a typed graph or a score), torch (scores).
    Everything is on the host still; what `device` has no memory for is refused."""
    data = LOADERS[SETS[what.set][0]](directory)
    options = Options(what.options)
    if what.model in SCORES:
        problem = score_problem(data, what.model, options, layers, graph_file)
    elif what.model in ("rgcn", "rgat", "hgt"):
        problem = relational_problem(data, what.model, options, layers, device)
    elif layers == "pyg":
        problem = molecule_problem(data, what.model, options)
    else:
        raise Absent(f"{what.model} has no types", "")
    options.check()
    return problem


def molecule_problem(data, model, options):
    kind = options.take("features", "auto")
    features = torch.tensor(node_features(data, kind), dtype=torch.float32)
    classes = len(np.unique(data.graph_labels))
    outputs = 1 if classes == 2 else classes
    network = Network(model, features.size(1), options.take("dim", 10), outputs,
                      options.take("layers", 0), options.take("slope", 0.2),
                      options.take("pool", "mean"))
    targets = targets_of(data.graph_labels, outputs, "cpu")
    edges = torch.tensor(np.stack([data.source, data.target]))
    batch = torch.tensor(data.graph_of)
    return Problem(network, (features, edges, batch, data.graphs), targets,
                   molecule_places(model, network), GraphBatches(data, features, edges, targets))


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


def relational_problem(data, model, options, layers, device):
    graph = Graph(data, options)
    if graph.norm or options.take("features", "embedding") != "embedding":
        raise Absent("only embeddings, and layers without norm, are measured", "")
    dims, bias = dimensions(data, options), options.on("bias", model == "hgt")
    if layers == "types":
        layer, arguments = typed_layer(graph, model, bias), ()
    else:
        if layers == "fast":
            check_memory(graph, dims, device)
        layer = geometric_layer(graph, model, bias, layers == "fast")
        arguments = geometric_arguments(graph, model)
    nodes, targets, _ = samples(data)
    finish = OUTPUTS[options.take("output-function", default_output(targets))]
    network = RelationalNetwork(data.nodes, dims, layer, nodes if targets else None, finish)
    wanted = (torch.tensor(np.stack(targets)[:, :, 0], dtype=torch.float32) if targets else
              torch.zeros(data.nodes, dims[-1]))
    return Problem(network, arguments, wanted, network.places())


def free_bytes(device):
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


def check_memory(graph, dims, device):
    """FastRGCNConv copies a matrix for every edge, and its gradient; it counts edges by one-hot
    rows of types."""
    widest = max(before * after for before, after in zip(dims, dims[1:]))
    needed = 4 * len(graph.relation) * (2 * widest + 2 * len(graph.names))
    free = free_bytes(device)
    if needed > 0.9 * free:
        raise Absent(f"FastRGCNConv would hold {needed / 2**30:.1f} GB, a matrix for each edge; "
                     f"{free / 2**30:.1f} GB are free", "run it on a machine with more memory")


def score_problem(data, model, options, layers, graph_file):
    dim = options.take("dim", 64)
    specs = tables(data, model, dim, options.take("relation-dim", 0) or dim)
    negatives, which = options.take("negatives", 1), options.take("triples", "train")
    rows, triples = positives(data, which, options.take("first", 0)), []
    logistic = options.take("loss", "margin") == "logistic"
    wrong = check_samples(data, graph_file.samples, rows, negatives, logistic, triples)
    if wrong:
        raise ValueError(wrong[0])
    columns, p = np.array(triples).T.copy(), options.take("p", 1)
    network = (SortedScores(model, specs, p, columns) if layers == "types" else
               ScoreNetwork(model, specs, p))
    return Problem(network, (torch.tensor(columns),), torch.zeros(len(triples), 1),
                   network.places())
