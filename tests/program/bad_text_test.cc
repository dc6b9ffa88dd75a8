// Program text that does not parse: place, found and expected.
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

// Line 2; the line under test is the third.
const std::string kFact = "%0 = fact {1, 2} : f32[2, 1]\n";

void expect_error(const std::string& line, const std::string& message) {
  EXPECT_EQ(error_of(kHeader + kFact + line), "p.vecc:" + message);
}

TEST(BadText, bad_empty) {
  EXPECT_EQ(error_of(""),
            "p.vecc:1:1: error: found the end of the text, expected \"vecc program 1\" at the "
            "beginning [E030]");
}

TEST(BadText, bad_header) {
  EXPECT_EQ(error_of("\x7f"
                     "ELF"),
            "p.vecc:1:1: error: found \"\\x7f\", expected \"vecc program 1\" at the beginning "
            "[E030]");
  EXPECT_EQ(error_of("vecc program 2 f32 samples 0\n"),
            "p.vecc:1:14: error: found \"2\", expected \"vecc program 1\" at the beginning [E030]");
  EXPECT_EQ(error_of("vecc program 1 f16 samples 0\n"),
            "p.vecc:1:16: error: found \"f16\", expected \"f32\" or \"f64\" [E030]");
  EXPECT_EQ(error_of("vecc program 1 f32\n"),
            "p.vecc:1:19: error: found the end of the line, expected \"samples\" [E030]");
  EXPECT_EQ(error_of("vecc program 1 f32 samples -1\n"),
            "p.vecc:1:28: error: found \"-1\", expected a number of samples [E030]");
  EXPECT_EQ(error_of("vecc program 1 f32 samples 4294967296\n"),
            "p.vecc:1:28: error: found \"4294967296\", expected a number of samples below 2^32 "
            "[E030]");
}

TEST(BadText, bad_line) {
  expect_error("gather %0", "3:1: error: found \"gather\", expected \"%\" or \"parameter\" [E030]");
}

TEST(BadText, bad_value_number) {
  expect_error("%2 = concat %0 : f32[2, 1]", "3:1: error: found \"%2\", expected \"%1\" [E030]");
  expect_error("%01 = concat %0 : f32[2, 1]", "3:1: error: found \"%01\", expected \"%1\" [E030]");
}

TEST(BadText, bad_op) {
  expect_error("%1 = scatter %0", "3:6: error: found \"scatter\", expected an op [E030]");
}

TEST(BadText, bad_operand) {
  expect_error("%1 = concat 0", "3:13: error: found \"0\", expected a value such as %3 [E030]");
  expect_error("%1 = concat %0, %1 : f32[4, 1]",
               "3:17: error: found \"%1\", expected a value before %1 [E030]");
  expect_error("%1 = concat %99999999999 : f32[4, 1]",
               "3:14: error: found \"99999999999\", expected a value's number below 2^32 [E030]");
}

TEST(BadText, bad_index) {
  expect_error("%1 = gather %0 0:2", "3:16: error: found \"0\", expected \"[\" [E030]");
  expect_error("%1 = gather %0 [0:2",
               "3:20: error: found the end of the text, expected \"]\" [E030]");
  expect_error("%1 = gather %0 [x]", "3:17: error: found \"x\", expected a row number [E030]");
  expect_error("%1 = gather %0 [1, 2; 3]",
               "3:21: error: found \";\", expected \",\" or \"]\" [E030]");
  expect_error("%1 = gather %0 [2:1]",
               "3:16: error: found \"[\", expected an end not before the begin [E030]");
  expect_error("%1 = gather %0 [0:2:0]",
               "3:16: error: found \"[\", expected a step of at least 1 [E030]");
}

TEST(BadText, bad_index_of_more_rows_than_32_bits) {
  expect_error("%1 = gather %0 [0:99999999999]",
               "3:16: error: found \"[\", expected rows below 4294967295 [E030]");
  expect_error("%1 = gather %0 [4294967295]",
               "3:16: error: found \"[\", expected rows below 4294967295 [E030]");
  expect_error("%1 = gather %0 [repeat 65536 x 65536]",
               "3:24: error: found \"65536\", expected at most 4294967295 rows [E030]");
  expect_error("%1 = gather %0 [interleave 65536 x 65536]",
               "3:28: error: found \"65536\", expected at most 4294967295 rows [E030]");
}

