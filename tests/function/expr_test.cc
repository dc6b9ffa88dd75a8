// Expressions: text, parser, checks, hostile texts.
#include "src/function/expr_reads.h"
#include "tests/function/function_case.h"

namespace vecc::test {
namespace {

std::string parse_error(std::string_view text) {
  return error_text(parse_expr(text, "graph.pb"));
}

TEST(Expr, TextRoundTrips) {
  for (const std::string text :
       {"$0", "0.5", "-1e-300", "elproduct(sum($0, $1), tanh($2))", "leakyrelu[0.2]($0)",
        "leakyrelu($0)", "reshape[2x3]($0)", "reshape[1]($0)", "atindex[7]($0)",
        "slice[1:3, 0:]($0)", "slice[0:, 2:4]($0)", "concat[axis=0]($0, $1)", "concat($0, $1)",
        "softmax(softmax($0, $1))", "broadcast[3x1](sum(1, $4))",
        "max(min($0, $1, $2), crosssum(product($3, $3), cossim($1, $1)))",
        "sum(sum(sum($0, $1), sum($2, $3)), sum($4, sum($5, 6)))"}) {
    const auto expr = parse_expr(text, "test");
    ASSERT_TRUE(expr.has_value()) << expr.error().text();
    EXPECT_EQ(expr->text(), text);
    EXPECT_EQ(parse_expr(expr->text(), "test").value(), *expr);
  }
}

TEST(Expr, SpacesAndDefaultsDoNotMatter) {
  EXPECT_EQ(parse_expr(" sum ( $0 ,$1 ) ", "").value().text(), "sum($0, $1)");
  EXPECT_EQ(parse_expr("concat[ axis=-1 ]($0, $1)", "").value().text(), "concat($0, $1)");
  EXPECT_EQ(parse_expr("leakyrelu[0.01]($0)", "").value().text(), "leakyrelu($0)");
  EXPECT_EQ(parse_expr("slice[ 1 : 3 , 0 : ]($0)", "").value().text(), "slice[1:3, 0:]($0)");
}

TEST(Expr, IsPostfix) {
  const Expr expr = parse_expr("elproduct(sum($0, 2.5), tanh($7))", "test").value();
  ASSERT_EQ(expr.nodes.size(), 6u);
  EXPECT_EQ(expr.nodes[0].input, 0u);
  EXPECT_EQ(expr.nodes[1].constant, 2.5);
  EXPECT_EQ(expr.nodes[2].combination, Combination::Sum);
  EXPECT_EQ(expr.nodes[2].arity, 2u);
  EXPECT_EQ(expr.nodes[4].transformation.id, Transformation::Tanh);
  EXPECT_EQ(expr.nodes[5].combination, Combination::ElProduct);
  EXPECT_EQ(expr.input_count(), 8u);
}

TEST(Expr, BadTextNamesTheColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: error: expected an operand, found the end [E030]"},
      {"sum($0, $1", "column 11: error: expected \",\" or \")\", found the end [E030]"},
      {"sum($0, )", "column 9: error: expected an operand, found \")\" [E030]"},
      {"sum($0, $1))", "column 12: error: expected the end, found \")\" [E030]"},
      {"$0 $1", "column 4: error: expected the end, found \"$\" [E030]"},
      {"tanh $0", "column 6: error: expected \"(\", found \"$\" [E030]"},
      {"$", "column 1: error: expected a number below 65536 after $ [E030]"},
      {"$99999", "column 1: error: expected a number below 65536 after $ [E030]"},
      {"$99999999999999999999", "column 1: error: expected a number below 65536 after $ [E030]"},
      {"1e999", "column 1: error: expected a finite number [E030]"},
      {"-", "column 1: error: expected a finite number [E030]"},
      {"1-2", "column 1: error: expected a finite number [E030]"},
      {"\n", "column 1: error: expected an operand, found \"\\n\" [E030]"},
      {"leakyrelu[0.2($0)", "column 10: error: expected \"]\" somewhere after [E030]"},
      {"foo($0)", "column 1: error: unknown function \"foo\" of 1 operand [E019]"},
      {"sum($0, foo($0, $1))", "column 9: error: unknown function \"foo\" of 2 operands [E019]"},
      {"functiongraph($0, $1)",
       "column 1: error: unknown function \"functiongraph\" of 2 operands [E019]"},
      {"sum($0)", "column 1: error: sum has 1 operand, expected at least 2 [E020]"},
      {"tanh($0, $1)", "column 1: error: tanh has 2 operands, expected 1 [E020]"},
      {"tanh[1]($0)", "column 1: error: tanh has no parameter in its text [E018]"},
      {"sum[axis=0]($0, $1)", "column 1: error: sum has no parameter [E018]"},
      {"concat[axis=2]($0, $1)", "column 1: error: concat expects axis=0 or axis=-1 [E018]"},
      {"leakyrelu[nan]($0)",
       "column 1: error: leakyrelu has slope nan, expected a finite number [E018]"},
      {"leakyrelu[x]($0)", "column 1: error: leakyrelu expects a number [E018]"},
      {"reshape($0)",
       "column 1: error: reshape expects a shape such as 2x3 of at most 16777216 elements [E018]"},
      {"reshape[0x3]($0)",
       "column 1: error: reshape expects a shape such as 2x3 of at most 16777216 elements [E018]"},
      {"reshape[4294967295x4294967295]($0)",
       "column 1: error: reshape expects a shape such as 2x3 of at most 16777216 elements [E018]"},
      {"atindex[-1]($0)", "column 1: error: atindex expects an index [E018]"},
      {"slice[1:2]($0)", "column 1: error: slice expects bounds such as 1:3, 0: [E018]"},
      {"slice[2:1, 0:]($0)", "column 1: error: slice [2:1, 0:] takes nothing [E018]"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(parse_error(text), "graph.pb, " + std::string(message)) << text;
  }
}

TEST(Expr, NamesOfHostileTextsAreEscapedAndCut) {
  const std::string error = parse_error(std::string(1000, 'a') + "($0)");
  EXPECT_LT(error.size(), 150u);
  EXPECT_EQ(parse_error("\x1b[31m($0)").find('\x1b'), std::string::npos);
}

// Texts a million deep or wide end with an error, not with an overflow.
TEST(Expr, HostileTextsEndWithAnError) {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "tanh(";
  EXPECT_EQ(parse_error(deep), "graph.pb, column 1276: error: nested deeper than 256 [E030]");
  std::string wide = "sum($0";
  for (int i = 0; i < 1'000'000; ++i) wide += ",$0";
  EXPECT_EQ(parse_error(wide + ")"),
            "graph.pb, column 196610: error: more than 65536 functions and operands [E030]");
}

TEST(Expr, LargestDepthAndWidthWork) {
  std::string deep;
  for (std::size_t i = 0; i + 1 < kMaxExprDepth; ++i) deep += "tanh(";
  deep += "$0" + std::string(kMaxExprDepth - 1, ')');
  const auto expr = parse_expr(deep, "test");
  ASSERT_TRUE(expr.has_value()) << expr.error().text();
  EXPECT_EQ(expr->text(), deep);
  std::string wide = "sum($0";
  for (std::size_t i = 0; i + 2 < kMaxExprNodes; ++i) wide += ", $0";
  EXPECT_TRUE(parse_expr(wide + ")", "test").has_value());
}

ExprNode input_node(std::uint32_t input) {
  ExprNode node;
  node.input = input;
  return node;
}
ExprNode combine_node(Combination combination, std::uint32_t arity, int axis = -1) {
  ExprNode node;
  node.kind = ExprNode::Kind::Combine;
  node.combination = combination;
  node.arity = arity;
  node.axis = axis;
  return node;
}
ExprNode constant_node(double value) {
  ExprNode node;
  node.kind = ExprNode::Kind::Constant;
  node.constant = value;
  return node;
}
ExprNode transform_node(Transformation id, Words words = {}, double slope = 0.01) {
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = id;
  node.transformation.slope = slope;
  node.words = words;
  return node;
}

TEST(Expr, ChecksNodes) {
  const auto check = [](std::vector<ExprNode> nodes) {
    return error_text(check_expr(Expr{std::move(nodes)}, "test"));
  };
  const ExprNode a = input_node(0);
  const std::string at = "test: error: expression: ";
  EXPECT_EQ(check({a, a, combine_node(Combination::Sum, 2)}), "no error");
  EXPECT_EQ(check({}), at + "0 nodes, expected 1 to 65536 [E018]");
  EXPECT_EQ(check({a, a}), at + "2 trees, expected exactly one [E020]");
  EXPECT_EQ(check({a, combine_node(Combination::Sum, 2)}),
            at + "a function of 2 operands follows 1 [E020]");
  EXPECT_EQ(check({transform_node(Transformation::Tanh)}),
            at + "a function of 1 operands follows 0 [E020]");
  EXPECT_EQ(check({a, combine_node(Combination::Sum, 1)}),
            at + "sum has 1 operands, expected at least 2 [E020]");
  EXPECT_EQ(check({a, combine_node(Combination::Sum, 0xFFFFFFFF)}),
            at + "a function of 4294967295 operands follows 1 [E020]");
  EXPECT_EQ(check({a, a, combine_node(Combination::FunctionGraph, 2)}),
            at + "functiongraph inside an expression [E018]");
  EXPECT_EQ(check({a, a, combine_node(Combination::Concat, 2, 5)}),
            at + "concat has axis 5 [E018]");
  EXPECT_EQ(check({input_node(1u << 20)}), at + "operand $1048576, expected below 65536 [E018]");
  EXPECT_EQ(check({constant_node(1e308 * 10)}), at + "a constant is not finite [E018]");
  EXPECT_EQ(check({a, transform_node(Transformation::LeakyRelu, {}, 1e308 * 10)}),
            at + "leakyrelu has slope inf, expected a finite number [E018]");
  EXPECT_EQ(check({a, transform_node(Transformation::Slice, {3, 3, 0, 1})}),
            at + "slice [3:3, 0:1] takes nothing [E018]");
  std::vector<ExprNode> deep(kMaxExprDepth + 1, transform_node(Transformation::Tanh));
  deep[0] = a;
  EXPECT_EQ(check(deep), at + "nested deeper than 256 [E018]");
}

TEST(ExprReads, TellSumsOfOperandsFromOthers) {
  const auto of = [](std::string_view text) { return *parse_expr(text, "test"); };
  EXPECT_EQ(count_reads(of("sum($0, tanh($2), $0)"), 0), 2u);
  EXPECT_EQ(count_reads(of("sum($0, tanh($2), $0)"), 1), 0u);
  EXPECT_TRUE(is_plain_sum(of("sum($0, $1, $0)")));
  EXPECT_FALSE(is_plain_sum(of("sum($0, tanh($1))")));
  EXPECT_FALSE(is_plain_sum(of("sum($0, 1)")));
  EXPECT_FALSE(is_plain_sum(of("max($0, $1)")));
  EXPECT_FALSE(is_plain_sum(of("$0")));
  EXPECT_TRUE(is_sum_of_each(of("sum($1, $0)"), 2));
  EXPECT_FALSE(is_sum_of_each(of("sum($0, $1, $0)"), 2));
  EXPECT_FALSE(is_sum_of_each(of("sum($0, $0)"), 2));
  EXPECT_FALSE(is_sum_of_each(of("sum($0, $2)"), 2));  // an operand that nothing reads
  EXPECT_FALSE(is_sum_of_each(of("sum($0, $1)"), 3));
}

}  // namespace
}  // namespace vecc::test
