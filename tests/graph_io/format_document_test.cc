// The worked example of docs/format.md, byte for byte.
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/graph_io/temporary_folder.h"
#include "tests/graph_io/wire_file.h"
#include "tests/support/graph_builder.h"

namespace vecc::test {
namespace {

std::string source_file(const std::string& name) {
  const char* folder = std::getenv("VECC_SOURCE_DIR");
  std::ifstream file(std::string(folder != nullptr ? folder : ".") + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name << " (VECC_SOURCE_DIR is set by ctest)";
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_hex_pair(const std::string& word) {
  return word.size() == 2 && std::isxdigit(static_cast<unsigned char>(word[0])) != 0 &&
         std::isxdigit(static_cast<unsigned char>(word[1])) != 0;
}

// Bytes of the ```hexdump block: lines `OFFSET  xx xx ...  explanation`. The offsets are checked.
std::string documented_bytes() {
  std::istringstream lines(source_file("docs/format.md"));
  std::string bytes;
  std::string line;
  while (std::getline(lines, line) && line != "```hexdump") {
  }
  while (std::getline(lines, line) && line != "```") {
    // Two spaces end the bytes.
    const std::string digits = line.substr(0, line.find("  ", 6));
    std::istringstream words(digits);
    std::string word;
    words >> word;
    EXPECT_EQ(std::stoul(word, nullptr, 16), bytes.size()) << line;
    while (words >> word) {
      EXPECT_TRUE(is_hex_pair(word)) << line;
      bytes += static_cast<char>(std::stoi(word, nullptr, 16));
    }
  }
  return bytes;
}

void write_example(const std::string& path) {
  Result<GraphWriter> writer = GraphWriter::create(path, Compression::None, "hand");
  ASSERT_TRUE(writer);
  const std::array<double, 3> weights = {0.5, -1, 2};
  writer->weight_table("w", 0, 3, Shape(), true, weights);

  GroupChunk facts;
  facts.head_predicate = "in";
  facts.fact = FactKind::Constant;
  facts.has_shape = true;
  facts.count = 2;
  const std::array<double, 2> values = {1, 3};
  facts.values = values;
  writer->group(facts);

  GroupChunk hidden;
  hidden.group_id = 1;
  hidden.neuron_class = NeuronClass::WeightedRule;
  hidden.head_predicate = "hid";
  hidden.rule_text = "hid :- w in.";
  hidden.function = function(Combination::Sum, Transformation::Tanh);
  hidden.first_id = 2;
  hidden.count = 2;
  const std::array<std::uint32_t, 2> fan_in = {2, 1};
  const std::array<std::uint64_t, 3> inputs = {0, 1, 1};
  const std::array<WeightId, 3> input_weights = {0, 1, kNoWeight};
  hidden.fan_in = fan_in;
  hidden.inputs = inputs;
  hidden.weights = input_weights;
  writer->group(hidden);

  GroupChunk output;
  output.group_id = 2;
  output.neuron_class = NeuronClass::WeightedAtom;
  output.head_predicate = "out";
  output.function = function(Combination::Avg);
  output.first_id = 4;
  output.count = 1;
  const std::array<std::uint32_t, 1> two = {2};
  const std::array<std::uint64_t, 2> both = {2, 3};
  const std::array<WeightId, 1> offset = {2};
  output.fan_in = two;
  output.inputs = both;
  output.offsets = offset;
  writer->group(output);

  SampleRecord sample{.id = "q", .output = 4, .target_shape = {}, .target = {}};
  const double target = 1;
  sample.has_target = true;
  sample.target = {&target, 1};
  sample.split = Split::Train;
  writer->samples({&sample, 1});
  const Result<void> finished = writer->finish();
  ASSERT_TRUE(finished) << finished.error().text();
}

TEST(FormatDocument, example_is_what_the_writer_writes) {
  const TemporaryFolder folder;
  write_example(folder.path("example.pb"));
  std::ifstream file(folder.path("example.pb"), std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(documented_bytes(), written);
}

// The page's Python program writes the same bytes.
TEST(FormatDocument, python_program_writes_the_example) {
  const TemporaryFolder folder;
  const std::string page = source_file("docs/format.md");
  const std::size_t begin = page.find("```python\n") + 10;
  std::ofstream(folder.path("program.py")) << page.substr(begin, page.find("```", begin) - begin);
  ASSERT_EQ(std::system(("cd '" + folder.path() + "' && python3 program.py").c_str()), 0);
  std::ifstream file(folder.path("example.pb"), std::ios::binary);
  EXPECT_EQ(documented_bytes(), (std::string{std::istreambuf_iterator<char>(file), {}}));
}

TEST(FormatDocument, example_is_the_graph_it_says) {
  const NeuronGraph graph = expect_graph(documented_bytes());
  EXPECT_EQ(graph.neuron_count(), 5u);
  EXPECT_EQ(graph.inputs, (std::vector<NeuronId>{0, 1, 1, 2, 3}));
  EXPECT_EQ(graph.weights, (std::vector<WeightId>{0, 1, kNoWeight}));
  EXPECT_EQ(graph.offsets, (std::vector<WeightId>{2}));
  ASSERT_EQ(graph.values.size(), 2u);
  EXPECT_EQ(graph.values[0], 1);
  EXPECT_EQ(graph.values[1], 3);
  EXPECT_EQ(graph.weight_tables.at(0).values.doubles(), (std::vector<double>{0.5, -1, 2}));
  EXPECT_EQ(graph.samples.at(0).output, 4u);
  EXPECT_EQ(graph.target_values, (std::vector<double>{1}));
}

}  // namespace
}  // namespace vecc::test
