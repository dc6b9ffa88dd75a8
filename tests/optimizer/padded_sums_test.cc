// pad-linear: what reads padded products and is computed in their rows.
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

Program padded_for(Runner runner, const Program& program, OptimizeReport& report) {
  OptimizeOptions options;
  options.passes = {{"dedup-linear-pairs", "pad-linear", "broadcast-linear"}};
  options.pad_mode = PadMode::Any;
  options.verify_each = true;
  options.cost = default_coefficients(runner);
  auto result = optimize(program, options, &report);
  VECC_CHECK(result.has_value(), result.error().text());
  return std::move(*result);
}

bool computes_padded(const OptimizeReport& report) {
  return std::ranges::any_of(report.runs[1].counters, [](const auto& counter) {
    return counter.first == "values computed in padded rows";
  });
}

// Products by type, and sums, slices and functions of them.
class ProductsByType {
 public:
  explicit ProductsByType(std::uint64_t seed) : random_(seed), program_(DType::F64) {}

  Program make() {
    const std::uint32_t kinds = 2 + below(4);
    const std::uint32_t sources = 20 + below(40);
    rows_ = 0;
    for (std::uint32_t s = 0; s < sources; ++s) {
      for (std::uint32_t t = 0; t < kinds; ++t) {
        if (below(4) == 0) continue;
        types_.push_back(t);
        sources_.push_back(s);
        ++rows_;
      }
    }
    shuffle();
    const Shape shape(6 + below(6), 5 + below(4));
    ValueId h = program_.linear(
        program_.gather(weight("w", kinds + 1, shape), list(types_)),
        program_.gather(weight("x", sources, Shape::column(shape.cols())), list(sources_)));
    const std::uint32_t steps = 1 + below(4);
    for (std::uint32_t step = 0; step < steps; ++step) h = next(h, kinds, sources);
    program_.set_sample_count(rows_);
    program_.output(h, Index::slice(0, rows_));
    return program_;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  static Index list(const std::vector<std::uint32_t>& rows) {
    return Index::compact(std::vector<std::uint32_t>(rows));
  }
  void shuffle() {
    for (std::uint32_t i = rows_; i > 1; --i) {
      const std::uint32_t k = below(i);
      std::swap(types_[i - 1], types_[k]);
      std::swap(sources_[i - 1], sources_[k]);
    }
  }
  ValueId weight(const std::string& name, std::uint32_t rows, Shape shape) {
    return program_.weight(
        *program_.add_parameter({name + std::to_string(weights_++), rows, shape, nullptr}));
  }
  ValueId sum_of(ValueId a, ValueId b) {
    const ValueId both[] = {a, b};
    return program_.map(*parse_expr(below(2) == 0 ? "sum($0, $1)" : "sum($1, $0)", "test"), both,
                        {});
  }

  ValueId next(ValueId h, std::uint32_t kinds, std::uint32_t sources) {
    const Shape shape = program_.op(h).shape;
    switch (below(6)) {
      case 0:
      case 1: return sum_of(h, program_.gather(weight("b", kinds, shape), list(types_)));
      case 2: return sum_of(h, weight("b", 1, shape));
      case 3: return sum_of(h, program_.gather(weight("s", sources, shape), list(sources_)));
      case 4: {
        if (shape.size() < 2) return h;
        TransformationSpec slice;
        slice.id = Transformation::Slice;
        const ValueId part = program_.transform(h, slice, {1, shape.rows(), 0, 1});
        return below(2) == 0 ? part : sum_of(part, part);
      }
      default: {
        TransformationSpec tanh;
        tanh.id = Transformation::Tanh;
        return program_.transform(h, tanh);
      }
    }
  }

  std::mt19937_64 random_;
  Program program_;
  std::uint32_t weights_ = 0;
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> types_;
  std::vector<std::uint32_t> sources_;
};

TEST(PaddedSums, random_sums_keep_their_outputs_and_gradients) {
  std::uint32_t padded = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Program before = ProductsByType(seed).make();
    OptimizeReport report;
    const Program after = padded_for(Runner::Cpu, before, report);
    padded += computes_padded(report) ? 1 : 0;
    const auto comparison = opt::compare_programs(before, after);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
    ASSERT_TRUE(comparison->equal) << comparison->difference << print(before) << print(after);
  }
  EXPECT_GT(padded, 60u);
}

TEST(PaddedSums, stand_in_their_own_rows_where_products_are_not_what_a_run_waits_for) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    OptimizeReport report;
    (void)padded_for(Runner::KernelsOnGpu, ProductsByType(seed).make(), report);
    EXPECT_FALSE(computes_padded(report));
  }
}

}  // namespace
}  // namespace vecc::test
