// reorder-linear beyond what cases show: every order of three factors of every shape, and which
// products are left where some are needed elsewhere.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "optimizer/compare/compare_programs.h"
#include "vecc/optimize.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kRows = 3;

Program reordered(const Program& program, OptimizeReport* report = nullptr) {
  OptimizeOptions options;
  options.passes = {{"reorder-linear"}};
  options.verify_each = true;
  auto result = optimize(program, options, report);
  VECC_CHECK(result.has_value(), result.error().text());
  return std::move(*result);
}

// A learnable factor of kRows rows, of which `distinct` are different ones.
ValueId add_factor(Program& program, const std::string& name, Shape shape, std::uint32_t distinct) {
  const auto parameter = program.add_parameter({name, distinct, shape, nullptr});
  VECC_CHECK(parameter.has_value(), parameter.error().text());
  std::vector<std::uint32_t> rows(kRows);
  for (std::uint32_t i = 0; i < kRows; ++i) rows[i] = i % distinct;
  return program.gather(program.weight(*parameter), Index::compact(std::move(rows)));
}

Shape turned(Shape shape, bool transpose) {
  return transpose ? shape.transposed() : shape;
}

struct Nesting {
  std::array<Shape, 3> shapes;
  std::array<std::uint32_t, 3> distinct{};
  bool left_first = true;
  std::array<bool, 4> transposes{};  // of the inner product's sides, of the outer one's
};

// (a b) c or a (b c), if that is defined.
std::optional<Program> product_of_three(const Nesting& nesting) {
  const auto& [t0, t1, t2, t3] = nesting.transposes;
  const std::size_t first = nesting.left_first ? 0 : 1;
  const auto& shapes = nesting.shapes;
  const auto inner = times_shape(turned(shapes[first], t0), turned(shapes[first + 1], t1));
  if (!inner) return {};
  const Shape third = shapes[nesting.left_first ? 2 : 0];
  const auto outer = nesting.left_first ? times_shape(turned(*inner, t2), turned(third, t3))
                                        : times_shape(turned(third, t2), turned(*inner, t3));
  if (!outer) return {};
  Program program(DType::F64);
  program.set_sample_count(kRows);
  std::array<ValueId, 3> f{};
  for (std::size_t k = 0; k < 3; ++k) {
    f[k] = add_factor(program, "f" + std::to_string(k), shapes[k], nesting.distinct[k]);
  }
  LinearOp op;
  op.transpose_left = t0;
  op.transpose_right = t1;
  const ValueId product = program.linear(f[first], f[first + 1], op);
  op.transpose_left = t2;
  op.transpose_right = t3;
  const ValueId result =
      nesting.left_first ? program.linear(product, f[2], op) : program.linear(f[0], product, op);
  program.output(result, Index::slice(0, kRows));
  return program;
}

TEST(ReorderLinear, three_factors_of_any_shapes_keep_their_product_and_its_gradients) {
  const std::array shapes{Shape::scalar(), Shape(1, 1),      Shape::column(2),
                          Shape::row(2),   Shape::column(3), Shape::row(3),
                          Shape(2, 2),     Shape(2, 3),      Shape(3, 2)};
  std::mt19937_64 random(1);
  std::uint32_t changed = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    Nesting nesting;
    for (Shape& shape : nesting.shapes) shape = shapes[random() % shapes.size()];
    for (std::uint32_t& distinct : nesting.distinct) distinct = random() % 2 == 0 ? 1 : kRows;
    nesting.left_first = random() % 2 == 0;
    for (bool& transpose : nesting.transposes) transpose = random() % 4 == 0;
    const auto before = product_of_three(nesting);
    if (!before) continue;
    OptimizeReport report;
    const Program after = reordered(*before, &report);
    if (!report.runs.front().changed) continue;
    ++changed;
    const auto comparison = opt::compare_programs(*before, after);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
    ASSERT_TRUE(comparison->equal) << comparison->difference << print(*before) << print(after);
  }
  EXPECT_GT(changed, 300u);
}

