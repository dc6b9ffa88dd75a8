// Every rule of the ops, broken: the exact message.
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

// Lines 2 to 7; the op under test is %5 at line 8.
const std::string kValues =
    "parameter \"w\" [4, 1]\n"
    "%0 = fact {1, 2, 3, 4} : f32[4, 1]\n"
    "%1 = fact {1, 2, 3, 4} : f32[2, 2x1]\n"
    "%2 = fact {1, 2, 3, 4} : f32[1, 2x2]\n"
    "%3 = weight \"w\" : f32[4, 1]\n"
    "%4 = fact unit : f32[4000000000, 1]\n";

void expect_ill_formed(const std::string& op, const std::string& message) {
  const auto program = parse_program("vecc program 1 f32 samples 3\n" + kValues + op, "p.vecc");
  ASSERT_FALSE(program.has_value()) << "accepted: " << op;
  EXPECT_EQ(program.error().text(), "p.vecc:8:1: %5 " + message);
  EXPECT_EQ(program.error().exit_code() == ExitCode::BadInput,
            message.find("[E031]") != std::string::npos);
}

TEST(IllFormed, bad_fact_with_other_values_than_rows) {
  expect_ill_formed("%5 = fact {1, 2, 3} : f32[2, 2x1]",
                    "fact: error: has 3 values, expected 2 rows of 2x1 [E031]");
}

TEST(IllFormed, bad_unit_of_another_shape) {
  expect_ill_formed("%5 = fact unit : f32[2, 2x1]",
                    "fact: error: unit rows of shape 2x1, expected a scalar [E031]");
}

TEST(IllFormed, bad_concat_of_two_shapes) {
  expect_ill_formed("%5 = concat %0, %1 : f32[6, 1]",
                    "concat: error: %1 has shape 2x1, but %0 has 1 [E031]");
}

TEST(IllFormed, bad_concat_of_too_many_rows) {
  expect_ill_formed("%5 = concat %4, %4 : f32[6, 1]",
                    "concat: error: makes 8000000000 rows, more than 4294967295 [E045]");
}

TEST(IllFormed, bad_gather_beyond_the_rows) {
  expect_ill_formed("%5 = gather %0 [0, 4] : f32[2, 1]",
                    "gather: error: reads row 4 of %0, which has 4 rows [E031]");
  expect_ill_formed("%5 = gather %2 [repeat 2 x 1] : f32[2, 2x2]",
                    "gather: error: reads row 1 of %2, which has 1 row [E031]");
}

TEST(IllFormed, bad_linear_shapes) {
  expect_ill_formed("%5 = linear %1, %1 : f32[2, 1]",
                    "linear: error: 2x1 times 2x1: the left one's columns must equal the right "
                    "one's rows [E031]");
}

TEST(IllFormed, bad_linear_rows) {
  expect_ill_formed("%5 = linear transpose %2, transpose %1 : f32[2, 1]",
                    "linear: error: %2 has 1 row and %1 has 2 after lifts, expected the same "
                    "number [E031]");
  expect_ill_formed("%5 = linear %0 lift(repeat 2), %0 lift(interleave 3) : f32[8, 1]",
                    "linear: error: %0 has 8 rows and %0 has 12 after lifts, expected the same "
                    "number [E031]");
}

TEST(IllFormed, bad_linear_of_too_many_rows) {
  expect_ill_formed("%5 = linear %4 lift(repeat 2), %4 lift(repeat 2) : f32[8, 1]",
                    "linear: error: makes 8000000000 rows, more than 4294967295 [E045]");
}

TEST(IllFormed, bad_lift_zero_times) {
  expect_ill_formed("%5 = linear %0, %0 lift(repeat 0) : f32[0, 1]",
                    "linear: error: the right operand is lifted 0 times, expected at least 1 "
                    "[E031]");
}

