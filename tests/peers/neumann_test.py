"""What tools/bench/neumann hands over to Neumann's compiler; with NEUMANN=FOLDER (its repository) also that it computes
what vecc computes.

    neumann_test.py VECC VECC_IMPORT
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import paths

sys.path.insert(0, str(paths.ROOT / "tools/bench/neumann"))

from network import Graph, load_compiler
from neuron_file import read_chunks
from odd_sets import MAKERS
from peer_runs import Absent, differences, differs
from torch_index_sums import segment_mean_csr, segment_sum_csr
from vecc_run import Tools, import_graph

import torch


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = Tools(*TOOLS)
        cls.addClassCleanup(cls.tools.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def graph(self, kind, name, model, **options):
        data, path = self.folder / "data", self.folder / "graph.pb"
        data.mkdir()
        MAKERS[name](data)
        import_graph(self.tools, kind, data, model, options, path)
        return path

    def test_columns(self):
        chunks = read_chunks(self.graph("tu", "odd_graphs", "gcn", dim="2"))
        facts, products, sums = chunks[:3]
        self.assertEqual((facts.neuron_class, facts.values.shape), ("Fact", (17, 3, 1)))
        self.assertEqual((products.neuron_class, products.count), ("WeightedRule", 13))
        self.assertEqual(products.weights.tolist(), [0] * 13)
        self.assertEqual((sums.combination, sums.fan_in.sum()), ("sum", 13))
        self.assertTrue(((sums.inputs >= products.first_id) &
                         (sums.inputs < products.first_id + 13)).all())

    def test_inputs_come_first_and_sums_of_nothing_read_a_zero(self):
        graph = Graph(self.graph("tu", "odd_graphs", "gcn", dim="2"))
        zeros = graph.add_zeros()
        self.assertEqual([zero.values.shape for zero in zeros], [(1, 2, 1)] * 2)
        known = {zero.first_id for zero in zeros}
        for chunk in graph.order:
            self.assertTrue(set(chunk.inputs.tolist()) <= known)
            self.assertEqual(len(chunk.inputs), chunk.fan_in.sum())
            self.assertTrue(chunk.fact or chunk.fan_in.min() > 0)
            known |= set(range(chunk.first_id, chunk.first_id + chunk.count))
        self.assertEqual(graph.output_rows().tolist(), list(range(7)))

    def test_what_it_has_not(self):
        with self.assertRaisesRegex(Absent, "learnable facts"):
            Graph(self.graph("kg", "odd_triples", "rgcn", dims="3,3"))

    def test_no_repository(self):
        with self.assertRaisesRegex(Absent, "no src/compute_graph_vectorize"):
            load_compiler(self.folder)

    def test_sums(self):
        rows, ends = torch.tensor([[1.0], [3.0], [5.0]]), torch.tensor([0, 2, 2, 3])
        self.assertEqual(segment_sum_csr(rows, ends).tolist(), [[4], [0], [5]])
        self.assertEqual(segment_mean_csr(rows, ends).tolist(), [[2], [0], [5]])

    @unittest.skipUnless(os.environ.get("NEUMANN"), "NEUMANN=FOLDER is not set")
    def test_the_same_is_computed(self):
        from time_neumann import compile_model
        load_compiler(os.environ["NEUMANN"])
        path = self.graph("tu", "odd_graphs", "gcn", dim="3")
        for path in (path, paths.ROOT / "datasets/mutagenesis.pb"):
            known = SimpleNamespace(outputs=self.folder / "o.json",
                                    gradients=self.folder / "g.tsv")
            self.tools.run([self.tools.vecc, path, "--backend=reference", "--quiet", "--json", "-o",
                            known.outputs, f"--gradients={known.gradients}"])
            graph = Graph(path)
            model = compile_model(graph.network())
            outputs = model().flatten(1)[graph.output_rows()]
            outputs.sum().backward()
            row = differences(outputs.detach().numpy(), graph.gradients(model), known)
            self.assertFalse(differs(row), row)


if __name__ == "__main__":
    TOOLS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
