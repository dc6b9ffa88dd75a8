"""The twins against the formulas of docs/architectures.md, node by node, on the odd sets."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import paths  # noqa: F401
import naive
import odd_sets
import torch
from check_case import LOADERS, build_twin
from data_tu import node_features
from graph_file import GraphFile, Table
from scores import SCORES
from twin import Options
from weights import Weights


def load(kind, folder_name):
    with tempfile.TemporaryDirectory() as folder:
        odd_sets.MAKERS[folder_name](Path(folder))
        return LOADERS[kind](folder)


def evaluate(data, model, triples=(), **options):
    """(numpy tables, outputs) of a twin with random weights."""
    twin = build_twin(data, model, Options({k.replace("_", "-"): v for k, v in options.items()}))
    twin.triples.extend(triples)
    random, graph = np.random.default_rng(1), GraphFile()
    for spec in twin.tables:
        values = random.normal(size=(spec.count,) + tuple(spec.shape))
        graph.tables[spec.name] = Table(spec.name, 0, spec.count, spec.shape, True, values)
    outputs = twin.forward(Weights(graph, twin.tables, torch.float64, "cpu")).detach().numpy()
    return {name: table.values for name, table in graph.tables.items()}, outputs


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        cls.addClassCleanup(torch.set_default_dtype, before)

    def assert_same(self, found, expected, name=""):
        expected = np.array(expected).reshape(found.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, err_msg=name)


class Molecules(Case):
    def test_every_model(self):
        for folder in ("odd_graphs", "odd_classes"):
            data = load("tu", folder)
            for model in naive.MOLECULES:
                layers = 5 if model == "gin" else 2
                w, found = evaluate(data, model, dim="3")
                expected = naive.predict(w, data, model, node_features(data, "auto"), layers)
                self.assert_same(found, expected, f"{folder} {model}")

    def test_without_isolated_nodes(self):
        data = load("tu", "odd_graphs")
        twin = build_twin(data, "gcn", Options({"isolated": "drop", "layers": "3"}))
        # Graph 1 is a chain of two edges, graphs 2 and 5 have none: no third layer in them.
        self.assertEqual(twin.ids, ["graph_3", "graph_4", "graph_6", "graph_7"])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)


class TypedGraphs(Case):
    def check(self, folder, model, inverse=True, heads=1, tables=(), finish=None, **options):
        data = load({"odd_triples": "kg", "odd_rdf": "rdf", "odd_hgb": "hgb"}[folder], folder)
        w, found = evaluate(data, model, inverse="on" if inverse else "off", heads=str(heads),
                            output_function="identity", **{k: v for k, (v, _) in options.items()})
        graph = naive.Typed(data, inverse, heads)
        arguments = dict(argument for _, argument in options.values() if argument)
        x, layer = list(w["e"]), 1
        while any(name.startswith(f"h{layer}.") for name in w):
            x = [naive.relu(column) for column in x] if layer > 1 else x
            x = getattr(naive, model)(w, f"h{layer}.", x, graph, **arguments)
            if finish:
                x = [finish(w, layer, column) for column in x]
            layer += 1
        nodes = list(dict.fromkeys(node for node, _, _ in data.labels)) or range(data.nodes)
        self.assert_same(found, [x[i] for i in nodes], f"{folder} {model} {options}")

    def test_outputs(self):
        """Without an option: of one class a node a softmax, of several a sigmoid each."""
        for folder, function in (("odd_rdf", softmax), ("odd_hgb", sigmoid)):
            data = load(folder[4:], folder)
            outputs = [evaluate(data, "rgcn", dims="4,3", **options)[1]
                       for options in ({}, {"output_function": "identity"})]
            labels = [node for node, _, _ in data.labels]
            several = len(labels) > len(set(labels))
            self.assertEqual(several, function is sigmoid, folder)
            self.assert_same(outputs[0], function(outputs[1]), folder)

    def test_rgcn(self):
        dims = {"dims": ("4,4,3", None)}
        for folder in ("odd_triples", "odd_rdf", "odd_hgb"):
            self.check(folder, "rgcn", **dims)
        self.check("odd_hgb", "rgcn", inverse=False, **dims)
        self.check("odd_triples", "rgcn", aggregation=("sum", ("aggregate", naive.total)), **dims)
        self.check("odd_triples", "rgcn", bias=("on", None),
                   finish=lambda w, l, x: x + w[f"h{l}.b"][0], **dims)
        self.check("odd_triples", "rgcn", norm=("layer", None),
                   finish=lambda w, l, x: naive.norm(x), **dims)

    def test_rgat(self):
        for heads in (1, 2):
            for folder in ("odd_triples", "odd_hgb"):
                dims = {"dims": ("4,6,2", None)}
                self.check(folder, "rgat", heads=heads, **dims)
                self.check(folder, "rgat", heads=heads, attention=("shared", ("shared", True)),
                           inverse=False, slope=("0.5", ("slope", 0.5)), **dims)
                self.check(folder, "rgat", heads=heads, bias=("on", None),
                           finish=lambda w, l, x: x + w[f"h{l}.b"][0], **dims)

    def test_hgt(self):
        for heads in (1, 2):
            for folder in ("odd_triples", "odd_hgb"):
                for inverse in (True, False):
                    self.check(folder, "hgt", heads=heads, inverse=inverse, dims=("4,4,6", None))
        self.check("odd_hgb", "hgt", dims=("4,4", None), skip=("off", ("skip", False)),
                   bias=("off", ("bias", False)))

    def test_ranges_of_targets(self):
        from models_rgat import target_ranges
        target = torch.tensor([0, 0, 2, 2, 2, 3, 5])
        self.assertEqual(target_ranges(target, 6, 100), [(0, 6)])
        self.assertEqual(target_ranges(target, 6, 2), [(0, 2), (2, 3), (3, 6)])
        self.assertEqual(target_ranges(target, 6, 1)[0], (0, 1))


def score(w, model, h, r, t, p=1):
    e, rel = w.get("e"), w.get("r")
    if model == "transe":
        d = np.abs(e[h] + rel[r] - e[t])
        return -(d.sum() if p == 1 else np.sqrt((d**2).sum()))
    if model == "transh":
        n = w["w"][r]
        project = [x - (n.T @ x) / (n.T @ n) * n for x in (e[h], e[t])]
        return -np.sum((project[0] + rel[r] - project[1])**2)
    if model == "transr":
        return -np.sum((w["M"][r] @ e[h] + rel[r] - w["M"][r] @ e[t])**2)
    if model == "transf":
        return ((e[h] + rel[r]).T @ e[t] + e[h].T @ (e[t] - rel[r])).item()
    if model == "rescal":
        return (e[h].T @ w["M"][r] @ e[t]).item()
    if model == "distmult":
        return np.sum(e[h] * rel[r] * e[t])
    a, b = w["e_re"] + 1j * w["e_im"], w["r_re"] + 1j * w["r_im"]
    return np.real(np.sum(a[h] * b[r] * np.conj(a[t])))


class Scores(Case):
    def test_every_score(self):
        data = load("kg", "odd_triples")
        triples = np.stack([data.source, data.relation, data.target], 1).tolist()
        for model in SCORES:
            for options in ({"dim": "4"}, {"dim": "3", "p": "2", "relation-dim": "5"}):
                w, found = evaluate(data, model, triples, **options)
                p = int(options.get("p", 1))
                self.assert_same(found, [score(w, model, *triple, p) for triple in triples], model)


if __name__ == "__main__":
    unittest.main()
