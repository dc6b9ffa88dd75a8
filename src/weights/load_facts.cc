// Files of bound facts: weight files that hold all of them and nothing else.
#include <algorithm>
#include <set>
#include <utility>

#include "src/weights/safetensors_header.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/bind_facts.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

/// What a tensor that is no bound fact would need.
std::string refuse(const std::string& name) {
  constexpr std::string_view kPrefix = "fact/";
  if (!name.starts_with(kPrefix)) return "is no fact that is an input, expected fact/GROUP";
  const std::string group = escape_terminal(std::string_view(name).substr(kPrefix.size()));
  return "is no input: facts of \"" + group +
         "\" are compiled in, and what was computed from them too; --bind-facts=" + group +
         " makes them inputs";
}

}  // namespace

Result<void> load_facts(NeuronGraph& graph, const BoundFacts& facts, WeightFile file) {
  Errors errors;
  std::set<std::string_view> found;
  for (const WeightTensor& tensor : file.tensors) {
    found.insert(tensor.name);
    if (facts.contains(tensor.name)) continue;
    errors.add(ErrorCode::WeightsDiffer, weights::describe_tensor(tensor.name),
               refuse(tensor.name));
  }
  for (const std::string& table : facts.tables) {
    if (found.contains(table)) continue;
    errors.add(ErrorCode::WeightsDiffer, "facts \"" + escape_terminal(table) + "\"",
               "are not in the file");
  }
  if (!errors.empty()) return errors;
  VECC_TRY_VOID(load_weights(graph, std::move(file), LoadMode::ByName));
  return {};
}

WeightFile take_facts(WeightFile& weights, const BoundFacts& facts) {
  WeightFile taken;
  const auto is_weight = [&](const WeightTensor& tensor) { return !facts.contains(tensor.name); };
  const auto first =
      std::stable_partition(weights.tensors.begin(), weights.tensors.end(), is_weight);
  taken.tensors.assign(std::make_move_iterator(first),
                       std::make_move_iterator(weights.tensors.end()));
  weights.tensors.erase(first, weights.tensors.end());
  constexpr std::string_view kRowsOf = "rows of ";
  const auto of_weight = [&](const std::pair<std::string, std::string>& entry) {
    const std::string_view key = entry.first;
    return !key.starts_with(kRowsOf) || !facts.contains(key.substr(kRowsOf.size()));
  };
  const auto rows =
      std::stable_partition(weights.metadata.begin(), weights.metadata.end(), of_weight);
  taken.metadata.assign(rows, weights.metadata.end());
  weights.metadata.erase(rows, weights.metadata.end());
  // Of the facts' values as of the weights that read them.
  std::ranges::copy_if(
      weights.metadata, std::back_inserter(taken.metadata),
      [](const MetadataEntry& entry) { return entry.first == weights::kVocabulariesKey; });
  return taken;
}

}  // namespace vecc