TEST(IllFormed, bad_offsets) {
  expect_ill_formed("%5 = segment %0 [] sum : f32[0, 1]", "segment: error: has no offsets [E031]");
  expect_ill_formed("%5 = segment %0 [1, 4] sum : f32[1, 1]",
                    "segment: error: offsets begin at 1, expected 0 [E031]");
  expect_ill_formed("%5 = segment %0 [0, 3, 2, 4] sum : f32[3, 1]",
                    "segment: error: offset 2 is 2, less than 3 before it [E031]");
  expect_ill_formed("%5 = segment %0 [0, 3] sum : f32[1, 1]",
                    "segment: error: offsets end at 3, but %0 has 4 rows [E031]");
}

TEST(IllFormed, bad_fixed_segments) {
  expect_ill_formed("%5 = segment %0 [fixed 3 dim 2] sum : f32[1, 1]",
                    "segment: error: %0 has 4 rows, expected a multiple of 3 [E031]");
  expect_ill_formed("%5 = segment %0 [fixed 2 dim 3] sum : f32[2, 1]",
                    "segment: error: fixed segments over dimension 3, expected 1 or 2 [E031]");
}

TEST(IllFormed, bad_empty_segment_of_max_and_min) {
  expect_ill_formed("%5 = segment %0 [0, 2, 2, 4] max : f32[3, 1]",
                    "segment: error: max of segment 1, which is empty [E031]");
  expect_ill_formed("%5 = segment %0 [0, 4, 4] min : f32[2, 1]",
                    "segment: error: min of segment 1, which is empty [E031]");
  expect_ill_formed("%5 = segment %1 [0, 0, 2] elmax : f32[2, 2x1]",
                    "segment: error: elmax of segment 0, which is empty [E031]");
}

TEST(IllFormed, bad_sparsemax_of_vectors) {
  expect_ill_formed("%5 = segment %1 [0, 2] sparsemax : f32[2, 2x1]",
                    "segment: error: sparsemax of %1 of shape 2x1, expected scalars [E031]");
}

TEST(IllFormed, bad_concat_segments) {
  expect_ill_formed("%5 = segment %0 [0, 2, 4] concat : f32[2, 2x1]",
                    "segment: error: concat needs fixed segments over dimension 2 [E031]");
  expect_ill_formed("%5 = segment %0 [fixed 2 dim 1] concat : f32[2, 2x1]",
                    "segment: error: concat needs fixed segments over dimension 2 [E031]");
}

TEST(IllFormed, bad_concat_of_huge_rows) {
  expect_ill_formed("%5 = segment %4 [fixed 4000000000 dim 2] concat : f32[1, 4000000000x1]",
                    "segment: error: concat makes rows of 4000000000 elements, more than "
                    "268435456 [E044]");
}

TEST(IllFormed, bad_combinations_that_no_segment_has) {
  for (const char* name : {"product", "crosssum", "cossim", "functiongraph"}) {
    expect_ill_formed("%5 = segment %0 [0, 4] " + std::string(name) + " : f32[1, 1]",
                      "segment: error: no segment reduces by " + std::string(name) + " [E031]");
  }
}

TEST(IllFormed, bad_transform_of_a_scalar) {
  expect_ill_formed("%5 = transform %0 norm : f32[4, 1]",
                    "transform: error: norm of a scalar, expected a vector or a matrix [E031]");
}

TEST(IllFormed, bad_transform_words) {
  expect_ill_formed("%5 = transform %1 atindex [0, 1, 1] : f32[2, 1]",
                    "transform: error: atindex has 3 words, expected 1 or as many a row [E031]");
  expect_ill_formed("%5 = transform %1 slice : f32[2, 1]",
                    "transform: error: slice has 0 words, expected 4 or as many a row [E031]");
  expect_ill_formed("%5 = transform %1 tanh [1] : f32[2, 2x1]",
                    "transform: error: tanh has 1 word, expected 0 [E031]");
}

TEST(IllFormed, bad_word_of_one_row) {
  expect_ill_formed("%5 = transform %1 atindex [0, 2] : f32[2, 1]",
                    "transform: error: atindex 2 of 2x1, expected below 2 [E031]");
}

