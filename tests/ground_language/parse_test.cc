// Every construct of the language: read, and printed as it was understood.
#include <gmock/gmock.h>

#include "tests/ground_language/parse_check.h"

namespace vecc::tools::language {
namespace {

using test::read_examples_text;
using test::read_queries_text;
using test::read_template_text;
using testing::ElementsAre;
using testing::SizeIs;

Template parse(std::string_view bytes) {
  Result<Template> parsed = parse_template({"t.txt", bytes});
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text());
  return parsed ? *std::move(parsed) : Template();
}

Weight weight_of(const std::string& text) {
  const Template parsed = parse(text + " a.");
  EXPECT_THAT(parsed.facts, SizeIs(1)) << text;
  return parsed.facts.empty() ? Weight() : parsed.facts.front().weight.value_or(Weight());
}

TEST(TemplateParser, rules) {
  EXPECT_EQ(read_template_text("q :- a."), "q :- a.\n");
  EXPECT_EQ(read_template_text("q<=a,b ,c()."), "q :- a, b, c.\n");
  EXPECT_EQ(read_template_text("{2}h(X,y):-{2,3}a(X),<0.5>b(Y,1),-2.5.[activation=tanh]"),
            "{2,1} h(X, y) :- {2,3} a(X), <0.5> b(Y, 1), -2.5. [activation=tanh]\n");
  EXPECT_EQ(read_template_text("h/1(X) :- a/2(X, Y).\nq/0 :- h(X)."),
            "h(X) :- a(X, Y).\nq :- h(X).\n");
}

TEST(TemplateParser, keeps_the_text_of_rules) {
  const Template parsed = parse(
      "q :- {1, 3} a( X ) , % a comment\n  b(X), 1.50 . [activation = tanh ]\n"
      "a(x). h(X) :- /* none */ a(X).");
  ASSERT_THAT(parsed.rules, SizeIs(2));
  EXPECT_EQ(parsed.rules[0].text, "q:-{1,3}a(X),b(X),1.50.[activation=tanh]");
  EXPECT_EQ(parsed.rules[1].text, "h(X):-a(X).");
}

TEST(TemplateParser, literals) {
  EXPECT_EQ(read_template_text("q :- !a(X), ~b(X), {3} ~c(X), *d(X), @alldiff(X, Y), *@next(X, Y), "
                               "!*e(X), ^relu f(X), 2 ^softmax *g(X)."),
            "q :- !a(X), ~b(X), {3,1} ~c(X), *d(X), @alldiff(X, Y), *@next(X, Y), !*e(X), "
            "^relu f(X), 2 ^softmax *g(X).\n");
}

TEST(TemplateParser, terms) {
  const Template parsed =
      parse("a(X, _, _x, true, c-1, 12, -3, +4, 0.5, -1.0e-3, t:Y, t:d, -t:5).");
  ASSERT_THAT(parsed.facts, SizeIs(1));
  const std::vector<Term>& terms = parsed.facts.front().terms;
  ASSERT_THAT(terms, SizeIs(13));
  using Kind = Term::Kind;
  const std::vector<Kind> kinds = {Kind::Variable, Kind::Variable, Kind::Variable, Kind::Name,
                                   Kind::Name,     Kind::Integer,  Kind::Integer,  Kind::Integer,
                                   Kind::Decimal,  Kind::Decimal,  Kind::Variable, Kind::Name,
                                   Kind::Integer};
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_EQ(terms[i].kind, kinds[i]) << i;
  EXPECT_EQ(terms[7].text, "+4");
  EXPECT_EQ(terms[9].text, "-1.0e-3");
  EXPECT_EQ(terms[10].text, "Y");
  EXPECT_EQ(terms[10].type, "t");
  EXPECT_EQ(terms[12].type, "-t");
}

TEST(TemplateParser, a_variable_has_its_type_at_all_places) {
  EXPECT_EQ(read_template_text("q(X) :- a(t:X), b(X, Y)."), "q(t:X) :- a(t:X), b(t:X, Y).\n");
  EXPECT_EQ(parse("q(X) :- a(t:X), b(X, Y).").rules.front().text, "q(X):-a(t:X),b(X,Y).");
}

TEST(TemplateParser, positions) {
  const Template parsed = parse("% first\nq :- a,\n\t{2} b(X).\n  f(c).\n");
  ASSERT_THAT(parsed.rules, SizeIs(1));
  const Rule& rule = parsed.rules.front();
  EXPECT_EQ(rule.at, (Position{2, 1, 0}));
  EXPECT_EQ(rule.body[0].at, (Position{2, 6, 0}));
  EXPECT_EQ(rule.body[1].at, (Position{3, 2, 0}));
  EXPECT_EQ(rule.body[1].weight->value.at, (Position{3, 2, 0}));
  EXPECT_EQ(rule.body[1].predicate.at, (Position{3, 6, 0}));
  EXPECT_EQ(rule.body[1].terms[0].at, (Position{3, 8, 0}));
  EXPECT_EQ(parsed.facts.front().at, (Position{4, 3, 0}));
}

TEST(TemplateParser, numbers) {
  EXPECT_THAT(weight_of("0.1").value.values, ElementsAre(static_cast<double>(0.1F)));
  EXPECT_THAT(weight_of("[0.1]").value.values, ElementsAre(0.1));
  EXPECT_THAT(weight_of("+3").value.values, ElementsAre(3));
  EXPECT_THAT(weight_of("-7").value.values, ElementsAre(-7));
  EXPECT_THAT(weight_of("1.0E+2").value.values, ElementsAre(100));
  EXPECT_THAT(weight_of("1.0e-400").value.values, ElementsAre(0));
  // The nearest float of the text, not of the nearest double: which lies between two floats.
  EXPECT_THAT(weight_of("1.00000005960464478").value.values, ElementsAre(1.00000011920928955));
  EXPECT_TRUE(weight_of("0.1").value.shape.is_scalar());
  EXPECT_TRUE(weight_of("0.1").value.has_values);
  EXPECT_FALSE(weight_of("0.1").fixed);
  EXPECT_TRUE(weight_of("<0.1>").fixed);
}

TEST(TemplateParser, scalars_are_doubles_where_that_is_asked_for) {
  Limits limits;
  limits.double_scalars = true;
  const auto parsed = parse_template({"t.txt", "0.1 a. 1.0e300 b."}, limits);
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_THAT(parsed->facts[0].weight->value.values, ElementsAre(0.1));
  EXPECT_THAT(parsed->facts[1].weight->value.values, ElementsAre(1e300));
}

TEST(TemplateParser, vectors_and_matrices) {
  EXPECT_EQ(weight_of("[1, 2,3]").value.shape, Shape::column(3));
  EXPECT_EQ(weight_of("[5]").value.shape, Shape(1, 1));
  for (const char* text : {"[[1,2,3] [4,5,6]]", "[[1,2,3],[4,5,6]]"}) {
    const Value value = weight_of(text).value;
    EXPECT_EQ(value.shape, Shape(2, 3)) << text;
    EXPECT_THAT(value.values, ElementsAre(1, 2, 3, 4, 5, 6)) << text;
  }
  EXPECT_EQ(weight_of("[[1,2,3]]").value.shape, Shape::row(3));
  const Value sparse = weight_of("[4| 1:0.5, (3: -2)]").value;
  EXPECT_EQ(sparse.shape, Shape::column(4));
  EXPECT_THAT(sparse.values, ElementsAre(0, 0.5, 0, -2));
  const Value matrix = weight_of("<[2,3| 0,1:0.5, (1,2:7)]>").value;
  EXPECT_EQ(matrix.shape, Shape(2, 3));
  EXPECT_THAT(matrix.values, ElementsAre(0, 0.5, 0, 0, 0, 7));
  EXPECT_THAT(weight_of("[2|]").value.values, ElementsAre(0, 0));
}

TEST(TemplateParser, shapes) {
  EXPECT_EQ(weight_of("{3}").value.shape, Shape::column(3));
  EXPECT_EQ(weight_of("{3,1}").value.shape, Shape::column(3));
  EXPECT_EQ(weight_of("{1,3}").value.shape, Shape::row(3));
  EXPECT_EQ(weight_of("{2,3}").value.shape, Shape(2, 3));
  EXPECT_TRUE(weight_of("{1}").value.shape.is_scalar());
  EXPECT_TRUE(weight_of("{1,1}").value.shape.is_scalar());
  EXPECT_FALSE(weight_of("{2,3}").value.has_values);
  EXPECT_EQ(weight_of("$emb={2,3}").name, "emb");
  EXPECT_EQ(read_template_text("$w=<[1,2]> a. $v=0.5 b."), "$w=<[1,2]> a.\n$v=0.5 b.\n");
}

TEST(TemplateParser, offsets_and_metadata) {
  EXPECT_EQ(read_template_text("h/2 {3}\n*h/1 <0.5>\nh/0 $w=2\nh / 3 [1,2]\nh/4 -1.5"),
            "h/2 {3,1}\n*h/1 <0.5>\nh/0 $w=2\nh/3 [1,2]\nh/4 -1.5\n");
  EXPECT_EQ(read_template_text("h/2 [transformation=crosssum-tanh, offset=$w, learnable = false]"),
            "h/2 [transformation=crosssum-tanh, offset=$w, learnable=false]\n");
  EXPECT_EQ(read_template_text("h/2 [offset=[1,2]] h/3 []"), "h/2 [offset=[1,2]]\nh/3 []\n");
  EXPECT_EQ(read_template_text("$w [value=[1,2]]"), "$w [value=[1,2]]\n");
  EXPECT_EQ(read_template_text("[key=value] [other={2,2}]"), "[key=value]\n[other={2,2}]\n");
}

TEST(TemplateParser, brackets_after_a_rule) {
  // Metadata is the rule's, a vector the next line's weight.
  EXPECT_EQ(read_template_text("q :- a.\n[aggregation=max]\n[1,2] f."),
            "q :- a. [aggregation=max]\n[1,2] f.\n");
  EXPECT_EQ(read_template_text("q :- a.\n[1,2] f."), "q :- a.\n[1,2] f.\n");
  EXPECT_EQ(read_template_text("q :- a. []\nf."), "q :- a.\nf.\n");
}

TEST(TemplateParser, facts) {
  EXPECT_EQ(read_template_text("a. <0.5> b(x). {3} c(x, 1). *next(0, 1). e(x), f(y)."),
            "a.\n<0.5> b(x).\n{3,1} c(x, 1).\n*next(0, 1).\ne(x), f(y).\n");
}

TEST(TemplateParser, comments_and_blanks) {
  EXPECT_EQ(
      read_template_text("\xEF\xBB\xBF% one\r\nq :- % two\r\n a./* three /* nested */ . */ f.%"),
      "q :- a.\nf.\n");
  EXPECT_EQ(read_template_text("a/**/. b./***/c."), "a.\nb.\nc.\n");
  EXPECT_EQ(read_template_text(""), "");
  EXPECT_EQ(read_template_text(" % nothing"), "");
}

TEST(ExamplesParser, facts_alone) {
  EXPECT_EQ(read_examples_text("a(x), 0.5 b(x).\n<[1,2]> c(x) d(x) e(x), f.\n"),
            "a(x), 0.5 b(x).\n<[1,2]> c(x), d(x), e(x), f.\n");
  EXPECT_FALSE(parse_examples({"e.txt", "a."})->labeled);
}

TEST(ExamplesParser, with_queries) {
  EXPECT_EQ(read_examples_text("1.0 q(x), 0 q(y) :- a(x), b(y).\nlink :- a(x)."),
            "1 q(x), 0 q(y) :- a(x), b(y).\nlink :- a(x).\n");
  EXPECT_TRUE(parse_examples({"e.txt", "q :- a."})->labeled);
}

TEST(ExamplesParser, with_rules) {
  const auto parsed = parse_examples(
      {"e.txt", "q :- a(x) h(X) :- a( X ). [aggregation=max] b(x), c(x) g :- h(X). ."});
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_THAT(parsed->examples, SizeIs(1));
  const Example& example = parsed->examples.front();
  EXPECT_THAT(example.facts, SizeIs(3));
  ASSERT_THAT(example.rules, SizeIs(2));
  EXPECT_EQ(example.rules[0].text, "h(X):-a(X).[aggregation=max]");
  EXPECT_EQ(text_of(example.rules[1]), "g :- h(X).");
}

TEST(QueriesParser, both_forms) {
  EXPECT_EQ(read_queries_text("1.0 q(x).\n[1,0] r, 0.5 s.\nt."), "1 q(x).\n[1,0] r, 0.5 s.\nt.\n");
  EXPECT_EQ(read_queries_text("e1 :- 1 q(x).\n0.5 e2 :- 0 q(y), q(z)."),
            "e1 :- 1 q(x).\n0.5 e2 :- 0 q(y), q(z).\n");
  EXPECT_TRUE(parse_queries({"q.txt", "e :- q."})->named);
  EXPECT_FALSE(parse_queries({"q.txt", "q."})->named);
}

TEST(ExamplesParser, stops_where_it_is_told) {
  std::size_t taken = 0;
  const auto take = [&](Example&&) -> Result<void> {
    if (++taken == 2) return Errors(ErrorCode::LimitNeurons, "here", "enough");
    return {};
  };
  const auto read = read_examples({"e.txt", "a. b. c. d."}, take);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "here: error: enough [E041]");
  EXPECT_EQ(taken, 2u);
}

}  // namespace
}  // namespace vecc::tools::language
