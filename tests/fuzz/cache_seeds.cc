// Writes inputs for cache_fuzz: cache_seeds FOLDER. An outline of one table, two samples and a
// vocabulary, with a Program whose arrays are its columns; and a whole entry.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/graph/graph_outline.h"
#include "tests/support/graph_builder.h"

namespace {

// The columns of a small graph's outline.
vecc::NeuronGraph small_graph() {
  vecc::test::GraphBuilder b;
  const auto facts = b.group("fact", vecc::NeuronClass::Fact);
  b.weight("w", vecc::Shape(2, 2), {1, 2, 3, 4});
  b.weight("open", vecc::Shape(), {});
  b.sample(b.fact(facts, 1), "a");
  b.sample(b.fact(facts, 2), vecc::Shape(), {0.5}, "b");
  vecc::NeuronGraph graph = b.build();
  vecc::Vocabulary& classes = graph.vocabularies.emplace_back();
  classes.name = "c";
  classes.names.push_back("x");
  classes.uses.push_back({vecc::VocabularyUse::Place::Outputs, {}, "", 0, 1});
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cache_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::string entry = folder / "entry";
  auto writer = vecc::ColumnWriter::create(entry, std::uint64_t{1} << 30);
  const vecc::NeuronGraph graph = small_graph();
  if (!writer) return 1;
  vecc::write_outline(graph, sizes_of(graph), graph.weight_tables, *writer);
  if (!writer->commit("fuzz")) return 1;
  const auto file = vecc::ColumnFile::read(entry, "fuzz", 1);
  if (!file || !*file) return 1;
  const std::string& names = *(*file)->text(1);
  const std::vector<std::uint32_t>& words = *(*file)->words(0);
  const std::string count = std::to_string((*file)->numbers(2).size());
  std::string bytes = "vecc program 1 f32 samples 2\n%0 = fact @2:" + count + " : f32[" + count +
                      ", 1]\n%1 = gather %0 [0, 1] : f32[2, 1]\n%2 = output %1 [0:2] : f32[2, 1]\n";
  bytes += '\0';
  bytes += static_cast<char>((*file)->numbers(2).size());
  bytes += static_cast<char>(names.size());
  bytes += names;
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t));
  std::ofstream(folder / "columns", std::ios::binary) << bytes;
  return 0;
}
