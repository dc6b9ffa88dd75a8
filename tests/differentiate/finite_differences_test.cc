// The appended gradients of every function and shape, and of whole graphs, against central
// differences of the outputs.
#include "tests/differentiate/finite_differences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/differentiate/gradient_case.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

const std::vector<Shape> kAllShapes = {Shape(),     Shape(1, 1), Shape(3, 1),
                                       Shape(1, 3), Shape(2, 3), Shape(3, 3)};

// Numbers in [low, high), no two alike.
ValueId distinct_fact(Program& program, std::uint32_t rows, Shape shape, double low, double high) {
  RandomSource random(program.ops().size() * 97 + rows * 31 + shape.size());
  std::vector<double> values(rows * shape.size());
  for (double& v : values) v = random.real(low, high);
  return program.fact(std::move(values), rows, shape);
}

// Compares the gradients by all facts of a Program; how many entries it could compare.
std::size_t compare_facts(const Program& facts, const std::string& name) {
  const DifferenceCount count = compare_with_differences(learn_all(facts));
  EXPECT_EQ(count.disagreement, "") << name << "\n" << text_of(learn_all(facts));
  return count.compared;
}

TransformOp transform_of(const TransformationInfo& about, Shape shape) {
  TransformationSpec spec{.id = about.id, .slope = 0.2, .target = {}};
  std::vector<std::uint32_t> words;
  if (about.id == Transformation::Reshape) {
    spec.target = Shape::row(static_cast<std::uint32_t>(shape.size()));
  } else if (about.parameters == FunctionParameters::Target) {
    spec.target = Shape(2, 3);
  }
  if (about.parameters == FunctionParameters::Index) words = {0};
  if (about.parameters == FunctionParameters::Bounds) words = {0, kToEnd, 0, 1};
  return {spec, std::make_shared<const std::vector<std::uint32_t>>(words)};
}

TEST(ProgramDifferences, EveryTransformationOfEveryShape) {
  for (const TransformationInfo& about : transformations()) {
    std::size_t shapes = 0;
    for (const Shape shape : kAllShapes) {
      const TransformOp op = transform_of(about, shape);
      std::size_t compared = 0;
      bool exists = false;
      for (const double low : {-2.0, 0.1}) {  // the second: inside every domain
        Program program(DType::F64);
        exists = program.add(op, {distinct_fact(program, 4, shape, low, 2)}).has_value();
        if (exists) compared += compare_facts(program, std::string(about.text));
      }
      EXPECT_TRUE(!exists || compared >= 4 * shape.size()) << about.text << " " << shape.text();
      shapes += exists ? 1 : 0;
    }
    std::size_t least = about.domain == FunctionDomain::Elementwise ? kAllShapes.size() : 3;
    if (about.id == Transformation::Broadcast) least = 1;  // of a scalar only
    EXPECT_GE(shapes, least) << about.text;
  }
}

// As a reduction of segments, ragged and of fixed lengths over either dimension.
TEST(ProgramDifferences, EveryCombinationOfSegments) {
  const std::vector<Segments> all = {Segments::ragged({0, 2, 3, 6}), Segments::fixed(3, 2),
                                     Segments::fixed(3, 1)};
  std::map<std::string_view, std::size_t> shapes_of;
  for (const CombinationInfo& about : segment_combinations()) {
    for (const Shape shape : kAllShapes) {
      std::size_t compared = 0;
      bool exists = false;
      for (const Segments& segments : all) {
        Program program(DType::F64);
        const ValueId x = distinct_fact(program, 6, shape, -1, 1);
        if (!program.add(SegmentOp{segments, about.id}, {x})) continue;
        exists = true;
        compared += compare_facts(program, std::string(about.text) + " of " + shape.text());
      }
      EXPECT_TRUE(!exists || compared >= 6 * shape.size()) << about.text << " " << shape.text();
      shapes_of[about.text] += exists ? 1 : 0;
    }
  }
  for (const char* name :
       {"sum", "avg", "max", "min", "elmax", "elmin", "softmax", "elproduct", "count"}) {
    EXPECT_EQ(shapes_of[name], kAllShapes.size()) << name;
  }
}

// As an expression of two and three operands, every pair of shapes that fits: equal ones, scalars
// that broadcast, rows that broadcast (the second operand has one), lists of different shapes.
TEST(ProgramDifferences, EveryCombinationOfOperands) {
  for (const CombinationInfo& about : combinations()) {
    if (about.id == Combination::FunctionGraph) continue;  // the expression itself
    std::size_t pairs = 0;
    for (const Shape left : kAllShapes) {
      for (const Shape right : kAllShapes) {
        for (const char* operands : {"($0, $1)", "($1, $0, $1)"}) {
          for (const std::uint32_t rows : {4u, 1u}) {
            Program program(DType::F64);
            const ValueId a = distinct_fact(program, 4, left, 0.1, 1);
            const ValueId b = distinct_fact(program, rows, right, 1, 2);
            const std::string text = std::string(about.text) + operands;
            const auto expression = std::make_shared<const Expr>(parse_expr(text, "").value());
            if (!program.add(MapOp{expression}, {a, b})) continue;
            ++pairs;
            const std::string what = text + " of " + left.text() + " and " + right.text();
            EXPECT_GE(compare_facts(program, what), (4 * left.size() + rows * right.size()) / 2)
                << what;
          }
        }
      }
    }
    EXPECT_GE(pairs, 4u) << about.text;
  }
}

