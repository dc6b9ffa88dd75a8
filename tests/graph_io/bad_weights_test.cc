// Weight tables and samples that a file can get wrong: the exact message and exit code.
#include <limits>

#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kTable = "bad.pb: weight table \"w\"";

wire::WeightTable& add_table(WireFile& file, const char* name, std::uint32_t first) {
  wire::WeightTable table = file.table();
  table.set_name(name);
  table.set_first_id(first);
  return file.tables.emplace_back(table);
}

TEST(BadWeights, bad_weight_value_count) {
  WireFile file;
  file.table().add_values_f32(1);
  expect_errors(file.bytes(), std::string(kTable) +
                                  ": error: values_f32 has 9 entries, expected 8 (2x2 for each of "
                                  "2) [E010]");
}

TEST(BadWeights, bad_weight_no_count) {
  WireFile file;
  wire::WeightTable& table = add_table(file, "none", 2);
  table.clear_values_f32();
  table.set_count(0);
  expect_errors(file.bytes(),
                "bad.pb: weight table \"none\": error: count is 0, expected at least 1 [E010]");
}

TEST(BadWeights, bad_weight_nan) {
  WireFile file;
  file.table().set_values_f32(5, kNan);
  file.table().set_values_f32(6, -std::numeric_limits<float>::infinity());
  expect_errors(file.bytes(),
                std::string(kTable) +
                    ", weight 1: error: value is NaN, expected a finite number [E016]\n" + kTable +
                    ", weight 1: error: value is -inf, expected a finite number [E016]");
}

TEST(BadWeights, bad_weight_two_shapes) {
  WireFile file;
  wire::WeightTable& table = add_table(file, "w", 2);
  table.set_continued(true);
  WireFile::set_shape(table.mutable_shape(), 4, 1);
  expect_errors(file.bytes(), std::string(kTable) +
                                  ": error: shape 4x1, but the table began with shape 2x2 [E014]");
}

TEST(BadWeights, bad_weight_ids_overlap) {
  WireFile file;
  WireFile::set_shape(add_table(file, "v", 1).mutable_shape(), 4, 1);
  expect_errors(file.bytes(),
                "bad.pb: weight table \"v\": error: weight ids 1 to 2 (shape 4x1) overlap ids 0 to "
                "1 (shape 2x2) of weight table \"w\" [E011]");
}

TEST(BadWeights, bad_weight_name_twice) {
  WireFile file;
  add_table(file, "w", 2);
  expect_errors(file.bytes(), std::string(kTable) +
                                  ": error: the name is used twice, expected unique names [E015]");
}

TEST(BadWeights, bad_weight_continued_unknown) {
  WireFile file;
  add_table(file, "v", 2).set_continued(true);
  expect_errors(file.bytes(),
                "bad.pb: weight table \"v\": error: is continued, but no chunk before has this "
                "name [E021]");
}

TEST(BadWeights, bad_weight_continued_differs) {
  WireFile file;
  wire::WeightTable& table = add_table(file, "w", 2);
  table.set_continued(true);
  table.set_fixed(true);
  table.add_row_names("a");
  table.add_row_names("b");
  expect_errors(file.bytes(), std::string(kTable) +
                                  ": error: `fixed` differs from the table's first chunk [E021]\n" +
                                  kTable +
                                  ": error: only some of the table's chunks have row names [E021]");
}

TEST(BadWeights, bad_fixed_weight_without_values) {
  WireFile file;
  file.table().set_fixed(true);
  file.table().clear_values_f32();
  expect_errors(file.bytes(), std::string(kTable) + ": error: fixed weights have no values [E023]");
}

TEST(BadWeights, bad_weight_row_names) {
  WireFile file;
  file.table().add_row_names("a");
  expect_errors(file.bytes(),
                std::string(kTable) +
                    ": error: row_names has 1 entries, expected 2 (one a weight, or none) [E010]");
}

TEST(BadWeights, bad_weight_ids_too_large) {
  WireFile file;
  add_table(file, "v", 0xFFFFFFFE);
  expect_errors(file.bytes(),
                "bad.pb: weight table \"v\": error: 2 weights from id 4294967294 on, expected ids "
                "up to 4294967294 [E006]");
}

TEST(BadWeights, bad_weight_both_values) {
  WireFile file;
  file.table().add_values_f64(1);
  expect_errors(file.bytes(),
                std::string(kTable) +
                    ": error: has both values_f32 and values_f64, expected one of them [E021]");
}

