// Writes small valid files for import_fuzz: import_seeds FOLDER. Each also without its frame
// (magic, header, End), which is what import_fuzz puts around its input.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "vecc/graph_io.h"

namespace vecc {
namespace {

constexpr std::array<std::uint32_t, 2> kFanIn = {1, 2};
constexpr std::array<std::uint64_t, 3> kInputs = {0, 2, 1};
constexpr std::array<WeightId, 3> kWeights = {0, kNoWeight, 1};
constexpr std::array<WeightId, 2> kOffsets = {1, kNoWeight};
constexpr std::array<double, 4> kValues = {1, 0.5, -2, 0.1};
constexpr std::array<std::uint32_t, 8> kWords = {0, 1, 0, kToEnd, 1, 2, 0, 1};

void write_facts(GraphWriter& writer) {
  writer.weight_table("w", 0, 2, Shape(2, 1), true, kValues);
  writer.weight_table("fixed", 2, 1, Shape(), false, std::span(kValues).first(1));
  GroupChunk facts;
  facts.group_id = 1;
  facts.head_predicate = "bond";
  facts.fact = FactKind::Constant;
  facts.has_shape = true;
  facts.shape = Shape(2, 1);
  facts.count = 2;
  facts.values = kValues;
  writer.group(facts);
}

// Two neurons 2, 3 after the facts 0, 1.
void write_layer(GraphWriter& writer, const NeuronFunction& function) {
  GroupChunk layer;
  layer.group_id = 2;
  layer.neuron_class = NeuronClass::WeightedRule;
  layer.head_predicate = "h";
  layer.rule_text = "h(X) :- w bond(X, Y).";
  layer.function = function;
  layer.first_id = 2;
  layer.count = 2;
  layer.fan_in = kFanIn;
  layer.inputs = kInputs;
  layer.weights = kWeights;
  layer.offsets = kOffsets;
  layer.words = std::span(kWords).first(2 * word_count(function.transformation.id));
  writer.group(layer);
  SampleRecord sample{.id = "s", .output = 3, .target_shape = Shape(2, 1), .target = {}};
  sample.has_target = true;
  sample.target = std::span(kValues).first(2);
  writer.samples({&sample, 1});
}

bool write_seed(const std::string& path, const NeuronFunction& function, Compression compression) {
  Result<GraphWriter> writer = GraphWriter::create(path, compression, "seed");
  if (!writer) return false;
  write_facts(*writer);
  write_layer(*writer, function);
  return writer->finish().has_value();
}

// Without the magic (5 bytes), the header with the producer "seed" (10) and the End record with
// four counts and the CRC-32 (2 + 4 * 9 + 5).
void write_unframed(const std::string& path) {
  constexpr std::size_t kStart = 15;
  constexpr std::size_t kEnd = 43;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::ofstream(path + ".fields", std::ios::binary)
      << bytes.substr(kStart, bytes.size() - kStart - kEnd);
}

bool write_seeds(const std::string& folder) {
  std::filesystem::create_directories(folder);
  bool good = true;
  for (const CombinationInfo& c : combinations()) {
    for (const TransformationInfo& t : transformations()) {
      if (t.origin == FunctionOrigin::Program) continue;
      NeuronFunction function;
      function.combination = c.id;
      function.transformation.id = t.id;
      if (t.id == Transformation::Reshape) function.transformation.target = Shape(1, 2);
      if (c.id == Combination::FunctionGraph) {
        const Result<Expr> expr = parse_expr("elproduct(sum($0, $1), tanh($1))", "seed");
        if (!expr) return false;
        function.expr = std::make_shared<const Expr>(*expr);
      }
      const std::string path = folder + "/" + std::string(c.text) + "-" + std::string(t.text);
      good = write_seed(path, function, Compression::None) && good;
      write_unframed(path);
    }
  }
  return write_seed(folder + "/gzip", {}, Compression::Gzip) &&
         write_seed(folder + "/zstd", {}, Compression::Zstd) && good;
}

}  // namespace
}  // namespace vecc

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: import_seeds FOLDER\n");
    return 2;
  }
  return vecc::write_seeds(argv[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