TEST(BadText, bad_shortened_array) {
  expect_error("%1 = gather %0 [0, 1, 0, ... 100 #29fd4cd5] : f32[100, 1]",
               "3:26: error: found \"...\", expected a number; arrays of this text are shortened "
               "[E030]");
}

TEST(BadText, bad_type) {
  expect_error("%1 = gather %0 [0:1]",
               "3:21: error: found the end of the text, expected \":\" [E030]");
  expect_error("%1 = gather %0 [0:1] : f64[1, 1]",
               "3:24: error: found \"f64\", expected \"f32\" [E030]");
  expect_error("%1 = gather %0 [0:1] : f32[1, 3]",
               "3:31: error: found \"3\", expected a shape such as 1 or 3x1 [E030]");
  expect_error("%1 = gather %0 [0:1] : f32[1, 0x3]",
               "3:31: error: found \"0x3\", expected a shape with sides of at least 1 [E030]");
  expect_error("%1 = gather %0 [0:1] : f32[1, 1] x",
               "3:34: error: found \"x\", expected the end of the line [E030]");
}

TEST(BadText, bad_type_that_the_op_does_not_have) {
  expect_error("%1 = gather %0 [0:1] : f32[2, 1]",
               "3:24: error: found f32[2, 1], expected f32[1, 1] [E031]");
  expect_error("%1 = gather %0 [0:1] : f32[1, 1x1]",
               "3:24: error: found f32[1, 1x1], expected f32[1, 1] [E031]");
}

TEST(BadText, bad_number) {
  expect_error("%1 = fact {1, 1e999} : f32[2, 1]",
               "3:15: error: found \"1e999\", expected a number [E030]");
  expect_error("%1 = fact {1; 2} : f32[2, 1]",
               "3:13: error: found \";\", expected \",\" or \"}\" [E030]");
  expect_error("%1 = fact [1] : f32[1, 1]", "3:11: error: found \"[\", expected \"{\" [E030]");
}

TEST(BadText, bad_lift) {
  expect_error("%1 = linear %0 lift(twice 2), %0",
               "3:21: error: found \"twice\", expected \"repeat\" or \"interleave\" [E030]");
}

TEST(BadText, bad_segments) {
  expect_error("%1 = segment %0 [fixed 0 dim 2] sum",
               "3:24: error: found \"0\", expected at least 1 member [E030]");
  expect_error("%1 = segment %0 [0, 2] total",
               "3:24: error: found \"total\", expected a combination [E030]");
}

TEST(BadText, bad_transformation) {
  expect_error("%1 = transform %0 tahn : f32[2, 1]",
               "3:19: error: unknown transformation \"tahn\" [E019]");
  expect_error("%1 = transform %0 leakyrelu(x) : f32[2, 1]",
               "3:19: error: leakyrelu expects a number, found \"x\" [E018]");
  expect_error("%1 = transform %0 leakyrelu(0.1 : f32[2, 1]",
               "3:44: error: found the end of the text, expected \")\" [E030]");
}

TEST(BadText, bad_expression) {
  expect_error("%1 = map sum($0, foo($1)) %0 : f32[2, 1]",
               "3:10: column 9: error: unknown function \"foo\" of 1 operand [E019]");
}

TEST(BadText, bad_strings) {
  expect_error("%1 = weight w", "3:13: error: found \"w\", expected a parameter's name [E030]");
  expect_error("%1 = weight \"w\\",
               "3:16: error: found the end of the text, expected \"\"\" at the end of a string "
               "[E030]");
  expect_error("%1 = weight \"w\n\"",
               "3:15: error: found the end of the line, expected \"\"\" at the end of a string "
               "[E030]");
  expect_error("%1 = weight \"w\\n\" : f32[1, 1]",
               "3:13: error: found \"w\\n\", expected the name of a parameter above [E030]");
}

