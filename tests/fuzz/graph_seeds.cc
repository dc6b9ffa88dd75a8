// Writes small random graphs for graph_fuzz: graph_seeds FOLDER. Each is the fields of a file
// without their frame.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/random_graph.h"
#include "vecc/graph.pb.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kSeeds = 40;

bool write_fields(const std::string& path, const NeuronGraph& graph) {
  if (!write_graph(graph, path, Compression::None)) return false;
  std::ifstream file(path, std::ios::binary);
  wire::Graph fields;
  if (!fields.ParsePartialFromString({std::istreambuf_iterator<char>(file), {}})) return false;
  fields.clear_magic();
  fields.clear_header();
  fields.clear_end();
  std::ofstream(path, std::ios::binary) << fields.SerializePartialAsString();
  return true;
}

bool write_seeds(const std::string& folder) {
  std::filesystem::create_directories(folder);
  bool good = true;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomGraphOptions options;
    options.seed = seed;
    options.facts = 5;
    options.groups = 1 + static_cast<std::uint32_t>(seed % 4);
    options.neurons = 3;
    options.depth = static_cast<std::uint32_t>(seed % 3);
    options.exact = seed % 5 == 4;
    const std::string path = folder + "/random" + std::to_string(seed);
    good = write_fields(path, random_graph(options).graph) && good;
  }
  return good;
}

}  // namespace
}  // namespace vecc::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: graph_seeds FOLDER\n");
    return 2;
  }
  return vecc::test::write_seeds(argv[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
