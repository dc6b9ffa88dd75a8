"""Predicates out of NeuraLogic's neuron names.

Rule and aggregation neurons carry the rule's text, atoms the ground literal, facts the literal with
its value before it: `{3,3} h(X) :- {3,3} a(X).`, `h(x)`, `[0.1, 0.2] a(x)`, `<0.4>s(x)`, `{3}f(x)`.
"""

_CLOSING = {"{": "}", "[": "]", "<": ">"}


def strip_value(text: str) -> str:
    """The literal without the weight or value before it."""
    text = text.strip()
    while text and text[0] in _CLOSING:
        depth, opening = 0, text[0]
        for position, character in enumerate(text):
            depth += (character == opening) - (character == _CLOSING[opening])
            if depth == 0:
                text = text[position + 1:].strip()
                break
        else:
            return text  # unbalanced: part of the name
    head, _, rest = text.partition(" ")
    try:
        float(head)
    except ValueError:
        return text
    return rest.strip() or text


def count_arguments(literal: str) -> int:
    """Arguments of `h(x, f(y, z))`: 2."""
    begin = literal.find("(")
    if begin < 0:
        return 0
    depth, commas = 0, 0
    for character in literal[begin:]:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            break
        commas += character == "," and depth == 1
    return commas + 1


def predicate_of(literal: str) -> str:
    """`h/1` of `h(x)`; the arity keeps predicates of one name apart."""
    literal = strip_value(literal).lstrip("*")
    return f"{literal.partition('(')[0].strip()}/{count_arguments(literal)}" if literal else ""


def literal_of_neuron(neuron_class: str, name: str) -> str:
    """What a neuron computes: the rule's head, or the ground literal without its value."""
    if neuron_class in ("Rule", "WeightedRule", "Aggregation", "SplittableAggregation"):
        return strip_value(name.partition(":-")[0])
    if neuron_class == "Negation" and name.startswith("neg_"):
        return strip_value(name[len("neg_"):])
    return strip_value(name)
