"""Reads a dump of NeuraLogic's neurons and values (JSON) and lays it out as a vecc graph."""

import json
import lzma
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from functions import complete_functions, read_function, read_words
from graph_writer import NONE, Function, Group, GraphWriter, Sample, Shape
from names import literal_of_neuron, predicate_of


@dataclass
class Value:
    shape: Shape
    data: List[float]

    @staticmethod
    def read(dumped: dict) -> "Value":
        sides = tuple(dumped["size"])
        if len(sides) not in (0, 2):
            raise ValueError(f"a value of {len(sides)} sides")
        return Value(sides, [float(x) for x in dumped["data"]])


@dataclass
class Weight:
    name: str
    learnable: bool
    value: Value


@dataclass
class Neuron:
    dump_index: int
    neuron_class: str
    name: str
    rule: str  # the rule's text; of atoms and facts ""
    predicate: str
    function: Optional[Function]  # None: a fact
    words: List[int]
    inputs: List[int]  # positions in Graph.neurons
    weights: List[int]  # like inputs, into Graph.weights; NONE is the unit weight
    offset: int  # into Graph.weights, or NONE
    fact: str  # "" (no fact), "unit", "constant", "learnable"
    value: Value


@dataclass
class Query:
    id: str
    neuron: int  # position
    target: Optional[Value]
    output: Value


@dataclass
class Graph:
    name: str
    producer: str
    neurons: List[Neuron] = field(default_factory=list)
    weights: List[Weight] = field(default_factory=list)
    queries: List[Query] = field(default_factory=list)
    weight_ids: Dict[int, int] = field(default_factory=dict)  # the dump's index: into `weights`


def read_json(path: str) -> dict:
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return json.loads(file.read())


def read_dump(dumped: dict, name: str) -> Graph:
    """A dump's samples as one graph; neurons that samples share (one index) exist once."""
    graph = Graph(name, f"NeuraLogic ({dumped.get('jar', 'master')}), dump {name}")
    weight_ids = graph.weight_ids = _read_weights(dumped, graph)
    positions: Dict[int, int] = {}
    names: Dict[int, str] = {}
    for sample in dumped["samples"]:
        for neuron in sample["neurons"]:
            index = neuron["index"]
            if index in positions:
                if names[index] != neuron["name"]:
                    raise ValueError(f"{name}: two neurons of index {index}")
                continue
            positions[index], names[index] = len(graph.neurons), neuron["name"]
            graph.neurons.append(_read_neuron(neuron, graph, positions, weight_ids))
        target = Value.read(sample["target"]) if sample["target"] else None
        graph.queries.append(Query(sample["id"], positions[sample["query"]], target,
                                   Value.read(sample["output"])))
    return graph


def _read_weights(dumped: dict, graph: Graph) -> Dict[int, int]:
    """Weight ids by the dump's index. The unit weight needs no table.

    Several fixed weights may have one negative index: that is only readable if they are equal.
    """
    ids: Dict[int, int] = {}
    for weight in dumped["weights"]:
        index, value = weight["index"], Value.read(weight["value"])
        is_one = weight["value"]["type"] == "One"
        if index in ids:
            known = Value((), [1.0]) if ids[index] == NONE else graph.weights[ids[index]].value
            if weight["learnable"] or known != value or is_one != (ids[index] == NONE):
                raise ValueError(f"{graph.name}: different weights of index {index}")
        elif is_one:
            ids[index] = NONE
        else:
            ids[index] = len(graph.weights)
            graph.weights.append(Weight(weight["name"], weight["learnable"], value))
    return ids


def _read_neuron(dumped: dict, graph: Graph, positions: Dict[int, int],
                 weight_ids: Dict[int, int]) -> Neuron:
    neuron_class = dumped["class"].replace("Neuron", "")
    name = dumped["name"] or ""
    literal = literal_of_neuron(neuron_class, name)
    offset, fact, value = dumped.get("offset", -2), "", Value.read(dumped["value"])
    unknown = [w for w in dumped.get("weights", ()) if w not in weight_ids]
    offset_id = NONE if offset == -2 else weight_ids.get(offset, NONE)
    if neuron_class == "Fact":
        fact = _fact_kind(offset, offset_id, value, graph)
    elif offset != -2 and offset not in weight_ids:
        unknown.append(offset)
    if unknown:
        raise ValueError(f"{graph.name}: neuron {dumped['index']} has unknown weights {unknown}")
    weights = [weight_ids[w] for w in dumped.get("weights", ())]
    if weights and len(weights) != len(dumped["inputs"]):
        raise ValueError(f"{graph.name}: neuron {dumped['index']} has {len(weights)} weights and "
                         f"{len(dumped['inputs'])} inputs")
    return Neuron(
        dump_index=dumped["index"],
        neuron_class=neuron_class,
        name=literal,
        rule=name if ":-" in name else "",
        predicate=predicate_of(literal),
        function=read_function(dumped, graph.name),
        words=read_words(dumped),
        inputs=[positions[i] for i in dumped["inputs"]],
        weights=weights,
        offset=NONE if fact in ("unit", "constant") else offset_id,
        fact=fact,
        value=value,
    )


