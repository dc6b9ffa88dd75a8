// The text of each op, as it is printed and read.
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

// Two facts that most cases read.
const std::string kFacts = kHeader +
                           "%0 = fact {1, 2, 3, 4} : f32[4, 1]\n"
                           "%1 = fact {1, 2, 3, 4} : f32[2, 2x1]\n";

void expect_golden_op(const std::string& op) {
  expect_golden(kFacts + op + "\n");
}

TEST(Print, header) {
  expect_golden("vecc program 1 f64 samples 4\n");
}

TEST(Print, parameter) {
  expect_golden(kHeader + "parameter \"w0\" [2, 1x2] = {0.5, -1, 1e-300, 0.1}\n");
}

TEST(Print, parameter_without_values) {
  expect_golden(kHeader + "parameter \"w0\" [2, 1x2]\n");
}

TEST(Print, fact) {
  expect_golden(kHeader + "%0 = fact {1, 2, 3, 4} : f32[2, 2x1]\n");
}

TEST(Print, fact_of_no_rows) {
  expect_golden(kHeader + "%0 = fact {} : f32[0, 2x1]\n");
}

TEST(Print, unit_fact) {
  expect_golden(kHeader + "%0 = fact unit : f32[3, 1]\n");
}

TEST(Print, weight) {
  expect_golden(kHeader + "parameter \"w0\" [1, 3x3]\n%0 = weight \"w0\" : f32[1, 3x3]\n");
}

TEST(Print, concat) {
  expect_golden_op("%2 = concat %0, %0, %0 : f32[12, 1]");
}

TEST(Print, gather_slice) {
  expect_golden_op("%2 = gather %0 [1:3] : f32[2, 1]");
}

TEST(Print, gather_stride) {
  expect_golden_op("%2 = gather %0 [1:5:2] : f32[2, 1]");
}

TEST(Print, gather_repeat) {
  expect_golden_op("%2 = gather %0 [repeat 4 x 3] : f32[12, 1]");
}

TEST(Print, gather_interleave) {
  expect_golden_op("%2 = gather %0 [interleave 4 x 3] : f32[12, 1]");
}

TEST(Print, gather_list) {
  expect_golden_op("%2 = gather %0 [3, 0, 0] : f32[3, 1]");
}

TEST(Print, gather_nothing) {
  expect_golden_op("%2 = gather %0 [] : f32[0, 1]");
}

TEST(Print, linear_scales) {
  expect_golden_op("%2 = gather %0 [0:2] : f32[2, 1]\n%3 = linear %2, %1 : f32[2, 2x1]");
}

TEST(Print, linear_dot_and_outer) {
  expect_golden_op(
      "%2 = linear transpose %1, %1 : f32[2, 1]\n"
      "%3 = linear %1, transpose %1 : f32[2, 2x2]");
}

TEST(Print, linear_with_lifts) {
  expect_golden_op(
      "%2 = linear %0 lift(repeat 2), %0 lift(interleave 2) : f32[8, 1]\n"
      "%3 = linear %0, transpose %1 lift(repeat 2) : f32[4, 1x2]");
}

TEST(Print, segment_ragged) {
  expect_golden_op("%2 = segment %0 [0, 1, 1, 4] sum : f32[3, 1]");
}

TEST(Print, segment_fixed) {
  expect_golden_op("%2 = segment %0 [fixed 2 dim 1] max : f32[2, 1]");
}

TEST(Print, segment_concat_makes_a_column) {
  expect_golden_op("%2 = segment %1 [fixed 2 dim 2] concat : f32[1, 4x1]");
}

TEST(Print, segment_concat_of_one_member_makes_a_column) {
  expect_golden_op("%2 = segment %0 [fixed 1 dim 2] concat : f32[4, 1x1]");
}

TEST(Print, segment_count_makes_scalars) {
  expect_golden_op("%2 = segment %1 [0, 2] count : f32[1, 1]");
}

TEST(Print, segment_softmax_keeps_rows) {
  expect_golden_op("%2 = segment %0 [0, 1, 4] softmax : f32[4, 1]");
  expect_golden_op("%2 = segment %1 [0, 2] softmax : f32[2, 2x1]");
}

TEST(Print, segment_of_entries) {
  expect_golden_op("%2 = segment %1 [0, 2] elmax : f32[1, 2x1]");
  expect_golden_op("%2 = segment %1 [fixed 2 dim 1] elmin : f32[1, 2x1]");
}

TEST(Print, transform) {
  expect_golden_op("%2 = transform %1 tanh : f32[2, 2x1]");
}

TEST(Print, transform_with_parameters) {
  expect_golden_op(
      "%2 = transform %1 leakyrelu(0.2) : f32[2, 2x1]\n"
      "%3 = transform %1 reshape(1x2) : f32[2, 1x2]\n"
      "%4 = transform %0 broadcast(3x1) : f32[4, 3x1]");
}

