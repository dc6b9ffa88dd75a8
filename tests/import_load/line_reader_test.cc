// Lines, fields, numbers and UTF-8 of a text.
#include "tools/import/load/line_reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace vecc::tools {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_of(std::string_view text) {
  LineReader lines(text);
  const std::uint64_t count = lines.count_rest();
  std::vector<std::string> result;
  while (lines.next()) {
    result.emplace_back(lines.line());
    EXPECT_EQ(lines.number(), result.size());
  }
  EXPECT_EQ(result.size(), count);
  return result;
}

std::vector<std::string> fields_of(std::string_view line) {
  FieldReader fields(line, ',');
  std::vector<std::string> result;
  while (fields.next()) {
    result.push_back(std::string(fields.field()) + "@" + std::to_string(fields.column()));
  }
  EXPECT_EQ(result.size(), count_fields(line, ','));
  return result;
}

TEST(LineReader, splits_lines_with_either_end) {
  EXPECT_THAT(lines_of("a\nb\r\nc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(lines_of("a\nb\r\n"), ElementsAre("a", "b"));
}

TEST(LineReader, leaves_out_blank_lines_at_the_end_only) {
  EXPECT_THAT(lines_of("\na\n\nb\n\n \r\n\t\n"), ElementsAre("", "a", "", "b"));
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("\n \n"), ElementsAre());
}

TEST(LineReader, keeps_blanks_at_the_end_of_the_last_line) {
  EXPECT_THAT(lines_of("a\tb\t"), ElementsAre("a\tb\t"));
  EXPECT_THAT(lines_of("a\tb\t\r\n\n"), ElementsAre("a\tb\t"));
}

TEST(LineReader, leaves_out_a_byte_order_mark) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\nb"),
              ElementsAre("a", "b"));
}

TEST(FieldReader, splits_fields_and_knows_their_columns) {
  EXPECT_THAT(fields_of("1, 22,3"), ElementsAre("1@1", " 22@4", "3@7"));
  EXPECT_THAT(fields_of(""), ElementsAre("@1"));
  EXPECT_THAT(fields_of(","), ElementsAre("@1", "@2"));
  EXPECT_THAT(fields_of("  ,"), ElementsAre("  @3", "@4"));
}

TEST(ParseInteger, takes_whole_decimal_numbers) {
  EXPECT_EQ(parse_integer(" -17\t"), -17);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_integer("007"), 7);
}

TEST(ParseInteger, refuses_anything_else) {
  for (const char* text : {"", " ", "1.0", "1 2", "0x1", "9223372036854775808", "1e3", "-", "+1"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(ParseReal, takes_decimal_numbers) {
  EXPECT_EQ(parse_real("7"), 7.0);
  EXPECT_EQ(parse_real(" -0.125 "), -0.125);
  EXPECT_EQ(parse_real("1e3"), 1000.0);
  EXPECT_EQ(parse_real("1e-999"), 0.0);
  EXPECT_EQ(parse_real("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("-1e999"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*parse_real("nan")));
}

TEST(ParseReal, refuses_anything_else) {
  for (const char* text : {"", "x", "1,5", "1.5.2", "0x10", "1 2"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

TEST(FindBadUtf8, finds_the_first_bad_byte) {
  EXPECT_FALSE(find_bad_utf8(""));
  EXPECT_FALSE(find_bad_utf8("ascii \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 ascii"));
  const auto bad = find_bad_utf8("0123456789\nab\xC3\xA9\xE9z");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->line, 2u);
  EXPECT_EQ(bad->column, 5u);
  EXPECT_EQ(bad->value, 0xE9);
  EXPECT_EQ(find_bad_utf8("\x80")->column, 1u);
}

}  // namespace
}  // namespace vecc::tools
