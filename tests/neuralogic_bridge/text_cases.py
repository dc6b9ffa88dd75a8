"""Small templates in NeuraLogic's own language: NAME: (template, examples)."""

VECTORS = "<0.3> q :- <[0.5,-0.2,0.9]> a(x), <[0.1,0.7,-0.4]> a(y), <[-0.3,0.2,0.6]> a(z).\n"
ONE_HOT = "<0.3> q :- <[1,0,0]> o(x), <[0,1,0]> o(y), <[0,0,1]> o(z), <0.4> s(x).\n"
SCALARS = "<0.3> q :- <0.4> s(x), <-0.8> s(y), <1.5> s(z).\n"
HIDDEN = "{3,3} h(X) :- {3,3} a(X).\n"
READ_V = "{1,3} q :- {3,3} v.\nv/0 [activation=identity]\n"


def transformations():
    """Of rules and of atoms."""
    for name in ("sigmoid", "tanh", "signum", "relu", "leakyrelu", "lukasiewicz", "identity", "norm", "softmax",
                 "sparsemax", "reverse", "exp"):
        yield name, ("{3,3} h(X) :- {3,3} a(X). [activation=%s]\n{1,3} q :- {3,3} h(X).\n"
                     "h/1 [activation=%s]\n" % (name, name), VECTORS)
    for name in ("inverse", "sqrt", "log"):  # of positive numbers
        yield name, ("h(X) :- {3,3} a(X). [activation=exp]\n{1,3} q :- {3,3} h(X).\n"
                     "h/1 [activation=%s]\n" % name, VECTORS)
    yield "transp", ("h(X) :- {3,3} a(X). [activation=transpose]\n"
                     "v :- h(x), a(y). [combination=product]\n{1} q :- {1} v.\n", VECTORS)


def aggregations():
    for name in ("sum", "avg", "max", "min"):
        yield f"{name}_agg", (HIDDEN + "{1,3} q :- {3,3} h(X). [aggregation=%s]\n" % name, VECTORS)
        yield f"{name}_ties", ("v :- o(X). [aggregation=%s, activation=identity]\n" % name + READ_V, ONE_HOT)
    yield "count_agg", ("v :- o(X). [aggregation=count, activation=identity]\n"
                        "v/0 [activation=identity]\nq :- {1} v, {1} s(x).\n", ONE_HOT)
    for name in ("softmax", "sparsemax"):
        yield f"{name}_agg", ("v :- {1} s(X). [aggregation=%s]\n" % name + READ_V, SCALARS)


def combinations():
    for name in ("max", "min", "avg", "sum", "elproduct"):
        yield f"{name}_comb", (HIDDEN + "{1,3} q :- h(x), h(y), h(z). [combination=%s]\n" % name, VECTORS)
    for name in ("softmax", "sparsemax"):
        yield f"{name}_comb", ("v :- {1} s(x), {1} s(y), {1} s(z). [combination=%s, activation=identity]\n"
                               % name + READ_V, SCALARS)
    yield "count_comb", ("v :- {1} s(x), {1} s(y). [combination=count, activation=tanh]\n{1} q :- {1} v.\n",
                         SCALARS)
    yield "count_of_one", ("v :- {1} s(x). [combination=count, activation=tanh]\n{1} q :- {1} v.\n", SCALARS)
    yield "softmax_of_one", ("v :- {1} s(x). [combination=softmax, activation=sigmoid]\n{1} q :- {1} v.\n",
                             SCALARS)
    yield "concat_comb", (HIDDEN + "v :- h(x), {2,3} h(y), {1,3} h(z). [combination=concat, activation=identity]\n"
                          "v/0 [activation=identity]\n{1,6} q :- v.\n", VECTORS)
    yield "crosssum", (HIDDEN + "v :- h(x), h(y). [combination=crosssum]\n{1,9} q :- v.\n", VECTORS)
    yield "cossim_comb", (HIDDEN + "q :- {3,3} h(x), {3,3} h(y). [combination=cossim]\n", VECTORS)
    yield "product_comb", (HIDDEN + "v :- s(x), h(y). [combination=product]\n{1,3} q :- v.\n",
                           VECTORS.replace("a(z).", "a(z), <0.4> s(x)."))