// The product of all factors, nested at random.
ValueId nest_at_random(Program& program, std::span<const ValueId> factors,
                       std::mt19937_64& random) {
  if (factors.size() == 1) return factors[0];
  const std::size_t left = 1 + random() % (factors.size() - 1);
  const ValueId first = nest_at_random(program, factors.first(left), random);
  return program.linear(first, nest_at_random(program, factors.subspan(left), random));
}

std::uint64_t multiply_adds_of(const Program& program) {
  std::uint64_t count = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Linear) continue;
    count += op.rows * op.shape.size() * program.op(op.operands[0]).shape.cols();
  }
  return count;
}

// Of matrices with these corners (the first one's rows, then all columns), in the best order.
std::uint64_t least_multiply_adds(const std::vector<std::uint64_t>& corners) {
  const std::size_t n = corners.size();
  std::vector<std::vector<std::uint64_t>> least(n, std::vector<std::uint64_t>(n));
  for (std::size_t length = 2; length < n; ++length) {
    for (std::size_t first = 0; first + length < n; ++first) {
      const std::size_t last = first + length;
      least[first][last] = UINT64_MAX;
      for (std::size_t k = first + 1; k < last; ++k) {
        const std::uint64_t product = corners[first] * corners[k] * corners[last];
        least[first][last] =
            std::min(least[first][last], least[first][k] + least[k][last] + product);
      }
    }
  }
  return least[0][n - 1];
}

TEST(ReorderLinear, many_factors_keep_their_product_and_its_gradients_and_take_little_work) {
  std::mt19937_64 random(2);
  std::uint32_t compared = 0;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::size_t count = 4 + random() % 9;
    std::vector<std::uint64_t> corners;
    for (std::size_t k = 0; k <= count; ++k) corners.push_back(2 + random() % 16);
    if (random() % 2 == 0) corners.back() = 1;
    Program program(DType::F64);
    program.set_sample_count(kRows);
    std::vector<ValueId> factors;
    for (std::size_t k = 0; k < count; ++k) {
      const Shape shape(static_cast<std::uint32_t>(corners[k]),
                        static_cast<std::uint32_t>(corners[k + 1]));
      factors.push_back(add_factor(program, "f" + std::to_string(k), shape, kRows));
    }
    program.output(nest_at_random(program, factors, random), Index::slice(0, kRows));
    OptimizeReport report;
    const Program after = reordered(program, &report);
    // What is counted is more than multiply-adds: also what is written and read.
    EXPECT_LE(static_cast<double>(multiply_adds_of(after)),
              1.5 * static_cast<double>(kRows * least_multiply_adds(corners)))
        << print(program) << print(after);
    if (!report.runs.front().changed || i % 8 != 0) continue;
    ++compared;
    const auto comparison = opt::compare_programs(program, after);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
    ASSERT_TRUE(comparison->equal) << comparison->difference << print(program) << print(after);
  }
  EXPECT_GT(compared, 30u);
}

