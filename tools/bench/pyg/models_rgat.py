"""RGATConv, and what it has no option for: attention vectors of each relation, in plain torch."""

import torch
import torch.nn.functional as F
from torch_geometric.nn import RGATConv

from weights import call

# RGATConv copies its weight matrix for every edge; more than this is done in several passes.
MOST_BYTES = 1 << 30


def rgat(graph, w, layer, x, bias):
    return (shared if graph.shared else by_relation)(graph, w, layer, x, bias)


def shared(graph, w, layer, x, bias):
    weight = w[layer + "W"]
    conv = RGATConv(x.size(1), weight.size(1) // graph.heads, len(graph.names), heads=graph.heads,
                    negative_slope=graph.slope, bias=bias)
    parameters = {"weight": weight.transpose(1, 2), "q": w[layer + "a_target"][:, 0, :].T,
                  "k": w[layer + "a_source"][:, 0, :].T}
    if bias:
        parameters["bias"] = w.column(layer + "b")
    edges, relation = graph.edges(w)
    edge_bytes = x.size(1) * weight.size(1) * x.element_size()
    parts = []
    for begin, end in target_ranges(edges[1], graph.nodes, max(1, MOST_BYTES // edge_bytes)):
        here = (edges[1] >= begin) & (edges[1] < end)
        parts.append(call(conv, parameters, x, edges[:, here], relation[here])[begin:end])
    return torch.cat(parts)


def target_ranges(target, nodes, most):
    """Ranges of nodes with at most `most` in-edges (or one node): the softmax of a node needs all
    of its own and no others, so that a layer over ranges is the layer over all."""
    ends = torch.bincount(target, minlength=nodes).cumsum(0).tolist()
    begin, before, ranges = 0, 0, []
    for node in range(nodes):
        if ends[node] - before > most and node > begin:
            ranges.append((begin, node))
            begin, before = node, ends[node - 1]
    return ranges + [(begin, nodes)]


def by_relation(graph, w, layer, x, bias):
    weight = w[layer + "W"]
    (source, target), relation = graph.edges(w)
    order = torch.argsort(relation, stable=True)
    source, target, relation = source[order], target[order], relation[order]
    z, scores = [], []
    counts = torch.bincount(relation, minlength=len(graph.names)).tolist()
    a_target = w[layer + "a_target"].view(len(graph.names), graph.heads, -1)
    a_source = w[layer + "a_source"].view(len(graph.names), graph.heads, -1)
    at = 0
    for r, count in enumerate(counts):
        y_i = x[target[at:at + count]] @ weight[r].T
        z_j = x[source[at:at + count]] @ weight[r].T
        z.append(z_j)
        scores.append(F.leaky_relu(y_i @ a_target[r].T + z_j @ a_source[r].T, graph.slope))
        at += count
    alpha = segment_softmax(torch.cat(scores), target, graph.nodes)
    z = torch.cat(z)
    message = alpha[:, :, None] * z.view(len(z), graph.heads, -1)
    out = x.new_zeros(graph.nodes, z.size(1)).index_add(0, target, message.view(len(z), -1))
    return out + w.column(layer + "b") if bias else out


def segment_softmax(values, segment, segments):
    """Softmax of each column over the rows of a segment."""
    index = segment[:, None].expand_as(values)
    most = values.new_full((segments, values.size(1)), -torch.inf)
    most = most.scatter_reduce(0, index, values.detach(), "amax")
    exps = torch.exp(values - most[segment])
    return exps / exps.new_zeros(most.shape).index_add(0, segment, exps)[segment]
