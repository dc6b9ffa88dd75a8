"""Networks that PyNeuraLogic builds, its module library and functions that template files have not, each
exported through the bridge in PyNeuraLogic's own JVM.

    py_cases.py BRIDGE_JAR OUT_DIR    NAME.pb, NAME.expected, NAME.gradients of each: NeuraLogic's values, gradients
"""

import itertools
import sys
from pathlib import Path

import jpype
import neuralogic
from neuralogic.core import Aggregation as A
from neuralogic.core import Combination as C
from neuralogic.core import F, Model, R, Settings, V
from neuralogic.core import Transformation as T
from neuralogic.core.constructs.metadata import Metadata
from neuralogic.dataset import Dataset, Sample
from neuralogic.nn import module as nn

NODES = 5
EDGES = ((0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 1))
FEATURES = ((0.5, -0.2, 0.9), (0.1, 0.7, -0.4), (-0.3, 0.2, 0.6), (0.8, -0.6, 0.3), (-0.1, 0.4, -0.9))
STEPS = 4
# A vector times the ONE of a softmax over one value: NeuraLogic's gradient cannot be cast to a matrix.
THROWS_GOING_BACK = {"gatv2_no_loops", "masked_attention", "masked_decoder", "one_token"}


def graph_facts():
    """A graph with features and weighted edges; two nodes have one neighbour."""
    facts = [R.f(i)[list(x)] for i, x in enumerate(FEATURES)]
    return facts + [R.e(i, j)[0.5 + 0.1 * i] for i, j in EDGES]


def relation_facts():
    facts = [R.f(i)[list(x)] for i, x in enumerate(FEATURES)]
    return facts + [R.e(i, f"r{i % 2}", j) for i, j in EDGES]


def sequence_facts():
    facts = [R.f(i + 1)[list(x)] for i, x in enumerate(FEATURES[:STEPS])]
    return facts + [R.h0[[0.1, -0.2]], R.c0[[0.3, 0.2]]] + [R.positive_int(i) for i in range(1, STEPS)]


def tokens():
    return [R.f(i)[list(x) + [0.25]] for i, x in enumerate(FEATURES)]


def vectors():
    return [R.a(name)[list(x)] for name, x in zip("xyz", FEATURES)]


def pooled(*rules, size=2, aggregation=A.AVG):
    """The output is a vector of every node; the query one number."""
    return [*rules, (R.p <= R.o(V.X)) | [aggregation, T.IDENTITY], R.p / 0 | [T.IDENTITY],
            R.q[1, size] <= R.p, R.q / 0 | [T.TANH]]


def read_v(*rules, size=2):
    return [*rules, R.q[1, size] <= R.v, R.q / 0 | [T.TANH]]


def graph_networks():
    conv = {"gcn": nn.GCNConv(3, 2, "o", "f", "e"), "sage": nn.SAGEConv(3, 2, "o", "f", "e"),
            "gin_max": nn.GINConv(3, 2, "o", "f", "e", aggregation=A.MAX),
            "gatv2": nn.GATv2Conv(3, 2, "o", "f", "e"),
            "gatv2_no_loops": nn.GATv2Conv(3, 2, "o", "f", "e", add_self_loops=False),
            "resgated": nn.ResGatedGraphConv(3, 2, "o", "f", "e"),
            "tag": nn.TAGConv(3, 2, "o", "f", "e"), "sg": nn.SGConv(3, 2, "o", "f", "e", k=2)}
    for name, module in conv.items():
        yield name, pooled(*module()), graph_facts()
    yield "appnp", pooled(*nn.APPNPConv("o", "f", "e", 2, 0.2)(), size=3), graph_facts()
    yield "rgcn", pooled(*nn.RGCNConv(3, 2, "o", "f", "e", ["r0", "r1"])()), relation_facts()
    for name, aggregation in (("max", A.MAX), ("min", A.MIN), ("sum", A.SUM)):
        rules = pooled(*nn.SAGEConv(3, 2, "o", "f", "e")(), aggregation=aggregation)
        yield f"pooling_{name}", rules, graph_facts()