// Messages W_t x_j are needed as they are; an attention logit a_t . (W_t x_i) is not. Only the
// products that no message needs go.
TEST(ReorderLinear, an_attention_logit_is_one_dot_product_with_a_folded_vector) {
  constexpr std::uint32_t kNodes = 40;
  constexpr std::uint32_t kMessages = 10;  // nodes that send
  Program program(DType::F64);
  program.set_sample_count(kNodes + kMessages);
  const ValueId x = program.weight(*program.add_parameter({"x", kNodes, {64, 1}, nullptr}));
  const ValueId w = program.weight(*program.add_parameter({"w", 1, {64, 64}, nullptr}));
  const ValueId a = program.weight(*program.add_parameter({"a", 1, {1, 64}, nullptr}));
  const Index first(Index::list(std::vector<std::uint32_t>(kNodes, 0)));
  const ValueId z = program.linear(program.gather(w, first), x);
  const ValueId logits = program.linear(program.gather(a, first), z);
  program.output(logits, Index::slice(0, kNodes));
  program.output(program.gather(z, Index::slice(0, kMessages)), Index::slice(kNodes, kMessages));

  const Program after = reordered(program);
  std::vector<std::uint32_t> rows_by_weight;
  std::uint64_t dots = 0;
  for (const Op& op : after.ops()) {
    if (op.kind() != OpKind::Linear) continue;
    if (op.shape == Shape::column(64)) rows_by_weight.push_back(op.rows);
    if (op.shape.is_scalar()) dots += op.rows;
  }
  EXPECT_THAT(rows_by_weight, testing::ElementsAre(kMessages));
  EXPECT_EQ(dots, kNodes);
  const auto comparison = opt::compare_programs(program, after);
  ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
  EXPECT_TRUE(comparison->equal) << comparison->difference;
}

// Members of a relation's mean share its weight; two targets with the same sources share the mean.
TEST(ReorderLinear, relation_products_are_counted_by_distinct_sets_of_sources) {
  constexpr std::uint32_t kTargets = 60;
  constexpr std::uint32_t kSources = 50;
  constexpr std::uint32_t kTypes = 3;
  constexpr std::uint32_t kMembers = 4;
  Program program(DType::F64);
  program.set_sample_count(kTargets);
  const ValueId x = program.weight(*program.add_parameter({"x", kSources, {16, 1}, nullptr}));
  const ValueId w = program.weight(*program.add_parameter({"w", kTypes, {16, 16}, nullptr}));
  std::vector<std::uint32_t> types;
  std::vector<std::uint32_t> sources;
  for (std::uint32_t t = 0; t < kTargets; ++t) {
    for (std::uint32_t k = 0; k < kMembers; ++k) {
      types.push_back(t % kTypes);
      sources.push_back((t / 2 + k * 7) % kSources);
    }
  }
  const ValueId products = program.linear(program.gather(w, Index::list(types)),
                                          program.gather(x, Index::list(sources)));
  program.output(program.segment(products, Segments::fixed(kMembers), Combination::Avg),
                 Index::slice(0, kTargets));
  const Program after = reordered(program);
  std::uint64_t rows = 0;
  for (const Op& op : after.ops()) rows += op.kind() == OpKind::Linear ? op.rows : 0;
  // 60 targets, each with its own pair of a type and a set of sources.
  EXPECT_EQ(rows, kTargets);
  const auto comparison = opt::compare_programs(program, after);
  ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
  EXPECT_TRUE(comparison->equal) << comparison->difference;
}

// Sums of products, some times a scalar, among other rows, in any order, as large as `random` says.
Program random_scaled_sums(std::mt19937_64& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t width = 96 + below(96);
  const bool transposes = below(2) == 0;
  const auto rows_of = [&](std::uint32_t count, std::uint32_t bound) {
    std::vector<std::uint32_t> rows(count);
    for (std::uint32_t& row : rows) row = below(bound);
    return Index::compact(std::move(rows));
  };
  Program program(DType::F64);
  const auto weight = [&](const char* name, std::uint32_t rows, Shape shape) {
    return program.weight(*program.add_parameter({name, rows, shape, nullptr}));
  };
  const std::uint32_t products = 20 + below(40);
  LinearOp op;
  op.transpose_left = transposes;
  const ValueId product = program.linear(
      program.gather(weight("w", 3, {width, width}), rows_of(products, 1 + below(3))),
      program.gather(weight("x", 12, Shape::column(width)), rows_of(products, 12)), op);
  const std::uint32_t scaled_count = 10 + below(30);
  const ValueId scalars = below(2) == 0 ? program.fact({-1, 0.5}, 2, Shape::scalar(), {})
                                        : weight("s", 2, Shape::scalar());
  const ValueId carried = program.gather(product, rows_of(scaled_count, products));
  const ValueId factors = program.gather(scalars, rows_of(scaled_count, 2));
  const ValueId scaled =
      below(2) == 0 ? program.linear(factors, carried) : program.linear(carried, factors);
  const ValueId rest = weight("b", 4, Shape::column(width));
  const ValueId operands[] = {rest, product, scaled};
  const ValueId all = program.concat(operands);
  std::vector<std::uint32_t> offsets{0};
  const std::uint32_t sums = 5 + below(30);
  for (std::uint32_t i = 0; i < sums; ++i) offsets.push_back(offsets.back() + below(5));
  const std::uint32_t members = offsets.back();
  const ValueId sum = program.segment(
      program.gather(all, rows_of(members, 4 + products + scaled_count)),
      Segments::ragged(std::move(offsets)), below(8) == 0 ? Combination::Avg : Combination::Sum);
  const bool needs_products = below(6) == 0;
  program.set_sample_count(sums + (needs_products ? products : 0));
  program.output(sum, Index::slice(0, sums));
  if (needs_products) program.output(product, Index::slice(sums, products));
  return program;
}

