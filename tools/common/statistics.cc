#include "tools/common/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_leaf(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return text_of_count(value.size());
  if (!value.is_number_unsigned()) return value.dump();
  const auto number = value.get<std::uint64_t>();
  return key.ends_with("bytes") ? text_of_bytes(number) : text_of_count(number);
}

void collect_leaves(const std::string& prefix, const Json& object,
                    std::vector<std::pair<std::string, std::string>>& leaves) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      collect_leaves(prefix + key + ".", value, leaves);
    } else {
      leaves.emplace_back(prefix + escape_terminal(key), text_of_leaf(key, value));
    }
  }
}

}  // namespace

Json json_of(const NeuronGraph& graph) {
  return json_of(graph, sizes_of(graph));
}

Json json_of(const NeuronGraph& graph, const GraphSizes& sizes) {
  Json result{{"neurons", sizes.neurons},        {"edges", sizes.edges},
              {"groups", sizes.groups},          {"weights", graph.weight_count()},
              {"samples", graph.samples.size()}, {"bytes", sizes.bytes}};
  if (graph.vocabularies.empty()) return result;
  Json& vocabularies = result["vocabularies"] = Json::object();
  for (const Vocabulary& v : graph.vocabularies) vocabularies[v.name] = v.names.size();
  return result;
}

Json json_of(const Program& program) {
  const ProgramStatistics s = statistics(program);
  std::map<OpKind, std::uint64_t> by_kind;
  for (const Op& op : program.ops()) ++by_kind[op.kind()];
  Json kinds = Json::object();
  for (const auto& [kind, count] : by_kind) kinds[std::string(text_of(kind))] = count;
  return {{"dtype", text_of(program.dtype())},
          {"samples", program.sample_count()},
          {"ops", s.ops},
          {"rows", s.rows},
          {"value_bytes", s.value_bytes},
          {"index_bytes", s.index_bytes},
          {"parameter_bytes", s.parameter_bytes},
          {"ops_by_kind", kinds}};
}

std::string table_of(const Json& object) {
  std::vector<std::pair<std::string, std::string>> leaves;
  collect_leaves("", object, leaves);
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (const auto& [key, value] : leaves) {
    key_width = std::max(key_width, key.size());
    value_width = std::max(value_width, value.size());
  }
  std::string result;
  for (const auto& [key, value] : leaves) {
    result += fmt::format("{:<{}}  {:>{}}\n", key, key_width, value, value_width);
  }
  return result;
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', true, Json::error_handler_t::replace);
}

}  // namespace vecc::tools
