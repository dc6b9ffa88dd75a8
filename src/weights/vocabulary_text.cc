#include "src/weights/vocabulary_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "src/weights/table_rows.h"

namespace vecc::weights {
namespace {

using Json = nlohmann::ordered_json;
using Use = VocabularyUse;

// By Use::Axis.
constexpr std::array<std::string_view, 3> kAxes{"entries", "rows", "columns"};

bool numbers_rows(const Vocabulary& vocabulary, const std::string& table) {
  return std::ranges::any_of(vocabulary.uses, [&](const Use& use) {
    return use.place == Use::Place::Weights && use.axis == Use::Axis::Entry && use.table == table;
  });
}

Json json_of(const Vocabulary& vocabulary) {
  Json uses = Json::array();
  for (const Use& use : vocabulary.uses) {
    if (use.place != Use::Place::Weights) continue;
    uses.push_back({{"weight_table", use.table},
                    {"axis", kAxes[static_cast<std::size_t>(use.axis)]},
                    {"inner", use.inner}});
  }
  Json names = Json::array();
  for (std::size_t i = 0; i < vocabulary.names.size(); ++i) names.push_back(vocabulary.names[i]);
  return {{"name", vocabulary.name}, {"uses", std::move(uses)}, {"names", std::move(names)}};
}

bool parse_names(const Json& json, StringColumn& names) {
  if (!json.is_array()) return false;
  std::unordered_set<std::string_view> seen;
  for (const Json& name : json) {
    if (!name.is_string() || !seen.insert(name.get_ref<const std::string&>()).second) return false;
    names.push_back(name.get_ref<const std::string&>());
  }
  return names.size() > 0;
}

bool parse_use(const Json& json, Use& use) {
  if (!json.is_object()) return false;
  const auto table = json.find("weight_table");
  const auto axis = json.find("axis");
  const auto inner = json.find("inner");
  if (table == json.end() || axis == json.end() || inner == json.end()) return false;
  if (!table->is_string() || !axis->is_string() || !inner->is_number_unsigned()) return false;
  const auto* const found = std::ranges::find(kAxes, axis->get_ref<const std::string&>());
  const auto times = inner->get<std::uint64_t>();
  if (found == kAxes.end() || times == 0 || times > UINT32_MAX) return false;
  use.table = table->get<std::string>();
  use.axis = static_cast<Use::Axis>(found - kAxes.begin());
  use.inner = static_cast<std::uint32_t>(times);
  return true;
}

bool parse_vocabulary(const Json& json, Vocabulary& vocabulary) {
  if (!json.is_object()) return false;
  const auto name = json.find("name");
  const auto uses = json.find("uses");
  const auto names = json.find("names");
  if (name == json.end() || !name->is_string()) return false;
  if (uses == json.end() || !uses->is_array()) return false;
  vocabulary.name = name->get<std::string>();
  for (const Json& use : *uses) {
    if (!parse_use(use, vocabulary.uses.emplace_back())) return false;
  }
  return names == json.end() || parse_names(*names, vocabulary.names);
}

}  // namespace

std::vector<Vocabulary> vocabularies_in_use(const NeuronGraph& graph) {
  std::vector<Vocabulary> result;
  std::ranges::copy_if(graph.vocabularies, std::back_inserter(result),
                       [](const Vocabulary& v) { return !v.uses.empty(); });
  const std::size_t given = result.size();
  for (const WeightTable& table : graph.weight_tables) {
    if (table.row_names.size() == 0) continue;
    const auto end = result.begin() + static_cast<std::ptrdiff_t>(given);
    const auto numbers = [&](const Vocabulary& v) { return numbers_rows(v, table.name); };
    if (std::any_of(result.begin(), end, numbers)) continue;
    std::unordered_set<std::string_view> distinct;
    for (std::size_t i = 0; i < table.count; ++i) distinct.insert(table.row_names[i]);
    if (distinct.size() < table.count) continue;  // such names tell no rows apart
    result.push_back({rows_key(table), table.row_names, {{.table = table.name}}});
  }
  return result;
}

std::string text_of_vocabularies(const std::vector<Vocabulary>& vocabularies,
                                 std::uint64_t max_bytes) {
  if (vocabularies.empty()) return {};
  std::vector<std::string> texts;
  std::uint64_t bytes = 0;
  for (const Vocabulary& vocabulary : vocabularies) {
    texts.push_back(json_of(vocabulary).dump());
    bytes += texts.back().size() + 1;
  }
  while (bytes > max_bytes) {
    const auto longest = std::ranges::max_element(texts, {}, &std::string::size);
    Json json = json_of(vocabularies[static_cast<std::size_t>(longest - texts.begin())]);
    if (json.erase("names") == 0) break;
    const std::string shorter = json.dump();
    if (shorter.size() >= longest->size()) break;
    bytes -= longest->size() - shorter.size();
    *longest = shorter;
  }
  std::string text = "[";
  for (const std::string& one : texts) text += (text.size() > 1 ? "," : "") + one;
  return text + "]";
}

std::optional<std::vector<Vocabulary>> parse_vocabularies(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return std::nullopt;
  std::vector<Vocabulary> result;
  for (const Json& one : json) {
    if (!parse_vocabulary(one, result.emplace_back())) return std::nullopt;
  }
  return result;
}

}  // namespace vecc::weights