TEST(BadWeights, bad_weight_limit) {
  ImportOptions options;
  options.limits.max_weights = 1;
  expect_errors(WireFile().bytes(),
                std::string(kTable) + ": error: 2 more weights after 0, the limit is 1 [E043]",
                ExitCode::Limit, options);
}

TEST(BadWeights, bad_weight_shape_limit) {
  WireFile file;
  WireFile::set_shape(file.table().mutable_shape(), 1u << 20, 1u << 20);
  expect_errors(file.bytes(),
                std::string(kTable) +
                    ": error: shape 1048576x1048576 has 1099511627776 elements, the limit is "
                    "16777216 [E044]",
                ExitCode::Limit);
}

TEST(BadWeights, bad_weights_claimed) {
  // 4 billion weights to be initialised, in a few bytes.
  WireFile file;
  wire::WeightTable& table = add_table(file, "v", 2);
  table.clear_values_f32();
  table.set_count(0xF0000000);
  const std::string bytes = file.bytes();
  expect_errors(bytes,
                "bad.pb: error: 4026531842 weights in " + std::to_string(bytes.size()) +
                    " bytes, the limit is " + std::to_string(bytes.size() + (1 << 20)) + " [E043]",
                ExitCode::Limit);
}

TEST(BadSamples, bad_sample_dangling) {
  WireFile file;
  file.sample().set_outputs(0, 4);
  expect_errors(file.bytes(),
                "bad.pb: sample 0 \"s\": error: refers to neuron 4, but the graph has 4 [E012]");
}

TEST(BadSamples, bad_sample_id_twice) {
  WireFile file;
  file.samples.push_back(file.sample());
  expect_errors(file.bytes(),
                "bad.pb: sample 1 \"s\": error: sample 0 has the same id, expected unique ids "
                "[E011]");
}

TEST(BadSamples, bad_sample_columns) {
  WireFile file;
  file.sample().add_ids("t");
  file.sample().add_weights(1);
  file.sample().add_weights(1);
  expect_errors(file.bytes(),
                "bad.pb: samples from 0 on: error: ids has 2 entries, expected 1 (one a sample, or "
                "none) [E010]\n"
                "bad.pb: samples from 0 on: error: weights has 2 entries, expected 1 (one a "
                "sample, or none) [E010]");
}

TEST(BadSamples, bad_sample_ids_missing) {
  WireFile file;
  file.samples.push_back(file.sample());
  file.samples.back().clear_ids();
  expect_errors(file.bytes(),
                "bad.pb: samples from 1 on: error: only some of the samples have ids [E022]");
}

TEST(BadSamples, bad_sample_both_outputs) {
  WireFile file;
  file.sample().add_outputs64(1);
  expect_errors(file.bytes(),
                "bad.pb: samples from 0 on: error: has both outputs and outputs64, expected one of "
                "them [E022]");
}

TEST(BadSamples, bad_target_count) {
  WireFile file;
  file.sample().add_targets(1);
  expect_errors(file.bytes(),
                "bad.pb: samples from 0 on: error: targets has 3 entries, expected 2 (the sizes of "
                "target_shapes) [E010]");
}

TEST(BadSamples, bad_target_shape) {
  WireFile file;
  WireFile::set_shape(file.sample().mutable_target_shapes(0), 0, 2);
  expect_errors(file.bytes(),
                "bad.pb: sample 0, target: error: shape 0x2, expected both sides at least 1, or "
                "both 0 for a scalar [E014]");
}

TEST(BadSamples, bad_target_infinite) {
  WireFile file;
  file.sample().set_targets(1, kInfinity);
  expect_errors(file.bytes(),
                "bad.pb: sample 0: error: target is inf, expected a finite number [E016]");
}

TEST(BadSamples, bad_sample_weight_nan) {
  WireFile file;
  file.sample().add_weights(kNan);
  expect_errors(file.bytes(),
                "bad.pb: sample 0: error: weight is NaN, expected a finite number [E016]");
}

TEST(BadSamples, bad_split_and_role) {
  WireFile file;
  file.sample().add_splits(static_cast<wire::Split>(9));
  file.sample().add_roles(static_cast<wire::Role>(3));
  expect_errors(file.bytes(),
                "bad.pb: sample 0: error: split is 9, expected a value of graph.proto [E006]\n"
                "bad.pb: sample 0: error: role is 3, expected a value of graph.proto [E006]");
}

}  // namespace
}  // namespace vecc::test
