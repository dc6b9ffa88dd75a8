#include "vecc/error.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/support/whole_file.h"

namespace vecc {
namespace {

using ::testing::HasSubstr;

TEST(Errors, print_place_message_and_number) {
  const Errors errors(ErrorCode::DanglingReference, "graph.pb: group 3", "refers to neuron 9");
  EXPECT_EQ(errors.text(), "graph.pb: group 3: error: refers to neuron 9 [E012]");
}

TEST(Errors, print_without_a_place) {
  EXPECT_EQ(Errors(ErrorCode::Usage, "", "no file").text(), "error: no file [E050]");
}

TEST(Errors, print_one_line_each_and_count_the_omitted) {
  Errors errors(ErrorCode::Cycle, "a", "x");
  errors.add(ErrorCode::FanIn, "b", "y");
  errors.omit(3);
  EXPECT_EQ(errors.text(), "a: error: x [E013]\nb: error: y [E020]\n... and 3 more errors");
}

TEST(Errors, in_puts_the_file_before_every_place) {
  Errors errors(ErrorCode::Cycle, "a", "x");
  errors.add(ErrorCode::FanIn, "", "y");
  EXPECT_EQ(errors.in("f").text(), "f: a: error: x [E013]\nf: error: y [E020]");
}

TEST(Errors, exit_code_is_that_of_the_first) {
  Errors errors(ErrorCode::LimitNeurons, "", "");
  errors.add(ErrorCode::Cycle, "", "");
  EXPECT_EQ(errors.exit_code(), ExitCode::Limit);
  EXPECT_EQ(Errors().exit_code(), ExitCode::Internal);
}

TEST(ErrorCodes, each_kind_has_its_exit_code) {
  EXPECT_EQ(exit_code_of(ErrorCode::ProgramSyntax), ExitCode::BadInput);
  EXPECT_EQ(exit_code_of(ErrorCode::LimitRows), ExitCode::Limit);
  EXPECT_EQ(exit_code_of(ErrorCode::Usage), ExitCode::Usage);
  EXPECT_EQ(exit_code_of(ErrorCode::DeviceAbsent), ExitCode::Device);
  EXPECT_EQ(title_of(ErrorCode::Cycle), "cycle");
}

TEST(ErrorCodes, numbers_and_titles_are_unique) {
  std::set<int> numbers;
  std::set<std::string_view> titles;
  std::size_t count = 0;
#define VECC_ERROR(enumerator, number, exit, title) \
  numbers.insert(number);                           \
  titles.insert(title);                             \
  ++count;
#include "vecc/error_codes.def"
#undef VECC_ERROR
  EXPECT_EQ(numbers.size(), count);
  EXPECT_EQ(titles.size(), count);
}

TEST(ErrorCodes, every_one_has_its_row_in_the_document) {
  const char* folder = std::getenv("VECC_SOURCE_DIR");
  const auto document = read_whole_file(std::string(folder ? folder : ".") + "/docs/errors.md");
  ASSERT_TRUE(document) << document.error().text();
  const auto expect_row = [&](int number, ErrorCode code) {
    char row[128];
    std::snprintf(row, sizeof row, "| E%03d | %s | %d |", number,
                  std::string(title_of(code)).c_str(), static_cast<int>(exit_code_of(code)));
    EXPECT_THAT(*document, HasSubstr(row));
  };
#define VECC_ERROR(enumerator, number, exit, title) expect_row(number, ErrorCode::enumerator);
#include "vecc/error_codes.def"
#undef VECC_ERROR
}

Result<int> half(int value) {
  if (value % 2 != 0) return Errors(ErrorCode::Usage, "half", "odd");
  return value / 2;
}
Result<int> quarter(int value) {
  VECC_TRY(const int once, half(value));
  VECC_TRY(const int twice, half(once));
  return twice;
}
Result<void> expect_even(int value) {
  VECC_TRY_VOID(half(value));
  return {};
}

TEST(Try, gives_the_value_or_returns_the_error) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().text(), "half: error: odd [E050]");
  EXPECT_TRUE(expect_even(2).has_value());
  EXPECT_FALSE(expect_even(3).has_value());
}

TEST(Result, takes_what_converts_to_its_value_and_gives_it_away) {
  Result<std::unique_ptr<const std::string>> text = std::make_unique<std::string>("a");
  const std::unique_ptr<const std::string> taken = *std::move(text);
  EXPECT_EQ(*taken, "a");
  EXPECT_EQ(Result<std::string>("b").value(), "b");
}

Result<std::vector<std::string>> words() {
  return std::vector<std::string>{"a word that is too long to lie within its string", "b"};
}

TEST(Result, a_call_s_value_and_errors_live_as_long_as_what_holds_them) {
  std::size_t length = 0;
  for (const std::string& word : *words()) length += word.size();
  for (const std::string& word : words().value()) length += word.size();
  EXPECT_EQ(length, 2 * ((*words())[0].size() + 1));
  const Errors& errors = half(3).error();
  EXPECT_EQ(errors.text(), "half: error: odd [E050]");
  const Errors& none = expect_even(3).error();
  EXPECT_EQ(none.list().size(), 1u);
}

TEST(Check, throws_with_condition_and_message) {
  try {
    VECC_CHECK(1 + 1 == 3, "pass x");
    FAIL() << "no exception";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("error_test.cc:"));
    EXPECT_THAT(error.what(), HasSubstr("check failed: 1 + 1 == 3: pass x"));
  }
}

TEST(Check, value_of_a_failed_result_is_a_bug) {
  EXPECT_THROW((void)half(3).value(), InternalError);
  EXPECT_THROW(expect_even(3).value(), InternalError);
}

}  // namespace
}  // namespace vecc
