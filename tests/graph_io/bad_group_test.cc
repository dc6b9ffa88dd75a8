// Groups that a file can get wrong: the exact message and exit code.
#include <limits>

#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

TEST(BadGroup, bad_value_count) {
  WireFile file;
  file.facts().add_values_f32(1);
  expect_errors(
      file.bytes(),
      kFacts + ": error: values_f32 has 5 entries, expected 4 (2x1 for each of 2) [E010]");
}

TEST(BadGroup, bad_fact_nan) {
  WireFile file;
  file.facts().set_values_f32(3, std::numeric_limits<float>::quiet_NaN());
  expect_errors(file.bytes(),
                kFacts + ", neuron 1: error: value is NaN, expected a finite number [E016]");
}

TEST(BadGroup, bad_fact_infinite_double) {
  WireFile file;
  file.facts().clear_values_f32();
  for (int i = 0; i < 4; ++i)
    file.facts().add_values_f64(i == 1 ? std::numeric_limits<double>::infinity() : 0.1);
  expect_errors(file.bytes(),
                kFacts + ", neuron 0: error: value is inf, expected a finite number [E016]");
}

TEST(BadGroup, bad_fact_without_shape) {
  WireFile file;
  file.facts().clear_shape();
  expect_errors(file.bytes(),
                kFacts + ": error: constant facts have no shape, expected one [E021]");
}

TEST(BadGroup, bad_unit_fact_shape) {
  WireFile file;
  file.facts().clear_values_f32();
  expect_errors(file.bytes(),
                kFacts +
                    ": error: facts of shape 2x1 have no values, expected values or a scalar "
                    "shape [E014]");
}

TEST(BadGroup, bad_shape_side) {
  WireFile file;
  WireFile::set_shape(file.facts().mutable_shape(), 3, 0);
  expect_errors(file.bytes(),
                kFacts +
                    ": error: shape 3x0, expected both sides at least 1, or both 0 for a "
                    "scalar [E014]");
}

TEST(BadGroup, bad_fact_with_inputs) {
  WireFile file;
  file.layer().set_fact(true);
  expect_errors(file.bytes(),
                kLayer + ": error: facts have no function, found 1 entries [E021]\n" + kLayer +
                    ": error: facts have no fan_in, found 1 entries [E021]\n" + kLayer +
                    ": error: facts have no inputs, found 4 entries [E021]\n" + kLayer +
                    ": error: facts have no weights, found 4 entries [E021]");
}

TEST(BadGroup, bad_neuron_with_values) {
  WireFile file;
  file.layer().add_values_f64(1);
  file.layer().add_fact_weights(1);
  expect_errors(file.bytes(),
                kLayer +
                    ": error: neurons that are no facts have no values, found 1 entries [E021]\n" +
                    kLayer +
                    ": error: neurons that are no facts have no fact_weights, found 1 entries "
                    "[E021]");
}

TEST(BadGroup, bad_fact_of_two_kinds) {
  WireFile file;
  file.facts().add_fact_weights(0);
  expect_errors(file.bytes(), kFacts +
                                  ": error: has several of values_f32, values_f64 and "
                                  "fact_weights, expected one [E021]");
}

TEST(BadGroup, bad_fact_weight_count) {
  WireFile file;
  file.facts().clear_values_f32();
  file.facts().add_fact_weights(0);
  expect_errors(file.bytes(),
                kFacts + ": error: fact_weights has 1 entries, expected 2 (one a neuron) [E010]");
}

TEST(BadGroup, bad_fan_in_length) {
  WireFile file;
  file.layer().set_count(3);
  file.layer().add_fan_in(2);
  expect_errors(
      file.bytes(),
      kLayer + ": error: fan_in has 2 entries, expected 3 (one a neuron, or 1 for all) [E010]");
}

TEST(BadGroup, bad_input_count) {
  WireFile file;
  file.layer().add_inputs(0);
  file.layer().add_offsets(0);
  expect_errors(file.bytes(),
                kLayer + ": error: inputs has 5 entries, expected 4 (the sum of fan_in) [E010]\n" +
                    kLayer + ": error: offsets has 1 entries, expected 2 (one a neuron) [E010]");
}

TEST(BadGroup, bad_weight_count) {
  WireFile file;
  file.layer().add_weights(0);
  expect_errors(file.bytes(),
                kLayer + ": error: weights has 5 entries, expected 4 (one an input) [E010]");
}

TEST(BadGroup, bad_fan_in_claimed) {
  // 2^32 - 1 inputs claimed for each of 2 neurons by about 100 bytes.
  WireFile file;
  file.layer().set_fan_in(0, 0xFFFFFFFF);
  expect_errors(file.bytes(), kLayer +
                                  ": error: inputs has 4 entries, expected 8589934590 (the sum of "
                                  "fan_in) [E010]\n" +
                                  kLayer +
                                  ": error: weights has 4 entries, expected 8589934590 (one an "
                                  "input) [E010]");
}