def lists_of_one():
    """Every function over one value: NeuraLogic leaves most of them out, and has 1 for some."""
    def of_one(rule, is_scalar):
        hidden = "{%s,3} h(X) :- a(X). [activation=tanh]\n" % ("1" if is_scalar else "3")
        return hidden + rule + "v/0 [activation=identity]\n", "<0.3> q :- <[0.5,-0.2,0.9]> a(x).\n"

    choices = ("softmax", "sparsemax")
    for name in ("sum", "avg", "max", "min", "count", "concat", *choices):
        for activation in ("tanh", "identity"):
            template, fact = of_one("v :- h(X). [aggregation=%s, activation=%s]\n" % (name, activation), True)
            yield f"{name}_agg_of_one_{activation}", (template + "q :- {1} v, {1} h(X).\n", fact)
    for name in ("sum", "avg", "max", "min", "count", "concat", "product", "elproduct", "crosssum", *choices):
        for activation in ("tanh", "identity"):
            template, fact = of_one("v :- h(x). [combination=%s, activation=%s]\n" % (name, activation), False)
            is_one = name == "count" or name in choices and activation == "identity"
            yield f"{name}_comb_of_one_{activation}", (template + "q :- {1%s} v.\n" % ("" if is_one else ",3"), fact)
    yield "count_of_some", ("{1,3} h(X) :- a(X). [activation=tanh]\nv(X) :- h(Y), *e(X, Y). [aggregation=count]\n"
                            "v/1 [activation=identity]\n{1} q :- {1} v(X), {1} h(X).\n",
                            VECTORS.replace("a(z).", "a(z), e(x, y), e(y, z), e(y, x)."))


def weights():
    yield "rule_offset", ("{3,3} h(X) :- {3,3} a(X), {3}.\n{1,3} q :- {3,3} h(x), {3,3} h(y), {3}.\n", VECTORS)
    yield "two_rules", ("{3,3} h(X) :- {3,3} a(X).\n{2,3} g :- {3,3} h(X).\n"
                        "{2,3} g :- {3,3} a(X). [aggregation=max]\ng/0 {2}\n{1,2} q :- g.\nq/0 {1}\n", VECTORS)
    yield "scalar_weight", ("{3,3} h(X) :- {1} a(X).\n{1,3} q :- h(X).\n", VECTORS)
    yield "fixed_weight", ("{3,3} h(X) :- <0.5> a(X).\n{1,3} q :- <2> h(X).\n", VECTORS)
    yield "template_facts", ("{1,3} q :- {3,3} f(X), {3,3} a(X).\n{3} f(x).\n{3} f(y).\n<[1,2,3]> f(z).\n", VECTORS)
    yield "unit_facts", ("{3,1} h(X) :- n(X).\n{1,3} q :- {3,3} h(X), m(X).\n", "<0.3> q :- n(x), n(y), m(x), 0.1 m(y).\n")
    yield "hidden_predicate", (HIDDEN + "{1,3} q :- {3,3} h(X), *n(X).\n", VECTORS.replace("a(z).", "a(z), n(x), n(z)."))
    yield "vector_output", ("{3,3} q :- {3,3} a(X).\n", VECTORS.replace("<0.3>", "<[0.3,-0.4,0.6]>"))
    yield "two_samples", (HIDDEN + "{1,3} q :- {3,3} h(X).\n", VECTORS + VECTORS.replace("a(z)", "a(w)"))
    yield "several_queries", (HIDDEN + "{1,3} q(X) :- {3,3} h(X).\n",
                              "<0.3> q(x), <1> q(y) :- <[0.5,-0.2,0.9]> a(x), <[0.1,0.7,-0.4]> a(y).\n")
    yield "one_target_of_two", ("{1,3} q(X) :- {3,3} a(X).\n",
                                "q(x), <0.5> q(y) :- <[0.5,-0.2,0.9]> a(x), <[0.1,0.7,-0.4]> a(y).\n")


def all_cases():
    for family in (transformations, aggregations, combinations, lists_of_one, weights):
        yield from family()
