"""Tests of tools/golden: what the agreement of whole dumps would not show."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "golden"))

import dump  # noqa: E402
import graph_writer as wire  # noqa: E402
from functions import complete_functions  # noqa: E402
from gradients import format_gradients  # noqa: E402
from graph_writer import NONE, Function  # noqa: E402
from names import literal_of_neuron, predicate_of  # noqa: E402


class Names(unittest.TestCase):
    def test_values_before_facts(self):
        for name in ("h(x)", "<[0.5,-0.2,0.9]>h(x)", "[0.1, 0.7] h(x)", "[[0.1], [0.5]] h(x)",
                     "<0.4>h(x)", "{3}h(x)", "0.3 h(x)", "-1e-05 h(x)", "{3, 3} h(x)"):
            self.assertEqual(predicate_of(literal_of_neuron("Fact", name)), "h/1", name)

    def test_no_name(self):
        self.assertEqual(predicate_of(literal_of_neuron("Fact", "")), "")

    def test_rules(self):
        self.assertEqual(literal_of_neuron("Rule", "{1, 3} q :- h(X), b(X, Y). [x=y]"), "q")
        self.assertEqual(predicate_of("attention(d53_10, f(a, b))"), "attention/2")
        self.assertEqual(predicate_of("q"), "q/0")

    def test_function_of_a_literal(self):
        self.assertEqual(literal_of_neuron("Negation", "neg_[0.5, 0.9] a(x)"), "a(x)")
        self.assertEqual(literal_of_neuron("Atom", "neg_(x)"), "neg_(x)")


class SkipRule(unittest.TestCase):
    def complete(self, *functions):
        rules = [rule for rule, _ in functions]
        return [f.combination for f in complete_functions([f for _, f in functions], rules)]

    def test_takes_the_combination_of_its_rule(self):
        self.assertEqual(self.complete(("r", Function("")), ("r", Function("max"))), ["max", "max"])

    def test_takes_its_groups_where_shapes_do_not_matter(self):
        self.assertEqual(self.complete(("", Function("")), ("r", Function("avg"))), ["avg", "avg"])
        self.assertEqual(self.complete(("", Function("")), ("r", Function("product"))),
                         ["sum", "product"])

    def test_never_one_that_changes_a_single_element(self):
        for name in ("count", "softmax", "sparsemax", "functiongraph"):
            self.assertEqual(self.complete(("r", Function("")), ("r", Function(name))),
                             ["sum", name])


class Writer(unittest.TestCase):
    def test_varint(self):
        self.assertEqual(wire.encode_varint(0), b"\x00")
        self.assertEqual(wire.encode_varint(300), b"\xac\x02")

    def test_values_are_floats_only_where_that_is_exact(self):
        self.assertEqual(wire.encode_values(7, 8, [0.5])[0], 7 << 3 | 2)
        self.assertEqual(wire.encode_values(7, 8, [0.1])[0], 8 << 3 | 2)
        self.assertEqual(wire.encode_values(7, 8, [1e300])[0], 8 << 3 | 2)

    def test_too_long_a_field_is_refused(self):
        class Huge(bytes):
            def __len__(self):
                return 1 << 31

        with self.assertRaises(ValueError):
            wire.GraphWriter("test")._add(4, Huge())


def scalar(value):
    return {"type": "ScalarValue", "size": [], "data": [value]}


def fact(index, **changes):
    return {"index": index, "class": "FactNeuron", "name": "a", "combination": None,
            "transformation": None, "fcnState": "", "inputs": [], "weights": [], "offset": -2,
            "value": scalar(1.0), **changes}


def column(*values):
    return {"type": "VectorValue:col", "size": [len(values), 1], "data": list(values)}


def sample(neurons):
    return {"id": "s", "query": neurons[-1]["index"], "target": None, "output": scalar(1.0),
            "neurons": neurons}


class Dumps(unittest.TestCase):
    def read(self, *samples, weights=()):
        return dump.read_dump({"weights": list(weights), "samples": list(samples)}, "test")

    def test_samples_share_neurons_by_index(self):
        self.assertEqual(len(self.read(sample([fact(0)]), sample([fact(0), fact(1)])).neurons), 2)
        with self.assertRaises(ValueError):
            self.read(sample([fact(0)]), sample([fact(0, name="b")]))

    def test_kinds_of_facts(self):
        weight = {"index": 0, "name": "w0", "learnable": True, "value": scalar(0.5)}
        neurons = [fact(0), fact(1, offset=9, value=scalar(1.0)),
                   fact(2, offset=0, value=scalar(0.5))]
        graph = self.read(sample(neurons), weights=[weight])
        self.assertEqual([n.fact for n in graph.neurons], ["unit", "constant", "learnable"])
        self.assertEqual([n.offset for n in graph.neurons], [NONE, NONE, 0])
        with self.assertRaises(ValueError):  # a learnable fact that is not its weight
            self.read(sample([fact(0, offset=0, value=scalar(0.4))]), weights=[weight])

    def test_negative_weight_indices_are_not_unique(self):
        weights = [{"index": -9, "name": "a", "learnable": False, "value": scalar(x)}
                   for x in (2.0, 3.0)]
        self.assertEqual(len(self.read(sample([fact(0)]), weights=[weights[0]] * 2).weights), 1)
        with self.assertRaises(ValueError):
            self.read(sample([fact(0)]), weights=weights)

    def test_unknown_weights_and_offsets(self):
        rule = {**fact(1), "class": "WeightedRuleNeuron", "name": "b :- a.", "inputs": [0],
                "weights": [7], "transformation": "Tanh"}
        with self.assertRaises(ValueError):
            self.read(sample([fact(0), rule]))
        with self.assertRaises(ValueError):
            self.read(sample([fact(0), {**rule, "weights": [], "offset": 7}]))


class Gradients(unittest.TestCase):
    def test_lines_after_their_sample(self):
        weights = [{"index": i, "name": f"w{i}", "learnable": learnable, "value": scalar(0.5)}
                   for i, learnable in ((7, False), (3, True))]
        rule = {**fact(2), "class": "WeightedRuleNeuron", "name": "b :- a.", "inputs": [0, 1],
                "weights": [3, 7], "combination": "Sum", "value": column(1.0, 2.0),
                "gradient": column(0.1, -0.2)}
        neurons = [fact(0, gradient=scalar(0.0)),
                   fact(1, offset=3, value=scalar(0.5), gradient=scalar(0.25)), rule]
        dumped = {"weights": weights, "samples": [
            {**sample(neurons), "errorGradient": column(0.1, -0.2),
             "updates": {"3": scalar(1e-30)}},
            {**sample(neurons), "id": "t", "errorGradient": scalar(1.0), "updates": {}}]}
        graph = dump.read_dump(dumped, "test")
        lines = format_gradients(dumped, graph, dump.lay_out(graph)).splitlines()
        # The unit fact has none; the learnable one does; weight 3 is the file's second.
        self.assertEqual(lines[:4], ["sample\ts\t2x1\t0.1 -0.2", "neuron\t1\t1\t0.25",
                                     "neuron\t2\t2x1\t0.1 -0.2", "weight\t1\t1\t1e-30"])
        self.assertEqual(lines[4:], ["sample\tt\t1\t1.0", *lines[1:3]])


if __name__ == "__main__":
    unittest.main()
