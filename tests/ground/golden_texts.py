"""Templates and examples of NeuraLogic's dumps, and of the networks of PyNeuraLogic that py_cases.py
exports: NAME.t.txt and NAME.e.txt in OUT_DIR/golden and OUT_DIR/python, for vecc-ground. A dump has its texts, or PyNeuraLogic's rules, or rules and facts are the names of its neurons; facts of hidden
literals are what the groundings of their rules say.

    golden_texts.py GOLDEN_FOLDER OUT_DIR
"""

import re
import shutil
import sys
from pathlib import Path

from neuralogic.core import Aggregation, Combination, F, R, Transformation, V
from neuralogic.dataset import Dataset, Sample
from neuralogic.nn.module import Attention, Module

from vecc.neuralogic_text import TemplateText, dataset_text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/golden"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "neuralogic_bridge"))
from dump import read_json  # noqa: E402: found by the lines above
from py_cases import all_networks  # noqa: E402

WEIGHT = re.compile(r"\{[0-9, ]+\}")
LITERAL = re.compile(r"([*!~]?)([a-z]\w*)\(([^()]*)\)")
# NeuraLogic's names of its classes.
FUNCTIONS = {"Transposition": "transp", "Logarithm": "log", "Exponentiation": "exp", "SquareRoot": "sqrt"}


def facts():
    values = {"x": [0.5, -0.2, 0.9], "y": [0.1, 0.7, -0.4], "z": [-0.3, 0.2, 0.6]}
    return [R.a(name)[value] for name, value in values.items()]


def python_texts(source):
    """Of `mk(NAME, RULES, FACTS)`, with the words that the dumps' README explains."""
    made = {}

    def mk(_, rules, given=None):
        flat = []
        for rule in rules:
            flat += rule() if isinstance(rule, Module) else [rule]
        made.update(rules=flat, facts=facts() if given is None else given)

    words = {"R": R, "F": F, "X": V.X, "Y": V.Y, "T": Transformation, "A": Aggregation, "C_": Combination,
             "Attention": Attention, "facts": facts, "mk": mk, "q": R.q[1, 2] <= R.v,
             "qt": R.q / 0 | [Transformation.TANH],
             "h": (R.h(V.X)[3, 3] <= R.a(V.X)[3, 3]) | [Transformation.TANH]}
    eval(source.removeprefix("try: "), words)  # of the project's own data
    return texts_of_rules(made["rules"], made["facts"])


def texts_of_rules(rules, given):
    text = TemplateText(rules)
    dataset = Dataset([Sample(R.q[0.3], given)])
    return str(text), "".join(dataset_text(dataset, text.domain))


class NamedTexts:
    """From the names of neurons, with each weight by its name."""

    def __init__(self, dump):
        self._names = {weight["index"]: weight["name"] for weight in dump["weights"]}
        self._shapes = {weight["name"]: weight["value"]["size"] for weight in dump["weights"]}
        self._rules, self._lines = {}, {}
        self._examples = []
        for sample in dump["samples"]:
            self._read(sample)

    def texts(self):
        return "\n".join([*self._rules.values(), *self._lines]) + "\n", "\n".join(self._examples) + "\n"

    def _read(self, sample):
        neurons = {neuron["index"]: neuron for neuron in sample["neurons"]}
        heads = {}  # weights of rules: atoms have them
        for neuron in neurons.values():
            if neuron["class"] == "WeightedAtomNeuron":
                for source, weight in zip(neuron["inputs"], neuron["weights"]):
                    heads[neurons[source]["name"]] = weight
        given = []
        for neuron in neurons.values():
            kind, name = neuron["class"], neuron["name"]
            if kind in ("RuleNeuron", "WeightedRuleNeuron"):
                self._rules.setdefault(name, self._rule(neuron, heads.get(name)))
            elif kind in ("AtomNeuron", "WeightedAtomNeuron"):
                self._atom(neuron)
            elif kind == "FactNeuron" and WEIGHT.match(name):
                self._lines.setdefault(self._named(name, [neuron["offsetName"]]) + ".")
            elif kind == "FactNeuron":
                given.append(name)
        self._examples.append(f"{self._query(sample)} :- {', '.join(given + self._hidden(neurons))}.")

    def _rule(self, neuron, head):
        weights = [] if head is None else [head]
        weights += [weight for weight in neuron.get("weights", []) if self._names.get(weight, "one") != "one"]
        names = [self._names[weight] for weight in weights if self._names.get(weight, "one") != "one"]
        return self._named(neuron["name"], [*names, neuron.get("offsetName")])

    @staticmethod
    def _named(text, names):
        names = iter(names)
        return WEIGHT.sub(lambda found: f"${next(names)}={found[0]}", text).replace(":-", " :- ")

    def _atom(self, neuron):
        name, arity = neuron["name"].partition("(")[0], neuron["name"].count(",") + 1
        predicate = f"{name}/{arity if '(' in neuron['name'] else 0}"
        function = neuron["transformation"] or "identity"
        self._lines.setdefault(f"{predicate} [activation={FUNCTIONS.get(function, function.lower())}]")
        offset = neuron.get("offsetName", "zero")
        if offset not in ("zero", None):
            shape = self._shapes[offset] or [1]
            self._lines.setdefault(f"{predicate} ${offset}={{{','.join(map(str, shape))}}}")

    @staticmethod
    def _query(sample):
        target = sample["target"]["data"]
        (output,) = [neuron["name"] for neuron in sample["neurons"] if neuron["index"] == sample["query"]]
        return f"{target[0] if len(target) == 1 else target} {output}"

    def _hidden(self, neurons):
        """The facts that hidden literals of the groundings read; `_` is anything."""
        found = {}
        for neuron in neurons.values():
            if "*" not in neuron["name"] or "RuleNeuron" not in neuron["class"]:
                continue
            values, inputs = {}, iter(neuron["inputs"])
            literals = LITERAL.findall(neuron["name"].partition(":-")[2])
            for mark, _, terms in literals:
                if mark in ("", "~"):
                    constants = LITERAL.search(neurons[next(inputs)]["name"])[3]
                    values.update(zip(terms.split(","), constants.split(",")))
            for mark, name, terms in literals:
                if mark == "*":
                    constants = [values.get(term, f"u{len(found)}") for term in terms.split(",")]
                    known = tuple(values.get(term) for term in terms.split(","))
                    found.setdefault((name, known), f"{name}({','.join(constants)})")
        return list(found.values())


def texts_of(dump):
    if "pyneuralogic" in dump:
        return python_texts(dump["pyneuralogic"])
    if "exampleText" in dump:
        return dump["templateText"], dump["exampleText"]
    return NamedTexts(dump).texts()


def write_all(folder, named_texts):
    folder.mkdir(parents=True)
    for name, texts in named_texts:
        for suffix, text in zip(("t", "e"), texts):
            (folder / f"{name}.{suffix}.txt").write_text(text, encoding="utf-8")
    print(f"{folder}: {len(list(folder.glob('*.t.txt')))} templates")


def texts_of_dumps(golden):
    for path in sorted(golden.glob("*.json.xz")):
        dump = read_json(str(path))
        if "samples" in dump:
            yield path.name.partition(".")[0], texts_of(dump)


def main():
    golden, folder = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    write_all(folder / "golden", texts_of_dumps(golden))
    # Learnable facts are an option of the data set, which texts say by facts without brackets.
    write_all(folder / "python", ((name, texts_of_rules(rules, given)) for name, rules, given in all_networks()
                                  if name != "learnable_facts"))


if __name__ == "__main__":
    main()
