"""Filtered and raw ranks of triples among all entities in torch, on tables that vecc-bench kg-ranks
has written: blocks of queries with all entities, what is known overwritten, comparisons summed up.
Prints a JSON object: seconds (the median), prepare_seconds, mrr (filtered, both sides)."""

import argparse
import json
import time

import numpy as np
import torch

BLOCK = 1024  # queries
DISTANCE_BLOCK = 64  # of rotate, whose differences are stored


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--entities", type=int, required=True)
    parser.add_argument("--relations", type=int, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=5)
    return parser.parse_args()


class Scores:
    """Of queries with all entities: rows of `anchors` and `relations`."""

    def __init__(self, options):
        def table(name, *shape):
            values = np.fromfile(f"{options.folder}/{name}", np.float32)
            return torch.from_numpy(values.reshape(*shape)).to(options.device)

        self.model = options.model
        self.e = table("entities", options.entities, -1)
        dim = self.e.shape[1]
        if self.model == "rescal":
            self.m = table("matrices", options.relations, dim, dim)
        else:
            self.r = table("relations", options.relations, -1)
        if self.model == "tucker":
            self.w = table("shared", dim, dim, -1)
        self.block = DISTANCE_BLOCK if self.model == "rotate" else BLOCK

    def of(self, tail, anchors, relations):
        x = self.e[anchors]
        if self.model == "rescal":
            m = self.m[relations]
            q = torch.bmm(x.unsqueeze(1), m if tail else m.transpose(1, 2)).squeeze(1)
            return q @ self.e.T
        r = self.r[relations]
        if self.model == "distmult":
            return (x * r) @ self.e.T
        if self.model == "transe":
            return -torch.cdist(x + r if tail else x - r, self.e, p=1)
        if self.model == "tucker":
            m = torch.einsum("ijk,bk->bij", self.w, r)
            q = torch.bmm(x.unsqueeze(1), m if tail else m.transpose(1, 2)).squeeze(1)
            return q @ self.e.T
        half = x.shape[1] // 2
        x_re, x_im, r_re, r_im = x[:, :half], x[:, half:], r[:, :half], r[:, half:]
        if self.model == "rotate":
            size = torch.sqrt(r_re * r_re + r_im * r_im)
            r_re, r_im = r_re / size, r_im / size
        if not tail:
            r_im = -r_im
        q_re, q_im = x_re * r_re - x_im * r_im, x_re * r_im + x_im * r_re
        if self.model == "complex":
            return torch.cat((q_re, q_im), 1) @ self.e.T
        re = q_re.unsqueeze(1) - self.e[:, :half]
        im = q_im.unsqueeze(1) - self.e[:, half:]
        return -torch.sqrt(re * re + im * im).sum(-1)


def known_places(asked, known, tail, entities, block):
    """Of each block of queries: rows and columns of known answers."""
    anchor, answer = (0, 2) if tail else (2, 0)
    keys = known[:, 1].astype(np.int64) * entities + known[:, anchor]
    order = np.argsort(keys, kind="stable")
    keys, answers = keys[order], known[order, answer]
    wanted = asked[:, 1].astype(np.int64) * entities + asked[:, anchor]
    begin, end = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    places = []
    for first in range(0, len(asked), block):
        b, e = begin[first:first + block], end[first:first + block]
        rows = np.repeat(np.arange(len(b)), e - b)
        columns = answers[np.concatenate([np.arange(*each) for each in zip(b, e)])]
        places.append((rows, columns.astype(np.int64)))
    return places


class Side:
    """What is asked on one side, on the device."""

    def __init__(self, options, asked, known, tail, block):
        def to(values):
            return torch.from_numpy(np.ascontiguousarray(values.astype(np.int64))).to(options.device)

        self.tail = tail
        self.anchors = to(asked[:, 0 if tail else 2])
        self.relations = to(asked[:, 1])
        self.answers = to(asked[:, 2 if tail else 0])
        self.known = [(to(rows), to(columns)) for rows, columns in
                      known_places(asked, known, tail, options.entities, block)]


def rank(scores, side):
    lowest = torch.full((), -float("inf"), device=scores.e.device)
    raw, filtered = [], []
    for number, known in enumerate(side.known):
        at = slice(number * scores.block, (number + 1) * scores.block)
        found = scores.of(side.tail, side.anchors[at], side.relations[at])
        own = found.gather(1, side.answers[at].unsqueeze(1))
        raw.append(1 + (found > own).sum(1) + ((found == own).sum(1) - 1) / 2)
        found.index_put_(known, lowest)
        found.scatter_(1, side.answers[at].unsqueeze(1), own)
        filtered.append(1 + (found > own).sum(1) + ((found == own).sum(1) - 1) / 2)
    return torch.cat(raw), torch.cat(filtered)


def main():
    options = parse()
    if options.threads:
        torch.set_num_threads(options.threads)
    on_gpu = options.device != "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False

    def wait():
        if on_gpu:
            torch.cuda.synchronize()

    began = time.perf_counter()
    scores = Scores(options)
    asked, known = (np.fromfile(f"{options.folder}/{name}", np.uint32).reshape(-1, 3)
                    for name in ("asked", "known"))
    sides = [Side(options, asked, known, tail, scores.block) for tail in (False, True)]
    wait()
    prepared = time.perf_counter() - began
    seconds, ranks = [], []
    for run in range(options.repeat + 1):
        began = time.perf_counter()
        ranks = [rank(scores, side)[1] for side in sides]
        wait()
        if run > 0:
            seconds.append(time.perf_counter() - began)
    mrr = (1 / torch.cat(ranks).double()).mean().item()
    print(json.dumps({"seconds": sorted(seconds)[len(seconds) // 2], "prepare_seconds": prepared,
                      "mrr": mrr, "device": options.device, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
