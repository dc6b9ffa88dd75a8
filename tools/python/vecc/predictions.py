"""vecc.Predictions: what samples are predicted as."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Union

import numpy as np

Outputs = Union[np.ndarray, List[np.ndarray]]


@dataclass(repr=False)
class Predictions:
    """What samples are predicted as."""

    sample_ids: List[str]
    #: Names of the classes by their numbers; None: outputs are numbers.
    classes: Optional[List[str]]
    #: Of each sample the number of its most probable class, -1 where an output is NaN; where samples
    #: have several labels (vecc.nn) which of them are above 0.5, [samples, labels]; None without
    #: classes.
    predicted: Optional[np.ndarray]
    #: Probabilities [samples, classes]; without classes the outputs: [samples] of scalars,
    #: [samples, n] of others.
    values: Outputs

    def __repr__(self) -> str:
        """How many of what: arrays and names of samples are as long as the data."""
        shape = (f"{len(self.values)} arrays" if isinstance(self.values, list) else
                 list(self.values.shape))
        of = "numbers" if self.classes is None else f"{len(self.classes)} classes"
        return f"<vecc.Predictions: {len(self.sample_ids)} samples, {of}, values {shape}>"

    @property
    def names(self) -> List[Optional[str]]:
        """Of each sample the name of its class."""
        if self.classes is None or self.predicted is None:
            raise ValueError("the outputs are numbers, not classes; loss= says what they are")
        if self.predicted.ndim > 1:
            raise ValueError("samples have several labels: predicted says which, by classes")
        return [None if number < 0 else self.classes[number] for number in self.predicted]


def with_labels(found: Predictions) -> Predictions:
    """The same of outputs that are each a label's own probability."""
    return replace(found, predicted=np.asarray(found.values) > 0.5)


def predictions_of(found: Dict[str, Any]) -> Predictions:
    """What the extension module returns of them."""
    classes = found["classes"] or None
    return Predictions(found["sample_ids"], classes, found["predicted"] if classes else None,
                       found["values"])
