"""A step as an expert writes it in torch, after DGL-KE: negatives are shared by chunks, products with
them are bmm and distances cdist, gradients are of the rows that the step has gathered, and Adagrad
has one state a row, to which the rows that repeat are added. Recorded as a CUDA graph on a GPU.
"""

import torch
import torch.nn.functional as F


def chunks(x, n):
    return x.view(-1, n, x.shape[-1])


def dot(q, e):
    """[B] of two [B, d]; [C, n, k] of [C, n, d] and [C, k, d]."""
    return (q * e).sum(-1) if q.dim() == 2 else torch.bmm(q, e.transpose(1, 2))


def square(q, e):
    """-|q - e|^2, likewise."""
    if q.dim() == 2:
        return -(q - e).square().sum(-1)
    return 2 * dot(q, e) - q.square().sum(-1, keepdim=True) - e.square().sum(-1).unsqueeze(1)


def manhattan(q, e):
    return -(q - e).abs().sum(-1) if q.dim() == 2 else -torch.cdist(q, e, p=1)


def by_matrix(x, m):
    return torch.bmm(m, x.unsqueeze(2)).squeeze(2)


def complex_query(r, t):
    """Re(h r conj(t)) as a product with h."""
    (a, b), (c, d) = r.chunk(2, -1), t.chunk(2, -1)
    return torch.cat([a * c + b * d, a * d - b * c], -1)


def rotate_query(r, t):
    """t turned back: |h r - t| = |h - t conj(r)| where |r| = 1."""
    angle, (c, d) = r, t.chunk(2, -1)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([c * cos + d * sin, d * cos - c * sin], -1)


def moduli(q, e):
    if q.dim() > 2:
        q, e = q.unsqueeze(2), e.unsqueeze(1)
    (a, b), (c, d) = q.chunk(2, -1), e.chunk(2, -1)
    return -((a - c).square() + (b - d).square()).clamp_min(1e-20).sqrt().sum(-1)


# Model: (what the head is compared with, of r, t and the matrix m; how). The head is replaced.
QUERIES = {
    "transe": (lambda r, t, m: t - r, manhattan),
    "distmult": (lambda r, t, m: r * t, dot),
    "complex": (lambda r, t, m: complex_query(r, t), dot),
    "rescal": (lambda r, t, m: by_matrix(t, m), dot),
    "rotate": (lambda r, t, m: rotate_query(r, t), moduli),
    "transf": (lambda r, t, m: 2 * t - r, dot),  # and r.t, which no head changes
}


def projected(h, w):
    return h - (h * w).sum(-1, keepdim=True) * w


def transh(h, r, t, w, e, n):
    w = F.normalize(w, dim=-1)
    q = projected(t, w) - r
    positive = -(projected(h, w) - q).square().sum(-1)
    q, w = chunks(q, n), chunks(w, n)
    along = dot(w, e)  # of |q - e + (w.e) w|^2 no projected negative is stored
    return positive, square(q, e) + along * (along - 2 * (w * q).sum(-1, keepdim=True))


def transr(h, r, t, m, e, n):
    q = by_matrix(t, m) - r
    positive = -(by_matrix(h, m) - q).square().sum(-1)
    d = m.shape[-1]
    images = torch.einsum("ckd,cned->cnke", e, m.view(-1, n, d, d))
    return positive, -(images - chunks(q, n).unsqueeze(2)).square().sum(-1)


def scores(model, rows, n):
    h, r, t, w, m, e = rows
    if model == "transh":
        return transh(h, r, t, w, e, n)
    if model == "transr":
        return transr(h, r, t, m, e, n)
    query, compare = QUERIES[model]
    q = query(r, t, m)
    positive, negative = compare(h, q), compare(chunks(q, n), e)
    if model == "transf":
        constant = (r * t).sum(-1)
        positive, negative = positive + constant, negative + chunks(constant.unsqueeze(1), n)
    return positive, negative


class Tables:
    """Weights and Adagrad's states, one a row."""

    def __init__(self, o):
        def table(rows, *shape):
            values = torch.randn(rows, *shape, device=o.device) * 0.1
            return values, torch.zeros(rows, *[1] * len(shape), device=o.device)
        d = o.dim  # of complex numbers, where the score has them; rotate's relations are angles
        numbers = 2 * d if o.model in ("complex", "rotate") else d
        self.entities = table(o.entities, numbers)
        self.relations = table(o.relations, d if o.model == "rotate" else numbers)
        self.normals = table(o.relations, d) if o.model == "transh" else None
        self.matrices = table(o.relations, d, d) if o.model in ("rescal", "transr") else None

    @staticmethod
    def move(table, rows, gradient, rate=0.01):
        if gradient is None:
            return
        values, state = table
        axes = tuple(range(1, gradient.dim()))
        state.index_add_(0, rows, gradient.square().mean(axes, keepdim=True))
        values.index_add_(0, rows, -rate * gradient / (state[rows].sqrt() + 1e-10))


def step(o, tables, triples):
    h, r, t = triples[torch.randint(0, len(triples), (o.batch_size,), device=o.device)].unbind(1)
    drawn = torch.randint(0, o.entities, (o.batch_size // o.chunk, o.negatives), device=o.device)

    def read(table, rows):
        return None if table is None else table[0][rows].requires_grad_()
    rows = [read(tables.entities, h), read(tables.relations, r), read(tables.entities, t),
            read(tables.normals, r), read(tables.matrices, r), read(tables.entities, drawn)]
    positive, negative = scores(o.model, rows, o.chunk)
    loss = F.softplus(-positive).mean() + F.softplus(negative).mean()
    loss.backward()
    places = [(tables.entities, h), (tables.relations, r), (tables.entities, t), (tables.normals, r),
              (tables.matrices, r), (tables.entities, drawn.view(-1))]
    for row, (table, ids) in zip(rows, places):
        if row is not None and row.grad is not None:
            tables.move(table, ids, row.grad.reshape(len(ids), *row.shape[-table[0].dim() + 1:]))


def recorded(run):
    """As a CUDA graph, or as it is where torch cannot."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def prepare(o):
    """(a function that runs so many steps, how). Errors: KeyError, a model that is not here; ValueError,
    a batch that is no whole number of chunks."""
    if o.model not in QUERIES and o.model not in ("transh", "transr"):
        raise KeyError(f"{o.model} is not written in torch here")
    chunk = o.chunk = min(o.chunk, o.batch_size)
    if o.batch_size % chunk:
        raise ValueError(f"--batch-size {o.batch_size} is no multiple of --chunk {chunk}")
    tables = Tables(o)
    triples = torch.stack([torch.randint(0, n, (o.triples,), device=o.device)
                           for n in (o.entities, o.relations, o.entities)], 1)

    def once():
        step(o, tables, triples)
    how = "eager"
    if o.device == "cuda":
        once, how = recorded(once), "recorded"

    def run(steps):
        for _ in range(steps):
            once()
    return run, how
