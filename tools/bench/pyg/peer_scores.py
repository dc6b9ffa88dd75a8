"""Scores of triples in plain torch, as a user writes them (scores.py), or with the triples sorted
by relation and one matrix product for each relation."""

import numpy as np
import torch

import scores
from peer_places import Place
from peer_runs import Absent


class ScoreNetwork(torch.nn.Module):
    """Tables of weights, which scores.py's functions read by name; triples are [3, count]."""

    def __init__(self, model, specs, p):
        super().__init__()
        self.model, self.p = model, p
        self.tables = torch.nn.ParameterDict(
            {spec.name: torch.nn.Parameter(torch.empty(spec.count, *spec.shape)) for spec in specs})

    def __getitem__(self, name):
        return self.tables[name]

    def rows(self, name):
        return self.tables[name][:, :, 0]

    def forward(self, triples):
        h, r, t = triples
        return scores.score(self, self.model, h, r, t, self.p, whole=triples.is_cuda)

    def places(self):
        return [Place(name, table) for name, table in self.tables.items()]


class SortedScores(ScoreNetwork):
    """transr and rescal: products relation by relation."""

    def __init__(self, model, specs, p, triples):
        super().__init__(model, specs, p)
        if model not in ("transr", "rescal"):
            raise Absent(f"{model} has no matrix for each relation", "")
        order = np.argsort(triples[1], kind="stable")
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        self.counts = np.bincount(triples[1], minlength=self.tables["M"].size(0)).tolist()
        self.register_buffer("order", torch.tensor(order))
        self.register_buffer("back", torch.tensor(back))

    def products(self, rows):
        parts = [part @ matrix.T for part, matrix in zip(rows.split(self.counts), self["M"].unbind())]
        return torch.cat(parts)

    def forward(self, triples):
        h, r, t = triples.index_select(1, self.order)
        head, tail = self.rows("e").index_select(0, h), self.rows("e").index_select(0, t)
        if self.model == "rescal":
            score = (head * self.products(tail)).sum(1)
        else:
            relation = self.rows("r").index_select(0, r)
            score = -(self.products(head) + relation - self.products(tail)).square().sum(1)
        return score.index_select(0, self.back)[:, None]
