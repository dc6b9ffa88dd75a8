// Names are data: whatever they hold, the text stays one line an op and reads back, and the picture
// stays a picture.
#include <algorithm>

#include "tests/program/program_difference.h"
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kHostile{
    "two\nlines\r\n%9 = fact unit : f32[1, 1]",
    "\"quoted\" and \\",
    "*/ int main() {} /*",
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b]0;title\x07",
    "\xe2\x80\xae"
    "txet\xe2\x81\xa9",
    "\xff\xfe broken utf8 \xc3",
    "# : f32[1, 1] \\n",
    "\"]; evil [label=\"",
    " ",
    std::string("nul\0byte", 8),
};

Program program_with(const std::string& name) {
  Program program;
  const auto parameter = program.add_parameter({name, 2, Shape(), nullptr});
  EXPECT_TRUE(parameter.has_value());
  const ValueId weight = program.weight(*parameter, name);
  EXPECT_TRUE(program.add(StateOp{name, 2, Shape(), 0}, {}, name).has_value());
  program.gather(weight, Index::list({1, 0}), name);
  return program;
}

void expect_printable(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    ASSERT_TRUE(byte == '\n' || (byte >= 0x20 && byte != 0x7F)) << text;
  }
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(HostileNames, text_keeps_its_lines_and_reads_back) {
  for (const std::string& name : kHostile) {
    const Program program = program_with(name);
    const std::string text = print(program, full_options());
    expect_printable(text);
    EXPECT_EQ(line_count(text), 5u) << text;
    EXPECT_EQ(program_difference(program, program_of(text)), "") << text;
  }
}

TEST(HostileNames, a_note_ends_no_block_comment) {
  const std::string line = print_op(program_with("a */ b"), 2);
  EXPECT_EQ(line, "%2 = gather %0 [1, 0] : f32[2, 1]  # a *\\x2f b");
}

TEST(HostileNames, dot_keeps_its_lines) {
  for (const std::string& name : kHostile) {
    const std::string dot = print_dot(program_with(name));
    expect_printable(dot);
    EXPECT_EQ(line_count(dot), 7u) << dot;
    EXPECT_THAT(dot, Not(HasSubstr("<script>")));
  }
}

}  // namespace
}  // namespace vecc::test
