"""Where the weights of a graph.pb stand in a peer's network."""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class Place:
    """Rows of a weight table, and the parameter that holds them."""

    table: str
    parameter: torch.nn.Parameter
    # A view of the parameter, and of its gradient, with the table's axes: [rows, ...].
    view: object = lambda tensor: tensor
    rows: object = ...


def transposed(tensor):
    return tensor.mT


def single(tensor):
    """A table of one."""
    return tensor[None]


def single_transposed(tensor):
    return tensor.mT[None]


def copy_weights(graph_file, places):
    """The weight tables of a graph.pb into the network."""
    for place in places:
        values = graph_file.tables[place.table].values[place.rows]
        with torch.no_grad():
            view = place.view(place.parameter)
            view.copy_(torch.tensor(values.reshape(tuple(view.shape))))


def gradients_of(graph_file, places):
    """By table: [count, elements], as vecc --gradients prints them."""
    result = {}
    for place in places:
        table = graph_file.tables[place.table]
        rows = result.setdefault(place.table, np.zeros((table.count, int(np.prod(table.shape)))))
        if place.parameter.grad is None:
            continue
        found = place.view(place.parameter.grad).cpu().numpy()
        rows[place.rows] = found.reshape(rows[place.rows].shape)
    return result


def molecule_places(model, network):
    """Of time_tu.py's Network."""
    places = []
    for number, layer in enumerate(network.layers, 1):
        name = f"h{number}."
        named = {"gcn": lambda: {"W": layer.lin.weight},
                 "sage": lambda: {"W_neighbours": layer.lin_l.weight, "W_self": layer.lin_r.weight},
                 "gin": lambda: {"W1": layer.nn[0].weight, "W2": layer.nn[2].weight},
                 "gcn-norm": lambda: {"W": layer.lin.weight, "b": layer.bias},
                 "gat": lambda: {"W": layer.lin.weight, "b": layer.bias,
                                 "a_source": layer.att_src, "a_target": layer.att_dst}}[model]()
        places += [Place(name + key, weight, single) for key, weight in named.items()]
    for number, head in enumerate(network.heads, 1):
        places.append(Place(f"predict.W{number if model == 'gin' else ''}", head.weight, single))
    return places
