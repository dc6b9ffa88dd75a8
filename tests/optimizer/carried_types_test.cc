// reorder-linear: products by matrices of types, carried through sums: W_t (V x + b).
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "optimizer/compare/compare_programs.h"
#include "vecc/optimize.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program reordered_for(Runner runner, const Program& program, OptimizeReport& report) {
  OptimizeOptions options;
  options.passes = {{"reorder-linear"}};
  options.verify_each = true;
  options.cost = default_coefficients(runner);
  auto result = optimize(program, options, &report);
  VECC_CHECK(result.has_value(), result.error().text());
  return std::move(*result);
}

bool carries_types(const OptimizeReport& report) {
  return std::ranges::any_of(report.runs.front().counters, [](const auto& counter) {
    return counter.first == "products by types carried through sums";
  });
}

// Layers of matrices by type behind a sum of random parts.
class TypedLayers {
 public:
  explicit TypedLayers(std::uint64_t seed) : random_(seed), program_(DType::F64) {}

  Program make() {
    const std::uint32_t sources = 10 + below(30);
    const std::uint32_t width = 24 + below(16);
    ValueId h = random_sum(sources, width);
    const std::uint32_t layers = 1 + below(2);
    std::uint32_t rows = sources;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      const std::uint32_t read = 60 + below(90);
      h = typed_product(program_.gather(h, rows_of(read, rows)), read, layer);
      rows = read;
      if (layer + 1 < layers) h = sum_of(h, weight("c", below(2) == 0 ? 1 : rows, width));
    }
    const bool needs_sum = below(4) == 0;
    program_.set_sample_count(rows + (needs_sum ? sources : 0));
    program_.output(h, Index::slice(0, rows));
    if (needs_sum) program_.output(sum_, Index::slice(rows, sources));
    return program_;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  Index rows_of(std::uint32_t count, std::uint32_t bound) {
    std::vector<std::uint32_t> rows(count);
    for (std::uint32_t& row : rows) row = below(bound);
    return Index::compact(std::move(rows));
  }
  ValueId weight(const std::string& name, std::uint32_t rows, Shape shape) {
    return program_.weight(
        *program_.add_parameter({name + std::to_string(weights_++), rows, shape, nullptr}));
  }
  ValueId weight(const std::string& name, std::uint32_t rows, std::uint32_t width) {
    return weight(name, rows, Shape::column(width));
  }
  ValueId sum_of(ValueId a, ValueId b) {
    const ValueId both[] = {a, b};
    return program_.map(*parse_expr("sum($0, $1)", "test"), both, {});
  }

  // V x, all rows by one matrix.
  ValueId product(std::uint32_t rows, std::uint32_t width) {
    const std::uint32_t inner = 1 + below(6);
    LinearOp op;
    op.transpose_left = below(2) == 0;
    const Shape shape(width, inner);
    const ValueId v = weight("v", 2, op.transpose_left ? shape.transposed() : shape);
    const std::vector<std::uint32_t> same(rows, below(2));
    return program_.linear(program_.gather(v, Index::compact(same)), weight("x", rows, inner), op);
  }

  // Of a product, biases, rows of their own and scalars.
  ValueId random_sum(std::uint32_t rows, std::uint32_t width) {
    ValueId h = sum_of(product(rows, width), weight("b", 1, width));
    for (std::uint32_t more = below(3); more > 0; --more) {
      switch (below(5)) {
        case 0: h = sum_of(h, weight("r", rows, width)); break;
        case 1: h = sum_of(h, sum_of(weight("b", 1, width), weight("b", 1, width))); break;
        case 2: h = program_.linear(weight("s", rows, Shape::scalar()), h, {}); break;
        case 3: h = program_.gather(h, rows_of(rows, rows)); break;
        case 4: {
          const ValueId all[] = {h, weight("s", below(2) == 0 ? 1 : rows, Shape::scalar())};
          h = program_.map(*parse_expr("elproduct($0, $1, 1.5)", "test"), all, {});
          break;
        }
      }
    }
    sum_ = h;
    width_ = width;
    return h;
  }

  ValueId typed_product(ValueId h, std::uint32_t rows, std::uint32_t layer) {
    LinearOp op;
    op.transpose_left = below(2) == 0;
    const std::uint32_t types = 2 + below(4);
    const std::uint32_t result = layer == 0 ? width_ : 20 + below(20);
    const Shape shape(result, width_);
    const ValueId w = weight("w", types + 1, op.transpose_left ? shape.transposed() : shape);
    return program_.linear(program_.gather(w, rows_of(rows, types)), h, op);
  }

  std::mt19937_64 random_;
  Program program_;
  std::uint32_t weights_ = 0;
  std::uint32_t width_ = 0;
  ValueId sum_ = 0;
};

TEST(CarriedTypes, random_layers_keep_their_outputs_and_gradients) {
  std::uint32_t carried = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Program before = TypedLayers(seed).make();
    OptimizeReport report;
    const Program after = reordered_for(Runner::Cpu, before, report);
    if (!report.runs.front().changed) continue;
    carried += carries_types(report) ? 1 : 0;
    const auto comparison = opt::compare_programs(before, after);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
    ASSERT_TRUE(comparison->equal) << comparison->difference << print(before) << print(after);
  }
  EXPECT_GT(carried, 60u);
}

TEST(CarriedTypes, stay_where_products_are_not_what_a_run_waits_for) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Runner runner : {Runner::KernelsOnGpu, Runner::TorchOnGpu}) {
      OptimizeReport report;
      (void)reordered_for(runner, TypedLayers(seed).make(), report);
      EXPECT_FALSE(carries_types(report));
    }
  }
}

}  // namespace
}  // namespace vecc::test
