"""The notebooks of examples/notebooks run, cell after cell, as Jupyter runs them.

notebooks_test.py VECC DATASETS
"""

import ast
import json
import os
import unittest
from pathlib import Path

from command_line import VECC  # noqa: F401  takes the arguments

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"


def run_cell(source, name, names):
    """Its last expression, and what a notebook shows of it."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last is None:
        return None, ""
    value = eval(compile(ast.Expression(last.value), name, "eval"), names)
    return value, value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


class NotebooksTest(unittest.TestCase):
    def run_notebook(self, name):
        """What the cells leave, and what is shown below each."""
        notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
        names, shown, ids = {"__name__": "__main__"}, [], set()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(FOLDER)
        for number, cell in enumerate(notebook["cells"]):
            ids.add(cell["id"])
            if cell["cell_type"] != "code":
                continue
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), number)
            _, text = run_cell("".join(cell["source"]), f"{name}.ipynb cell {number}", names)
            shown.append(text)
        self.assertEqual(len(ids), len(notebook["cells"]))
        return names, shown

    def test_molecules(self):
        names, shown = self.run_notebook("molecules")
        self.assertIn("2 classes; train 150, validation 0, test 38", shown[1])
        self.assertIn("conv2/nn/2/weight", shown[2])
        self.assertGreater(names["metrics"]["accuracy"], 0.7)
        self.assertEqual(names["prediction"].values.shape, (1, 2))
        self.assertGreater(names["over_seeds"]["accuracy"][0], 0.7)

    def test_node_classification(self):
        names, _ = self.run_notebook("node-classification")
        self.assertEqual(names["training"].end, "early stop")
        self.assertGreater(names["accuracy"], 0.8)
        self.assertGreater(names["elsewhere"], 0.7)
        self.assertIn("is not of edges of node to node", names["message"])

    def test_torch_loop(self):
        names, shown = self.run_notebook("torch-loop")
        self.assertLess(names["losses"][-1], 0.3 * names["losses"][0])
        self.assertGreater(names["accuracy"], 0.8)
        self.assertLess(float(shown[-1].split("(")[-1].rstrip(")")), 1e-4)

    def test_all_are_run(self):
        tested = {"molecules", "node-classification", "torch-loop"}
        self.assertEqual({path.stem for path in FOLDER.glob("*.ipynb")}, tested)


if __name__ == "__main__":
    unittest.main()
