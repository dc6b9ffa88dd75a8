// Saved programs: the text of a template up to the first NUL, then a weight file. Any bytes give an
// error or a template that is saved as the same text; graphs are bound to it, or refused. The
// digest is made to fit, so that damage is not found by it alone.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/bind/graph_binder.h"
#include "src/bind/template_file.h"
#include "src/weights/file_digest.h"
#include "tests/support/random_graph.h"

namespace {

using namespace vecc;  // NOLINT(google-build-using-namespace)

void expect(bool holds) {
  if (!holds) std::abort();
}

const std::vector<NeuronGraph>& graphs() {
  static const std::vector<NeuronGraph> all = [] {
    std::vector<NeuronGraph> made;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      made.push_back(test::random_graph(test::random_options(seed)).graph);
    }
    return made;
  }();
  return all;
}

// Recipes of hostile signatures have kernels of any shape: they are made and verified, not run.
void bind_all(const binding::TemplateData& data) {
  binding::RecipeBook book(data.dtype, data.functions);
  binding::GraphBinder binder(data, book);
  binding::RowLaunches launches;
  for (const NeuronGraph& graph : graphs()) {
    const NeuronGraph* const one = &graph;
    const Result<void> bound = binder.bind(std::span(&one, 1), launches);
    expect(bound || !bound.error().text().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = bytes.find('\0');
  const std::string_view rest =
      end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
  auto file = read_weights_bytes(rest, "fuzz");
  if (!file) return 0;
  file->metadata.emplace_back(binding::kTemplateFormatKey, "1");
  file->metadata.emplace_back(binding::kTextKey, bytes.substr(0, end));
  file->metadata.emplace_back(binding::kDigestKey, weights::digest_of(*file, binding::kDigestKey));
  const auto found = binding::template_of(*file, "fuzz");
  if (!found) {
    expect(!found.error().text().empty());
    return 0;
  }
  bind_all(*found);
  return 0;
}