TEST(Print, transform_with_words) {
  expect_golden_op(
      "%2 = transform %1 atindex [1] : f32[2, 1]\n"
      "%3 = transform %1 atindex [1, 0] : f32[2, 1]\n"
      "%4 = transform %1 slice [1, 4294967295, 0, 1] : f32[2, 1x1]");
}

TEST(Print, map) {
  expect_golden_op("%2 = map elproduct(sum($0, $1), tanh($0), 0.5) %0, %0 : f32[4, 1]");
}

TEST(Print, map_broadcasts_one_row) {
  expect_golden_op("%2 = gather %0 [3:4] : f32[1, 1]\n%3 = map sum($0, $1) %2, %0 : f32[4, 1]");
}

TEST(Print, contract) {
  expect_golden_op(
      "%2 = fact {1, 2, 3, 4, 5, 6} : f32[2, 3x1]\n"
      "%3 = contract %2, %1 [1, 1] : f32[2, 3x2]");
}

TEST(Print, state_and_update) {
  expect_golden_op(
      "%2 = state \"adam.m\" = 0.25 : f32[4, 1]\n"
      "%3 = update %2, %0 : f32[4, 1]");
}

TEST(Print, update_of_some_rows) {
  expect_golden_op(
      "%2 = state \"m\" = 0 : f32[9, 2x1]\n"
      "%3 = update %2, %1 [7, 2] : f32[2, 2x1]");
}

TEST(Print, output) {
  expect_golden(
      "vecc program 1 f32 samples 4\n%0 = fact unit : f32[4, 1]\n"
      "%1 = output %0 [0:4] : f32[4, 1]\n");
}

TEST(Print, note) {
  expect_golden_op("%2 = gather %0 [0:2] : f32[2, 1]  # layer_1: rule");
}

TEST(Print, numbers_that_need_all_digits) {
  expect_golden(
      "vecc program 1 f64 samples 0\n"
      "%0 = fact {0.1, 0.30000000000000004, 5e-324, 1.7976931348623157e+308, -0, inf, "
      "-inf, nan} : f64[8, 1]\n");
}

TEST(Print, print_op_is_one_line) {
  const Program program = program_of(kFacts + "%2 = gather %0 [3, 0] : f32[2, 1]  # a\n");
  EXPECT_EQ(print_op(program, 2), "%2 = gather %0 [3, 0] : f32[2, 1]  # a");
}

TEST(Print, leaves_parameter_values_out_by_default) {
  const Program program = program_of(kHeader + "parameter \"w\" [2, 1] = {1, 2}\n");
  EXPECT_EQ(print(program), kHeader + "parameter \"w\" [2, 1]\n");
}

TEST(Print, shortens_long_arrays_with_a_digest) {
  const Program program = program_of(kFacts + "%2 = gather %0 [3, 0, 0, 1, 2] : f32[5, 1]\n");
  PrintOptions options;
  options.inline_limit = 4;
  EXPECT_EQ(print_op(program, 2, options), "%2 = gather %0 [3, 0, 0, ... 5 #4bd50428] : f32[5, 1]");
  options.inline_limit = 5;
  EXPECT_EQ(print_op(program, 2, options), "%2 = gather %0 [3, 0, 0, 1, 2] : f32[5, 1]");
}

TEST(Print, a_digest_tells_arrays_apart) {
  const Program program = program_of(kFacts +
                                     "%2 = gather %0 [3, 0, 0, 1, 2] : f32[5, 1]\n"
                                     "%3 = gather %0 [3, 0, 0, 2, 1] : f32[5, 1]\n");
  PrintOptions options;
  options.inline_limit = 4;
  EXPECT_NE(print_op(program, 2, options).substr(4), print_op(program, 3, options).substr(4));
}

TEST(Print, moves_long_arrays_to_the_side) {
  const Program program = program_of(kHeader +
                                     "%0 = fact {1, 2, 3} : f32[3, 1]\n"
                                     "%1 = gather %0 [2, 1, 0] : f32[3, 1]\n"
                                     "%2 = gather %0 [2, 1] : f32[2, 1]\n"
                                     "%3 = segment %0 [0, 1, 3] sum : f32[2, 1]\n");
  PrintOptions options;
  options.long_arrays = LongArrays::SideFile;
  options.inline_limit = 2;
  std::string side;
  EXPECT_EQ(print(program, options, &side),
            "vecc program 1 f32 samples 0 arrays 52 digest f22c0159d22c4ea4\n"
            "%0 = fact @0:3 : f32[3, 1]\n"
            "%1 = gather %0 @24:3 : f32[3, 1]\n"
            "%2 = gather %0 [2, 1] : f32[2, 1]\n"
            "%3 = segment %0 @40:3 sum : f32[2, 1]\n");
  EXPECT_EQ(side.substr(16, 8), std::string("\0\0\0\0\0\0\x08\x40", 8));  // 3.0, little-endian
  EXPECT_EQ(side.substr(24, 12), std::string("\2\0\0\0\1\0\0\0\0\0\0\0", 12));
}

}  // namespace
}  // namespace vecc::test