def _fact_kind(offset: int, offset_id: int, value: Value, graph: Graph) -> str:
    """Every valued fact owns a weight there; only a learnable one is a weight here."""
    if offset_id != NONE and graph.weights[offset_id].learnable:
        if graph.weights[offset_id].value != value:
            raise ValueError(f"{graph.name}: a learnable fact differs from its weight")
        return "learnable"
    return "unit" if offset == -2 and value == Value((), [1.0]) else "constant"


@dataclass
class Layout:
    """Where the neurons stand in the file."""

    file_ids: List[int]  # by position
    chunks: List[Tuple[int, List[int]]]  # group, positions of the neurons; in file order


def lay_out(graph: Graph) -> Layout:
    """Groups by (class, head predicate), each split into chunks of one function, shape and kind."""
    groups: Dict[Tuple[str, str], List[int]] = {}
    for position, neuron in enumerate(graph.neurons):
        groups.setdefault((neuron.neuron_class, neuron.predicate), []).append(position)
    layout = Layout([0] * len(graph.neurons), [])
    first_id = 0
    for group, positions in enumerate(groups.values()):
        members = [graph.neurons[p] for p in positions]
        if members[0].function is not None:
            functions = complete_functions([n.function for n in members], [n.rule for n in members])
            for neuron, function in zip(members, functions):
                neuron.function = function
        chunks: Dict[tuple, List[int]] = {}
        for position, neuron in zip(positions, members):
            chunks.setdefault((neuron.function, neuron.value.shape, neuron.fact), []).append(position)
        for chunk in chunks.values():
            layout.chunks.append((group, chunk))
            for position in chunk:
                layout.file_ids[position] = first_id
                first_id += 1
    return layout


def write_graph(graph: Graph, layout: Layout, with_names: bool) -> bytes:
    """The bytes of graph.pb, uncompressed."""
    writer = GraphWriter(graph.producer)
    for weight_id, weight in enumerate(graph.weights):
        writer.weight_table(weight.name, weight_id, weight.value.shape, weight.value.data,
                            weight.learnable)
    rules: Dict[int, Dict[str, None]] = {}  # by group: distinct texts, in order
    for group, chunk in layout.chunks:
        texts = rules.setdefault(group, {})
        texts.update((graph.neurons[p].rule, None) for p in chunk if graph.neurons[p].rule)
    written = set()
    for group, chunk in layout.chunks:
        wire = _fill_chunk(graph, layout, group, chunk, with_names)
        wire.continued = group in written
        wire.rule_text = "\n".join(rules[group])
        written.add(group)
        writer.group(wire)
    writer.samples([Sample(q.id, layout.file_ids[q.neuron],
                           (q.target.shape, q.target.data) if q.target else None)
                    for q in graph.queries])
    return writer.finish()


def _fill_chunk(graph: Graph, layout: Layout, group: int, chunk: List[int],
                with_names: bool) -> Group:
    neurons = [graph.neurons[p] for p in chunk]
    first = neurons[0]
    wire = Group(group_id=group, first_id=layout.file_ids[chunk[0]], count=len(chunk),
                 neuron_class=first.neuron_class, head_predicate=first.predicate,
                 function=first.function, shape=first.value.shape, fact=bool(first.fact))
    if with_names:
        wire.names = [n.name for n in neurons]
    if first.fact == "constant":
        wire.values = [x for n in neurons for x in n.value.data]
    elif first.fact == "learnable":
        wire.fact_weights = [n.offset for n in neurons]
    elif not first.fact:
        wire.fan_in = [len(n.inputs) for n in neurons]
        wire.inputs = [layout.file_ids[i] for n in neurons for i in n.inputs]
        # Only rules and atoms with a weight somewhere have the column; its other inputs are unit.
        if any(w != NONE for n in neurons for w in n.weights):
            wire.weights = [w for n in neurons for w in n.weights or [NONE] * len(n.inputs)]
        if any(n.offset != NONE for n in neurons):
            wire.offsets = [n.offset for n in neurons]
        wire.words = [w for n in neurons for w in n.words]
    return wire


def format_samples(graph: Graph, layout: Layout) -> str:
    """NeuraLogic's outputs as tab-separated lines; numbers are read back exactly.

    sample, id, file id of the output neuron, shape (`1`, `3x1`), values
    """
    for query in graph.queries:
        if any(c in query.id for c in "\t\n"):
            raise ValueError(f"{graph.name}: a tab or line break in sample id {query.id!r}")
    return "".join(f"sample\t{q.id}\t{layout.file_ids[q.neuron]}\t{format_value(q.output)}\n"
                   for q in graph.queries)


def format_expected(graph: Graph, layout: Layout) -> str:
    """The same of all neurons, then the samples.

    neuron, file id, the dump's index, shape, values
    """
    order = sorted(range(len(graph.neurons)), key=layout.file_ids.__getitem__)
    lines = (f"neuron\t{layout.file_ids[p]}\t{graph.neurons[p].dump_index}\t"
             f"{format_value(graph.neurons[p].value)}\n" for p in order)
    return "".join(lines) + format_samples(graph, layout)


def format_value(value: Value) -> str:
    shape = "x".join(map(str, value.shape)) or "1"
    return f"{shape}\t{' '.join(map(repr, value.data))}"