def sequence_networks():
    last = R.q[1, 2] <= R.o(STEPS)
    facts = sequence_facts()
    yield "rnn", [*nn.RNN(3, 2, "o", "f", "h0", arity=0)(), last, R.q / 0 | [T.TANH]], facts
    yield "gru", [*nn.GRU(3, 2, "o", "f", "h0", arity=0)(), last, R.q / 0 | [T.TANH]], facts
    yield "lstm", [*nn.LSTM(3, 2, "o", "f", "h0", "c0", arity=0)(), last, R.q / 0 | [T.TANH]], facts
    leaves = [fact for i in (2, 3, 4) for fact in (R.f(i)[list(FEATURES[i])], R.parent(i))]
    rules = [*nn.RvNN(3, "o", "f", "parent", arity=0)(), R.q[1, 3] <= R.o(0), R.q / 0 | [T.TANH]]
    yield "rvnn", rules, [*leaves, R.parent(0, 1, 2), R.parent(1, 3, 4)]


def attention_networks():
    yield "attention", pooled(*nn.Attention(4, "o", "f", "f", "f")(), size=4), tokens()
    yield "multihead", pooled(*nn.MultiheadAttention(4, 2, "o", "f", "f", "f")(), size=4), tokens()
    # Where one key is left the softmax has one value.
    masked = [*tokens(), *[R.m(i, j) for i, j in ((0, 0), (1, 0), (1, 1), (2, 2), (3, 1), (4, 4))]]
    yield "masked_attention", pooled(*nn.Attention(4, "o", "f", "f", "f", "m")(), size=4), masked
    yield "one_token", pooled(*nn.Transformer(4, 2, 6, "o", "f", "f")(), size=4), tokens()[:1]
    encoder = nn.TransformerEncoder(4, 2, 6, "o", "f")
    yield "transformer_encoder", pooled(*encoder(), size=4), tokens()
    yield "transformer", pooled(*nn.Transformer(4, 2, 6, "o", "f", "f")(), size=4), tokens()


def literal_networks():
    h = (R.h(V.X)[3, 3] <= R.a(V.X)) | [T.TANH]
    facts = vectors()
    yield "soft_negation", read_v(h, (R.v[2, 3] <= (R.h("x"), -R.h("y"))) | [T.TANH]), facts
    yield "hard_negation", read_v(
        h, (R.v[2, 3] <= (R.h(V.X), ~R.bad(V.X))) | [T.TANH]), [*facts, R.bad("y")]
    yield "literal_functions", read_v(
        h, (R.v[2, 3] <= (F.relu(R.h(V.X)), F.tanh(R.a(V.X)))) | [A.AVG]), facts
    yield "function_graph", read_v(
        h, (R.v[2, 3] <= (F.relu(R.h("x")) + R.h("y")) * R.h("z")) | [T.TANH]), facts
    yield "function_weighted", read_v(
        h, (R.v[2, 3] <= (R.h("x")[3, 3] + R.h("y")[3, 3]) * R.h("z")[3, 3]) | [T.TANH]), facts
    yield "function_concat", read_v(
        h, (R.v[2, 6] <= F.concat(R.h("x") + R.h("y"), R.h("z") * R.h("x"))) | [T.TANH]), facts
    yield "cossim", read_v(h, (R.v[2, 1] <= (R.h("x")[3, 3], R.h("y")[3, 3])) | [C.COSSIM, T.TANH]), facts
    yield "elproduct", read_v(h, (R.v[2, 3] <= (R.h("x"), R.h("y"))) | [C.ELPRODUCT, T.TANH]), facts
    yield "concat_rows", read_v(
        h, (R.v[2, 6] <= (R.h("x"), R.h("y"))) | [C.CONCAT(axis=0), T.TANH]), facts
    yield "count_of_one", read_v(h, (R.k[1, 3] <= R.h("x")) | [T.TANH], (R.c <= R.k) | [A.COUNT],
                                 R.v[2, 1] <= R.c), facts
    yield "count", read_v(h, (R.v <= R.h(V.X)) | [A.COUNT], size=1), facts
    yield "concat_agg", read_v(h, (R.v <= R.h(V.X)) | [A.CONCAT, T.TANH], size=9), facts


