// Every transformation of functions.def, over every shape it takes.
#include <gtest/gtest.h>

#include <limits>

#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

const std::vector<Shape> kArgumentShapes = {Shape(),       Shape::column(1), Shape::column(4),
                                            Shape::row(4), Shape(1, 1),      Shape(2, 3)};

TransformationSpec spec_of(const TransformationInfo& about, Shape input) {
  TransformationSpec spec;
  spec.id = about.id;
  spec.slope = 0.2;
  if (about.id == Transformation::Reshape) {
    spec.target = Shape::row(static_cast<std::uint32_t>(input.size()));
  }
  if (about.id == Transformation::Broadcast) spec.target = Shape(2, 2);
  return spec;
}

std::vector<std::uint32_t> words_of(const TransformationInfo& about, Shape input) {
  switch (about.parameters) {
    case FunctionParameters::Index: return {static_cast<std::uint32_t>(input.size() - 1)};
    case FunctionParameters::Bounds: return {input.rows() - 1, kToEnd, 0, input.cols()};
    case FunctionParameters::None:
    case FunctionParameters::Slope:
    case FunctionParameters::Target: return {};
  }
  return {};
}

bool takes(const TransformationInfo& about, Shape shape) {
  return transformed_shape(spec_of(about, shape), words_of(about, shape), shape, "").has_value() &&
         (about.id != Transformation::Broadcast || shape.is_scalar());
}

// Fails for a function without a case in the lowering: the loop is over the table.
TEST(Transform, EveryFunctionOfTheTable) {
  for (const TransformationInfo& about : transformations()) {
    int cases = 0;
    for (const Shape shape : kArgumentShapes) {
      if (!takes(about, shape)) continue;
      ++cases;
      expect_agreement(std::string(about.text) + " of " + shape.text(), [&](Program& program) {
        // Away from the poles and jumps, where fp32 rounding decides.
        const ValueId x = random_fact(program, 5, shape, 7, 0.1, 2);
        program.transform(x, spec_of(about, shape), words_of(about, shape));
        const ValueId y = random_fact(program, 5, shape, 8, -2, -0.1);
        program.transform(y, spec_of(about, shape), words_of(about, shape));
        const ValueId one = random_fact(program, 1, shape, 9, 0.1, 2);
        program.transform(one, spec_of(about, shape), words_of(about, shape));
      });
    }
    EXPECT_GT(cases, 0) << about.text << " has no case";
  }
}

TEST(Transform, ElementwiseAtTheEdges) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> edges = {0,    100,  100.5,     -100,       -100.5,
                                     -200, 1000, kInfinity, -kInfinity, std::nan("")};
  for (const TransformationInfo& about : transformations()) {
    // Overflowing exponentials are infinite in fp32 alone; a product of 0 and infinity is no edge.
    const bool differs = about.id == Transformation::Exp || about.id == Transformation::Gelu;
    if (about.domain != FunctionDomain::Elementwise || differs) continue;
    expect_agreement(std::string(about.text), [&](Program& program) {
      const ValueId x = program.fact(edges, static_cast<std::uint32_t>(edges.size()), Shape());
      program.transform(x, spec_of(about, Shape()));
    });
  }
}

// Below -100 exactly 0, so that its logarithm is -infinity as in the reference.
TEST(Transform, SigmoidIsClamped) {
  expect_agreement("log sigmoid", [](Program& program) {
    const ValueId x = program.fact({-100.5, -101, -1e30, -20}, 4, Shape());
    const ValueId y = program.transform(x, {.id = Transformation::Sigmoid, .target = {}});
    program.transform(y, {.id = Transformation::Log, .target = {}});
  });
}

TEST(Transform, WordsByRow) {
  expect_agreement("atindex", [](Program& program) {
    const ValueId x = random_fact(program, 4, Shape(2, 3), 3);
    program.transform(x, {.id = Transformation::AtIndex, .target = {}}, {5, 0, 3, 3});
    program.transform(x, {.id = Transformation::AtIndex, .target = {}}, {2, 2, 2, 2});
  });
  expect_agreement("slice", [](Program& program) {
    const ValueId x = random_fact(program, 3, Shape(4, 3), 4);
    program.transform(x, {.id = Transformation::Slice, .target = {}},
                      {0, 2, 1, 3, 2, kToEnd, 0, 2, 1, 3, 1, kToEnd});
    program.transform(x, {.id = Transformation::Slice, .target = {}}, {1, 4, 2, kToEnd});
  });
}

TEST(Transform, SparsemaxSupports) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_agreement("sparsemax", [](Program& program) {
    const ValueId x =
        program.fact({3,   1,   0,   1,  1,   1,   -5,         -5, -5,        0.5, 0.3,
                      0.1, 1e6, 1e6, -1, 0.1, 0.2, -kInfinity, 1,  kInfinity, 2},
                     7, Shape::column(3));
    program.transform(x, {.id = Transformation::Sparsemax, .target = {}});
    program.transform(x, {.id = Transformation::Softmax, .target = {}});
  });
}

// Equal entries have no deviation: only a rounding error would be magnified, also in fp32.
TEST(Transform, NormOfEqualEntries) {
  expect_agreement("norm", [](Program& program) {
    // Exact in any order of adding: where a mean rounds, 1 / sqrt(1e-10) makes 1e5 times of it.
    std::vector<double> values;
    for (const double entry : {0.5, 0.75, -1.25, 3e4}) values.insert(values.end(), 8, entry);
    const ValueId x = program.fact(values, 4, Shape::column(8));
    program.transform(x, {.id = Transformation::Norm, .target = {}});
  });
}

TEST(Transform, NoRows) {
  for (const TransformationInfo& about : transformations()) {
    const Shape shape = takes(about, Shape(3, 1)) ? Shape(3, 1) : Shape();
    expect_agreement(std::string(about.text), [&](Program& program) {
      const ValueId x = program.fact({}, 0, shape);
      program.transform(x, spec_of(about, shape), words_of(about, shape));
    });
  }
}

}  // namespace
}  // namespace vecc::test
