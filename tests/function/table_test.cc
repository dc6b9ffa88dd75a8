// The table, its lookups, and texts of functions.
#include <cstdlib>
#include <fstream>
#include <set>

#include "tests/function/function_case.h"

namespace vecc::test {
namespace {

TEST(FunctionTable, NamesAreUniqueAndParse) {
  std::set<std::string_view> names;
  for (const TransformationInfo& about : transformations()) {
    EXPECT_TRUE(names.insert(about.text).second) << about.text;
    EXPECT_EQ(parse_transformation(about.text), about.id);
    EXPECT_EQ(&info(about.id), &about);
  }
  names.clear();
  for (const CombinationInfo& about : combinations()) {
    EXPECT_TRUE(names.insert(about.text).second) << about.text;
    EXPECT_EQ(parse_combination(about.text), about.id);
    EXPECT_EQ(&info(about.id), &about);
  }
  for (const CombinationInfo& about : segment_combinations()) {
    EXPECT_EQ(parse_segment_combination(about.text), about.id);
    EXPECT_EQ(&info(about.id), &about);
  }
  EXPECT_EQ(segment_combinations().size(), combinations().size() + 2);
  EXPECT_EQ(parse_combination("elmax"), std::nullopt);
  EXPECT_EQ(parse_combination("elmin"), std::nullopt);
  EXPECT_EQ(parse_transformation("Tanh"), std::nullopt);
  EXPECT_EQ(parse_combination(""), std::nullopt);
}

TEST(FunctionTable, WordCounts) {
  EXPECT_EQ(word_count(Transformation::AtIndex), 1u);
  EXPECT_EQ(word_count(Transformation::Slice), 4u);
  EXPECT_EQ(word_count(Transformation::Reshape), 0u);
  EXPECT_EQ(word_count(Transformation::Tanh), 0u);
}

std::string origin_text(FunctionOrigin origin) {
  switch (origin) {
    case FunctionOrigin::NeuraLogic: return "NeuraLogic";
    case FunctionOrigin::Extension: return "extension";
    case FunctionOrigin::Program: return "only in Programs";
  }
  return "";
}

// docs/functions.md has a row for every function: `| `tanh` | ... | NeuraLogic |`.
TEST(FunctionDocs, HaveARowForEveryFunction) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "set by ctest";
  std::ifstream file(std::string(source) + "/docs/functions.md");
  ASSERT_TRUE(file.is_open());
  std::set<std::string> combination_rows;
  std::set<std::pair<std::string, std::string>> transformation_rows;  // name, last column
  std::set<std::pair<std::string, std::string>> derivative_rows;      // section, name
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    if (!line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    const std::size_t last = line.rfind("| ", line.size() - 2) + 2;
    if (section == "Combinations") combination_rows.insert(name);
    if (section.starts_with("Derivatives of")) derivative_rows.emplace(section.substr(15), name);
    if (section != "Transformations") continue;
    transformation_rows.emplace(name, line.substr(last, line.size() - last - 2));
  }
  for (const CombinationInfo& about : combinations()) {
    const std::string name(about.text);
    EXPECT_TRUE(combination_rows.contains(name)) << name;
    EXPECT_TRUE(derivative_rows.contains({"combinations", name})) << name;
  }
  for (const TransformationInfo& about : transformations()) {
    const std::pair row(std::string(about.text), origin_text(about.origin));
    EXPECT_TRUE(transformation_rows.contains(row)) << about.text;
    EXPECT_TRUE(derivative_rows.contains({"transformations", row.first})) << about.text;
  }
  EXPECT_EQ(combination_rows.size(), combinations().size());
  EXPECT_EQ(transformation_rows.size(), transformations().size());
  EXPECT_EQ(derivative_rows.size(), transformations().size() + combinations().size());
}

TEST(FunctionText, Transformations) {
  TransformationSpec spec;
  spec.id = Transformation::LeakyRelu;
  EXPECT_EQ(text_of(spec), "leakyrelu");
  spec.slope = 0.2;
  EXPECT_EQ(text_of(spec), "leakyrelu(0.2)");
  spec = {};
  spec.id = Transformation::Reshape;
  spec.target = Shape(2, 3);
  EXPECT_EQ(text_of(spec), "reshape(2x3)");
  spec.target = Shape();
  EXPECT_EQ(text_of(spec), "reshape(1)");
  for (const TransformationInfo& about : transformations()) {
    TransformationSpec each;
    each.id = about.id;
    if (about.parameters == FunctionParameters::Slope) each.slope = -0.1;
    if (about.parameters == FunctionParameters::Target) each.target = Shape::row(7);
    const auto parsed = parse_transformation_spec(text_of(each), "test");
    ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
    EXPECT_EQ(*parsed, each);
  }
}

TEST(FunctionText, BadTransformations) {
  const auto parse = [](std::string_view text) {
    return error_text(parse_transformation_spec(text, "test"));
  };
  EXPECT_EQ(parse("tanhh"), "test: error: unknown transformation \"tanhh\" [E019]");
  EXPECT_EQ(parse(""), "test: error: unknown transformation \"\" [E019]");
  EXPECT_EQ(parse("sum"), "test: error: unknown transformation \"sum\" [E019]");
  EXPECT_EQ(parse("tanh(1)"), "test: error: tanh has no parameter in its text, found \"1\" [E018]");
  EXPECT_EQ(parse("leakyrelu(0.2"),
            "test: error: leakyrelu expects \")\" at the end of \"leakyrelu(0.2\" [E018]");
  EXPECT_EQ(parse("leakyrelu(0.2x)"),
            "test: error: leakyrelu expects a number, found \"0.2x\" [E018]");
  EXPECT_EQ(parse("leakyrelu(inf)"),
            "test: error: leakyrelu has slope inf, expected a finite number, found \"inf\" [E018]");
  EXPECT_EQ(parse("reshape"),
            "test: error: reshape expects a shape such as 2x3 of at most 16777216 elements, found "
            "\"\" [E018]");
}

TEST(FunctionText, NeuronFunctions) {
  NeuronFunction function;
  EXPECT_EQ(function.text(), "sum");
  function.transformation.id = Transformation::Tanh;
  EXPECT_EQ(function.text(), "sum tanh");
  function.combination = Combination::Concat;
  function.axis = 0;
  function.transformation.id = Transformation::LeakyRelu;
  function.transformation.slope = 0.2;
  EXPECT_EQ(function.text(), "concat(axis=0) leakyrelu(0.2)");
  NeuronFunction graph;
  graph.combination = Combination::FunctionGraph;
  graph.expr = std::make_shared<const Expr>(parse_expr("sum($0, $1)", "test").value());
  EXPECT_EQ(graph.text(), "functiongraph(sum($0, $1))");
}

TEST(NeuronFunction, ComparesTreesByValue) {
  const auto tree = [](std::string_view text) {
    NeuronFunction function;
    function.combination = Combination::FunctionGraph;
    function.expr = std::make_shared<const Expr>(parse_expr(text, "test").value());
    return function;
  };
  EXPECT_EQ(tree("sum($0, $1)"), tree("sum($0, $1)"));
  EXPECT_FALSE(tree("sum($0, $1)") == tree("sum($1, $0)"));
  NeuronFunction none = tree("$0");
  none.expr = nullptr;
  EXPECT_FALSE(none == tree("$0"));
  NeuronFunction slope;
  slope.transformation.slope = 0.5;
  EXPECT_FALSE(slope == NeuronFunction());
}

}  // namespace
}  // namespace vecc::test