TEST(BadGroup, bad_edge_limit) {
  WireFile file;
  file.layer().set_fan_in(0, 0xFFFFFFFF);
  ImportOptions options;
  options.limits.max_edges = 1000;
  expect_errors(file.bytes(),
                kLayer + ": error: 8589934590 more inputs after 0, the limit is 1000 [E042]",
                ExitCode::Limit, options);
}

TEST(BadGroup, bad_neuron_limit) {
  ImportOptions options;
  options.limits.max_neurons = 3;
  expect_errors(WireFile().bytes(),
                kLayer + ": error: 2 more neurons after 2, the limit is 3 [E041]", ExitCode::Limit,
                options);
}

TEST(BadGroup, bad_neurons_claimed) {
  // 4 billion unit facts in a few bytes.
  WireFile file;
  wire::Group& group = file.groups.emplace_back();
  group.set_id(4);
  group.set_fact(true);
  group.set_first_id(4);
  group.set_count(0xF0000000);
  const std::string bytes = file.bytes();
  expect_errors(bytes,
                "bad.pb: error: 4026531844 neurons in " + std::to_string(bytes.size()) +
                    " bytes, the limit is " + std::to_string(bytes.size() + (1 << 20)) + " [E041]",
                ExitCode::Limit);
}

TEST(BadGroup, bad_shape_limit) {
  WireFile file;
  WireFile::set_shape(file.facts().mutable_shape(), 0xFFFFFFFF, 0xFFFFFFFF);
  expect_errors(file.bytes(),
                kFacts +
                    ": error: shape 4294967295x4294967295 has 18446744065119617025 elements, "
                    "the limit is 16777216 [E044]",
                ExitCode::Limit);
}

TEST(BadGroup, bad_count_zero) {
  WireFile file;
  file.layer().set_count(0);
  file.samples.clear();
  expect_errors(file.bytes(), kLayer + ": error: count is 0, expected at least 1 [E010]");
}

TEST(BadGroup, bad_ids_beyond_64_bits) {
  WireFile file;
  file.layer().set_first_id(~std::uint64_t{0});
  file.samples.clear();
  expect_errors(file.bytes(), kLayer +
                                  ": error: 2 neurons from id 18446744073709551615 on, expected "
                                  "ids below 2^64 - 1 [E006]");
}

TEST(BadGroup, bad_group_id_twice) {
  WireFile file;
  file.layer().set_id(1);
  file.layer().set_head_predicate("");
  expect_errors(file.bytes(),
                kFacts + ": error: group id 1 is used twice, expected `continued` [E011]");
}

TEST(BadGroup, bad_continued_unknown) {
  WireFile file;
  file.layer().set_continued(true);
  expect_errors(file.bytes(), kLayer +
                                  ": error: is continued, but no chunk before has this group "
                                  "id [E021]");
}

TEST(BadGroup, bad_continued_differs) {
  WireFile file;
  file.layer().set_id(1);
  file.layer().set_continued(true);
  file.layer().set_rule_text("a :- b.");
  expect_errors(file.bytes(),
                kFacts + ": error: head_predicate differs from the group's first chunk [E021]\n" +
                    kFacts + ": error: rule_text differs from the group's first chunk [E021]\n" +
                    kFacts + ": error: neuron_class differs from the group's first chunk [E021]");
}

TEST(BadGroup, bad_neuron_class) {
  WireFile file;
  file.layer().set_neuron_class(static_cast<wire::NeuronClass>(77));
  expect_errors(file.bytes(),
                kLayer + ": error: neuron_class is 77, expected a value of graph.proto [E006]");
}

TEST(BadGroup, bad_names_count) {
  WireFile file;
  file.layer().add_names("a");
  expect_errors(file.bytes(), kLayer +
                                  ": error: names has 1 entries, expected 2 (one a neuron, or "
                                  "none) [E010]");
}

TEST(BadGroup, bad_both_input_columns) {
  WireFile file;
  file.layer().add_inputs64(0);
  expect_errors(file.bytes(),
                kLayer + ": error: has both inputs and inputs64, expected one of them [E021]");
}

// A hostile name is legal; in a message it is escaped, and one message stays one line.
TEST(BadGroup, bad_hostile_name_in_message) {
  WireFile file;
  file.layer().set_head_predicate("a\n\"*/\x1b[31m<script>");
  file.layer().set_count(0);
  file.samples.clear();
  expect_errors(file.bytes(),
                "bad.pb: group 3 \"a\\n\\\"*/\\x1b[31m<script>\": error: count is 0, "
                "expected at least 1 [E010]");
}

}  // namespace
}  // namespace vecc::test