TEST(IllFormed, bad_slices_of_two_extents) {
  expect_ill_formed("%5 = transform %1 slice [0, 2, 0, 1, 0, 1, 0, 1] : f32[2, 2x1]",
                    "transform: error: slice makes 2x1 of row 0, but 1x1 of row 1 [E031]");
}

TEST(IllFormed, bad_broadcast_of_a_vector) {
  expect_ill_formed("%5 = transform %1 broadcast(2x1) : f32[2, 2x1]",
                    "transform: error: broadcast of %1 of shape 2x1, expected scalars [E031]");
}

TEST(IllFormed, bad_reshape_to_another_size) {
  expect_ill_formed("%5 = transform %1 reshape(3x1) : f32[2, 3x1]",
                    "transform: error: reshape of 2x1 to 3x1: 2 elements, expected 3 [E031]");
}

TEST(IllFormed, bad_map_rows) {
  expect_ill_formed("%5 = map sum($0, $1) %0, %4 : f32[4, 1]",
                    "map: error: %4 has 4000000000 rows, but %0 has 4 [E031]");
}

TEST(IllFormed, bad_map_operand_missing) {
  expect_ill_formed("%5 = map sum($0, $2) %0, %0 : f32[4, 1]",
                    "map: error: reads operand $2, but has 2 operands [E031]");
}

TEST(IllFormed, bad_map_shapes) {
  expect_ill_formed("%5 = map sum($0, $1) %1, %2 : f32[2, 2x2]",
                    "map: error: sum of 2x1 and 2x2 (element 1): expected equal shapes, vectors of "
                    "equal length or scalars [E031]");
}

TEST(IllFormed, bad_contract_shapes) {
  expect_ill_formed("%5 = contract %1, %1 [0, 0] : f32[1, 3x2]",
                    "contract: error: weight 3x2 times %1 2x1 is 3x1, but %1 has shape 2x1 [E031]");
  expect_ill_formed("%5 = contract %1, %1 [0, 0] : f32[1, 2x3]",
                    "contract: error: weight 2x3 times %1 2x1 is undefined, but %1 has shape 2x1 "
                    "[E031]");
}

TEST(IllFormed, bad_contract_types) {
  expect_ill_formed("%5 = contract %1, %1 [0] : f32[1, 2x2]",
                    "contract: error: has 1 type, but %1 has 2 rows and %1 has 2 [E031]");
  expect_ill_formed("%5 = contract %1, %1 [0, 1] : f32[1, 2x2]",
                    "contract: error: names type 1 of 1 [E031]");
}

TEST(IllFormed, bad_update_of_a_computed_value) {
  expect_ill_formed("%5 = update %0, %0 : f32[4, 1]",
                    "update: error: %0 is a fact, expected a weight or a state [E031]");
}

TEST(IllFormed, bad_update_shape_and_rows) {
  expect_ill_formed("%5 = update %3, %1 : f32[2, 2x1]",
                    "update: error: %3 has shape 1, but %1 has 2x1 [E031]");
  expect_ill_formed("%5 = update %3, %4 : f32[4, 1]",
                    "update: error: %4 has 4000000000 rows, expected 4 [E031]");
  expect_ill_formed("%5 = update %3, %0 [0, 1] : f32[4, 1]",
                    "update: error: %0 has 4 rows, expected 2 [E031]");
  expect_ill_formed("%5 = update %3, %0 [0, 1, 2, 4] : f32[4, 1]",
                    "update: error: writes row 4 of %3, which has 4 rows [E031]");
}

TEST(IllFormed, bad_output_samples) {
  expect_ill_formed("%5 = output %1 [0] : f32[2, 2x1]",
                    "output: error: names 1 sample, but %1 has 2 rows [E031]");
  expect_ill_formed("%5 = output %1 [2, 3] : f32[2, 2x1]",
                    "output: error: names sample 3 of 3 [E031]");
}

}  // namespace
}  // namespace vecc::test
