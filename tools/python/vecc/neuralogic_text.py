"""PyNeuraLogic's rules, relations and samples as texts of NeuraLogic's language (docs/templates.md),
which vecc grounds without a JVM. What these texts cannot say, or what NeuraLogic decides by the order
of its hash tables, raises NotNative: the JVM then grounds it."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

import numpy as np
from neuralogic.core.constructs.function.function import CombinationFunction
from neuralogic.core.constructs.function.function_container import FContainer
from neuralogic.core.constructs.metadata import Metadata
from neuralogic.core.constructs.predicate import Predicate, PredicateMetadata
from neuralogic.core.constructs.relation import BaseRelation, WeightedRelation
from neuralogic.core.constructs.rule import Rule
from neuralogic.core.constructs.term import Constant, Variable
from neuralogic.dataset import Dataset

NAME = re.compile(r"[a-z][A-Za-z0-9_-]*")
VARIABLE = re.compile(r"[A-Z_][A-Za-z0-9_-]*")
CONSTANT = re.compile(NAME.pattern + r"|[+-]?[0-9]+(\.[0-9]+)?")
TYPE = re.compile(r"[A-Za-z0-9_-]+")
#: Of groundings, which come in NeuraLogic's order, that of its hash tables.
ORDERED = ("concat", "softmax", "sparsemax")
SPECIAL = {"alldiff", "in", "eq", "neq", "lt", "leq", "gt", "geq", "next", "add", "sub", "mod",
           "maxcard", "anypred", "true", "false"}
NO_FACT = "vecc-no-fact"  # an example without facts, which the language has not, has this one
DOMAIN = "vecc-domain"  # of all constants of the example and the template


class NotNative(Exception):
    """Why vecc does not ground it."""


class TemplateText:
    """Rules, facts and metadata as the text of a template."""

    def __init__(self, entries: Iterable[Any]):
        self._weights = 0  # so many has NeuraLogic numbered: those without a name are called so
        self._named: Set[str] = set()
        self._unnamed: Set[str] = set()
        #: Of the template, where facts or heads have variables that no literal binds; else None.
        self.domain: Any = None
        entries = list(entries)
        self.lines = [self._line(entry) for entry in entries]
        both = self._named & self._unnamed
        if both:
            raise NotNative(f"a weight is called {min(both)}, as NeuraLogic calls one without a name")

        if self.domain is not None:
            self.domain = constants_of(relation for entry in entries for relation in atoms_of(entry))

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _line(self, entry: Any) -> str:
        if isinstance(entry, PredicateMetadata):
            words = metadata_text(entry.metadata)
            return f"{predicate_text(entry.predicate)}/{entry.predicate.arity} {words or '[]'}"
        if isinstance(entry, Rule):
            return self._rule(entry)
        if isinstance(entry, BaseRelation):
            return f"{self._relation(entry)}{self._tail([], unbound(entry, ()))}."
        raise NotNative(f"a template of {type(entry).__name__}")

    def _rule(self, rule: Rule) -> str:
        head, metadata = self._relation(rule.head), rule.metadata
        literals, combination = body_of(rule)
        if combination is not None:
            metadata = metadata.copy() if metadata is not None else Metadata()
            metadata.combination = combination
        literals = list(with_all_terms(rule, literals))
        tail = self._tail(map(self._relation, literals), unbound(rule.head, literals))
        return f"{head}{tail}. {metadata_text(metadata)}".rstrip()

    def _tail(self, literals: Iterable[str], variables: Iterable[str]) -> str:
        """The body; variables that nothing binds stand for all constants, as in NeuraLogic."""
        body = list(literals)
        for variable in variables:
            self.domain = ()
            body.append(f"*{DOMAIN}({variable})")
        return f" :- {', '.join(body)}" if body else ""

    def _relation(self, relation: BaseRelation) -> str:
        if not isinstance(relation, WeightedRelation):
            return literal_text(relation)
        return f"{self._weight(relation)} {literal_text(relation)}"

    def _weight(self, relation: WeightedRelation) -> str:
        name = relation.weight_name
        if name is None:
            name = f"w{self._weights}"
            self._unnamed.add(name)
            self._weights += 1
        elif name not in self._named:
            _match(NAME, name, "the weight's name")
            self._named.add(name)
            self._weights += 1
        value = value_text(relation.weight)
        return f"${name}=<{value}>" if relation.is_fixed else f"${name}={value}"


def body_of(rule: Rule) -> Tuple[List[Any], Any]:
    """The literals, and the function that combines them where the body says one."""
    body = rule.body
    if not isinstance(body, FContainer):
        if rule._contains_function_container():
            raise NotNative(f"the formula in the body of {rule}")
        return list(body), None
    nodes = list(body.nodes)
    is_flat = isinstance(body.function, CombinationFunction) and not any(
        isinstance(node, FContainer) for node in nodes)
    if not is_flat or len(set(map(id, nodes))) < len(nodes):
        raise NotNative(f"the formula in the body of {rule}")
    return nodes, body.function


def with_all_terms(rule: Rule, literals: Sequence[BaseRelation]) -> Iterator[BaseRelation]:
    """alldiff(...) stands for all variables of the rule."""
    variables = {term for relation in (rule.head, *literals) for term in relation.terms
                 if term is not Ellipsis and str(term)[:1].isupper()}
    for literal in literals:
        if literal.predicate.special and Ellipsis in literal.terms:
            terms = {term for term in literal.terms if term is not Ellipsis} | variables
            predicate = Predicate(literal.predicate.name, len(terms), False, True)
            literal = BaseRelation(predicate, sorted(terms, key=str))
        yield literal


def unbound(head: BaseRelation, literals: Sequence[BaseRelation]) -> List[str]:
    """Variables of the head that no literal binds."""
    bound = {term_text(term) for literal in literals
             if not literal.negated and not literal.predicate.special
             for term in literal.terms if is_variable(term)}
    free = {term_text(term): None for term in head.terms if is_variable(term)}
    names = [name for name in free if name not in bound]
    if any(":" in name for name in names):
        raise NotNative(f"a variable with a type that nothing binds, in {head}")
    return names


def atoms_of(entry: Any) -> List[BaseRelation]:
    if isinstance(entry, Rule):
        body: Any = entry.body  # a list, here: its type says a formula, too
        return [entry.head, *body]
    return [entry] if isinstance(entry, BaseRelation) else []


def constants_of(relations: Iterable[BaseRelation]) -> Dict[str, None]:
    """Their texts, each once, in their order."""
    return {term_text(term): None for relation in relations for term in relation.terms
            if term is not Ellipsis and not is_variable(term)}


def literal_text(relation: BaseRelation) -> str:
    """Without its weight."""
    name, function = relation.predicate, relation.function
    if name.special and name.name not in SPECIAL:
        raise NotNative(f"the special predicate {name.name}")
    marks = "!" if relation.negated else ""
    if function is not None:
        marks = f"^{function_text(function)} "
    terms = ", ".join(map(term_text, relation.terms))
    return marks + predicate_text(name) + (f"({terms})" if terms else "")


def predicate_text(predicate: Predicate) -> str:
    _match(NAME, predicate.name, "the predicate's name")
    return "*" * predicate.hidden + "@" * predicate.special + predicate.name


def term_text(term: Any) -> str:
    if isinstance(term, (Variable, Constant)):
        pattern = VARIABLE if isinstance(term, Variable) else CONSTANT
        text = _match(pattern, term.name, "the term")
        return text if term.type is None else f"{_match(TYPE, term.type, 'the type')}:{text}"
    if isinstance(term, str):
        return _match(VARIABLE if term[:1].isupper() else CONSTANT, term, "the term")
    if isinstance(term, (int, float)):
        return _match(CONSTANT, str(term), "the term")
    raise NotNative(f"a term of {type(term).__name__}")


def is_variable(term: Any) -> bool:
    return isinstance(term, Variable) or isinstance(term, str) and term[:1].isupper()


def function_text(function: Any) -> str:
    if function.is_parametrized():
        raise NotNative(f"the function {function}, which has parameters")
    return str(function).lower()


def metadata_text(metadata: Any) -> str:
    """"" for none."""
    if metadata is None:
        return ""
    if metadata.duplicate_grounding is not None or metadata.learnable is not None:
        raise NotNative(f"the metadata {metadata}")
    words = []
    for key in ("transformation", "combination", "aggregation"):
        function = getattr(metadata, key)
        if function is None:
            continue
        name = function_text(function)
        if key == "aggregation" and name in ORDERED:
            raise NotNative(f"the aggregation {name}, which depends on NeuraLogic's order")
        words.append(f"{key}={name}")
    return f"[{', '.join(words)}]" if words else ""


def value_text(value: Any) -> str:
    """A scalar, a shape (a tuple), a vector or the rows of a matrix."""
    if isinstance(value, tuple):
        if not 1 <= len(value) <= 2:
            raise NotNative(f"the shape {value}")
        return "{" + ", ".join(str(int(side)) for side in value) + "}"
    if type(value) is float and math.isfinite(value):  # most are
        return real_text(value)
    array = np.asarray(value, np.float64)
    if array.ndim > 2 or array.size == 0 or not np.isfinite(array).all():
        raise NotNative(f"the value {value}")
    if array.ndim == 0:
        return real_text(array)
    if array.ndim == 1:
        return "[" + ", ".join(map(real_text, array)) + "]"
    if array.size == 1:  # a vector, and in the language a matrix
        raise NotNative(f"the value {value}")
    return "[" + ", ".join(map(value_text, array)) + "]"


def real_text(value: Any) -> str:
    """All digits; an exponent stands only behind a dot."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    return mantissa if not exponent else f"{mantissa}{'' if '.' in mantissa else '.0'}e{int(exponent)}"


