// Writes templates of random graphs for saved_fuzz: saved_seeds FOLDER.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "src/bind/template_data.h"
#include "src/bind/template_file.h"
#include "src/weights/file_digest.h"
#include "tests/support/random_graph.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: saved_seeds FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto graph = vecc::test::random_graph(vecc::test::random_options(seed)).graph;
    const auto data = vecc::binding::make_template_data(graph, vecc::DType::F64, "");
    const auto file = data ? vecc::binding::file_of(*data) : data.error();
    const auto weights = vecc::weights_of(graph);
    const auto rest = weights ? vecc::safetensors_bytes(*weights) : weights.error();
    if (!file || !rest) {
      std::fprintf(stderr, "seed %d makes no template\n", static_cast<int>(seed));
      return 1;
    }
    const auto path = std::filesystem::path(argv[1]) / ("saved" + std::to_string(seed));
    std::ofstream(path, std::ios::binary)
        << *vecc::weights::find_entry(*file, vecc::binding::kTextKey) << '\0' << *rest;
  }
  return 0;
}
