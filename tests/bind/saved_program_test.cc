// Saved programs: the same numbers after reading; what was damaged is refused.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "src/support/temporary_folder.h"
#include "tests/support/random_graph.h"
#include "vecc/template.h"

namespace vecc::test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string saved(const Template& model) {
  const auto folder = TemporaryFolder::create(::testing::TempDir(), "vecc-test");
  const std::string path = folder->path() + "/model.vecc";
  EXPECT_TRUE(model.write(path));
  EXPECT_TRUE(Template::looks_like_one(path));
  return bytes_of(path);
}

std::vector<Executable::Output> outputs_of(const Template& model, const NeuronGraph& graph) {
  TemplateCompileOptions options;
  options.interprets = true;
  const auto program = model.compile(options);
  BoundGraph bound;
  const auto done = (*program)->bind(graph, bound);
  EXPECT_TRUE(done) << done.error().text();
  if (!done) return {};
  EXPECT_TRUE((*program)->run(bound));
  return (*program)->outputs(bound);
}

TEST(SavedProgram, gives_the_same_bits_after_reading) {
  TemplateOptions in_double;
  in_double.dtype = DType::F64;
  in_double.loss = "crossentropy";
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const NeuronGraph graph = random_graph(random_options(seed)).graph;
    const auto model = Template::of(graph, in_double);
    ASSERT_TRUE(model) << model.error().text();
    const std::string bytes = saved(*model);
    const auto again = Template::read_bytes(bytes, "model.vecc");
    ASSERT_TRUE(again) << seed << ": " << again.error().text();
    EXPECT_EQ(again->loss(), "crossentropy");
    EXPECT_EQ(again->dtype(), DType::F64);
    EXPECT_TRUE(saved(*again) == bytes) << seed;
    const auto expected = outputs_of(*model, graph);
    const auto found = outputs_of(*again, graph);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t s = 0; s < found.size(); ++s) EXPECT_EQ(found[s].value, expected[s].value);
  }
}

TEST(SavedProgram, refuses_every_flipped_bit) {
  const NeuronGraph graph = random_graph(random_options(3)).graph;
  const std::string bytes = saved(*Template::of(graph));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    EXPECT_FALSE(Template::read_bytes(damaged, "model.vecc")) << "byte " << at;
  }
}

TEST(SavedProgram, refuses_what_ends_early) {
  const std::string bytes = saved(*Template::of(random_graph(random_options(3)).graph));
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(Template::read_bytes(bytes.substr(0, size), "model.vecc")) << size;
  }
}

TEST(SavedProgram, refuses_other_weight_files) {
  const NeuronGraph graph = random_graph(random_options(3)).graph;
  const auto weights = safetensors_bytes(*weights_of(graph));
  const auto read = Template::read_bytes(*weights, "w.safetensors");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(),
              ::testing::HasSubstr("w.safetensors: error: is no saved program"));
}

}  // namespace
}  // namespace vecc::test
