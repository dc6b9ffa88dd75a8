"""vecc.kg: trained embeddings of knowledge graphs, as `vecc-kg` has them (docs/knowledge-graphs.md)."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from vecc import _core
from vecc.error import usage_error
from vecc.options import is_whole

Path = Union[str, "os.PathLike[str]"]
#: (head, relation, None) asks for tails, (None, relation, tail) for heads.
Query = Tuple[Optional[str], str, Optional[str]]


class Embeddings:
    """Of a file of weights, safetensors or .npz, of the score `model`: transe (with `p`), transh,
    transr, transf, rescal, distmult, complex, rotate, tucker, or formula, whose text the weights
    have; without, of the score that the weights say, as those of `vecc-kg train` do. `entities` and
    `relations` are files with a name a line, where the weights have none."""

    def __init__(self, weights: Path, model: Optional[str] = None, *, p: Optional[int] = None,
                 entities: Optional[Path] = None, relations: Optional[Path] = None):
        if p is not None and p not in (1, 2):
            raise usage_error("p", f"found {p!r}, expected 1 or 2")
        names = [os.fspath(path) if path is not None else "" for path in (entities, relations)]
        self._core = _core.Embeddings(os.fspath(weights), model or "", p or 0, *names)

    @property
    def entities(self) -> List[str]:
        """Names, in the order of the rows."""
        return self._core.entities()

    @property
    def relations(self) -> List[str]:
        return self._core.relations()

    @property
    def vectors(self) -> np.ndarray:
        """[entities, d], a copy; complex numbers: real parts, then imaginary ones."""
        return self._core.vectors()

    @property
    def relation_tables(self) -> Dict[str, np.ndarray]:
        """What relations have, copies: "vectors" [relations, n] (not rescal), "matrices" [relations,
        rows, d] (transr, rescal), "normals" [relations, d] (transh). Of a formula "vectors" are all
        its parameters of a relation, one after another."""
        return self._core.relation_tables()

    def evaluate(self, triples: Path, *, split: str = "test", inverse: bool = True,
                 threads: int = 0, backend: str = "cpu", device: str = "auto") -> Dict[str, Any]:
        """`["filtered"|"raw"]["all"|"1-1"|"1-N"|"N-1"|"N-N"]["both"|"head"|"tail"]`: ranks, mrr,
        hits@1, hits@3, hits@10, mean_rank of a split's triples among all entities; None where there
        are no ranks. `triples`: a folder with train.txt, valid.txt and test.txt, or a file.
        `backend`: cpu, or cuda, where `device` may name another GPU ("cuda:1")."""
        _check_whole("threads", threads, 0)
        found: Dict[str, Any] = json.loads(self._core.evaluate(os.fspath(triples), split, inverse,
                                                               threads, backend, device))
        return found

    def predict(self, queries: Sequence[Query], *, top: int = 10, triples: Optional[Path] = None,
                known: str = "mark", inverse: bool = True,
                threads: int = 0) -> List[List[Tuple[str, float, bool]]]:
        """The best answers of each query: entity, score, and whether `triples` has it. Known ones
        are marked, or left out by `known="drop"`. `inverse`: heads are asked for by the relation
        NAME^-1, where the weights have it, as evaluate() does."""
        if known not in ("mark", "drop"):
            raise usage_error("known", f"{known!r} is none of mark, drop")
        if known == "drop" and triples is None:
            raise usage_error("known", "'drop' needs triples=")
        _check_whole("top", top, 1)
        _check_whole("threads", threads, 0)
        path = os.fspath(triples) if triples is not None else ""
        asked = list(queries)
        for number, query in enumerate(asked):
            if (not isinstance(query, (tuple, list)) or len(query) != 3
                    or not all(name is None or isinstance(name, str) for name in query)):
                raise usage_error(f"queries[{number}]", f"found {query!r}, expected three names: "
                                  "(head, relation, None) or (None, relation, tail)")
        return self._core.predict([tuple(query) for query in asked], top, path, known == "drop",
                                  inverse, threads)

    def nearest(self, entity: str, *, top: int = 10, by: str = "cosine") -> List[Tuple[str, float]]:
        """The entities with the largest cosine, or the smallest distance (`by="euclidean"`)."""
        _check_whole("top", top, 1)
        return self._core.nearest(entity, top, by)


def _check_whole(name: str, value: int, least: int) -> None:
    if not is_whole(value, least) or value >= 2**32:
        raise usage_error(name, f"found {value!r}, expected a whole number from {least} to "
                          f"{2**32 - 1}")