def dataset_text(dataset: Dataset, domain: Any = None) -> Iterator[str]:
    """A line an example: its queries with targets, and its facts. `domain`: TemplateText's."""
    if dataset._examples or dataset._queries:
        raise NotNative("a data set of examples and queries, which are not samples")
    by_example: Dict[int, Tuple[Any, List[Any]]] = {}
    for sample in dataset.samples:
        queries = sample.query if isinstance(sample.query, list) else [sample.query]
        by_example.setdefault(id(sample.example), (sample.example, []))[1].extend(queries)
    for example, queries in by_example.values():
        line = f"{', '.join(map(query_text, queries))} :- "
        facts = list(map(fact_text, example)) or [NO_FACT]
        if domain is not None:
            constants = {**domain, **constants_of([*example, *queries])}
            facts += [f"{DOMAIN}({constant})" for constant in constants]
        yield f"{line}{', '.join(facts)}.\n"


def fact_text(fact: Any) -> str:
    if isinstance(fact, Rule) or not isinstance(fact, BaseRelation):
        raise NotNative(f"an example of {type(fact).__name__}")
    if fact.function is not None or fact.negated or any(map(is_variable, fact.terms)):
        raise NotNative(f"the fact {fact}")
    if not isinstance(fact, WeightedRelation):
        return literal_text(fact)
    return f"<{_given(fact)}> {literal_text(fact)}"


def query_text(query: Any) -> str:
    if isinstance(query, Rule) or not isinstance(query, BaseRelation):
        raise NotNative(f"a query of {type(query).__name__}")
    if any(map(is_variable, query.terms)):
        raise NotNative(f"the query {query}, which has variables")
    target = _given(query) if isinstance(query, WeightedRelation) else "1.0"
    return f"{target} {literal_text(query)}"


def _given(relation: WeightedRelation) -> str:
    if isinstance(relation.weight, tuple):
        raise NotNative(f"the shape of {relation}, where a value is expected")
    return value_text(relation.weight)


def _match(pattern: "re.Pattern[str]", text: str, what: str) -> str:
    if not pattern.fullmatch(text):
        raise NotNative(f"{what} {text!r}, which NeuraLogic's texts cannot say")
    return text
