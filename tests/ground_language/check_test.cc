// What is said of templates that parse: errors and notes, with their whole texts.
#include <gmock/gmock.h>

#include "tests/ground_language/parse_check.h"
#include "tools/ground/language/functions.h"

namespace vecc::tools::language {
namespace {

std::string lines_of(const Result<Notes>& notes) {
  if (!notes) return notes.error().text();
  std::string text;
  for (const std::string& note : *notes) text += (text.empty() ? "" : "\n") + note;
  return text;
}

std::string check(std::string_view bytes) {
  const auto parsed = parse_template({"t.txt", bytes});
  return parsed ? lines_of(check_template(*parsed)) : parsed.error().text();
}

// Over data in the examples' and the queries' format.
std::string check_over(std::string_view bytes, std::string_view facts,
                       std::string_view queries = "") {
  const auto parsed = parse_template({"t.txt", bytes});
  const auto examples = parse_examples({"e.txt", facts});
  if (!parsed || !examples) return "no text";
  DataPredicates data;
  for (const Example& example : examples->examples) {
    for (const Atom& fact : example.facts) data.add_fact(fact);
    for (const Atom& query : example.queries) data.add_query(query);
    data.add_rules(example);
  }
  if (!queries.empty()) {
    const auto parsed_queries = parse_queries({"q.txt", queries});
    for (const Query& query : parsed_queries->queries) {
      for (const Atom& atom : query.atoms) data.add_query(atom);
    }
  }
  return lines_of(check_data(*parsed, {}, data));
}

TEST(FunctionNames, are_neuralogics_and_veccs) {
  EXPECT_EQ(transformation_of("TanH"), Transformation::Tanh);
  EXPECT_EQ(transformation_of("sigm"), Transformation::Sigmoid);
  EXPECT_EQ(transformation_of("transpose"), Transformation::Transp);
  EXPECT_EQ(transformation_of("layernorm"), Transformation::Norm);
  EXPECT_EQ(transformation_of("gelu"), Transformation::Gelu);
  EXPECT_FALSE(transformation_of("atindex"));
  EXPECT_FALSE(transformation_of("broadcast"));
  EXPECT_FALSE(transformation_of("crosssum-tanh"));
  EXPECT_EQ(combination_of("ElProduct"), Combination::ElProduct);
  EXPECT_FALSE(combination_of("functiongraph"));
  for (const CombinationInfo& function : combinations()) {
    const bool named = combination_of(function.text).has_value();
    EXPECT_EQ(named, function.id != Combination::FunctionGraph);
  }
  for (const std::string& name : transformation_names()) EXPECT_TRUE(transformation_of(name));
  for (const std::string& name : aggregation_names()) {
    EXPECT_TRUE(is_aggregation(*combination_of(name)));
  }
}

TEST(TemplateCheck, says_nothing_of_what_is_right) {
  EXPECT_EQ(check("{2} h(X) :- {2,3} a(X), *e(X, Y), !b(Y), @neq(X, Y), ~c(X), 0.5. "
                  "[aggregation=max, transformation=relu, combination=avg]\n"
                  "q :- $w={1,2} h(X). h/1 {2}\nq/0 [offset=$w, activation=identity]\n"
                  "{2} f(x). g.\nq :- $w={1,2} h(Y)."),
            "");
}

TEST(TemplateCheck, functions) {
  EXPECT_EQ(check("q :- a. [transformation=tahn]"),
            "t.txt: line 1, column 25: error: found \"tahn\", expected identity, sigmoid, tanh, "
            "signum, relu, leakyrelu, lukasiewicz, exp, log, sqrt, inverse, reverse, transp, norm, "
            "softmax, sparsemax, slice, reshape, gelu, abs, square, silu, softplus, sigm, "
            "transpose, layernorm; did "
            "you mean \"tanh\"? [E019]");
  EXPECT_THAT(check("q :- a. [activation=crosssum-tanh]"),
              testing::AllOf(testing::HasSubstr("column 21: error: found \"crosssum-tanh\""),
                             testing::EndsWith("layernorm [E019]")));
  EXPECT_THAT(check("q/0 [combination=maximum]"),
              testing::HasSubstr("column 18: error: found \"maximum\", expected sum, avg, max"));
  EXPECT_EQ(check("q :- a. [aggregation=product]"),
            "t.txt: line 1, column 22: error: found \"product\", expected sum, avg, max, min, "
            "count, concat, softmax, sparsemax [E019]");
  EXPECT_EQ(check("q :- a. [aggregation=0.5]"),
            "t.txt: line 1, column 10: error: found a value of \"aggregation\" that is no word, "
            "expected sum, avg, max, min, count, concat, softmax, sparsemax [E024]");
  EXPECT_THAT(
      check("q :- ^reluu a."),
      testing::AllOf(testing::HasSubstr("column 7: error: found \"reluu\", expected identity"),
                     testing::EndsWith("did you mean \"relu\"? [E019]")));
}

TEST(TemplateCheck, calls_of_functions) {
  EXPECT_EQ(check("h(X) :- ^slice(0:2) a(X), b(X), a(X). [transformation=leakyrelu(0.2), "
                  "combination=elproduct(sum($0, relu($1)), $2), duplicate_grounding=true]\n"
                  "s(X, Y) :- h(X), h(Y). [aggregation=softmax(Y), combination=concat(axis=0), "
                  "transformation=reshape(2x3)]\nh/1 [activation=slice(1:3, 0:1)]"),
            "");
  const auto says = [](std::string_view text, std::string_view message) {
    EXPECT_THAT(check(text), testing::HasSubstr(message)) << text;
  };
  says("q :- a. [transformation=slice]", "column 25: error: slice expects bounds such as 1:3, 0:");
  says("q :- a. [transformation=slice(3:1)]", "takes nothing");
  says("q :- a. [transformation=tanh(2)]", "tanh has no parameter in its text");
  says("q :- a. [transformation=leakyrelu(0.2, 1)]", "leakyrelu expects a number");
  says("q :- a. [transformation=reshape(2x)]", "reshape expects a shape such as 2x3");
  says("q :- a. [transformation=relu($0)]",
       "found \"relu($0)\", expected parameters such as (0.2), (1:3), (2x3)");
  says("q :- a, b. [combination=sum(axis=0)]",
       "found \"sum(axis=0)\", expected \"sum\", which has no parameters");
  says("q :- a, b. [combination=concat(axis=1)]",
       "expected concat, concat(axis=0) or concat(axis=-1)");
  says("q :- a, *b. [combination=product($0, $1)]",
       "found $1, expected $0 up to the last of 1 input of the rule");
  says("q :- a, b. [combination=sun($0, $1)]", "unknown function \"sun\" of 2 operands");
  says("q :- a, b, 0.5. [combination=product($0, $1)]", "a formula of a rule with an offset");
  says("q/0 [combination=product($0, $1)]", "found a formula, expected a function of a list");
  says("q(X) :- a(X, Y). [aggregation=softmax(Y)]",
       "found \"Y\", expected a variable of the rule's head");
  says("q(X) :- a(X). [aggregation=softmax(X, X)]", "over variables of the head, each once");
  says("q(X) :- a(X). [aggregation=softmax(x)]", "over variables of the head, each once");
  says("q(X) :- a(X). [aggregation=softmax()]", "over variables of the head, each once");
  says("q :- a. [duplicate_grounding=1]", "that is neither true nor false");
  says("q :- a. [activation=leakyrelu(0.2]", "expected");
}

TEST(TemplateCheck, keys) {
  EXPECT_EQ(
      check("q :- a. [agregation=max]"),
      "t.txt: line 1, column 10: error: found \"agregation\", expected transformation, "
      "activation, combination, aggregation, duplicate_grounding; did you mean \"aggregation\"? "
      "[E024]");
  EXPECT_EQ(check("q/0 [size=max]"),
            "t.txt: line 1, column 6: error: found \"size\", expected transformation, activation, "
            "combination, offset [E024]");
  EXPECT_EQ(check("q :- a. [activation=relu, transformation=tanh]"),
            "t.txt: line 1, column 27: error: found \"transformation\" again, expected one value a "
            "key [E024]");
  EXPECT_EQ(check("q/0 [offset=abc]"),
            "t.txt: line 1, column 13: error: found \"abc\", expected a value, or \"$\" and a "
            "weight of the template [E024]");
  EXPECT_EQ(check("q/0 [offset=$abc]"),
            "t.txt: line 1, column 13: error: found weight \"abc\", expected one that a rule, fact "
            "or offset of the template has [E024]");
  EXPECT_EQ(check("q :- $w=1 a. $w [value=2]"),
            "t.txt: line 1, column 14: error: found metadata of weight \"w\", expected its value "
            "where it stands ($w=[1,2]): NeuraLogic fails on it, too [E024]");
}

TEST(TemplateCheck, says_what_is_not_used) {
  EXPECT_EQ(check("q :- a. [offset=0.5, learnable=false]\nq/0 [aggregation=max]\n[x=y]\na, b."),
            "t.txt: line 4, column 1: note: a line of several facts is not used, in NeuraLogic "
            "neither: write one fact a line\n"
            "t.txt: line 1, column 10: note: offset of a rule is not used, in NeuraLogic neither: "
            "write it as the last of the body\n"
            "t.txt: line 1, column 22: note: learnable of a rule is not used, in NeuraLogic "
            "neither\n"
            "t.txt: line 2, column 6: note: aggregation of a predicate is not used, in NeuraLogic "
            "neither: write it behind the rules\n"
            "t.txt: line 3, column 1: note: metadata of the template is not used, in NeuraLogic "
            "neither");
  EXPECT_EQ(
      check("q :- 0.5 *a(X), b(X), 2 @eq(X, X)."),
      "t.txt: line 1, column 6: note: the weight of *a/1 is not used: the literal is no input "
      "of the rule\n"
      "t.txt: line 1, column 23: note: the weight of @eq/2 is not used: the literal is no "
      "input of the rule");
}

TEST(TemplateCheck, unsafe_rules) {
  EXPECT_EQ(check("q(X, Y) :- a(X)."),
            "t.txt: line 1, column 6: error: found variable \"Y\", expected one that a literal of "
            "the body binds: neither special nor negated by \"!\" [E024]");
  EXPECT_EQ(check("q :- a(X), !b(X, Y), @lt(Y, Z)."),
            "t.txt: line 1, column 18: error: found variable \"Y\", expected one that a literal of "
            "the body binds: neither special nor negated by \"!\" [E024]\n"
            "t.txt: line 1, column 29: error: found variable \"Z\", expected one that a literal of "
            "the body binds: neither special nor negated by \"!\" [E024]");
  EXPECT_EQ(check("q(X, c) :- *a(X)."), "");
}

TEST(TemplateCheck, special_predicates) {
  EXPECT_EQ(
      check("q :- a(X), a(Y), @allidff(X, Y)."),
      "t.txt: line 1, column 18: error: found \"@allidff\", expected a special predicate; did "
      "you mean \"alldiff\"? [E024]");
  EXPECT_EQ(check("q :- a(X), @next(X)."),
            "t.txt: line 1, column 12: error: found 1 term of @next, expected 2 [E024]");
  EXPECT_EQ(check("q :- a(X), @in."),
            "t.txt: line 1, column 12: error: found 0 terms of @in, expected 1 or more [E024]");
  EXPECT_EQ(check("q :- a(X), ~@lt(X, X)."),
            "t.txt: line 1, column 12: error: found a function of @lt/2, expected one of an input: "
            "neither hidden nor special [E024]");
}

TEST(TemplateCheck, heads_and_facts) {
  EXPECT_EQ(check("!q :- a. @q :- a. ^relu q :- a."),
            "t.txt: line 1, column 1: error: found a negation, expected a rule's head without it "
            "[E024]\n"
            "t.txt: line 1, column 10: error: found a special predicate, expected a rule's head "
            "without it [E024]\n"
            "t.txt: line 1, column 20: error: found a function, expected a rule's head without it "
            "[E024]");
  EXPECT_EQ(check("a(x, Y). ~b(x)."),
            "t.txt: line 1, column 6: error: found variable \"Y\", expected a constant: facts are "
            "ground [E024]\n"
            "t.txt: line 1, column 10: error: found a negation, expected a fact without it [E024]");
  EXPECT_EQ(check("@q/0 [activation=tanh]"),
            "t.txt: line 1, column 1: error: found \"@q\", expected a predicate of rules or facts "
            "[E024]");
}

TEST(TemplateCheck, shared_weights) {
  EXPECT_EQ(check("q :- $w={2,3} a.\nq :- $w={3,2} b."),
            "t.txt: line 2, column 6: error: found weight \"w\" of shape 3x2, expected 2x3 as in "
            "line 1 [E014]");
  EXPECT_EQ(check("q :- $w=0.5 a.\nq :- $w=<0.7> b."),
            "t.txt: line 2, column 6: note: weight \"w\" is what line 1 says; another value of it "
            "is not used, in NeuraLogic neither");
  EXPECT_EQ(check("q :- $w=0.5 a. q :- $w=0.5 b."), "");
}

TEST(DataCheck, shapes) {
  const std::string_view vectors = "[1,2] a(x), [3,4] a(y), 0.5 s(x).";
  EXPECT_EQ(check_over("h(X) :- {3,2} a(X).\nq :- {1,3} h(X).", vectors), "");
  EXPECT_EQ(check_over("h(X) :- {3,3} a(X).", vectors),
            "t.txt: line 1, column 9: error: found a weight of 3x3, expected one that fits a/1, "
            "which is 2x1 [E014]");
  EXPECT_EQ(check_over("h(X) :- {3,2} a(X).\ng(X) :- h(X).\nq :- {1,2} g(X).", vectors),
            "t.txt: line 3, column 6: error: found a weight of 1x2, expected one that fits g/1, "
            "which is 3x1 [E014]");
  EXPECT_EQ(check_over("{2,2} q :- {1,2} a(X).", vectors), "");  // a scalar scales
  EXPECT_EQ(check_over("{2,2} q :- {3,2} a(X).", vectors),
            "t.txt: line 1, column 1: error: found a weight of 2x2, expected one that fits q/0, "
            "which is 3x1 [E014]");
  // A rule's neuron, an atom's offset, a function.
  EXPECT_THAT(check_over("q :- {3,2} a(X), {4,2} a(Y).", vectors),
              testing::AllOf(testing::StartsWith("t.txt: line 1, column 1: error: "),
                             testing::EndsWith("[E014]")));
  EXPECT_THAT(check_over("q :- a(X), {3}.", vectors), testing::EndsWith("[E014]"));
  EXPECT_THAT(check_over("{3,2} q :- a(X).\nq/0 {2}", vectors),
              testing::StartsWith("t.txt: line 2, column 1: error: "));
  EXPECT_EQ(check_over("q :- a(X).\nq/0 {3}", vectors), "");  // not used: no rule has a weight
  EXPECT_THAT(check_over("q :- s(X). [activation=norm]", vectors), testing::EndsWith("[E017]"));
  EXPECT_THAT(check_over("q :- a(X), a(Y). [combination=product]", vectors),
              testing::EndsWith("[E014]"));
}

TEST(DataCheck, says_nothing_where_shapes_depend_on_the_grounding) {
  const std::string_view both = "[1,2] a(x), 0.5 a(y), 0.5 s(x), 0.1 s(y).";
  EXPECT_EQ(check_over("q :- {3,3} a(X).", both), "");
  EXPECT_EQ(check_over("h :- s(X). [aggregation=softmax]\nq :- {3,5} h.", both), "");
  EXPECT_EQ(check_over("h(X) :- s(X).\nh(X) :- [1,2] s(X).\nq :- {3,3} h(X).", both), "");
  EXPECT_EQ(check_over("h(X) :- {2} s(X).\nh(X) :- {2,2} h(X).\nq :- {1,2} h(X).", both), "");
  EXPECT_EQ(check_over("q :- {3,3} a(X).", "q :- [1,2] a(x) a(X) :- b(X). b(x)."), "");
}

TEST(DataCheck, says_what_nothing_makes_and_nothing_needs) {
  EXPECT_EQ(
      check_over("q :- bond(X, Y).\nr :- q.\nq :- b(X), *c(X), !d(X), @neq(X, X).",
                 "bond(x, y, z), b(x).", "1 q."),
      "t.txt: line 1, column 6: note: no rule and no fact makes bond/2: the rule never holds; "
      "did you mean \"bond/3\"?\n"
      "t.txt: line 3, column 12: note: no rule and no fact makes c/1: the rule never holds; "
      "did you mean \"b/1\"?\n"
      "t.txt: line 2, column 1: note: no query needs r/0: its rules make no neurons");
  EXPECT_EQ(check_over("r :- q. q :- b(X).", "b(x)."), "");  // no queries known
}

TEST(DataCheck, chains_take_linear_time) {
  std::string rules;
  const int length = 20'000;
  for (int i = length; i > 0; --i) {
    rules += "h" + std::to_string(i) + "(X) :- {2,2} h" + std::to_string(i - 1) + "(X).\n";
  }
  EXPECT_EQ(check_over(rules, "[1,2] h0(x).", "1 h" + std::to_string(length) + "(x)."), "");
}

}  // namespace
}  // namespace vecc::tools::language
