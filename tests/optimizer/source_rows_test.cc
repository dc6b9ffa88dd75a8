// Numbers of rows through gathers and concats.
#include "optimizer/rewrite/source_rows.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;

Program numbered_program(const std::string& text) {
  auto program = parse_program("vecc program 1 f32 samples 0\n" + text, "test");
  VECC_CHECK(program.has_value(), program.error().text());
  return *program;
}

std::vector<std::uint32_t> numbers_of(const opt::SourceRows& sources, const Program& program,
                                      ValueId value) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < program.op(value).rows; ++i) {
    numbers.push_back(sources.of(value)[i]);
  }
  return numbers;
}

TEST(SourceRows, gathers_and_concats_are_looked_through) {
  const Program program = numbered_program(
      "%0 = fact {5, 6} : f32[2, 1]\n"
      "%1 = fact {7, 8, 9} : f32[3, 1]\n"
      "%2 = concat %0, %1 : f32[5, 1]\n"
      "%3 = gather %2 [4, 0, 4] : f32[3, 1]\n"
      "%4 = transform %3 tanh : f32[3, 1]\n"
      "%5 = gather %3 [1:3] : f32[2, 1]\n"
      "%6 = concat %4, %5, %4 : f32[8, 1]\n");
  const opt::SourceRows sources(program);
  EXPECT_EQ(sources.size(), 8u);
  EXPECT_THAT(numbers_of(sources, program, 2), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(numbers_of(sources, program, 3), ElementsAre(4, 0, 4));
  EXPECT_THAT(numbers_of(sources, program, 4), ElementsAre(5, 6, 7));
  EXPECT_THAT(numbers_of(sources, program, 5), ElementsAre(0, 4));
  EXPECT_THAT(numbers_of(sources, program, 6), ElementsAre(5, 6, 7, 0, 4, 5, 6, 7));
}

TEST(SourceRows, a_number_leads_back_to_the_row) {
  const Program program = numbered_program(
      "%0 = fact {5, 6} : f32[2, 1]\n"
      "%1 = gather %0 [1, 1] : f32[2, 1]\n"
      "%2 = fact {} : f32[0, 1]\n"
      "%3 = transform %1 tanh : f32[2, 1]\n");
  const opt::SourceRows sources(program);
  const std::vector<std::pair<ValueId, std::uint32_t>> expected{{0, 0}, {0, 1}, {3, 0}, {3, 1}};
  ASSERT_EQ(sources.size(), expected.size());
  for (std::uint32_t number = 0; number < expected.size(); ++number) {
    EXPECT_EQ(sources.source(number).value, expected[number].first);
    EXPECT_EQ(sources.source(number).row, expected[number].second);
  }
}

// Both concats go on from %2, and only one of them can share its list.
TEST(SourceRows, concats_that_go_on_from_the_same_one_stay_apart) {
  const Program program = numbered_program(
      "%0 = fact {5, 6} : f32[2, 1]\n"
      "%1 = fact {7} : f32[1, 1]\n"
      "%2 = concat %1, %0 : f32[3, 1]\n"
      "%3 = concat %2, %1 : f32[4, 1]\n"
      "%4 = concat %2, %0, %2 : f32[8, 1]\n"
      "%5 = concat %3, %3 : f32[8, 1]\n");
  const opt::SourceRows sources(program);
  EXPECT_THAT(numbers_of(sources, program, 2), ElementsAre(2, 0, 1));
  EXPECT_THAT(numbers_of(sources, program, 3), ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(numbers_of(sources, program, 4), ElementsAre(2, 0, 1, 0, 1, 2, 0, 1));
  EXPECT_THAT(numbers_of(sources, program, 5), ElementsAre(2, 0, 1, 2, 2, 0, 1, 2));
}

// Were each concat listed anew, 100,000 levels would list 5 billion rows: 20 GB.
TEST(SourceRows, a_chain_of_concats_is_linear) {
  Program program;
  const ValueId first = program.fact({1, 2}, 2, Shape());
  ValueId all = first;
  TransformationSpec tanh;
  tanh.id = Transformation::Tanh;
  constexpr std::uint32_t kLevels = 100'000;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t last = program.op(all).rows - 1;
    const ValueId read = program.gather(all, Index::slice(last, 1));
    const ValueId next = program.transform(read, tanh);
    const std::vector<ValueId> operands{all, next};
    all = program.concat(operands);
  }
  const opt::SourceRows sources(program);
  EXPECT_EQ(sources.size(), 2 + kLevels);
  EXPECT_EQ(sources.of(all)[0], 0u);
  EXPECT_EQ(sources.of(all)[kLevels + 1], kLevels + 1);
}

}  // namespace
}  // namespace vecc::test
