// Functions, their parameters and fan-in that a file can get wrong: the exact message.
#include <limits>

#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

void expect_layer_errors(const WireFile& file, const std::string& text) {
  expect_errors(file.bytes(), kLayer + text);
}

TEST(BadFunction, bad_unknown_functions) {
  WireFile file;
  file.layer().mutable_function()->set_combination("summ");
  file.layer().mutable_function()->set_transformation("Tanh\n");
  expect_layer_errors(file, ": error: unknown combination \"summ\" [E019]\n" + kLayer +
                                ": error: unknown transformation \"Tanh\\n\" [E019]");
}

TEST(BadFunction, bad_function_of_programs) {
  WireFile file;
  file.layer().mutable_function()->set_transformation("broadcast");
  expect_layer_errors(file, ": error: unknown transformation \"broadcast\" [E019]");
}

TEST(BadFunction, bad_axis) {
  WireFile file;
  file.layer().mutable_function()->set_combination("concat");
  file.layer().mutable_function()->set_axis(1);
  expect_layer_errors(file, ": error: axis is 1, expected -1 or 0 [E018]");
}

TEST(BadFunction, bad_parameters_of_others) {
  WireFile file;
  wire::Function* function = file.layer().mutable_function();
  function->set_axis(0);
  function->set_slope(0.1);
  function->mutable_target();
  function->set_expression("$0");
  expect_layer_errors(file,
                      ": error: axis is given, but only concat has one [E018]\n" + kLayer +
                          ": error: slope is given, but only leakyrelu has one [E018]\n" + kLayer +
                          ": error: target is given, but only reshape has one [E018]\n" + kLayer +
                          ": error: expression is given, but only functiongraph has one "
                          "[E018]");
}

TEST(BadFunction, bad_slope) {
  WireFile file;
  file.layer().mutable_function()->set_transformation("leakyrelu");
  file.layer().mutable_function()->set_slope(std::numeric_limits<double>::quiet_NaN());
  expect_layer_errors(file, ": error: slope is not finite, expected a number [E018]");
}

TEST(BadFunction, bad_target_missing) {
  WireFile file;
  file.layer().mutable_function()->set_transformation("reshape");
  expect_layer_errors(file, ": error: reshape has no target shape [E018]");
}

TEST(BadFunction, bad_target_limit) {
  WireFile file;
  file.layer().mutable_function()->set_transformation("reshape");
  WireFile::set_shape(file.layer().mutable_function()->mutable_target(), 1u << 16, 1u << 16);
  expect_errors(file.bytes(),
                kLayer +
                    ", target: error: shape 65536x65536 has 4294967296 elements, the limit is "
                    "16777216 [E044]",
                ExitCode::Limit);
}

TEST(BadFunction, bad_slice_bounds) {
  WireFile file;
  file.layer().mutable_function()->set_transformation("slice");
  for (const std::uint32_t word : {0u, 2u, 0u, 0xFFFFFFFFu, 1u, 1u, 3u, 2u}) {
    file.layer().add_words(word);
  }
  expect_layer_errors(file,
                      ", neuron 3: error: slice of rows 1 to 1, expected a begin below the end "
                      "[E018]\n" +
                          kLayer +
                          ", neuron 3: error: slice of columns 3 to 2, expected a begin below the "
                          "end [E018]");
}

TEST(BadFunction, bad_word_count) {
  WireFile file;
  file.layer().mutable_function()->set_transformation("atindex");
  file.layer().add_words(0);
  expect_layer_errors(file,
                      ": error: words has 1 entries, expected 2 (1 a neuron for atindex) "
                      "[E010]");
}

TEST(BadFunction, bad_words_of_others) {
  WireFile file;
  file.layer().add_words(0);
  expect_layer_errors(file,
                      ": error: words has 1 entries, expected 0 (0 a neuron for tanh) [E010]");
}

TEST(BadFunction, bad_expression_missing) {
  WireFile file;
  file.layer().mutable_function()->set_combination("functiongraph");
  expect_layer_errors(file, ": error: functiongraph has no expression [E018]");
}

TEST(BadFunction, bad_expression_input) {
  WireFile file;
  file.layer().mutable_function()->set_combination("functiongraph");
  file.layer().mutable_function()->set_expression("sum($0, $2)");
  expect_layer_errors(file,
                      ", neuron 2: error: the expression reads $2, but there are 2 elements "
                      "[E020]");
}

// An offset is element 0, so a neuron that has one may be read one further.
TEST(BadFunction, bad_expression_input_without_offset) {
  WireFile file;
  file.layer().mutable_function()->set_combination("functiongraph");
  file.layer().mutable_function()->set_expression("sum($0, $2)");
  file.layer().add_offsets(0);
  file.layer().add_offsets(kNoWeight);
  expect_layer_errors(file,
                      ", neuron 3: error: the expression reads $2, but there are 2 elements "
                      "[E020]");
}

TEST(BadFunction, bad_expression_syntax) {
  WireFile file;
  file.layer().mutable_function()->set_combination("functiongraph");
  file.layer().mutable_function()->set_expression("sum($0,");
  const Result<NeuronGraph> graph = read_graph_bytes(file.bytes(), "bad.pb");
  ASSERT_FALSE(graph.has_value());
  ASSERT_EQ(graph.error().list().size(), 1u);
  EXPECT_EQ(graph.error().list()[0].code, ErrorCode::ProgramSyntax);
  EXPECT_TRUE(graph.error().text().starts_with(kLayer + ", expression")) << graph.error().text();
}

TEST(BadFunction, bad_fan_in_zero) {
  WireFile file;
  file.layer().set_fan_in(0, 0);
  file.layer().clear_inputs();
  file.layer().clear_weights();
  expect_layer_errors(file,
                      ", neuron 2: error: sum has no inputs, expected a declared shape [E020]");
  file.layer().mutable_function()->set_combination("max");
  expect_layer_errors(file, ", neuron 2: error: max has no inputs, expected at least 1 [E020]");
  file.layer().mutable_function()->set_combination("count");
  expect_graph(file.bytes());
}

TEST(BadFunction, bad_fan_in_zero_of_one_neuron) {
  WireFile file;
  file.layer().set_fan_in(0, 4);
  file.layer().add_fan_in(0);
  file.layer().mutable_function()->set_combination("concat");
  expect_layer_errors(file, ", neuron 3: error: concat has no inputs, expected at least 1 [E020]");
}

TEST(BadFunction, bad_cossim_fan_in) {
  WireFile file;
  file.layer().set_fan_in(0, 3);
  file.layer().add_fan_in(1);
  file.layer().mutable_function()->set_combination("cossim");
  expect_layer_errors(file, ", neuron 2: error: cossim has 3 elements, expected 2 [E020]");
}

}  // namespace
}  // namespace vecc::test
