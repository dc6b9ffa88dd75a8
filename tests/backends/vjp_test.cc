// Backward passes that stand in the Program, against the interpreter: every function's
// vjp, and whole graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "backends/reference/program_interpreter.h"
#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "tests/support/random_graph.h"
#include "vecc/differentiate.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// All parameters' gradients, from random ones of the outputs, appended.
Program differentiated(Program program, std::vector<std::optional<ValueId>>* appended = nullptr) {
  std::vector<Seed> seeds;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).kind() == OpKind::Output) seeds.push_back({id, 0});
  }
  for (Seed& seed : seeds) {
    const Op& op = program.op(seed.value);
    std::vector<double> rows = random_values(op.size(), 7);
    // Rows that pass nothing on.
    for (std::size_t i = 0; i < rows.size() && i < op.shape.size(); ++i) rows[i] = 0;
    seed.gradient = program.fact(std::move(rows), op.rows, op.shape);
  }
  std::vector<ParameterIndex> wanted(program.parameters().size());
  std::iota(wanted.begin(), wanted.end(), 0u);
  const auto gradients = append_gradients(program, seeds, wanted);
  EXPECT_TRUE(gradients) << gradients.error().text();
  if (gradients && appended != nullptr) *appended = *gradients;
  return program;
}

// The backward pass of the Program that `build` fills, its facts learned. A costly way in f64 only.
void expect_vjp(const std::string& name, const std::function<void(Program&)>& build,
                const std::vector<DType>& dtypes = {DType::F64, DType::F32}) {
  SCOPED_TRACE(name);
  for (const DType dtype : dtypes) {
    if (dtype == DType::F32 && tested_ways().front().is_costly) continue;
    Program program(dtype);
    build(program);
    expect_values_agree(differentiated(learn_facts(program)));
  }
}

const std::vector<Shape> kVjpShapes = {Shape(), Shape(1, 1), Shape(3, 1), Shape(1, 3), Shape(2, 3)};

TEST(Vjp, Transformations) {
  for (const TransformationInfo& about : transformations()) {
    for (const Shape shape : kVjpShapes) {
      TransformationSpec spec{.id = about.id, .target = {}};
      if (about.parameters == FunctionParameters::Target) {
        spec.target = about.id == Transformation::Broadcast
                          ? Shape(2, 3)
                          : Shape::row(static_cast<std::uint32_t>(shape.size()));
      }
      std::vector<std::uint32_t> words;
      if (about.parameters == FunctionParameters::Index) words = {0};
      if (about.parameters == FunctionParameters::Bounds) words = {0, kToEnd, 0, 1};
      const TransformOp op{spec, std::make_shared<const std::vector<std::uint32_t>>(words)};
      Program probe(DType::F64);
      if (!probe.add(op, {random_fact(probe, 5, shape, 1)})) continue;
      for (const double low : {-2.0, 0.1}) {
        expect_vjp(std::string(about.text) + " of " + shape.text(), [&](Program& p) {
          EXPECT_TRUE(p.add(op, {random_fact(p, 5, shape, 3, low, 2)}));
        });
      }
    }
  }
}

TEST(Vjp, WordsByRow) {
  expect_vjp("atindex", [](Program& p) {
    p.transform(random_fact(p, 3, Shape(2, 2), 1), {.id = Transformation::AtIndex, .target = {}},
                {3, 0, 3});
  });
}

TEST(Vjp, KinksAndInfiniteDerivatives) {
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    expect_vjp(std::string(about.text),
               [&](Program& p) {
                 const ValueId x = p.fact({0, 4, -0.0, 99, 101, -99, -101, 1e5, -1e5}, 9, Shape());
                 const ValueId y = p.transform(x, {.id = about.id, .target = {}});
                 p.gather(y, Index::stride(1, 2, 4));  // no gradient at 0
               },
               {DType::F64});  // e^101 is too much for f32
  }
}

TEST(Vjp, Segments) {
  const std::vector<Segments> all = {
      Segments::ragged({0, 2, 3, 6}), Segments::fixed(3, 2), Segments::ragged({0, 0, 1, 1, 6, 6}),
      Segments::fixed(3, 1),          Segments::fixed(1, 2), Segments::fixed(6, 1)};
  for (const CombinationInfo& about : segment_combinations()) {
    for (const Segments& segments : all) {
      for (const Shape shape : kVjpShapes) {
        const SegmentOp op{segments, about.id};
        Program probe(DType::F64);
        if (!probe.add(op, {random_fact(probe, 6, shape, 1)})) continue;
        expect_vjp(std::string(about.text) + " of " + shape.text(),
                   [&](Program& p) { EXPECT_TRUE(p.add(op, {random_fact(p, 6, shape, 5)})); });
      }
    }
  }
}

