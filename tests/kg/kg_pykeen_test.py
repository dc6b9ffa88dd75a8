"""kg_pykeen_test.py VECC_KG: ranks of `vecc-kg evaluate`, raw and filtered, are those of PyKEEN's
RankBasedEvaluator on the same embeddings, ties included."""

import unittest

import kg_numpy_test as plain
import numpy as np
import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.models import RESCAL, ComplEx, DistMult, TransE
from pykeen.triples import CoreTriplesFactory

METRICS = {"mrr": "inverse_harmonic_mean_rank", "mean_rank": "arithmetic_mean_rank",
           "hits@1": "hits_at_1", "hits@3": "hits_at_3", "hits@10": "hits_at_10"}
MODELS = {"transe": (TransE, {"scoring_fct_norm": 1}), "distmult": (DistMult, {}),
          "complex": (ComplEx, {}), "rescal": (RESCAL, {})}


def table_of(weights, prefix):
    """[rows, numbers], as PyKEEN keeps it: complex numbers as pairs."""
    if prefix + "_re" in weights:
        parts = (weights[prefix + "_re"], weights[prefix + "_im"])
        return np.stack(parts, axis=-1).reshape(len(parts[0]), -1)
    table = weights[prefix if prefix in weights else "M"]
    return table.reshape(len(table), -1)


def put(representation, table):
    weight = next(representation.parameters()).data
    weight.copy_(torch.from_numpy(table).reshape(weight.shape))


class PykeenTest(unittest.TestCase):
    setUp, run_kg, kg_json = plain.KgTest.setUp, plain.KgTest.run_kg, plain.KgTest.kg_json

    def model(self, name, weights):
        made, options = MODELS[name]
        triples = torch.tensor(self.triples)
        factory = CoreTriplesFactory.create(triples, num_entities=plain.N, num_relations=plain.R)
        model = made(triples_factory=factory, embedding_dim=plain.DIM, random_seed=1, **options)
        put(model.entity_representations[0], table_of(weights, "e"))
        put(model.relation_representations[0], table_of(weights, "r"))
        return model.eval()

    def embeddings(self, name):
        """(What vecc-kg says of them, PyKEEN's model): whole numbers, many ties."""
        weights = plain.make_weights(self.random, name)
        np.savez(self.folder / "w.npz", **{k: w.astype(np.float32) for k, w in weights.items()})
        found = self.kg_json("evaluate", name, f"--triples={self.folder}")["metrics"]
        return found, self.model(name, weights)

    def evaluate(self, model, triples, known):
        evaluator = RankBasedEvaluator(filtered=True)
        return evaluator.evaluate(model, torch.tensor(triples), use_tqdm=False, batch_size=16,
                                  additional_filter_triples=torch.tensor(known))

    def raw_ranks(self, model):
        """(head's, tail's) of each test triple, which alone is known. PyKEEN 1.11 cannot evaluate
        with filtered=False."""
        alone = [self.evaluate(model, [triple], [triple]) for triple in self.test]
        return np.array([[result.get_metric(f"{side}.realistic.arithmetic_mean_rank")
                          for side in ("head", "tail")] for result in alone])

    def test_filtered_ranks(self):
        for name in MODELS:
            found, model = self.embeddings(name)
            theirs = self.evaluate(model, self.test, self.triples)
            for side in ("both", "head", "tail"):
                for ours, metric in METRICS.items():
                    with self.subTest(model=name, side=side, metric=ours):
                        np.testing.assert_allclose(
                            found["filtered"]["all"][side][ours],
                            theirs.get_metric(f"{side}.realistic.{metric}"), rtol=1e-6)

    def test_raw_ranks(self):
        for name in MODELS:
            found, model = self.embeddings(name)
            ranks = self.raw_ranks(model)
            self.assertTrue((ranks % 1 > 0).any(), "no tie")
            for side, of in (("both", ranks), ("head", ranks[:, 0]), ("tail", ranks[:, 1])):
                with self.subTest(model=name, side=side):
                    metrics = found["raw"]["all"][side]
                    np.testing.assert_allclose(metrics["mrr"], (1 / of).mean(), rtol=1e-6)
                    np.testing.assert_allclose(metrics["mean_rank"], of.mean(), rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