// times(): every pair of shapes that has a product, either side transposed, rows shared or not.
TEST(ProgramDifferences, EveryProduct) {
  std::vector<Shape> shapes = kAllShapes;
  shapes.emplace_back(3, 2);
  std::size_t products = 0;
  for (const Shape left : shapes) {
    for (const Shape right : shapes) {
      for (const int flags : {0, 1, 2, 3}) {
        for (const Lift lift :
             {Lift{}, Lift{Lift::Kind::Repeat, 3}, Lift{Lift::Kind::Interleave, 3}}) {
          Program program(DType::F64);
          const LinearOp op{(flags & 1) != 0, (flags & 2) != 0, lift, {}};
          const ValueId a = distinct_fact(program, 6 / lift.times, left, -1, 1);
          const ValueId b = distinct_fact(program, 6, right, -1, 1);
          if (!program.add(op, {a, b})) continue;
          ++products;
          EXPECT_GE(compare_facts(program, left.text() + " times " + right.text()),
                    left.size() + right.size());
        }
      }
    }
  }
  EXPECT_GE(products, 200u);
}

std::uint64_t rows_of(const Program& program) {
  std::uint64_t rows = 0;
  for (const Op& op : program.ops()) rows += op.rows;
  return rows;
}

// The gradients of a graph's weights and learnable facts; a large graph is optimized first, as for
// training, and fewer entries of each table are looked at.
void compare_graph(NeuronGraph graph, const std::string& name) {
  SCOPED_TRACE(name);
  initialize_weights(graph, Initializer::Uniform, 1);  // where the file has none
  Program program = vectorized_program(graph);
  if (program.parameters().empty()) return;
  const bool is_large = rows_of(program) > 100'000;
  if (is_large) program = optimize(std::move(program)).value();
  const DifferenceCount count = compare_with_differences(program, 1, is_large ? 2 : 6);
  EXPECT_EQ(count.disagreement, "");
  EXPECT_GE(count.compared, count.left_out);
  EXPECT_GE(count.compared, 1u);
}

std::vector<fs::path> graphs_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".pb") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(ProgramDifferences, EveryGoldenGraph) {
  const char* const given = std::getenv("VECC_GOLDEN_DIR");
  const char* const binary = std::getenv("VECC_BINARY_DIR");
  const fs::path folder =
      given != nullptr ? fs::path(given) : fs::path(binary != nullptr ? binary : ".") / "golden";
  const std::vector<fs::path> paths = graphs_in(folder);
  if (paths.empty() && std::getenv("CI") == nullptr) GTEST_SKIP() << "no graphs in " << folder;
  EXPECT_GE(paths.size(), 40u);
  for (const fs::path& path : paths) {
    compare_graph(read_graph(path.string()).value(), path.stem().string());
  }
}

TEST(ProgramDifferences, EveryShippedGraph) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  const auto paths = graphs_in(fs::path(source != nullptr ? source : ".") / "datasets");
  EXPECT_GE(paths.size(), 6u);
  for (const fs::path& path : paths) {
    compare_graph(read_graph(path.string()).value(), path.stem().string());
  }
}

TEST(ProgramDifferences, RandomGraphs) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Program program = learn_all(vectorized_program(random_graph(random_options(seed)).graph));
    const DifferenceCount count = compare_with_differences(program, seed, 4);
    EXPECT_EQ(count.disagreement, "") << seed << "\n" << text_of(program);
    compared += count.compared;
  }
  EXPECT_GE(compared, 1000u);
}

// A comparison that cannot fail would say nothing.
TEST(ProgramDifferences, KinksAndTiesAreLeftOut) {
  Program relu(DType::F64);
  relu.transform(relu.fact({0, 1, -1}, 3, Shape()), {.id = Transformation::Relu, .target = {}});
  const DifferenceCount of_relu = compare_with_differences(learn_all(relu));
  EXPECT_EQ(of_relu.left_out, 1u);
  EXPECT_EQ(of_relu.compared, 2u);
  Program max(DType::F64);
  max.segment(max.fact({1, 1, 0}, 3, Shape()), Segments::fixed(3), Combination::Max);
  EXPECT_EQ(compare_with_differences(learn_all(max)).left_out, 2u);
}

}  // namespace
}  // namespace vecc::test
