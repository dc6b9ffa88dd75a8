// Segments that are cut in pieces: values and gradients are those of whole segments.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "backends/cpu/cpu_backend.h"
#include "tests/backends/program_check.h"
#include "vecc/plan.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kMembers = 9003;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One short segment, one of a single piece, one of several, one of one member.
Segments segments() {
  return Segments::ragged({0, 3, 2050, kMembers - 1, kMembers});
}

std::size_t most_members(const Plan& plan) {
  std::size_t most = 0;
  for (const Launch& launch : plan.launches) {
    if (launch.offsets == kNone) continue;
    const auto& offsets = *plan.arrays[launch.offsets];
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
      most = std::max<std::size_t>(most, offsets[r + 1] - offsets[r]);
    }
  }
  return most;
}

void add_all_rows(Program& program, ValueId value) {
  const std::uint32_t rows = program.op(value).rows;
  program.set_sample_count(rows);
  program.output(value, Index::slice(0, rows));
}

class LongSegments : public testing::TestWithParam<Combination> {};

TEST_P(LongSegments, AgreeForwardAndBackward) {
  for (const Shape shape : {Shape(), Shape::column(9)}) {
    if (GetParam() == Combination::Softmax && !shape.is_scalar()) continue;
    for (const Segments& of : {segments(), Segments::fixed(kMembers)}) {
      expect_agreement_in(DType::F64, shape.text(), [&](Program& program) {
        const ValueId x = random_fact(program, kMembers, shape, 1, 0.998, 1.002);
        program.segment(x, of, GetParam());
      });
    }
  }
}

TEST_P(LongSegments, TakeInWhatMakesTheirMembers) {
  Program program(DType::F64);
  const ValueId x = random_fact(program, 50, Shape(), 1, 0.998, 1.002);
  std::vector<std::uint32_t> rows(kMembers);
  for (std::uint32_t i = 0; i < kMembers; ++i) rows[i] = i * 7 % 50;
  const ValueId y = program.transform(program.gather(x, Index::list(rows)),
                                      {.id = Transformation::Square, .target = {}});
  add_all_rows(program, program.segment(y, segments(), GetParam()));
  EXPECT_LE(most_members(make_plan(program)), 2048u);
  expect_outputs_agree(program);
}

std::string combination_name(const testing::TestParamInfo<Combination>& tested) {
  return std::string(info(tested.param).text);
}
INSTANTIATE_TEST_SUITE_P(Combinations, LongSegments,
                         testing::Values(Combination::Sum, Combination::Avg, Combination::ElProduct,
                                         Combination::Max, Combination::Min, Combination::Softmax),
                         combination_name);

// Members that are equal, or no numbers, at the bounds of pieces and elsewhere: what is selected
// is what one walk over the whole segment selects.
TEST(LongSegmentsOfMax, SelectWhatWholeSegmentsSelect) {
  for (const Combination combination : {Combination::Max, Combination::Min}) {
    for (const std::vector<std::uint32_t>& nans :
         {std::vector<std::uint32_t>{}, {2050}, {2051, 4099}, {0, 3, 2051, 6147}, {8000, 9002}}) {
      for (const DType dtype : {DType::F32, DType::F64}) {
        Program program(dtype);
        std::vector<double> values(2 * kMembers);
        for (std::uint32_t i = 0; i < kMembers; ++i) {
          values[2 * i] = i * 31 % 17;  // ties: the second entry tells who it was
          values[2 * i + 1] = 17.0 + i * 8192.0 - values[2 * i];
          if (i % 5 != 0) values[2 * i + 1] = 40.0 - values[2 * i];
        }
        for (const std::uint32_t i : nans) values[2 * i] = kNan;
        const ValueId x = program.fact(values, kMembers, Shape::column(2));
        add_all_rows(program, program.segment(x, segments(), combination));
        EXPECT_LE(most_members(make_plan(program)), 2048u);
        expect_outputs_agree(program);
      }
    }
  }
}

TEST(LongSegmentsOfMax, GradientsOfTies) {
  expect_agreement_in(DType::F64, "ties", [](Program& program) {
    std::vector<double> values(kMembers);
    for (std::uint32_t i = 0; i < kMembers; ++i) values[i] = i * 31 % 1000;
    program.segment(program.fact(values, kMembers, Shape()), segments(), Combination::Max);
  });
}

}  // namespace
}  // namespace vecc::test
