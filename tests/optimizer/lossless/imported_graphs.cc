#include "tests/optimizer/lossless/imported_graphs.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "tests/import_models/grounded_graph.h"
#include "tools/import/load/loaders.h"
#include "tools/import/models/models.h"

namespace vecc::test {
namespace {

template <class Model>
const Model* find_model(std::span<const Model> models, std::string_view name) {
  const auto found = std::ranges::find(models, name, &Model::name);
  return found == models.end() ? nullptr : &*found;
}

template <class Data>
Data loaded(Result<Data> data) {
  VECC_CHECK(data.has_value(), data.error().text());
  return std::move(*data);
}

Result<void> ground_set(const std::string& folder, const tools::GraphSetModel& model,
                        Grounder& out) {
  tools::GraphSetOptions options;
  options.dim = 3;
  options.layers = model.layers;
  return model.ground(loaded(tools::load_tu(folder)), options, out);
}

tools::TypedGraph load_typed(const std::string& data) {
  const std::string folder = data_folder(data);
  if (data.starts_with("rdf_")) return loaded(tools::load_rdf(folder));
  if (data.starts_with("hgb_")) return loaded(tools::load_hgb(folder));
  return loaded(tools::load_triples(folder));
}

Result<void> ground(const ImportedGraph& graph, Grounder& out) {
  if (const auto* model = find_model(tools::graph_set_models(), graph.model)) {
    return ground_set(data_folder(graph.data), *model, out);
  }
  if (const auto* model = find_model(tools::typed_models(), graph.model)) {
    const tools::TypedGraph typed = load_typed(graph.data);
    const auto classes = static_cast<std::uint32_t>(typed.label_names.size());
    tools::TypedOptions options;
    options.dims = {4, classes > 0 ? classes : 4};  // of labelled nodes, the last is their classes
    options.heads = graph.model == "rgcn" || options.dims.back() % 2 != 0 ? 1 : 2;
    return model->ground(typed, options, out);
  }
  const auto* model = find_model(tools::score_models(), graph.model);
  VECC_CHECK(model != nullptr, graph.model);
  tools::ScoreOptions options;
  options.dim = 4;
  options.triples = Split::Test;
  return model->ground(load_typed(graph.data), options, out);
}

}  // namespace

std::vector<ImportedGraph> imported_graphs() {
  std::vector<ImportedGraph> graphs;
  for (const char* model : {"gcn", "sage", "gin", "gcn-norm", "gat"}) {
    graphs.push_back({"tu_MUTAG", model});
  }
  if (!full_list()) return graphs;
  graphs.push_back({"tu_ENZYMES", "gcn"});
  graphs.push_back({"tu_ENZYMES", "gin"});
  graphs.push_back({"tu_PROTEINS", "sage"});
  graphs.push_back({"tu_NCI1", "gat"});
  for (const char* model : {"rgcn", "rgat", "hgt"}) graphs.push_back({"hgb_ACM", model});
  graphs.push_back({"kg_FB15k-237", "rgcn"});
  for (const tools::ScoreModel& model : tools::score_models()) {
    graphs.push_back({"kg_WN18", std::string(model.name)});
  }
  return graphs;
}

std::string data_folder(const std::string& data) {
  const char* build = std::getenv("VECC_BINARY_DIR");
  return std::string(build != nullptr ? build : "build") + "/data/" + data;
}

const NamedProgram& imported(const ImportedGraph& graph) {
  static std::map<std::pair<std::string, std::string>, NamedProgram> kept;
  const auto [place, is_new] = kept.try_emplace({graph.data, graph.model});
  if (is_new) {
    const auto neurons = ground_to_graph([&](Grounder& out) { return ground(graph, out); });
    VECC_CHECK(neurons.has_value(), neurons.error().text());
    place->second = vectorized(graph.data + " " + graph.model, *neurons);
  }
  return place->second;
}

}  // namespace vecc::test
