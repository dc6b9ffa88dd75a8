"""A step of PyKEEN's own training loop (sLCWA). Each triple has negatives of its own there: they are
not shared by chunks."""

import logging

import torch
from pykeen.losses import BCEWithLogitsLoss
from pykeen.models import model_resolver
from pykeen.training import SLCWATrainingLoop
from pykeen.triples import CoreTriplesFactory

MODELS = {"transe": ("TransE", {"scoring_fct_norm": 1}), "transh": ("TransH", {}),
          "transr": ("TransR", {}), "transf": ("TransF", {}), "rescal": ("RESCAL", {}),
          "distmult": ("DistMult", {}), "complex": ("ComplEx", {}), "rotate": ("RotatE", {}),
          "tucker": ("TuckER", {})}


def prepare(o):
    """(a function that runs so many steps, how). Error: KeyError, a model that is not here."""
    logging.disable(logging.WARNING)
    name, options = MODELS[o.model]
    if o.model in ("transr", "tucker"):
        options = {**options, "relation_dim": o.relation_dim or o.dim}
    count = o.batch_size * o.steps
    triples = torch.stack([torch.randint(0, n, (count,))
                           for n in (o.entities, o.relations, o.entities)], 1)
    factory = CoreTriplesFactory.create(triples, num_entities=o.entities, num_relations=o.relations)
    model = model_resolver.make(name, triples_factory=factory, embedding_dim=o.dim,
                                loss=BCEWithLogitsLoss(), random_seed=1, **options).to(o.device)
    loop = SLCWATrainingLoop(
        model=model, triples_factory=factory,
        optimizer=torch.optim.Adagrad(model.get_grad_params(), lr=0.01),
        negative_sampler="basic", negative_sampler_kwargs={"num_negs_per_pos": o.negatives})

    def run(steps):
        assert steps == o.steps
        loop.train(triples_factory=factory, num_epochs=1, batch_size=o.batch_size, use_tqdm=False,
                   use_tqdm_batch=False, clear_optimizer=False)
    return run, "its own negatives for each triple"
