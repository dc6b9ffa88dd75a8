#include "graph.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "errors.h"
#include "vecc/escape.h"

namespace vecc::python_package {
namespace {

constexpr std::size_t kMaxPath = 4096;

std::string bytes_of(const double* values, std::size_t count) {
  static_assert(std::endian::native == std::endian::little, "as safetensors has numbers");
  return {reinterpret_cast<const char*>(values), count * sizeof(double)};
}

// The weight tables of a graph that are no facts, taken out for as long as this lives.
class TablesApart {
 public:
  TablesApart(NeuronGraph& graph, const BoundFacts& facts) : graph_(graph) {
    for (std::size_t i = 0; i < graph.weight_tables.size(); ++i) {
      if (!facts.contains(graph.weight_tables[i].name)) places_.push_back(i);
    }
    apart.vocabularies = graph.vocabularies;
    apart.weight_tables.reserve(places_.size());
    for (const std::size_t i : places_) {
      apart.weight_tables.push_back(std::move(graph.weight_tables[i]));
    }
  }
  ~TablesApart() {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      graph_.weight_tables[places_[k]] = std::move(apart.weight_tables[k]);
    }
  }
  TablesApart(const TablesApart&) = delete;
  TablesApart& operator=(const TablesApart&) = delete;

  NeuronGraph apart;

 private:
  NeuronGraph& graph_;
  std::vector<std::size_t> places_;
};

}  // namespace

tools::Options parse_words(Words words) {
  words.insert(words.begin(), "graph.pb");  // which is given in another way
  return take(tools::parse_option_words(std::move(words)));
}

Result<void> set_tables(NeuronGraph& graph, const std::vector<NamedArray>& arrays) {
  WeightFile file;
  Errors unknown;
  for (const auto& [name, array] : arrays) {
    const auto& tables = graph.weight_tables;
    if (std::ranges::find(tables, name, &WeightTable::name) == tables.end()) {
      unknown.add(ErrorCode::WeightsDiffer, "weights \"" + escape_terminal(name) + '"',
                  "the graph has no weights of that name");
      continue;
    }
    WeightTensor tensor{name, ElementType::F64, {}, bytes_of(array.data(), array.size())};
    for (std::size_t i = 0; i < array.ndim(); ++i) tensor.shape.push_back(array.shape(i));
    file.tensors.push_back(std::move(tensor));
  }
  if (!unknown.empty()) return unknown;
  VECC_TRY_VOID(load_weights(graph, std::move(file), LoadMode::ByName));
  return {};
}

Result<std::vector<MetadataEntry>> load_tables(NeuronGraph& graph, const BoundFacts& facts,
                                               const std::string& path, LoadMode mode) {
  VECC_TRY(WeightFile file, read_weights(path));
  std::vector<MetadataEntry> metadata = file.metadata;
  TablesApart weights(graph, facts);
  const Result<LoadReport> loaded = load_weights(weights.apart, std::move(file), mode);
  if (!loaded) return loaded.error().in(escape_terminal(path, kMaxPath));
  return metadata;
}

nb::object table_array(const WeightTable& table, std::vector<double> values) {
  const auto sides = tensor_shape(table);
  return array_of(std::move(values), {sides.begin(), sides.end()});
}

nb::dict table_arrays(std::vector<WeightTable> tables) {
  nb::dict result;
  for (WeightTable& table : tables) {
    result[nb::cast(table.name)] =
        table.has_values ? table_array(table, table.values.doubles()) : nb::none();
  }
  return result;
}

nb::object targets_of(const NeuronGraph& graph) {
  const auto first = std::ranges::find_if(graph.samples, &Sample::has_target);
  if (first == graph.samples.end()) return nb::none();
  const std::vector<double> none(first->target_shape.size(),
                                 std::numeric_limits<double>::quiet_NaN());
  std::vector<ShapedValue> targets;
  targets.reserve(graph.samples.size());
  for (const Sample& sample : graph.samples) {
    if (!sample.has_target) {
      targets.push_back({first->target_shape, none});
      continue;
    }
    const auto values = std::span(graph.target_values);
    targets.push_back(
        {sample.target_shape, values.subspan(sample.target_begin, sample.target_shape.size())});
  }
  return stack_values(targets, DType::F64);
}

std::vector<std::string> sample_names(const NeuronGraph& graph) {
  std::vector<std::string> names;
  names.reserve(graph.samples.size());
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    names.push_back(graph.sample_ids.size() > 0 ? std::string(graph.sample_ids[i])
                                                : std::to_string(i));
  }
  return names;
}

}  // namespace vecc::python_package
