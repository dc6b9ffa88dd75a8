"""Scores of triples in plain torch: transe transh transr transf rescal distmult complex.

A score takes the embeddings of heads, relations and tails, row by row."""

import torch

from score_samples import check_samples, positives
from twin import Twin
from weights import TableSpec

# rescal and transr copy a matrix for each triple; more than this is done in several passes.
MOST_BYTES = 1 << 28


def transe(w, h, r, t, p):
    return -torch.linalg.vector_norm(w.rows("e")[h] + w.rows("r")[r] - w.rows("e")[t], p, dim=1)


def transh(w, h, r, t, _):
    normal = w.rows("w")[r]

    def project(x):
        return x - dot(normal, x)[:, None] / dot(normal, normal)[:, None] * normal
    e = w.rows("e")
    return -(project(e[h]) + w.rows("r")[r] - project(e[t])).square().sum(1)


def transr(w, h, r, t, _):
    e, m = w.rows("e"), w["M"][r]
    return -(times(m, e[h]) + w.rows("r")[r] - times(m, e[t])).square().sum(1)


def transf(w, h, r, t, _):
    head, relation, tail = w.rows("e")[h], w.rows("r")[r], w.rows("e")[t]
    return dot(head + relation, tail) + dot(head, tail - relation)


def rescal(w, h, r, t, _):
    return dot(w.rows("e")[h], times(w["M"][r], w.rows("e")[t]))


def distmult(w, h, r, t, _):
    return (w.rows("e")[h] * w.rows("r")[r] * w.rows("e")[t]).sum(1)


def complex_(w, h, r, t, _):
    entity = torch.complex(w.rows("e_re"), w.rows("e_im"))
    relation = torch.complex(w.rows("r_re"), w.rows("r_im"))
    return (entity[h] * relation[r] * entity[t].conj()).sum(1).real


def dot(a, b):
    return (a * b).sum(1)


def times(matrices, columns):
    return torch.bmm(matrices, columns[:, :, None])[:, :, 0]


SCORES = {"transe": transe, "transh": transh, "transr": transr, "transf": transf,
          "rescal": rescal, "distmult": distmult, "complex": complex_}


def tables(data, model, dim, relation_dim):
    entities, relations = (data.nodes, data.node_names), (len(data.relation_names),
                                                          data.relation_names)
    entity, relation = ((dim, 1), *entities), ((dim, 1), *relations)
    specs = {
        "transh": {"e": entity, "r": relation, "w": relation},
        "transr": {"e": entity, "r": ((relation_dim, 1), *relations),
                   "M": ((relation_dim, dim), *relations)},
        "rescal": {"e": entity, "M": ((dim, dim), *relations)},
        "complex": {"e_re": entity, "e_im": entity, "r_re": relation, "r_im": relation},
    }.get(model, {"e": entity, "r": relation})
    return [TableSpec(name, *spec) for name, spec in specs.items()]


def score(w, model, h, r, t, p, whole=False):
    """A column of scores; `whole`: in one pass, whatever memory that takes."""
    step = len(h)
    if model in ("transr", "rescal") and not whole:
        step = max(1, MOST_BYTES // (8 * w["M"][0].numel()))
    return torch.cat([SCORES[model](w, h[i:i + step], r[i:i + step], t[i:i + step], p)
                      for i in range(0, len(h), step)])[:, None]


def build(data, model, options):
    dim = options.take("dim", 64)
    relation_dim = options.take("relation-dim", 0) or dim
    p = options.take("p", 1)
    negatives, which = options.take("negatives", 1), options.take("triples", "train")
    logistic = options.take("loss", "margin") == "logistic"
    rows = positives(data, which, options.take("first", 0))
    triples = []  # filled by `check`: a seed decides on the corrupted ones

    def check(samples):
        return check_samples(data, samples, rows, negatives, logistic, triples)

    def forward(w):
        return score(w, model, *w.index(triples).T, p)

    return Twin(nodes=data.nodes, edges=len(rows) * (1 + negatives), forward=forward,
                tables=tables(data, model, dim, relation_dim), output_shape=(), ids=[],
                check_samples=check, triples=triples)
