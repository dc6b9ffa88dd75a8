// Classes are the same, however many threads make the fingerprints.
#include <gtest/gtest.h>

#include <algorithm>

#include "optimizer/iso/fingerprint_classes.h"
#include "src/support/list_threads.h"
#include "tests/optimizer/iso/iso_check.h"
#include "vecc/differentiate.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kPoints = 40000;  // of a weight, and of results
constexpr std::uint32_t kEdges = 80000;   // of five types
constexpr Shape kPoint(4, 1);

Index spread(std::uint32_t count, std::uint64_t factor, std::uint32_t below) {
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    rows[i] = static_cast<std::uint32_t>(i * factor % below);
  }
  return Index::list(std::move(rows));
}

// Typed products, sums of two (and of one, where `ones`), functions, and their gradients: so many
// rows that a team makes fingerprints of all.
Program many_rows(bool ones) {
  Program program;
  const auto x = program.add_parameter({"x", kPoints, kPoint, nullptr});
  const auto w = program.add_parameter({"w", 5, Shape(4, 4), nullptr});
  VECC_CHECK(x && w, "parameters");
  const ValueId products =
      program.linear(program.gather(program.weight(*w), spread(kEdges, 7, 5)),
                     program.gather(program.weight(*x), spread(kEdges, 13, 29989)));
  std::vector<std::uint32_t> offsets{0};
  while (offsets.back() < kEdges) {
    const bool is_one = ones && offsets.size() % 8 != 0;
    offsets.push_back(std::min(kEdges, offsets.back() + (is_one ? 1 : 2)));
  }
  const ValueId sums = program.segment(products, Segments::ragged(offsets), Combination::Sum);
  TransformationSpec tanh;
  tanh.id = Transformation::Tanh;
  const ValueId active = program.transform(sums, tanh);
  const auto count = static_cast<std::uint32_t>(offsets.size() - 1);
  const auto expr = parse_expr("elproduct($0, sum($0, $1))", "test");
  VECC_CHECK(expr.has_value(), "an expression");
  const std::vector<ValueId> both{active, sums};
  const ValueId mapped = program.map(*expr, both);
  program.set_sample_count(count);
  program.output(mapped, Index::slice(0, count));
  std::vector<double> numbers;
  for (std::uint32_t i = 0; i < count * kPoint.size(); ++i) numbers.push_back(i % 17);
  const Seed seed{mapped, program.fact(std::move(numbers), count, kPoint)};
  const std::vector<ParameterIndex> all{*x, *w};
  const auto gradients = append_gradients(program, {&seed, 1}, all);
  VECC_CHECK(gradients.has_value(), "gradients");
  return program;
}

// Shares of scalars and of wide rows, in ragged and in fixed segments over both dimensions, of
// which some are equal, and their gradients.
Program many_shares(const Segments& segments, Shape shape) {
  Program program;
  const auto x = program.add_parameter({"x", kPoints, shape, nullptr});
  VECC_CHECK(x, "parameter");
  const ValueId members = program.gather(program.weight(*x), spread(kEdges, 13, kPoints / 7));
  const ValueId shares = program.segment(members, segments, Combination::Softmax);
  program.set_sample_count(kEdges);
  program.output(shares, Index::slice(0, kEdges));
  const Seed seed{shares,
                  program.fact(std::vector<double>(kEdges * shape.size(), 2.0), kEdges, shape)};
  const auto gradients = append_gradients(program, {&seed, 1}, {&*x, 1});
  VECC_CHECK(gradients.has_value(), "gradients");
  return program;
}

class IsoThreads : public ::testing::TestWithParam<std::uint32_t> {};

std::vector<Program> programs_of_many_rows() {
  std::vector<std::uint32_t> offsets{0};
  while (offsets.back() < kEdges) {
    const auto length = static_cast<std::uint32_t>(offsets.size() % 5);
    offsets.push_back(std::min(kEdges, offsets.back() + length));
  }
  std::vector<Program> programs;
  programs.push_back(many_rows(/*ones=*/false));
  programs.push_back(many_rows(/*ones=*/true));
  for (const Shape shape : {Shape::scalar(), Shape(3, 1), Shape(17, 1)}) {
    programs.push_back(many_shares(Segments::ragged(offsets), shape));
  }
  programs.push_back(many_shares(Segments::fixed(4, 1), Shape::scalar()));
  programs.push_back(many_shares(Segments::fixed(4, 2), Shape::scalar()));
  return programs;
}

TEST_P(IsoThreads, classes_do_not_depend_on_their_number) {
  const std::uint32_t threads = GetParam();
  for (const Program& program : programs_of_many_rows()) {
    opt::iso::FingerprintClasses one(program, 1);
    opt::iso::FingerprintClasses many(program, 1);
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const opt::iso::ValueClasses& expected = one.classify(id);
      const ListThreads scope(threads);
      const opt::iso::ValueClasses& found = many.classify(id);
      ASSERT_EQ(found.of_row, expected.of_row) << "%" << id;
      if (expected.table == nullptr) continue;
      ASSERT_EQ(found.table->size(), expected.table->size()) << "%" << id;
      for (std::uint32_t c = 0; c < expected.table->size(); ++c) {
        ASSERT_TRUE(std::ranges::equal(found.table->parts(c), expected.table->parts(c)));
        ASSERT_EQ(found.table->doubtful(c), expected.table->doubtful(c));
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Threads, IsoThreads, ::testing::Values(2, 5));

}  // namespace
}  // namespace vecc::test
