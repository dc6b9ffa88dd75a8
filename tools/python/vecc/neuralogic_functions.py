"""PyNeuraLogic's functions and metadata as texts of NeuraLogic's language (docs/templates.md)."""

from __future__ import annotations

from typing import Any, Dict

from neuralogic.core.constructs.function.function import CombinationFunction
from neuralogic.core.constructs.function.function_container import FContainer
from neuralogic.core.constructs.function.leaky_relu import LeakyReLuTransformation
from neuralogic.core.constructs.function.reshape import Reshape
from neuralogic.core.constructs.function.slice import Slice
from neuralogic.core.constructs.metadata import Metadata

from vecc.neuralogic_words import VARIABLE, NotNative, match_word, real_text

#: Of groundings, which come in NeuraLogic's order, that of its hash tables.
ORDERED = ("concat", "softmax", "sparsemax")


def function_text(function: Any) -> str:
    """Of a transformation."""
    if isinstance(function, LeakyReLuTransformation) and function.slope is not None:
        return f"leakyrelu({real_text(function.slope)})"
    if isinstance(function, Slice):
        return f"slice({bounds_text(function.rows)}, {bounds_text(function.cols)})"
    if isinstance(function, Reshape):
        return f"reshape({shape_text(function)})"
    if function.is_parametrized():
        raise NotNative(f"the function {function}, which has parameters")
    return str(function).lower()


def bounds_text(bounds: Any) -> str:
    if bounds is Ellipsis or bounds is None:
        return "0:"
    if len(bounds) != 2 or not 0 <= bounds[0] < bounds[1]:
        raise NotNative(f"the bounds {bounds} of a slice")
    return f"{int(bounds[0])}:{int(bounds[1])}"


def shape_text(function: Reshape) -> str:
    """One side is a column, or with 0 a scalar; a side of 0 beside n is a vector of n."""
    sides = list(function.shape or [])
    if sides in ([0], [0, 0]):
        return "1"
    if not 1 <= len(sides) <= 2 or min(sides) < 0:
        raise NotNative(f"the function {function}")
    if len(sides) == 1:
        return f"{sides[0]}x1"
    rows, columns = sides
    return f"{rows}x{columns}" if rows and columns else f"{columns}x1" if columns else f"1x{rows}"


def combination_text(function: Any) -> str:
    if getattr(function, "axis", -1) != -1:
        return f"concat(axis={function.axis})"
    if function.is_parametrized():
        raise NotNative(f"the function {function}, which has parameters")
    return str(function).lower()


def aggregation_text(function: Any, own_order: bool) -> str:
    over = getattr(function, "agg_terms", None)
    if over is None:
        name = combination_text(function)
        if not own_order and name.partition("(")[0] in ORDERED:
            raise NotNative(f"the aggregation {name}, which depends on NeuraLogic's order")
        return name
    if len(set(function.term_indices)) < len(set(over)) or not over:
        raise NotNative(f"the aggregation {function}, whose terms are not all in the head")
    return f"softmax({', '.join(match_word(VARIABLE, term, 'the term') for term in sorted(set(over)))})"


def formula_text(container: FContainer, numbers: Dict[int, int]) -> str:
    """`elproduct(sum($0, $1), $2)`; `numbers`: of the inputs, by id."""
    operands = []
    for node in container.nodes:
        if isinstance(node, FContainer):
            operands.append(formula_text(node, numbers))
        elif id(node) in numbers:
            operands.append(f"${numbers[id(node)]}")
    if not isinstance(container.function, CombinationFunction) or len(operands) < 2:
        raise NotNative(f"{container.function} of a part of a formula")
    name = combination_text(container.function).replace("(", "[").replace(")", "]")
    return f"{name}({', '.join(operands)})"


def metadata_text(metadata: Any, combination: str = "", own_order: bool = True) -> str:
    """"" for none; `combination`: what the body says, instead; `own_order`: TemplateText's."""
    metadata = Metadata() if metadata is None else metadata
    if metadata.learnable is not None:
        raise NotNative(f"the metadata {metadata}")
    words = []
    if metadata.transformation is not None:
        words.append(f"transformation={function_text(metadata.transformation)}")
    if not combination and metadata.combination is not None:
        combination = combination_text(metadata.combination)
    if combination:
        words.append(f"combination={combination}")
    if metadata.aggregation is not None:
        words.append(f"aggregation={aggregation_text(metadata.aggregation, own_order)}")
    if metadata.duplicate_grounding:
        words.append("duplicate_grounding=true")
    return f"[{', '.join(words)}]" if words else ""
