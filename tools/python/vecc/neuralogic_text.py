"""PyNeuraLogic's rules, relations and samples as texts of NeuraLogic's language (docs/templates.md),
which vecc grounds without a JVM. What these texts cannot say, or what NeuraLogic decides by the order
of its hash tables, raises NotNative: the JVM then grounds it."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

import numpy as np
from neuralogic.core.constructs.function.function import CombinationFunction
from neuralogic.core.constructs.function.function_container import FContainer
from neuralogic.core.constructs.predicate import Predicate, PredicateMetadata
from neuralogic.core.constructs.relation import BaseRelation, WeightedRelation
from neuralogic.core.constructs.rule import Rule
from neuralogic.core.constructs.term import Constant, Variable
from neuralogic.dataset import Dataset

from vecc.neuralogic_functions import combination_text, formula_text, function_text, metadata_text
from vecc.neuralogic_words import (NAME, TYPE, VARIABLE, NotNative, constant_text, match_word,
                                   real_text)

SPECIAL = {"alldiff", "in", "eq", "neq", "lt", "leq", "gt", "geq", "next", "add", "sub", "mod",
           "maxcard", "anypred", "true", "false"}
NO_FACT = "vecc-no-fact"  # an example without facts, which the language has not, has this one
DOMAIN = "vecc-domain"  # of all constants of the example and the template


class TemplateText:
    """Rules, facts and metadata as the text of a template."""

    def __init__(self, entries: Iterable[Any], own_order: bool = True):
        """`own_order`: lists of groundings may be in another order than NeuraLogic's."""
        self._own_order = own_order
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
        literals = list(with_all_terms(rule, literals))
        tail = self._tail(map(self._relation, literals), unbound(rule.head, literals))
        return f"{head}{tail}. {metadata_text(metadata, combination, self._own_order)}".rstrip()

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
            match_word(NAME, name, "the weight's name")
            self._named.add(name)
            self._weights += 1
        value = value_text(relation.weight)
        return f"${name}=<{value}>" if relation.is_fixed else f"${name}={value}"


def body_of(rule: Rule) -> Tuple[List[Any], str]:
    """The literals, and what combines them where the body says it, "" where it does not."""
    body = rule.body
    if not isinstance(body, FContainer):
        if rule._contains_function_container():
            raise NotNative(f"the formula in the body of {rule}")
        return list(body), ""
    container: Any = body  # PyNeuraLogic's hints do not say that it has a length
    literals = list({id(literal): literal for literal in container}.values())
    is_flat = len(literals) == len(container.nodes) and not any(
        isinstance(node, FContainer) for node in container.nodes)
    if is_flat and isinstance(body.function, CombinationFunction):
        return literals, combination_text(body.function)
    if any(literal.negated for literal in literals):
        raise NotNative(f"the formula in the body of {rule}, which has a negation")
    inputs = [literal for literal in literals
              if not literal.predicate.hidden and not literal.predicate.special]
    return literals, formula_text(body, {id(literal): i for i, literal in enumerate(inputs)})


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
    match_word(NAME, predicate.name, "the predicate's name")
    return "*" * predicate.hidden + "@" * predicate.special + predicate.name


def term_text(term: Any) -> str:
    if isinstance(term, (Variable, Constant)):
        text = (match_word(VARIABLE, term.name, "the term") if isinstance(term, Variable)
                else constant_text(term.name))
        return text if term.type is None else f"{match_word(TYPE, term.type, 'the type')}:{text}"
    if isinstance(term, str):
        return match_word(VARIABLE, term, "the term") if term[:1].isupper() else constant_text(term)
    if isinstance(term, (int, float)):
        return constant_text(str(term))
    raise NotNative(f"a term of {type(term).__name__}")


def is_variable(term: Any) -> bool:
    return isinstance(term, Variable) or isinstance(term, str) and term[:1].isupper()


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