def shape_networks():
    facts = vectors()
    yield "norm", read_v((R.v[2, 3] <= R.a(V.X)) | [T.NORM, A.AVG]), facts
    yield "leakyrelu", read_v((R.v[2, 3] <= R.a(V.X)) | [T.LEAKY_RELU(slope=0.2), A.SUM],
                              R.v / 0 | [T.LEAKY_RELU(slope=0.3)]), facts
    yield "slice_atom", read_v((R.v[4, 3] <= R.a(V.X)) | [T.TANH, A.SUM],
                               R.v / 0 | [T.SLICE(rows=(2, 4))]), facts
    yield "slice_rule", read_v((R.h(V.X)[4, 3] <= R.a(V.X)) | [T.TANH],
                               (R.v <= R.h(V.X)) | [T.SLICE(rows=(1, 3)), A.AVG]), facts
    yield "reshape", read_v((R.g[6, 3] <= R.a("x")) | [T.TANH], R.g / 0 | [T.RESHAPE(shape=(2, 3))],
                            (R.v <= (R.g, R.a("y"))) | [C.PRODUCT, T.TANH]), facts
    yield "split_softmax", read_v(
        R.k(V.X)[1, 3] <= R.a(V.X), R.kk(V.X)[1, 3] <= R.a(V.X),
        (R.s(V.Y, V.X) <= (R.k(V.X), R.kk(V.Y))) | [C.PRODUCT, A.SOFTMAX(agg_terms=["X"])],
        (R.o(V.Y)[2, 3] <= (R.s(V.Y, V.X), R.a(V.X))) | [C.PRODUCT, A.SUM],
        (R.v <= R.o(V.Y)) | [A.AVG, T.TANH]), facts


def module_networks():
    """What the families above have not of the module library."""
    edges = [R.e(i, j)[[0.1 * i, 0.2, 0.3 + 0.1 * j]] for i, j in EDGES]
    features = [R.f(i)[list(x)] for i, x in enumerate(FEATURES)]
    yield "gine", pooled(*nn.GINEConv(3, "f", "e", "o")(), size=3), features + edges
    gen = nn.GENConv(3, 3, "o", "f", "e", aggregation=A.SUM)
    yield "gen", pooled(*gen(), size=3), features + edges
    roles = [R.role(i, f"r{i % 2}", j) for i, j in EDGES]
    yield "meta", pooled(*nn.MetaConv(3, 2, "o", "f", "role", ["r0", "r1"])()), features + roles
    types = [R.type(i, "ab"[i % 2]) for i in range(NODES)] + [R.e(i, j) for i, j in EDGES]
    magnn = nn.MAGNNLinear(3, 2, "o", "f", "e", "type", ["a", "b", "a"])
    yield "magnn", pooled(*magnn()), features + types
    layers = [*nn.PositionalEncoding(4, 5, "g", "f")(), *nn.MLP([4, 6, 5], "h", "g")(), *nn.Linear(5, 2, "o", "h")()]
    yield "encoded_mlp", pooled(*layers), tokens()
    decoder = nn.TransformerDecoder(4, 2, 6, "o", "f", "f", mask_name="m")
    mask = [R.m(head, i, j) for head in range(2) for i in range(NODES) for j in range(i + 1)]
    yield "masked_decoder", pooled(*decoder(), size=4), tokens() + mask


