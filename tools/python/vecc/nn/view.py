"""What a model function gets: the sets of a graph, without its arrays."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, NoReturn, Tuple, Union

from vecc.nn.data import Data
from vecc.nn.places import fail
from vecc.nn.trace import (GRAPHS, Category, Domain, Endpoint, Loops, Shape, Value, describe,
                           is_number, no_attribute)


#: What PyG's data has, and a graph here says by other means.
WORDS = {"edge_index": "a graph has its edges, x[g.src] and sum(v, over=g.dst) read them",
         "batch": "nn.mean(v, over=g.graph) pools, v[g.graph] reads a graph's value at its nodes",
         "num_nodes": "how many nodes there are is not known while a model is traced; "
                      "nn.count(g.graph) is a value of each graph",
         "num_graphs": "how many graphs there are is not known while a model is traced",
         "y": "labels are no features; fit() compares the output with them"}


class FeatureKind(NamedTuple):
    shape: Shape  #: of a row
    kinds: int  #: of categories; 0: floats


class Schema(NamedTuple):
    """What a trace depends on: sets, and what their features are."""

    features: Dict[Domain, Dict[str, FeatureKind]]

    @classmethod
    def of(cls, data: Data) -> "Schema":
        return cls({domain: {name: FeatureKind(feature.values.shape[1:], feature.kinds)
                             for name, feature in data.features.get(domain, {}).items()}
                    for domain in data.counts})


class Rows:
    """A set of nodes, edges or graphs: its features by their names."""

    def __repr__(self) -> str:
        own = self._schema.features[self._domain._replace(loops=None)]
        return f"<{self._domain}: {', '.join(own) or 'no features'}>"

    def __init__(self, schema: Schema, domain: Domain) -> None:
        self._schema, self._domain = schema, domain

    def __str__(self) -> str:
        return str(self._domain)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._read(name, no_attribute)

    def __getitem__(self, name: str) -> Any:
        return self.feature(name)

    def __setattr__(self, name: str, value: Any) -> None:
        _check_settable(self, name)
        object.__setattr__(self, name, value)

    def __setitem__(self, name: Any, value: Any) -> None:
        _check_settable(self, name)

    def feature(self, name: str) -> Any:
        """A value of floats, or a category of whole numbers."""
        if not isinstance(name, str):
            fail(f"a feature of {self._domain} is read by its name, expected a text, not "
                 f"{describe(name)}")
        return self._read(name, fail)

    def _read(self, name: str, refuse: Callable[[str], NoReturn]) -> Any:
        own = self._schema.features[self._domain._replace(loops=None)]
        if name not in own:
            missing(f"feature {name!r} of {self._domain}", name, own, refuse)
        kind = own[name]
        if kind.kinds:
            if self._domain.loops is not None:
                fail(f"{name!r} is a feature of whole numbers, which the self loops do not have: "
                     "expected one of floats (in the data: .astype(float))")
            return Category(self._domain, name, kind.kinds)
        return Value("feature", (), self._domain, kind.shape, name=name)


class Nodes(Rows):
    """A set of nodes: nodes.x [n] is a value on them."""

    @property
    def graph(self) -> Endpoint:
        """The graph of each node, for pooling: mean(h, over=g.graph)."""
        if GRAPHS not in self._schema.features:
            fail("the data is one graph: there are no graphs to pool over; a list of graphs has "
                 "some, also [data]")
        return Endpoint(self._domain, GRAPHS, "graph")


class Edges(Rows):
    """A set of edges: edges.edge_attr [k] is a value on them, v[edges.src] of their sources."""

    @property
    def src(self) -> Endpoint:
        return Endpoint(self._domain, Domain("node", self._domain.key[0]), "src")

    @property
    def dst(self) -> Endpoint:
        return Endpoint(self._domain, Domain("node", self._domain.key[2]), "dst")

    def with_self_loops(self, fill: Union[str, float] = "mean", *, keep: bool = False) -> "Edges":
        """The same edges but self loops, and one self loop a node. `fill`: the loops' features:
        "mean" of the node's incoming edges, or a number. `keep`: loops of the data keep theirs
        (PyG's add_remaining_self_loops), of several at a node the last one's."""
        if self._domain.key[0] != self._domain.key[2]:
            fail(f"{self._domain} have no self loops: their ends are different nodes")
        if fill != "mean" and not is_number(fill):
            fail(f"fill={fill!r}: expected \"mean\" or a number")
        if keep and fill == "mean":
            fail("keep=True: expected a number as fill= of the other loops")
        return Edges(self._schema, self._domain._replace(loops=Loops(fill, bool(keep))))


class GraphView:
    """g: of one set of nodes and one of edges g.x, g.edge_attr, g.src, g.dst, g.graph; of several
    g["paper"], g["author", "writes", "paper"]."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def __repr__(self) -> str:
        return "<graph of " + "; ".join(map(str, self._schema.features)) + ">"

    @property
    def node_types(self) -> List[str]:
        return [d.key for d in self._schema.features if d.kind == "node"]

    @property
    def edge_types(self) -> List[Tuple[str, str, str]]:
        return [d.key for d in self._schema.features if d.kind == "edge" and not d.are_pairs]

    def __setattr__(self, name: str, value: Any) -> None:
        _check_settable(self, name)
        object.__setattr__(self, name, value)

    def __setitem__(self, name: Any, value: Any) -> None:
        _check_settable(self, name)

    def __getitem__(self, key: Union[str, Tuple[str, str, str]]) -> Any:
        if not isinstance(key, str) and not (
                isinstance(key, tuple) and len(key) == 3 and all(isinstance(k, str) for k in key)):
            fail(f"g[...] of {describe(key)}: expected the name of a set of nodes, or (source, "
                 "relation, target) of a set of edges")
        domain = Domain("node" if isinstance(key, str) else "edge", key)
        if domain not in self._schema.features:
            missing(str(domain), str(key), map(str, [*self.node_types, *self.edge_types]))
        return (Nodes if isinstance(key, str) else Edges)(self._schema, domain)

    @property
    def nodes(self) -> Nodes:
        """The only set of nodes."""
        return Nodes(self._schema, Domain("node", _only("nodes", self.node_types)))

    @property
    def edges(self) -> Edges:
        """The only set of edges."""
        return Edges(self._schema, Domain("edge", _only("edges", self.edge_types)))

    @property
    def pairs(self) -> Edges:
        """The only set of pairs of nodes, of which labels are: h[g.pairs.src]."""
        sets = [domain for domain in self._schema.features if domain.are_pairs]
        if not sets:
            fail("the data has no pairs: nn.Data().pairs(src, dst), or PyG's edge_label_index")
        return Edges(self._schema, sets[0])  # Data.pairs() makes no second one

    @property
    def graphs(self) -> Rows:
        if GRAPHS not in self._schema.features:
            fail("the data is one graph: there are no features of graphs")
        return Rows(self._schema, GRAPHS)

    @property
    def src(self) -> Endpoint:
        return self.edges.src

    @property
    def dst(self) -> Endpoint:
        return self.edges.dst

    @property
    def graph(self) -> Endpoint:
        return self.nodes.graph

    def with_self_loops(self, fill: Union[str, float] = "mean", *, keep: bool = False) -> Edges:
        return self.edges.with_self_loops(fill, keep=keep)

    def __getattr__(self, name: str) -> Any:
        """A feature of the only nodes, or of the only edges."""
        if name.startswith("__"):
            raise AttributeError(name)
        found: List[Rows] = []
        for what, types in (("nodes", self.node_types), ("edges", self.edge_types)):
            sets: List[Rows] = [self[key] for key in types]
            having = [rows for rows in sets if name in self._schema.features[rows._domain]]
            if having and len(sets) > 1:
                _only(what, types, no_attribute)
            found += having
        if len(found) > 1:
            fail(f"nodes and edges have a feature {name!r}: g.nodes.{name} or g.edges.{name}")
        if not found and name in WORDS:
            no_attribute(f"there is no feature {name!r}: {WORDS[name]}")
        if not found:
            missing(f"feature {name!r}", name,
                    {each for domain, own in self._schema.features.items() for each in own
                     if domain != GRAPHS and not domain.are_pairs}, no_attribute)
        return found[0].feature(name)


def _only(what: str, types: List[Any], refuse: Callable[[str], NoReturn] = fail) -> Any:
    if len(types) != 1:
        refuse(f"the data has {len(types)} sets of {what}: " + ", ".join(map(str, types)) +
               "; g[...] takes one of them")
    return types[0]


def _check_settable(thing: Union[Rows, GraphView], name: Any) -> None:
    """Names of this class alone: layers that read features would not see what a model sets."""
    if not isinstance(name, str) or not name.startswith("_"):
        fail(f"{name!r} of {thing!r} cannot be set: a model computes values, h = nn.linear(g.x, "
             "n), and gives them to layers")


def missing(what: str, name: str, known: Iterable[str],
            refuse: Callable[[str], NoReturn] = fail) -> NoReturn:
    names = sorted(known)
    near = get_close_matches(name, names, 1)
    refuse(f"there is no {what}; there are: {', '.join(names) or 'none'}" +
           (f"; {near[0]!r}?" if near else ""))