// Gradients of elmax, elmin and softmax of entries: in several loops of lanes and warps, with ties,
// in pieces, of rows that a block shares.
TEST(Vjp, SegmentsByEntry) {
  std::vector<std::uint32_t> offsets{0, 1};
  for (const std::uint32_t length : {2u, 5u, 40u, 300u, 2500u, 3u}) {
    offsets.push_back(offsets.back() + length);
  }
  for (const std::uint32_t size : {2u, 5u, 64u, 96u}) {
    for (const Combination combination :
         {Combination::ElMax, Combination::ElMin, Combination::Softmax}) {
      expect_vjp(std::string(info(combination).text), [&](Program& p) {
        std::vector<double> values = random_values(offsets.back() * std::uint64_t{size}, size);
        for (double& value : values) value = std::round(4 * value) / 4;  // ties
        const ValueId x = p.fact(std::move(values), offsets.back(), Shape::column(size));
        p.segment(x, Segments::ragged(offsets), combination);
      });
    }
  }
  expect_vjp("wide rows", [](Program& p) {
    const ValueId x = random_fact(p, 12, Shape::column(1500), 2);
    p.segment(x, Segments::ragged({0, 1, 5, 12}), Combination::ElMax);
    p.segment(x, Segments::fixed(3, 1), Combination::ElMin);
    p.segment(x, Segments::fixed(4, 2), Combination::Softmax);
  });
}

// A vjp of what append_gradients never differentiates so.
TEST(Vjp, SegmentsThatAreGathersBackwards) {
  for (const Combination combination : {Combination::Sum, Combination::Avg, Combination::Count}) {
    for (const Segments& segments : {Segments::ragged({0, 2, 2, 6}), Segments::fixed(2, 1)}) {
      Program program(DType::F64);
      const Shape shape = combination == Combination::Count ? Shape() : Shape(2, 1);
      const ValueId g = random_fact(program, 3, shape, 1);
      ASSERT_TRUE(program.add(VjpOp{SegmentOp{segments, combination}, 0, Shape(2, 1)}, {g}));
      expect_values_agree(program);
    }
  }
}

TEST(Vjp, Maps) {
  for (const std::string text :
       {"sum($0, $1, $0)", "elproduct(sum($0, $1), tanh($0))", "concat($0, $1)", "crosssum($0, $1)",
        "cossim($0, $1)", "max($0, $1)", "avg($0, $1, 0.5)", "norm(softmax($1))",
        "product(transp($0), $1)", "slice[1:3, 0:]($0)", "atindex[2]($1)",
        "sqrt(elproduct($0, $0))", "count($0, $1)"}) {
    for (const std::uint32_t rows : {4u, 1u}) {
      expect_vjp(text, [&](Program& p) {
        const ValueId a = random_fact(p, 4, Shape::column(3), 1, 0.1, 1);
        const ValueId b = random_fact(p, rows, Shape::column(3), 2, 1, 2);
        p.map(*parse_expr(text, ""), std::vector{a, b});
        p.map(*parse_expr(text, ""), std::vector{b, a});
      });
    }
  }
}

TEST(Vjp, OfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < seeds_of(60); ++seed) {
    SCOPED_TRACE(seed);
    VectorizeOptions options;
    options.dtype = DType::F64;
    const Program program = vectorize(random_graph(random_options(seed)).graph, options)->program;
    expect_values_agree(differentiated(program));
  }
}

// No value is kept: sums read past gathers, forwards and backwards. The gradients are outputs.
TEST(Vjp, ReadPastGathers) {
  for (std::uint64_t seed = 0; seed < seeds_of(20); ++seed) {
    SCOPED_TRACE(seed);
    VectorizeOptions options;
    options.dtype = DType::F64;
    const auto program = vectorize(random_graph(random_options(seed)).graph, options);
    ASSERT_TRUE(program);
    std::vector<std::optional<ValueId>> gradients;
    Program both = differentiated(program->program, &gradients);
    std::uint32_t samples = both.sample_count();
    for (const std::optional<ValueId> gradient : gradients) {
      if (!gradient) continue;
      const std::uint32_t rows = both.op(*gradient).rows;
      both.set_sample_count(samples + rows);
      both.output(*gradient, Index::slice(samples, rows));
      samples += rows;
    }
    expect_outputs_agree(both);
  }
}

TEST(Vjp, bad_gradients_of_a_vjp) {
  Program program(DType::F64);
  const ValueId g = random_fact(program, 3, Shape(), 1);
  ASSERT_TRUE(program.add(
      VjpOp{TransformOp{{.id = Transformation::Reverse, .target = {}}, nullptr}, 0, Shape()}, {g}));
  ExecutionOptions options;
  options.gradients = true;
  for (const Backend* backend :
       {&reference::interpreter_backend(), tested_ways().front().backend}) {
    const auto executable = backend->compile(program, options);
    ASSERT_FALSE(executable);
    EXPECT_EQ(executable.error().text(),
              std::string(backend->name()) +
                  ": error: %1 vjp: no gradients of a Program with vjps [E061]");
  }
}

}  // namespace
}  // namespace vecc::test