TEST(BadText, bad_parameter) {
  expect_error("parameter \"w\" [1, 1]\nparameter \"w\" [1, 1]\n",
               "4:1: parameter \"w\": error: a second parameter of this name [E015]");
  expect_error("parameter \"w\" [2, 1] = {1}\n",
               "3:1: parameter \"w\": error: has 1 value, expected 2 rows of 1 [E031]");
}

TEST(BadText, bad_side_arrays) {
  expect_error("%1 = gather %0 @0:1 : f32[1, 1]",
               "3:17: error: found \"0\", expected an array inside the side file's 0 bytes [E030]");
  EXPECT_EQ(error_of(kHeader + kFact + "%1 = gather %0 @0:1000000000000 : f32[1, 1]\n",
                     std::string(8, '\0')),
            "p.vecc:3:17: error: found \"0\", expected an array inside the side file's 8 bytes "
            "[E030]");
  EXPECT_EQ(error_of(kHeader + kFact + "%1 = gather %0 @18446744073709551615:1 : f32[1, 1]\n",
                     std::string(8, '\0')),
            "p.vecc:3:17: error: found \"18446744073709551615\", expected an array inside the "
            "side file's 8 bytes [E030]");
}

// Else a short text could read a side file again and again into memory.
TEST(BadText, bad_side_array_read_twice) {
  EXPECT_EQ(error_of(kHeader + kFact +
                         "%1 = gather %0 @0:2 : f32[2, 1]\n"
                         "%2 = gather %0 @0:2 : f32[2, 1]\n",
                     std::string(8, '\0')),
            "p.vecc:4:17: error: found \"0\", expected an offset of at least 8, the end of the "
            "array before it [E030]");
}

TEST(BadText, bad_side_file_of_another_program) {
  EXPECT_EQ(error_of("vecc program 1 f32 samples 0 arrays 4 digest 0\n", "ab"),
            "p.vecc:1:37: error: the side file has 2 bytes and the digest 33baa05a37ffd999, "
            "expected 4 and 0: it is damaged, or another program's; write both again [E007]");
  EXPECT_EQ(error_of("vecc program 1 f32 samples 0 arrays 2 digest 0123456789abcdef\n", "ab"),
            "p.vecc:1:37: error: the side file has 2 bytes and the digest 33baa05a37ffd999, "
            "expected 2 and 0123456789abcdef: it is damaged, or another program's; write both "
            "again [E007]");
}

TEST(BadText, bad_claims_allocate_nothing) {
  expect_error("%1 = fact {} : f32[4294967295, 65536x4096]",
               "3:1: %1 fact: error: has 0 values, expected 4294967295 rows of 65536x4096 [E031]");
}

TEST(BadText, bad_file_name_is_escaped) {
  EXPECT_EQ(parse_program("", "a\nb").error().text().substr(0, 10), "a\\nb:1:1: ");
}

TEST(Text, blank_lines_and_comments_are_skipped) {
  const Program program = program_of("# made by hand\n\n" + kHeader + "  # a comment\r\n\t\n" +
                                     "%0 = fact  { 1,2 }:f32[2,1]   #  note \r\n# end");
  EXPECT_EQ(print(program), kHeader + "%0 = fact {1, 2} : f32[2, 1]  #  note\\x20\n");
}

TEST(Text, the_last_newline_may_be_missing) {
  EXPECT_EQ(program_of(kHeader + "%0 = fact unit : f32[2, 1]").ops().size(), 1u);
}

TEST(Text, a_stride_may_end_behind_its_last_row) {
  const Program program =
      program_of(kHeader + "%0 = fact unit : f32[9, 1]\n" + "%1 = gather %0 [0:8:3] : f32[3, 1]\n");
  EXPECT_EQ(print_op(program, 1), "%1 = gather %0 [0:9:3] : f32[3, 1]");
}

}  // namespace
}  // namespace vecc::test