def softmax_networks():
    """Normalised over some terms: heads of several groundings, of two rules, beside other rules; queries
    that need one head of a group."""
    over_x = [C.PRODUCT, A.SOFTMAX(agg_terms=["X"])]
    scores = [R.k(V.X)[1, 3] <= R.a(V.X), R.kk(V.X)[1, 3] <= R.a(V.X)]
    facts = vectors() + [R.e(*pair) for pair in ("xy", "xz", "yx", "yy", "zy")]
    several = (R.s(V.Y, V.X) <= (R.k(V.X), R.kk(V.Z), R.e(V.Y, V.Z))) | over_x
    yield "softmax_of_several", read_v(*scores, several, (R.o(V.Y)[2, 3] <= (R.s(V.Y, V.X), R.a(V.X)))
                                       | [C.PRODUCT, A.SUM], (R.v <= R.o(V.Y)) | [A.AVG, T.TANH]), facts
    rules = [(R.s(V.Y, V.X)[0.5] <= (R.k(V.X), R.kk(V.Y))) | over_x,
             (R.s(V.Y, V.X)[0.7] <= (R.e(V.Y, V.X), R.k(V.X))) | over_x,
             (R.s(V.Y, V.X) <= (R.e(V.X, V.Y), R.kk(V.X))) | [A.AVG, T.TANH]]
    yield "softmax_of_two_rules", read_v(*scores, *rules, (R.v[2, 1] <= R.s("x", "y")) | [T.TANH]), facts
    hidden = (R.v[2, 3] <= (R.a(V.X), R.hidden.e(V.X, V.Y))) | Metadata(aggregation=A.SUM, duplicate_grounding=True)
    yield "duplicates", read_v(hidden), facts


def learnable_networks():
    """Facts that learn: of the template, and of the examples."""
    rules = [(R.h(V.X) <= (R.emb(V.X)[3, 3], R.a(V.X)[3, 3])) | [T.TANH]]
    facts = vectors() + [R.emb(name)[[0.1 * i, 0.2, -0.3]] for i, name in enumerate("xyz")]
    yield "learnable_facts", read_v(*rules, (R.v <= R.h(V.X)) | [A.AVG], size=3), facts


def all_networks():
    for family in (graph_networks, sequence_networks, attention_networks, literal_networks, shape_networks,
                   module_networks, softmax_networks, learnable_networks):
        yield from family()


def build(rules, facts, learnable_facts=False, optimized=False):
    """With NeuraLogic's pruning and compression, or the raw network."""
    model = Model()
    model += rules
    model = model.build(Settings(chain_pruning=optimized, iso_value_compression=optimized))
    dataset = Dataset([Sample(R.q[0.3], facts)])
    return model, model.build_dataset(dataset, learnable_facts=learnable_facts)


def java_samples(built):
    return jpype.java.util.ArrayList([sample._java_sample for sample in built])


def start(bridge_jar):
    jar = Path(neuralogic.__file__).parent / "jar" / "NeuraLogic.jar"
    neuralogic.initialize(jar_path=[str(jar), str(bridge_jar)], seed=1)
    return jpype.JClass("vecc.neuralogic.NeuronGraph")


def quiet_java():
    """Java's log goes to its stdout, and its warnings there, too."""
    nothing = jpype.JClass("java.io.OutputStream").nullOutputStream()
    jpype.java.lang.System.setOut(jpype.java.io.PrintStream(nothing))
    jpype.java.util.logging.LogManager.getLogManager().reset()


def main():
    bridge_jar, folder = sys.argv[1], Path(sys.argv[2])
    neuron_graph = start(bridge_jar)
    quiet_java()
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for optimized, (name, rules, facts) in itertools.product((False, True), all_networks()):
        name += "_optimized" * optimized
        try:
            model, built = build(rules, facts, name.startswith("learnable_facts"), optimized)
            graph = neuron_graph(model._neural_model, java_samples(built))
            graph.write(str(folder / f"{name}.pb"), True)
            graph.writeValues(str(folder / f"{name}.expected"), model._settings.settings,
                              model._neural_model)
            if name in THROWS_GOING_BACK:
                continue
            graph.writeGradients(str(folder / f"{name}.gradients"), model._settings.settings,
                                 model._neural_model)
        except Exception as error:  # of Java or Python: all are listed
            failed.append(f"{name}: {type(error).__name__}: {error}")
    print(f"{len(list(folder.glob('*.pb')))} networks exported")
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
