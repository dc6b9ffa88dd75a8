"""Data sets of a few nodes that hold what the real ones hardly do: self loops, edges of one
direction, nodes without edges, repeated rows, several relations between the same two nodes, names
with commas and parentheses, literals, nodes with several labels, a node type that no edge leads to.
"""

import json

from subset import write_lines


def write_tu(target, name, graphs):
    """graphs: (graph label, node labels, edges within the graph, attributes by node or None)."""
    columns = {kind: [] for kind in ("A", "graph_indicator", "graph_labels", "node_labels",
                                     "node_attributes")}
    first = 1
    for number, (label, nodes, edges, attributes) in enumerate(graphs, 1):
        columns["graph_labels"].append(str(label))
        columns["graph_indicator"] += [str(number)] * len(nodes)
        columns["node_labels"] += map(str, nodes)
        columns["node_attributes"] += [", ".join(map(str, row)) for row in attributes or []]
        columns["A"] += [f"{first + a}, {first + b}" for a, b in edges]
        first += len(nodes)
    for kind, lines in columns.items():
        if lines:
            write_lines(target / f"{name}_{kind}.txt", lines)


def odd_graphs(target):
    write_tu(target, "odd", [
        (-1, [3, 0, 7], [(0, 1), (1, 2)], None),                 # one direction only
        (1, [0, 0], [], None),                                   # no edges
        (1, [7, 7, 3, 0], [(0, 0), (0, 1), (1, 0)], None),       # a self loop, isolated nodes
        (-1, [0, 3], [(0, 1), (0, 1), (1, 0)], None),            # a repeated edge
        (-1, [7], [], None),
        (1, [3], [(0, 0)], None),                                # a self loop alone
        (-1, [0, 3, 7, 0], [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], None),  # a cycle
    ])


def odd_classes(target):
    def attributes(count):
        return [(0.25 * i - 1, -1.5 + i, 2e-3 * i) for i in range(count)]
    write_tu(target, "classes", [
        (10, [1, 2], [(0, 1), (1, 0)], attributes(2)),
        (-4, [2, 2, 1], [(0, 1), (1, 2), (2, 2)], attributes(3)),
        (3, [1], [], attributes(1)),
        (3, [2, 1, 1], [(0, 1), (2, 1), (1, 0)], attributes(3)),
    ])


def odd_triples(target):
    train = ["a\tr\ta", "a\tr\tb", "a\ts(x, y)\tb", "b\tr\ta", "a\tr\tb", "c, d\tr\ta",
             "c, d\ts(x, y)\te)", "e)\tr\tc, d", "b\ts(x, y)\tc, d", "žluť\tr\tb"]
    write_lines(target / "train.txt", train)
    write_lines(target / "valid.txt", ["a\tr\tc, d", "b\tt\tb", "e)\tt\ta", "a\tr\tb"])
    write_lines(target / "test.txt", ["late\ts(x, y)\ta", "b\tt\tlate"])


def odd_rdf(target):
    names = [f"<http://x.org/{name}>" for name in "abcdef"]
    a, b, c, d, e, _ = names
    r, s = "<http://x.org/r>", "<http://x.org/s#1>"
    write_lines(target / "odd.nt", [
        "# a comment", f"{a} {r} {b} .", f"{b} {r} {a} .", "", f"{a} {r} {a} .",
        f'{c} {s} "a literal" .', f'{d} {s} "a literal"@en .', f"{a} {r} {b} .",
        f'{d} {s} "a literal"^^<http://x.org/type> .', f"_:blank {r} {c} .", f"{e} {s} _:blank .",
        f'{e} {r} "with a \\" quote, \\\\ and \\u00e9" .', f"{b} {s} {c} .", f"{a} {s} {b} .",
        f'{b} {r} "with a \\" quote, \\\\ and é" .',
    ])
    rows = {"trainingSet.tsv": "a one;b two;c one", "testSet.tsv": "e three;d two"}
    for name, text in rows.items():
        write_lines(target / name, ["thing\tid\tlabel_kind"] + [
            f"http://x.org/{node}\t{i}\t{label}" for i, (node, label) in
            enumerate(row.split() for row in text.split(";"))])


def odd_hgb(target):
    features = {0: "1,0,0.5", 1: "0,2"}  # nodes of type 2 have none
    types = [0, 0, 0, 1, 1, 2, 2]
    write_lines(target / "node.dat", [
        "\t".join([str(i), f"node {i}", str(t)] + ([features[t].replace("0.5", f"0.{i}")]
                                                   if t in features else []))
        for i, t in enumerate(types)])
    write_lines(target / "link.dat", [
        f"{a}\t{b}\t{kind}\t1.0" for a, b, kind in
        [(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 2, 0), (0, 3, 1), (1, 3, 1), (2, 4, 1), (5, 0, 2),
         (6, 0, 2), (6, 1, 2), (5, 0, 2)]])
    (target / "info.dat").write_text(json.dumps({  # a type, a relation and a class that none has
        "node.dat": {"node type": {"0": "a paper", "1": "b, c", "5": "none"}},
        "link.dat": {"link type": {"0": {"meaning": "cites"}, "7": {"meaning": "unused"}}},
        "label.dat": {"node type": {"0": {"1": "first", "3": "never"}}}}))
    write_lines(target / "label.dat", ["2\tnode 2\t0\t1", "0\tnode 0\t0\t0,2"])
    write_lines(target / "label.dat.test", ["1\tnode 1\t0\t2"])


MAKERS = {"odd_graphs": odd_graphs, "odd_classes": odd_classes, "odd_triples": odd_triples,
          "odd_rdf": odd_rdf, "odd_hgb": odd_hgb}
