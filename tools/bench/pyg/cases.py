"""The data sets and the lists of cases that check.py --all goes through."""

from dataclasses import dataclass, field
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[3] / "datasets"

# Name: (vecc-import's command, folder within --data, (graphs, nodes, edges) as its source says).
SETS = {
    "MUTAG": ("tu", "tu_MUTAG", (188, 3371, 7442)),
    "ENZYMES": ("tu", "tu_ENZYMES", (600, 19580, 74564)),
    "PROTEINS": ("tu", "tu_PROTEINS", (1113, 43471, 162088)),
    "NCI1": ("tu", "tu_NCI1", (4110, 122747, 265506)),
    "DD": ("tu", "tu_DD", (1178, 334925, 1686092)),
    "REDDIT-BINARY": ("tu", "tu_REDDIT-BINARY", (2000, 859254, 1991016)),
    "FB15k-237": ("kg", "kg_FB15k-237", (1, 14541, 310116)),
    "WN18": ("kg", "kg_WN18", (1, 40943, 151442)),
    "AIFB": ("rdf", "rdf_AIFB", (1, 8285, 29043)),
    "MUTAG-RDF": ("rdf", "rdf_MUTAG", (1, 23644, 74227)),
    "ACM": ("hgb", "hgb_ACM", (1, 10942, 547872)),
    # Shipped with the project.
    "molecules": ("tu", str(SHIPPED / "molecules"), (188, 3366, 7432)),
    # Small sets that odd_sets.py writes.
    "odd-graphs": ("tu", "odd_graphs", None),
    "odd-classes": ("tu", "odd_classes", None),
    "odd-triples": ("kg", "odd_triples", None),
    "odd-rdf": ("rdf", "odd_rdf", None),
    "odd-hgb": ("hgb", "odd_hgb", None),
}
TU = ["MUTAG", "ENZYMES", "PROTEINS", "NCI1", "DD", "REDDIT-BINARY"]
MOLECULE_MODELS = ["gcn", "sage", "gin", "gcn-norm", "gat"]
WN18_SOURCE = "08107499"  # one of the most frequent entities, so also in the sub-set
SCORES = ["transe", "transh", "transr", "transf", "rescal", "distmult", "complex"]


@dataclass
class Case:
    set: str
    model: str
    options: dict = field(default_factory=dict)  # vecc-import's, by name

    def __str__(self):
        return " ".join([self.set, self.model] + [f"--{k}={v}" for k, v in self.options.items()])


def case(line):
    """Case of a line as `check.py` and the tables write it: `ACM rgcn --dim=16 --layers=2`."""
    name, model, *options = line.split()
    return Case(name, model, dict(option[2:].split("=", 1) for option in options))


NODE_CASES = """
    {set} rgcn --dim=16 --layers=2
    {set} rgat --dim=8 --layers=2
    {set} rgat --dim=8 --layers=2 --attention=shared
    {set} hgt --dim=8 --layers=2
"""


def lines_of(text, **values):
    return [case(line.format(**values)) for line in text.strip().splitlines()]


def full_cases():
    cases = [Case(name, model) for name in TU for model in MOLECULE_MODELS]
    for model in ("rgcn", "rgat", "rgat --attention=shared", "hgt"):
        cases += lines_of(f"FB15k-237 {model} --dims=64,64")
    for name in ("AIFB", "MUTAG-RDF", "ACM"):
        cases += lines_of(NODE_CASES, set=name)
    cases += lines_of("ACM rgcn --dim=16 --layers=2 --features=given")
    cases += [Case(name, model) for name in ("FB15k-237", "WN18") for model in SCORES]
    cases += lines_of(f"WN18 reach --source={WN18_SOURCE} --depth=4")
    return cases


