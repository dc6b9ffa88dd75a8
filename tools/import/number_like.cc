#include "tools/import/number_like.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/graph/vocabulary_names.h"
#include "tools/import/load/line_reader.h"
#include "tools/import/models/data_vocabularies.h"
#include "vecc/escape.h"
#include "vecc/graph_io.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kMaxPath = 4096;
static_assert(kUnknownLabel == graph::kNoName, "an unknown label keeps its number");

std::string place_of(const EarlierGraph& earlier, std::string_view vocabulary) {
  return "--like=" + escape_terminal(earlier.path, kMaxPath) + ": " +
         graph::describe_vocabulary(vocabulary);
}

const Vocabulary* find(const EarlierGraph& earlier, std::string_view name) {
  const auto found = std::ranges::find(earlier.vocabularies, name, &Vocabulary::name);
  return found == earlier.vocabularies.end() ? nullptr : &*found;
}

// The earlier number of each of the data's names; kNoName only where `allow_unknown`.
Result<std::vector<std::uint32_t>> earlier_numbers(const EarlierGraph& earlier,
                                                   const Vocabulary& vocabulary,
                                                   const StringColumn& names, bool allow_unknown) {
  std::vector<std::uint32_t> numbers = graph::find_names(names, vocabulary.names);
  const auto unknown = graph::lacking_names(names, numbers);
  if (unknown.empty() || allow_unknown) return numbers;
  return Errors(ErrorCode::DanglingReference, place_of(earlier, vocabulary.name),
                "the data has " + graph::describe_names(names) + "; the graph has " +
                    graph::describe_names(vocabulary.names) + ": it knows nothing of " +
                    graph::list_names(unknown));
}

void renumber(std::vector<std::uint32_t>& column, const std::vector<std::uint32_t>& numbers) {
  for (std::uint32_t& entry : column) {
    if (entry != kUnknownLabel) entry = numbers[entry];
  }
}

// A column of whole numbers, as places among its values.
struct LabelColumn {
  std::string_view vocabulary;
  std::vector<std::uint32_t>& column;
  std::vector<std::int64_t>& values;
  bool allow_unknown;
};

Result<void> number_values(const EarlierGraph& earlier, const LabelColumn& c) {
  const Vocabulary* const known = find(earlier, c.vocabulary);
  if (known == nullptr) return {};
  if (c.values.empty()) {
    return Errors(ErrorCode::BadTable, place_of(earlier, c.vocabulary),
                  "the data has none, the graph has " + graph::describe_names(known->names));
  }
  StringColumn names;
  for (const std::int64_t value : c.values) names.push_back(std::to_string(value));
  VECC_TRY(const auto numbers, earlier_numbers(earlier, *known, names, c.allow_unknown));
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < known->names.size(); ++i) {
    const std::optional<std::int64_t> value = parse_integer(known->names[i]);
    if (!value) {
      return Errors(ErrorCode::BadTable, place_of(earlier, c.vocabulary),
                    "the graph has \"" + escape_terminal(known->names[i]) +
                        "\", expected whole numbers, as this data has");
    }
    values.push_back(*value);
  }
  c.values = std::move(values);
  renumber(c.column, numbers);
  return {};
}

Result<void> number_relations(const EarlierGraph& earlier, TypedGraph& data) {
  const Vocabulary* const known = find(earlier, vocabulary::kRelation);
  if (known == nullptr) return {};
  VECC_TRY(const auto numbers, earlier_numbers(earlier, *known, data.relation_names, false));
  renumber(data.relation, numbers);
  data.relation_names = known->names;
  return {};
}

Result<void> number_node_types(const EarlierGraph& earlier, TypedGraph& data) {
  const Vocabulary* const known = find(earlier, vocabulary::kNodeType);
  if (known == nullptr) return {};
  VECC_TRY(const auto numbers, earlier_numbers(earlier, *known, data.node_type_names, false));
  data.node_type.resize(data.node_count);  // where it was empty: of type 0
  for (std::uint16_t& type : data.node_type) type = static_cast<std::uint16_t>(numbers[type]);
  if (!data.features.empty()) {
    std::vector<NodeFeatures> features(known->names.size());
    for (std::size_t t = 0; t < data.features.size(); ++t) {
      features[numbers[t]] = std::move(data.features[t]);
    }
    data.features = std::move(features);
  }
  data.node_type_names = known->names;
  return {};
}

Result<void> number_classes(const EarlierGraph& earlier, TypedGraph& data) {
  const Vocabulary* const known = find(earlier, vocabulary::kClass);
  if (known == nullptr) return {};
  VECC_TRY(const auto numbers, earlier_numbers(earlier, *known, data.label_names, false));
  for (NodeLabel& label : data.labels) label.label = numbers[label.label];
  data.label_names = known->names;
  return {};
}

}  // namespace

Result<EarlierGraph> read_earlier(const std::string& path) {
  Result<NeuronGraph> graph = read_graph(path);
  if (!graph) return graph.error().in("--like");
  EarlierGraph earlier{path, std::move(graph->vocabularies)};
  std::erase_if(earlier.vocabularies, [](const Vocabulary& v) { return v.uses.empty(); });
  if (!earlier.vocabularies.empty()) return earlier;
  return Errors(ErrorCode::MissingValues, "--like=" + escape_terminal(path, kMaxPath),
                "the graph has no vocabularies that number anything; leave --like away where "
                "nothing in it depends on labels, else import its data again");
}

Result<void> number_like(const EarlierGraph& earlier, bool zero_unknown, GraphSet& data) {
  VECC_TRY_VOID(number_values(
      earlier, {vocabulary::kEdgeLabel, data.edge_labels, data.edge_label_values, false}));
  VECC_TRY_VOID(number_values(
      earlier, {vocabulary::kNodeLabel, data.node_labels, data.node_label_values, zero_unknown}));
  return number_values(
      earlier, {vocabulary::kClass, data.has_node_samples ? data.node_classes : data.graph_labels,
                data.graph_label_values, false});
}

Result<void> number_like(const EarlierGraph& earlier, TypedGraph& data) {
  VECC_TRY_VOID(number_relations(earlier, data));
  VECC_TRY_VOID(number_node_types(earlier, data));
  VECC_TRY_VOID(number_classes(earlier, data));
  const Vocabulary* const entities = find(earlier, vocabulary::kEntity);
  if (entities == nullptr || data.node_names.size() == 0) return {};
  VECC_TRY(const auto numbers, earlier_numbers(earlier, *entities, data.node_names, false));
  (void)numbers;
  return {};
}

}  // namespace vecc::tools
