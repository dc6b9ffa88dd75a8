"""The samples of a triple score: which positives, and whether the corrupted ones are what they
should be. Those are drawn by a seed, so they are checked, not made again."""

from collections import Counter

import numpy as np


def positives(data, which, first):
    """Rows of the edges whose split --triples names, `first` of them; 0: all."""
    wanted = {"all": None, "valid": "validation"}.get(which, which)
    rows = [row for row, split in enumerate(data.edge_split) if wanted in (None, split)]
    return rows[:first] if first else rows


def check_samples(data, samples, rows, negatives, logistic, triples):
    """Fills `triples` with (head, relation, tail) of every sample; problems in words. `rows` are
    those of the positives."""
    if len(samples.ids) != len(rows) * (1 + negatives):
        return [f"{len(samples.ids)} samples, expected {len(rows)} positives with {negatives} "
                "negatives each"]
    ids, problems = Ids(data), []
    edges = np.stack([data.source, data.relation, data.target], axis=1)
    known, seen, other_heads = set(map(tuple, edges.tolist())), Counter(), 0
    for at, text in enumerate(samples.ids):
        number, k = divmod(at, 1 + negatives)
        positive = tuple(edges[rows[number]].tolist())
        triple = ids.triple_of(text)
        seen[triple] += 1
        problem = "names no triple" if triple is None else ""
        if triple and text != ids.id_of(triple, seen[triple]):
            problem = f"expected {ids.id_of(triple, seen[triple])!r}"
        elif triple and k == 0 and triple != positive:
            problem = f"expected the positive {ids.id_of(positive)!r}"
        elif triple and k and (triple in known or not is_corrupted(triple, positive)):
            problem = "is not its positive with one end replaced, or is in the data"
        expected = ("negative" if k else "positive", data.edge_split[rows[number]], number,
                    (0.0 if k else 1.0) if logistic else None)
        found = (samples.roles[at], samples.splits[at], samples.groups[at],
                 None if samples.targets[at] is None else float(samples.targets[at]))
        if found != expected:
            problem = problem or f"(role, split, group, target) {found}, expected {expected}"
        if problem and len(problems) < 5:
            problems.append(f"sample {at} {text!r}: {problem}")
        triples.append(triple or positive)
        other_heads += bool(k and triple and triple[0] != positive[0])
    return problems + unlikely_share(other_heads, len(rows) * negatives)


def is_corrupted(triple, positive):
    (h, r, t), (h0, r0, t0) = triple, positive
    return r == r0 and (h != h0) != (t != t0)


def unlikely_share(other_heads, count):
    """Head or tail has probability 1/2 each; five standard deviations are allowed. (Where few
    triples are not in the data the draw is not even, so nothing is said below a hundred.)"""
    if count < 100 or abs(other_heads - count / 2) <= 2.5 * count**0.5:
        return []
    return [f"{other_heads} of {count} corrupted triples have another head, expected about half"]


class Ids:
    """score(head,relation,tail), names in quotes where a reader could not tell their end; the
    second query of a triple has ~2 behind it."""

    def __init__(self, data):
        self.entities, self.relations = data.node_names, data.relation_names
        self.entity = {name: i for i, name in enumerate(data.node_names)}
        self.relation = {name: i for i, name in enumerate(data.relation_names)}

    def id_of(self, triple, query=1):
        h, r, t = triple
        names = map(quoted, (self.entities[h], self.relations[r], self.entities[t]))
        return f"score({','.join(names)})" + (f"~{query}" if query > 1 else "")

    def triple_of(self, text):
        """None if it names none."""
        names, at = [], len("score(")
        for end in ",,)":
            name, at = read_name(text, at, end)
            names.append(name)
        triple = (self.entity.get(names[0]), self.relation.get(names[1]), self.entity.get(names[2]))
        return None if None in triple else triple


def quoted(name):
    if name and not any(c in '(),"\\' for c in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_name(text, at, end):
    """The name that begins at `at` and the place behind the `end` that closes it."""
    name = ""
    if text[at:at + 1] != '"':
        stop = text.find(end, at)
        return (text[at:stop], stop + 1) if stop >= 0 else (None, len(text))
    at += 1
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\"
        name, at = name + text[at:at + 1], at + 1
    return name, at + 2