# What each option changes, on sets of a few nodes and on the sampled sub-sets.
VARIANTS = """
    MUTAG gcn --layers=4 --dim=5
    MUTAG gcn --pool=sum --output-function=identity
    MUTAG gcn --features=degree
    MUTAG gin --layers=2 --dim=3 --features=one
    MUTAG gat --slope=0.01 --layers=3
    MUTAG sage --layers=1
    ENZYMES gcn --output-function=softmax
    ENZYMES sage --features=attributes --dim=4
    ENZYMES gat --pool=sum --output-function=identity
    odd-graphs gcn
    odd-graphs gcn --isolated=drop
    odd-graphs gcn --isolated=drop --layers=3
    odd-graphs sage
    odd-graphs sage --isolated=drop
    odd-graphs gin
    odd-graphs gin --isolated=drop
    odd-graphs gcn-norm
    odd-graphs gcn-norm --isolated=drop
    odd-graphs gat
    odd-graphs gat --isolated=drop
    odd-graphs gcn --features=degree
    odd-classes gcn
    odd-classes gin --features=attributes --output-function=softmax
    odd-classes gat --features=one
    odd-triples rgcn --dims=6,6
    odd-triples rgcn --dims=6,4,3 --bias=on --aggregation=sum --inverse=off
    odd-triples rgcn --dims=4,5 --norm=layer
    odd-triples rgcn --dims=4,5,4 --message-edges=train
    odd-triples rgat --dims=6,6 --bias=on
    odd-triples rgat --dims=6,8,4 --heads=2 --attention=shared --bias=on
    odd-triples rgat --dims=6,8,4 --heads=4 --slope=0.5 --inverse=off
    odd-triples rgat --dims=4,4 --norm=layer
    odd-triples hgt --dims=6,6
    odd-triples hgt --dims=6,6,4 --heads=2 --inverse=off
    odd-triples hgt --dims=4,4 --skip=off --bias=off
    odd-triples hgt --dims=4,4 --norm=layer --heads=2
    odd-triples transe --dim=5 --negatives=3
    odd-triples transe --dim=5 --p=2 --triples=all
    odd-triples transh --dim=5 --triples=valid
    odd-triples transr --dim=5 --relation-dim=3 --triples=all
    odd-triples transf --dim=4 --loss=logistic
    odd-triples rescal --dim=4 --loss=logistic --negatives=2
    odd-triples distmult --dim=4 --triples=test
    odd-triples transr --dim=4 --triples=all --first=5 --negatives=2
    odd-triples complex --dim=4 --negatives=0
    odd-rdf rgcn --dim=4 --layers=2
    odd-rdf rgat --dim=4 --layers=2
    odd-rdf hgt --dim=4 --layers=2
    odd-hgb rgcn --dim=4 --layers=2
    odd-hgb rgcn --dim=4 --layers=2 --features=given
    odd-hgb rgat --dim=4 --layers=2 --features=given --inverse=off
    odd-hgb hgt --dim=4 --layers=2 --features=given
    odd-hgb hgt --dim=4 --layers=2 --inverse=off
    odd-hgb hgt --dims=4,6,4 --heads=2 --features=given --inverse=off
    odd-triples reach --source=a --depth=4
    odd-triples reach --source=late --depth=2 --inverse=off
    WN18 reach --source={wn18} --depth=3
    odd-graphs gat --dim=1
    odd-graphs gin --dim=1 --features=one
    odd-classes gcn-norm --dim=1
    odd-triples rgcn --dims=1,1
    odd-triples rgat --dims=1,2,1
    odd-triples hgt --dims=2,2 --heads=2
    odd-triples transe --dim=1
    odd-triples transr --dim=1 --relation-dim=3
    odd-triples rescal --dim=1
    odd-triples complex --dim=1
    AIFB rgcn --dim=8 --layers=2 --bias=on --norm=layer
    ACM hgt --dim=8 --layers=2 --features=given
    ACM rgat --dims=9,9,3 --heads=3 --features=given
    FB15k-237 rgcn --dims=8,8,8 --aggregation=sum
    FB15k-237 hgt --dims=8,8,8 --heads=2
"""


def small_cases():
    cases = [Case(name, model) for name in ["molecules"] + TU for model in MOLECULE_MODELS]
    for model in ("rgcn", "rgat", "rgat --attention=shared", "hgt"):
        cases += lines_of(f"FB15k-237 {model} --dims=8,8")
    for name in ("AIFB", "MUTAG-RDF", "ACM"):
        cases += lines_of(NODE_CASES, set=name)
    for name in ("FB15k-237", "WN18"):
        cases += lines_of("\n".join(f"{name} {model} --dim=8" for model in SCORES))
    return cases + lines_of(VARIANTS, wn18=WN18_SOURCE)