TEST(ReorderLinear, products_among_other_rows_and_times_scalars_keep_their_sums_and_gradients) {
  std::mt19937_64 random(3);
  std::uint32_t changed = 0;
  for (std::uint32_t i = 0; i < 600; ++i) {
    const Program before = random_scaled_sums(random);
    OptimizeReport report;
    const Program after = reordered(before, &report);
    if (!report.runs.front().changed) continue;
    changed += std::ranges::any_of(report.runs.front().counters, [](const auto& counter) {
      return counter.first == "scaled products taken out of sums";
    });
    const auto comparison = opt::compare_programs(before, after);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
    ASSERT_TRUE(comparison->equal) << comparison->difference << print(before) << print(after);
  }
  EXPECT_GT(changed, 40u);
}

// TransR: M_r (h - t) + r.
TEST(ReorderLinear, a_difference_of_two_projections_is_one_product) {
  constexpr std::uint32_t kTriples = 64;
  Program program(DType::F64);
  program.set_sample_count(kTriples);
  const ValueId e = program.weight(*program.add_parameter({"e", 2 * kTriples, {128, 1}, nullptr}));
  const ValueId r = program.weight(*program.add_parameter({"r", 4, {128, 1}, nullptr}));
  const ValueId m = program.weight(*program.add_parameter({"m", 4, {128, 128}, nullptr}));
  std::vector<std::uint32_t> relations;
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < 2 * kTriples; ++i) relations.push_back(i % kTriples % 4);
  for (std::uint32_t i = 0; i < kTriples; ++i) {
    for (const std::uint32_t member : {4 + i, i % 4, 4 + 2 * kTriples + i}) {
      members.push_back(member);
    }
  }
  const ValueId projected = program.linear(program.gather(m, Index::list(relations)), e);
  const ValueId minus = program.gather(program.fact({-1}, 1, Shape::scalar(), {}),
                                       Index::list(std::vector<std::uint32_t>(kTriples, 0)));
  const ValueId tails =
      program.linear(minus, program.gather(projected, Index::slice(kTriples, kTriples)));
  const ValueId operands[] = {r, projected, tails};
  program.output(program.segment(program.gather(program.concat(operands), Index::list(members)),
                                 Segments::fixed(3), Combination::Sum),
                 Index::slice(0, kTriples));
  const Program after = reordered(program);
  std::uint64_t products = 0;
  for (const Op& op : after.ops()) {
    const bool is_product =
        op.kind() == OpKind::Linear && !after.op(op.operands[0]).shape.is_scalar();
    products += is_product ? op.rows : 0;
  }
  EXPECT_EQ(products, kTriples);
  const auto comparison = opt::compare_programs(program, after);
  ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
  EXPECT_TRUE(comparison->equal) << comparison->difference;
}

}  // namespace
}  // namespace vecc::test
