// Laws on random expressions: the text round-trips, and no text makes the parser fail badly.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "vecc/function.h"

namespace vecc {
namespace {

Words draw_words(Transformation id) {
  Words words{};
  if (word_count(id) == 1) words[0] = *rc::gen::arbitrary<std::uint32_t>();
  if (word_count(id) != 4) return words;
  for (const std::size_t side : {0, 2}) {
    words[side] = *rc::gen::inRange(0u, 1000u);
    const auto length = *rc::gen::inRange(0u, 10u);
    words[side + 1] = length == 0 ? kToEnd : words[side] + length;
  }
  return words;
}

ExprNode draw_leaf() {
  ExprNode node;
  if (*rc::gen::arbitrary<bool>()) {
    node.kind = ExprNode::Kind::Constant;
    node.constant = *rc::gen::arbitrary<double>();
  } else {
    node.input = *rc::gen::inRange(0u, kMaxExprInputs);
  }
  return node;
}

ExprNode draw_transform() {
  const auto table = transformations();
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = table[*rc::gen::inRange<std::size_t>(0, table.size())].id;
  node.words = draw_words(node.transformation.id);
  switch (info(node.transformation.id).parameters) {
    case FunctionParameters::Slope:
      node.transformation.slope = *rc::gen::arbitrary<double>();
      break;
    case FunctionParameters::Target:
      node.transformation.target = Shape(*rc::gen::inRange(1u, 99u), *rc::gen::inRange(1u, 99u));
      break;
    case FunctionParameters::None:
    case FunctionParameters::Index:
    case FunctionParameters::Bounds: break;
  }
  return node;
}

ExprNode draw_combine(std::uint32_t arity) {
  const auto table = combinations();
  ExprNode node;
  node.kind = ExprNode::Kind::Combine;
  node.combination =
      *rc::gen::suchThat(rc::gen::map(rc::gen::inRange<std::size_t>(0, table.size()),
                                      [table](std::size_t i) { return table[i].id; }),
                         [](Combination c) { return c != Combination::FunctionGraph; });
  if (node.combination == Combination::Concat) node.axis = -*rc::gen::inRange(0, 2);
  node.arity = arity;
  return node;
}

Expr draw_expr() {
  Expr expr;
  std::uint32_t trees = 0;
  const int steps = *rc::gen::inRange(1, 40);
  for (int i = 0; i < steps || trees != 1; ++i) {
    const int choice = i < steps ? *rc::gen::inRange(0, 4) : 3;
    if (choice >= 2 && trees >= 2) {
      const std::uint32_t arity = i < steps ? *rc::gen::inRange(2u, trees + 1) : trees;
      expr.nodes.push_back(draw_combine(arity));
      trees -= arity - 1;
    } else if (choice == 1 && trees >= 1) {
      expr.nodes.push_back(draw_transform());
    } else {
      expr.nodes.push_back(draw_leaf());
      ++trees;
    }
  }
  return expr;
}

TEST(ExprProperties, TextRoundTrips) {
  EXPECT_TRUE(rc::check("parse(print(e)) == e", [] {
    const Expr expr = draw_expr();
    RC_ASSERT(check_expr(expr, "").has_value());
    const auto parsed = parse_expr(expr.text(), "");
    RC_ASSERT(parsed.has_value());
    RC_ASSERT((*parsed == expr));
  }));
}

TEST(ExprProperties, AnyTextParsesOrErrs) {
  EXPECT_TRUE(rc::check("a damaged text is an error or another expression", [] {
    std::string text = draw_expr().text();
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::elementOf(std::string("$(),[]0123456789.e-:x asumtanh\n\x01"));
    const auto parsed = parse_expr(text, "");
    const bool is_fine = parsed ? check_expr(*parsed, "").has_value() : !parsed.error().empty();
    RC_ASSERT(is_fine);
  }));
}

}  // namespace
}  // namespace vecc
