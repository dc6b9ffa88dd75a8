// Columns so long that threads share their checks: the same graph and the same errors for any
// number of threads.
#include <limits>

#include "tests/graph_io/same_graph.h"
#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kFactCount = 200'000;  // two values each
constexpr std::uint32_t kNeurons = 100'000;    // two inputs each

WireFile long_file() {
  WireFile file;
  file.facts().set_count(kFactCount);
  file.facts().clear_values_f32();
  for (std::uint32_t i = 0; i < 2 * kFactCount; ++i) {
    file.facts().add_values_f32(static_cast<float>(i % 97));
  }
  file.layer().set_first_id(kFactCount);
  file.sample().set_outputs(0, kFactCount + kNeurons - 1);
  file.layer().set_count(kNeurons);
  file.layer().clear_inputs();
  file.layer().clear_weights();
  for (std::uint32_t i = 0; i < 2 * kNeurons; ++i) {
    file.layer().add_inputs(static_cast<std::uint32_t>(i * 7919ull % kFactCount));
    file.layer().add_weights(i % 3 == 2 ? kNoWeight : i % 3);
  }
  return file;
}

ImportOptions by_threads(std::uint32_t threads) {
  ImportOptions options;
  options.threads = threads;
  return options;
}

class LongColumns : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  void expect_error(std::string_view bytes, std::string_view text) const {
    expect_errors(bytes, text, ExitCode::BadInput, by_threads(GetParam()));
  }
};

TEST_P(LongColumns, are_read_as_they_are) {
  const WireFile file = long_file();
  const NeuronGraph graph = expect_graph(file.bytes(), by_threads(GetParam()));
  ASSERT_EQ(graph.inputs.size(), 2u * kNeurons);
  for (std::uint32_t i = 0; i < 2 * kNeurons; ++i) {
    ASSERT_EQ(graph.inputs[i], static_cast<std::uint32_t>(i * 7919ull % kFactCount));
    ASSERT_EQ(graph.weights[i], i % 3 == 2 ? kNoWeight : i % 3);
  }
}

TEST_P(LongColumns, ids_that_are_not_in_the_files_order_are_resolved) {
  WireFile file = long_file();  // the same graph, but ids of facts are the last ones
  file.facts().set_first_id(kNeurons);
  file.layer().set_first_id(0);
  for (int i = 0; i < file.layer().inputs_size(); ++i) {
    file.layer().set_inputs(i, file.layer().inputs(i) + kNeurons);
  }
  file.sample().set_outputs(0, 3);
  WireFile in_order = long_file();
  in_order.sample().set_outputs(0, kFactCount + 3);
  const NeuronGraph graph = expect_graph(file.bytes(), by_threads(GetParam()));
  EXPECT_EQ(graph.inputs, expect_graph(in_order.bytes(), by_threads(1)).inputs);
  EXPECT_EQ(graph.samples[0].output, kFactCount + 3);
}

TEST_P(LongColumns, bad_entries_are_found_wherever_they_stand) {
  const std::string neuron = kLayer + ", neuron 290000, input 1: error: refers to ";
  WireFile dangling = long_file();
  dangling.layer().set_inputs(180'001, 400'000);
  expect_error(dangling.bytes(), neuron + "neuron 400000, but the graph has 300000 [E012]");
  WireFile no_weight = long_file();
  no_weight.layer().set_weights(180'001, 2);
  expect_error(no_weight.bytes(), neuron + "weight 2, but the graph has 2 [E012]");
  WireFile cycle = long_file();
  cycle.layer().set_inputs(180'001, 290'000);
  EXPECT_FALSE(read_graph_bytes(cycle.bytes(), "bad.pb", by_threads(GetParam())).has_value());
  WireFile not_finite = long_file();
  not_finite.facts().set_values_f32(399'999, std::numeric_limits<float>::infinity());
  EXPECT_FALSE(read_graph_bytes(not_finite.bytes(), "bad.pb", by_threads(GetParam())).has_value());
}

TEST_P(LongColumns, one_changed_bit_is_found) {
  std::string bytes = long_file().bytes();
  bytes[bytes.size() / 3] ^= 4;  // in the values
  const auto one = read_graph_bytes(bytes, "bad.pb", by_threads(1));
  const auto many = read_graph_bytes(bytes, "bad.pb", by_threads(GetParam()));
  ASSERT_FALSE(one.has_value());
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().text(), one.error().text());
  EXPECT_NE(one.error().text().find("CRC-32"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(threads, LongColumns, ::testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace vecc::test
