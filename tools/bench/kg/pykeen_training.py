#!/usr/bin/env python3
"""Trains a score in PyKEEN's own loop for a time, then ranks the test triples with its evaluator.

    pykeen_training.py FB15k-237 --model=distmult --dim=400 --loop=lcwa --n3=0.05 --seconds=60

DIR has train.txt, valid.txt and test.txt: head, relation and tail, tabs between. `lcwa` is PyKEEN's
LCWA (all answers of a query at once, softmax over all entities, relations with inverses), `slcwa`
draws --negatives for each triple, with self-adversarial weights (Sun et al. 2019). Prints one line of
JSON: epochs, seconds of training, of ranking, the filtered MRR and hits@10 of both sides.
"""

import argparse
import json
import logging
import pathlib
import time

import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.losses import CrossEntropyLoss, NSSALoss
from pykeen.models import model_resolver
from pykeen.regularizers import PowerSumRegularizer
from pykeen.training import LCWATrainingLoop, SLCWATrainingLoop, TrainingCallback
from pykeen.triples import TriplesFactory

MODELS = {"transe": ("TransE", {"scoring_fct_norm": 1}), "distmult": ("DistMult", {}),
          "complex": ("ComplEx", {}), "rotate": ("RotatE", {}), "rescal": ("RESCAL", {})}


class Clock(TrainingCallback):
    """Ends the training behind the epoch in which the time is over."""

    def __init__(self, seconds):
        super().__init__()
        self.end = time.monotonic() + seconds
        self.epochs = 0

    def post_epoch(self, epoch, epoch_loss, **kwargs):
        del epoch_loss, kwargs
        self.epochs = epoch
        if time.monotonic() >= self.end:
            self.training_loop._should_stop = True


def read_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--dim", type=int, default=400)
    parser.add_argument("--loop", choices=["lcwa", "slcwa"], default="lcwa")
    parser.add_argument("--optimizer", choices=["Adagrad", "Adam"], default="Adagrad")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--n3", type=float, default=0.0)
    parser.add_argument("--negatives", type=int, default=256)
    parser.add_argument("--margin", type=float, default=9.0)
    parser.add_argument("--epochs", type=int, default=1000, help="at most")
    parser.add_argument("--seconds", type=float, default=60.0, help="of training, at most and an epoch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def read_triples(o):
    """(train, valid, test), which number entities and relations alike."""
    train = TriplesFactory.from_path(o.directory / "train.txt",
                                     create_inverse_triples=o.loop == "lcwa")

    def read(name):
        return TriplesFactory.from_path(o.directory / name, entity_to_id=train.entity_to_id,
                                        relation_to_id=train.relation_to_id)
    return train, read("valid.txt"), read("test.txt")


def make_model(o, train):
    name, options = MODELS[o.model]
    if o.n3 > 0:
        options = {**options, "regularizer": PowerSumRegularizer(weight=o.n3, p=3.0)}
    loss = CrossEntropyLoss()
    if o.loop == "slcwa":
        loss = NSSALoss(margin=o.margin, adversarial_temperature=1.0)
    return model_resolver.make(name, triples_factory=train, embedding_dim=o.dim, loss=loss,
                               random_seed=o.seed, **options).to(o.device)


def main():
    o = read_options()
    logging.disable(logging.WARNING)
    train, valid, test = read_triples(o)
    model = make_model(o, train)
    optimizer = getattr(torch.optim, o.optimizer)(model.get_grad_params(), lr=o.lr)
    options = {"model": model, "triples_factory": train, "optimizer": optimizer}
    if o.loop == "lcwa":
        loop = LCWATrainingLoop(**options)
    else:
        loop = SLCWATrainingLoop(**options, negative_sampler="basic",
                                 negative_sampler_kwargs={"num_negs_per_pos": o.negatives})
    clock = Clock(o.seconds)
    begin = time.monotonic()
    loop.train(triples_factory=train, num_epochs=o.epochs, batch_size=o.batch_size, use_tqdm=False,
               use_tqdm_batch=False, callbacks=clock)
    if o.device == "cuda":
        torch.cuda.synchronize()
    trained = time.monotonic()
    metrics = RankBasedEvaluator(filtered=True).evaluate(
        model, test.mapped_triples, batch_size=256, use_tqdm=False,
        additional_filter_triples=[train.mapped_triples, valid.mapped_triples])
    print(json.dumps({
        "model": o.model, "dim": o.dim, "loop": o.loop, "epochs": clock.epochs,
        "train_seconds": round(trained - begin, 2),
        "rank_seconds": round(time.monotonic() - trained, 2),
        "mrr": round(metrics.get_metric("both.realistic.inverse_harmonic_mean_rank"), 4),
        "hits@10": round(metrics.get_metric("both.realistic.hits_at_10"), 4)}))


if __name__ == "__main__":
    main()
