#include "vecc/neuron_graph.h"

#include <algorithm>

#include "src/graph/describe.h"
#include "src/support/quantity_text.h"
#include "vecc/error.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

template <class T>
std::uint64_t bytes_of(const std::vector<T>& column) {
  return column.capacity() * sizeof(T);
}

// What a string holds outside itself: short ones live inside the object.
std::uint64_t bytes_of(const std::string& text) {
  return text.capacity() < sizeof(std::string) ? 0 : text.capacity() + 1;
}

std::uint64_t bytes_of(const StringColumn& column) {
  return bytes_of(column.bytes) + bytes_of(column.begin);
}

}  // namespace

std::string_view text_of(NeuronClass neuron_class) {
  switch (neuron_class) {
    case NeuronClass::Fact: return "fact";
    case NeuronClass::Rule: return "rule";
    case NeuronClass::WeightedRule: return "weighted rule";
    case NeuronClass::Aggregation: return "aggregation";
    case NeuronClass::Atom: return "atom";
    case NeuronClass::WeightedAtom: return "weighted atom";
    case NeuronClass::Negation: return "negation";
    case NeuronClass::SplittableAggregation: return "splittable aggregation";
  }
  fail_check("a neuron class", __FILE__, __LINE__, std::to_string(static_cast<int>(neuron_class)));
}

}  // namespace vecc

namespace vecc::graph {

std::string count_of_others(std::uint64_t neurons) {
  if (neurons == 0) return {};
  return "; " + text_of_count(neurons, "more neuron") + " of the group " +
         (neurons == 1 ? "has" : "have") + " the same error";
}

std::string describe_group(const NeuronGroup& group) {
  return "group " + std::to_string(group.file_id) + " \"" + escape_terminal(group.head_predicate) +
         "\"";
}

}  // namespace vecc::graph

namespace vecc {

NeuronGraph::NeuronGraph() = default;
NeuronGraph::NeuronGraph(const NeuronGraph&) = default;
NeuronGraph::NeuronGraph(NeuronGraph&&) noexcept = default;
NeuronGraph& NeuronGraph::operator=(const NeuronGraph&) = default;
NeuronGraph& NeuronGraph::operator=(NeuronGraph&&) noexcept = default;
NeuronGraph::~NeuronGraph() = default;

std::uint32_t NeuronGraph::range_of(NeuronId neuron) const {
  VECC_CHECK(neuron < neuron_count(), "neuron " + std::to_string(neuron));
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), neuron,
                       [](NeuronId n, const NeuronRange& range) { return n < range.first; });
  return static_cast<std::uint32_t>(after - ranges.begin()) - 1;
}

std::uint64_t NeuronGraph::file_id(NeuronId neuron) const {
  const NeuronRange& range = ranges[range_of(neuron)];
  return range.file_first_id + (neuron - range.first);
}

std::string NeuronGraph::describe(NeuronId neuron) const {
  const NeuronRange& range = ranges[range_of(neuron)];
  return graph::describe_group(groups[range.group]) + ", neuron " +
         std::to_string(range.file_first_id + (neuron - range.first));
}

const Vocabulary* NeuronGraph::find_vocabulary(std::string_view name) const {
  const auto found = std::ranges::find(vocabularies, name, &Vocabulary::name);
  return found == vocabularies.end() ? nullptr : &*found;
}

const StringColumn* NeuronGraph::classes() const {
  for (const Vocabulary& vocabulary : vocabularies) {
    for (const VocabularyUse& use : vocabulary.uses) {
      if (use.place == VocabularyUse::Place::Outputs) return &vocabulary.names;
    }
  }
  return nullptr;
}

std::uint64_t NeuronGraph::bytes() const {
  std::uint64_t total = bytes_of(groups) + bytes_of(ranges) + bytes_of(functions) +
                        bytes_of(input_begin) + bytes_of(inputs) + bytes_of(weights) +
                        bytes_of(offsets) + bytes_of(words) + values.bytes() + bytes_of(names) +
                        bytes_of(weight_tables) + bytes_of(table_of_weight) + bytes_of(samples) +
                        bytes_of(sample_ids) + bytes_of(target_values) + bytes_of(producer);
  for (const NeuronGroup& group : groups) {
    total += bytes_of(group.head_predicate) + bytes_of(group.rule_text) + bytes_of(group.ranges);
  }
  for (const WeightTable& table : weight_tables) {
    total += bytes_of(table.name) + table.values.bytes() + bytes_of(table.row_names);
  }
  total += bytes_of(vocabularies);
  for (const Vocabulary& vocabulary : vocabularies) {
    total += bytes_of(vocabulary.name) + bytes_of(vocabulary.names) + bytes_of(vocabulary.uses);
  }
  return total;
}

}  // namespace vecc
