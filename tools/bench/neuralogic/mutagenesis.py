"""NeuraLogic's molecules, which its Python package ships, and two templates for them."""

from pathlib import Path

ATOMS = ("c", "o", "br", "i", "f", "h", "n", "cl")
BONDS = ("b_1", "b_2", "b_3", "b_4", "b_5", "b_7")


def rules_of(model):
    """The rules of examples/mutagenesis over facts; `*bond` is not an input."""
    embedding, bond = {"simple": ("{3,1}", "*bond(X,Y,B), bond_embed(B)"),
                       "dims": ("{1,1}", "bond(X,Y,B), {3,1} bond_embed(B)")}[model]
    rules = [f"{{3,1}} atom_embed(A) :- {atom}(A)." for atom in ATOMS]
    rules += [f"{embedding} bond_embed(B) :- {kind}(B)." for kind in BONDS]
    for below, layer in (("atom_embed", 1), ("layer_1", 2), ("layer_2", 3)):
        rules.append(f"layer_{layer}(X) :- {{3,3}} {below}(X), {{3,3}} {below}(Y), {bond}.")
    return "\n".join(rules + ["{1,3} predict :- layer_3(X)."]) + "\n"


def template(model):
    return rules_of(model) + "predict / 0 [activation=identity]\n"


def molecules():
    """The files of examples and of queries."""
    import neuralogic
    folder = Path(neuralogic.__file__).parent / "utils/data/datasets/molecules/mutagenesis"
    return str(folder / "examples.txt"), str(folder / "queries.txt")


def tanh_settings(**settings):
    """PyNeuraLogic's, but tanh where a template names no function, as NeuraLogic itself has it."""
    from neuralogic.core import Settings
    from neuralogic.core.constructs.function import Transformation

    class TanhSettings(Settings):
        def create_proxy(self):
            proxy = super().create_proxy()
            proxy.rule_transformation = proxy.relation_transformation = Transformation.TANH
            return proxy

    return TanhSettings(**settings)
