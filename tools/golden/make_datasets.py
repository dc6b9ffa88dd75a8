#!/usr/bin/env python3
"""Makes the graphs of datasets/ from NeuraLogic's dumps, with its outputs as expected values.

    make_datasets.py ../shared/golden datasets

The result is the same byte for byte every time (with one version of zlib).
"""

import argparse
import gzip
import sys
from dataclasses import replace
from pathlib import Path
from typing import List

from dump import Graph, Neuron, format_samples, lay_out, read_dump, read_json, write_graph
from graph_writer import NONE

# Name: the dumps in it.
DATASETS = {
    "mutagenesis": ["mutagenesis-simple"],
    "attention": ["mutagenesis-attention"],
    "xor": ["xor-vectorized"],
    "functions-transformations": [
        "micro-" + name for name in (
            "identity", "sigmoid", "signum", "relu", "leakyrelu", "py_leakyrelu02", "lukasiewicz",
            "exp_log", "sqrt", "inverse", "reverse", "softneg", "py_literal_fn", "transp", "norm",
            "py_norm", "softmax_tr", "sparsemax_tr", "py_slice", "py_slice_atom", "py_slice_matrix",
            "py_slice_rule", "py_reshape", "py_reshape_flat")
    ],
    "functions-combinations": [
        "micro-" + name for name in (
            "avg_comb", "max_comb", "max_comb_ties", "min_comb", "prod_att", "elprod", "crosssum",
            "concat_comb", "py_concat_axis0", "py_concat_axis0_vec", "softmax_comb",
            "py_softmax_comb", "sparsemax_comb", "py_sparsemax_comb", "cossim_comb", "py_cossim",
            "py_functiongraph", "py_functiongraph_concat", "py_functiongraph_max_unweighted",
            "py_functiongraph_product", "py_functiongraph_relu", "offset_vec",
            "sum_comb_rule_offset", "scalar_w_vec", "two_rules", "learnable_fact")
    ],
    "functions-aggregations": [
        "micro-" + name for name in (
            "base", "sum_agg", "max_agg", "max_ties", "min_agg", "min_ties", "count_agg",
            "count_ties", "concat_agg", "softmax_agg", "sparsemax_agg", "py_attention_module",
            "py_attention_softmax")
    ],
}


def join(name: str, graphs: List[Graph]) -> Graph:
    """Disjoint graphs as one; predicates, weights and samples get their graph's name before them."""
    joined = Graph(name, "NeuraLogic, dumps micro-*")
    for graph in graphs:
        prefix = graph.name[len("micro-"):] + "."
        first_neuron, first_weight = len(joined.neurons), len(joined.weights)

        def shift(weight: int) -> int:
            return weight if weight == NONE else weight + first_weight

        def move(neuron: Neuron) -> Neuron:
            return replace(neuron, predicate=prefix + neuron.predicate, name=prefix + neuron.name,
                           inputs=[i + first_neuron for i in neuron.inputs],
                           weights=[shift(w) for w in neuron.weights], offset=shift(neuron.offset))

        joined.neurons += map(move, graph.neurons)
        joined.weights += [replace(w, name=prefix + w.name) for w in graph.weights]
        joined.queries += [replace(q, id=prefix + q.id, neuron=q.neuron + first_neuron)
                           for q in graph.queries]
    return joined


def make(name: str, dumps: List[str], source: Path, out_dir: Path) -> None:
    graphs = [read_dump(read_json(str(source / f"{dump}.json.xz")), dump) for dump in dumps]
    graph = graphs[0] if len(graphs) == 1 else join(name, graphs)
    layout = lay_out(graph)
    # Names help to read a small graph, and are half the bytes of a large one.
    data = write_graph(graph, layout, with_names=len(graph.neurons) < 10000)
    data = gzip.compress(data, compresslevel=9, mtime=0)
    (out_dir / f"{name}.pb").write_bytes(data)
    expected = (f"# NeuraLogic's outputs for {name}.pb: sample, id, output neuron, shape, values\n"
                + format_samples(graph, layout))
    (out_dir / f"{name}.expected.tsv").write_text(expected, encoding="utf-8")
    print(f"{name}: {len(graph.neurons)} neurons, {len(graph.queries)} samples, {len(data)} bytes")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path, help="the folder of dumps")
    parser.add_argument("out_dir", type=Path)
    options = parser.parse_args()
    for name, dumps in DATASETS.items():
        make(name, dumps, options.source, options.out_dir)
    return 0


if __name__ == "__main__":
    sys.exit(main())
