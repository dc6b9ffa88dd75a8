// References between chunks that a file can get wrong: the exact message and exit code.
#include <limits>

#include "src/graph_io/cycle.h"
#include "tests/graph_io/wire_file.h"
#include "tests/support/graph_builder.h"

namespace vecc::test {
namespace {

TEST(BadReference, bad_dangling_input) {
  WireFile file;
  file.layer().set_inputs(3, 99999);
  expect_errors(file.bytes(),
                kLayer +
                    ", neuron 3, input 1: error: refers to neuron 99999, but the graph has 4 "
                    "[E012]");
}

TEST(BadReference, bad_dangling_input_between_ids) {
  WireFile file;
  file.layer().set_first_id(10);
  file.layer().set_inputs(0, 5);
  file.sample().set_outputs(0, 11);
  expect_errors(file.bytes(),
                kLayer +
                    ", neuron 10, input 0: error: refers to neuron 5, but no neuron has that "
                    "id [E012]");
}

TEST(BadReference, bad_dangling_wide_input) {
  WireFile file;
  file.layer().clear_inputs();
  for (const std::uint64_t id : {0ull, 1ull, 1ull, 1ull << 40}) file.layer().add_inputs64(id);
  expect_errors(file.bytes(), kLayer +
                                  ", neuron 3, input 1: error: refers to neuron "
                                  "1099511627776, but the graph has 4 [E012]");
}

TEST(BadReference, bad_dangling_weights) {
  WireFile file;
  file.layer().set_weights(1, 2);
  file.layer().add_offsets(1);
  file.layer().add_offsets(7);
  expect_errors(file.bytes(),
                kLayer +
                    ", neuron 2, input 1: error: refers to weight 2, but the graph has 2 "
                    "[E012]\n" +
                    kLayer +
                    ", neuron 3, offset: error: refers to weight 7, but the graph has 2 "
                    "[E012]");
}

TEST(BadReference, bad_dangling_fact_weight) {
  WireFile file;
  file.facts().clear_values_f32();
  file.facts().clear_shape();
  file.facts().add_fact_weights(0);
  file.facts().add_fact_weights(kNoWeight);
  expect_errors(file.bytes(),
                "bad.pb: group 1 \"bond\", neuron 1: error: refers to weight "
                "4294967295, but the graph has 2 [E012]");
}

TEST(BadReference, bad_learnable_fact_shape) {
  WireFile file;
  file.facts().clear_values_f32();
  file.facts().add_fact_weights(0);
  file.facts().add_fact_weights(1);
  const std::string message =
      ": error: the fact's shape is 2x1, but weight table \"w\" has shape "
      "2x2; 1 more neuron of the group has the same error [E014]";
  expect_errors(file.bytes(), "bad.pb: group 1 \"bond\", neuron 0" + message);
}

TEST(BadReference, bad_neuron_ids_overlap) {
  WireFile file;
  file.layer().set_first_id(1);
  file.sample().set_outputs(0, 2);
  expect_errors(
      file.bytes(),
      kLayer + ": error: neuron ids 1 to 2 overlap ids 0 to 1 of group 1 \"bond\" [E011]");
}

TEST(BadReference, bad_cycle) {
  WireFile file;
  file.layer().set_inputs(0, 3);  // 2 reads 3
  file.layer().set_inputs(3, 2);  // 3 reads 2
  expect_errors(file.bytes(),
                kLayer + ", neuron 2: error: cycle: 2 -> 3 -> 2 (each reads the next) [E013]");
}

TEST(BadReference, bad_self_cycle) {
  WireFile file;
  file.layer().set_inputs(2, 3);
  expect_errors(file.bytes(),
                kLayer + ", neuron 3: error: cycle: 3 -> 3 (each reads the next) [E013]");
}

TEST(BadReference, bad_long_cycle) {
  GraphBuilder builder;
  const GroupIndex group = builder.group("ring");
  constexpr NeuronId kLength = 20;
  for (NeuronId i = 0; i < kLength; ++i) {
    builder.neuron(group, function(Combination::Sum), {(i + 1) % kLength});
  }
  graph_io::ErrorList errors(20);
  graph_io::check_acyclic(builder.build(), errors);
  EXPECT_EQ(errors.errors().text(),
            "group 0 \"ring\", neuron 0: error: cycle: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> (12 "
            "more) -> 0 (each reads the next) [E013]");
}

TEST(BadReference, bad_many_errors_are_counted) {
  WireFile file;
  for (int i = 0; i < 4; ++i) file.layer().set_inputs(i, 100 + static_cast<std::uint32_t>(i));
  ImportOptions options;
  options.limits.max_errors = 2;
  expect_errors(file.bytes(),
                kLayer +
                    ", neuron 2, input 0: error: refers to neuron 100, but the graph has 4 "
                    "[E012]\n" +
                    kLayer +
                    ", neuron 2, input 1: error: refers to neuron 101, but the graph has "
                    "4 [E012]\n... and 2 more errors",
                ExitCode::BadInput, options);
}

// A refused chunk's neurons exist all the same: one fault, one message.
TEST(BadReference, bad_chunk_leaves_no_dangling_references) {
  WireFile file;
  file.facts().add_values_f32(1);
  expect_errors(file.bytes(),
                "bad.pb: group 1 \"bond\": error: values_f32 has 5 entries, expected "
                "4 (2x1 for each of 2) [E010]");
}

// Faults in different places are all reported.
TEST(BadReference, bad_several_places) {
  WireFile file;
  file.facts().set_values_f32(0, std::numeric_limits<float>::quiet_NaN());
  file.layer().set_weights(0, 9);
  file.sample().set_outputs(0, 8);
  expect_errors(
      file.bytes(),
      "bad.pb: group 1 \"bond\", neuron 0: error: value is NaN, expected a finite number [E016]\n" +
          kLayer + ", neuron 2, input 0: error: refers to weight 9, but the graph has 2 [E012]\n" +
          "bad.pb: sample 0 \"s\": error: refers to neuron 8, but the graph has 4 [E012]");
}

// Deep and forward-pointing, without a cycle.
TEST(FindCycle, long_forward_chain_has_none) {
  GraphBuilder builder;
  const GroupIndex group = builder.group("chain");
  constexpr NeuronId kLength = 200000;
  for (NeuronId i = 0; i + 1 < kLength; ++i) {
    builder.neuron(group, function(Combination::Sum), {i + 1, i + 1});
  }
  builder.unit_fact(group);
  EXPECT_TRUE(graph_io::find_cycle(builder.build()).empty());
}

}  // namespace
}  // namespace vecc::test
