"""NeuraLogic's functions in vecc's text names (include/vecc/functions.def)."""

from dataclasses import replace
from typing import Dict, List, Optional

from graph_writer import NONE, Function

TRANSFORMATIONS = {
    "Identity": "identity",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "Signum": "signum",
    "ReLu": "relu",
    "LeakyReLu": "leakyrelu",
    "LukasiewiczSigmoid": "lukasiewicz",
    "Exponentiation": "exp",
    "Logarithm": "log",
    "SquareRoot": "sqrt",
    "Inverse": "inverse",
    "Reverse": "reverse",
    "Transposition": "transp",
    "Normalization": "norm",
    "Softmax": "softmax",
    "Sparsemax": "sparsemax",
    "Slice": "slice",
    "Reshape": "reshape",
    "AtIndex": "atindex",
}

COMBINATIONS = {
    "Sum": "sum",
    "Average": "avg",
    "Maximum": "max",
    "Minimum": "min",
    "Count": "count",
    "Concatenation": "concat",
    "Softmax": "softmax",
    "Sparsemax": "sparsemax",
    "Product": "product",
    "ElementProduct": "elproduct",
    "CrossSum": "crosssum",
    "CosineSim": "cossim",
}

# A dump names only the functions of a FunctionGraph, not which input goes where.
# (A function of one literal is a neuron of its own there.)
FUNCTION_GRAPHS = {
    "micro-py_functiongraph": "elproduct(sum($0, $1), $2)",
    "micro-py_functiongraph_relu": "elproduct(sum($0, $1), $2)",
    "micro-py_functiongraph_max_unweighted": "elproduct(max($0, $1), $2)",
    "micro-py_functiongraph_concat": "concat(sum($0, $1), elproduct($2, $3))",
    "micro-py_functiongraph_product": "sum(product($0, $1), $2)",
}

# Combinations that leave a single element as it is, so that a neuron with one input can be given
# its group's combination.
_SKIPPED_ON_ONE = {"sum", "avg", "max", "min", "concat", "product", "elproduct", "crosssum", "cossim"}


def read_function(neuron: dict, dump_name: str) -> Optional[Function]:
    """The function of a dumped neuron; combination "" where the dump shows none (one element)."""
    if neuron["class"] == "FactNeuron":
        return None
    parameters = neuron.get("params", {})
    transformation = TRANSFORMATIONS[neuron["transformation"] or "Identity"]
    name, expression, axis = neuron["combination"], "", None
    if name is None:
        # A one-input COUNT has neither combination nor transformation, only this state.
        combination = "count" if neuron["fcnState"].startswith("ConstantOne") else ""
    elif "(" in name:
        combination, expression = "functiongraph", FUNCTION_GRAPHS[dump_name]
    else:
        combination = COMBINATIONS[name]
    if combination == "concat":
        axis = parameters.get("axis", -1)
    return Function(
        combination=combination,
        transformation=transformation,
        slope=parameters.get("explicitSlope", 0.01) if transformation == "leakyrelu" else None,
        axis=axis,
        target=_read_target(parameters["shape"]) if transformation == "reshape" else None,
        expression=expression,
    )


def _read_target(sides: List[int]):
    return (sides[0], 1) if len(sides) == 1 else tuple(sides)


def read_words(neuron: dict) -> List[int]:
    """Parameters that differ by neuron: AtIndex's index, Slice's bounds."""
    parameters = neuron.get("params", {})
    if neuron["transformation"] == "AtIndex":
        return [parameters["index"]]
    if neuron["transformation"] == "Slice":
        return list(parameters.get("rows", (0, NONE))) + list(parameters.get("cols", (0, NONE)))
    return []


def complete_functions(functions: List[Function], rules: List[str]) -> List[Function]:
    """The functions of one group, by neuron, with every combination named.

    A neuron with one element shows no combination, for it is skipped. Give it the combination of
    the other neurons of its rule (else, where shapes do not matter, of its group) if it has the
    same value there, so that the group stays one layer; else SUM.
    """
    by_rule: Dict[str, Function] = {}
    in_group: Optional[Function] = None
    for function, rule in zip(functions, rules):
        if function.combination in _SKIPPED_ON_ONE:
            by_rule.setdefault(rule, function)
            if function.combination in ("sum", "avg", "max", "min"):
                in_group = in_group or function

    def complete(function: Function, rule: str) -> Function:
        if function.combination:
            return function
        model = by_rule.get(rule) or in_group or Function()
        return replace(function, combination=model.combination, axis=model.axis)

    return [complete(f, r) for f, r in zip(functions, rules)]
