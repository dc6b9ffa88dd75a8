"""NeuraLogic's gradients, sample by sample, as text beside a converted graph."""

from typing import Dict, Iterator

from dump import Graph, Layout, Value, format_value


def format_gradients(dumped: dict, graph: Graph, layout: Layout) -> str:
    """Tab-separated lines; numbers are read back exactly. All are as NeuraLogic stores them:
    negated, of this one sample's error, at the weights of the dump. After each sample its own:

    sample, id, shape (`1`, `3x1`), gradient at the output
    neuron, file id, shape, gradient at its value (NeuraLogic has none of facts that do not learn)
    weight, weight id, shape, gradient; weights that the sample does not reach are left out
    """
    positions = {n.dump_index: p for p, n in enumerate(graph.neurons)}
    lines = []
    for sample in dumped["samples"]:
        lines.append(f"sample\t{sample['id']}\t{_format(sample['errorGradient'])}\n")
        lines += _format_neurons(sample, graph, layout, positions)
        for index, update in sample["updates"].items():
            lines.append(f"weight\t{graph.weight_ids[int(index)]}\t{_format(update)}\n")
    return "".join(lines)


def _format_neurons(sample: dict, graph: Graph, layout: Layout,
                    positions: Dict[int, int]) -> Iterator[str]:
    for neuron in sample["neurons"]:
        position = positions[neuron["index"]]
        if graph.neurons[position].fact in ("", "learnable"):
            yield f"neuron\t{layout.file_ids[position]}\t{_format(neuron['gradient'])}\n"


def _format(dumped: dict) -> str:
    return format_value(Value.read(dumped))
