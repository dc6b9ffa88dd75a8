#include "vecc/find_groups.h"

#include <algorithm>
#include <array>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/vectorize/layer_graph.h"
#include "src/vectorize/levels.h"
#include "src/vectorize/placement.h"
#include "src/vectorize/regroup.h"

namespace vecc::vectorizer {
namespace {

// Layers that a network may have, several levels each. A cycle with more is a recursion, whose
// levels read what they need of other levels; layers would be joined as wholes.
constexpr std::size_t kMostLevels = 256;

bool is_named_by_vocabulary(const NeuronGraph& graph, const NeuronGroup& group) {
  return std::ranges::any_of(graph.vocabularies, [&](const Vocabulary& vocabulary) {
    return std::ranges::any_of(vocabulary.uses, [&](const VocabularyUse& use) {
      return use.place == VocabularyUse::Place::Facts && use.group == group.file_id;
    });
  });
}

/// Numbers signatures, and names the groups that they become.
class Signatures {
 public:
  explicit Signatures(const NeuronGraph& graph) : graph_(graph) {
    kept_.reserve(graph.groups.size());
    for (const NeuronGroup& group : graph.groups) {
      kept_.push_back(!graph.vocabularies.empty() && is_named_by_vocabulary(graph, group));
    }
  }

  Grouping run() {
    grouping_.group_of.resize(graph_.neuron_count());
    for (const NeuronRange& range : graph_.ranges) {
      const std::uint32_t same = number_of_range(range);
      for (std::uint32_t i = 0; i < range.count; ++i) {
        const NeuronId n = range.first + i;
        grouping_.group_of[n] = range.fact == FactKind::NotAFact ? number_of(range, same, n)
                                                                 : group_of_facts(range, same);
      }
    }
    return std::move(grouping_);
  }

 private:
  static constexpr std::uint32_t kNoTable = 0xFFFFFFFF;

  /// What all neurons of a range have in common, numbered.
  std::uint32_t number_of_range(const NeuronRange& range) {
    const NeuronGroup& group = graph_.groups[range.group];
    std::string key(1, static_cast<char>(group.neuron_class));
    key += static_cast<char>(range.fact);
    if (range.fact == FactKind::NotAFact) {
      key += graph_.functions[range.function].text();
    } else {
      if (range.fact == FactKind::Constant) key += range.shape.text();
      key += kept_[range.group] ? '#' + std::to_string(group.file_id) : '"' + group.head_predicate;
    }
    const auto next = static_cast<std::uint32_t>(of_range_.size());
    return of_range_.try_emplace(std::move(key), next).first->second;
  }

  std::uint32_t group_of_facts(const NeuronRange& range, std::uint32_t same) {
    const auto [entry, is_new] = groups_.try_emplace({same, kNoTable, kNoTable}, next());
    if (is_new) add_group(range, graph_.groups[range.group].head_predicate);
    return entry->second;
  }

  std::uint32_t number_of(const NeuronRange& range, std::uint32_t same, NeuronId n) {
    std::array<std::uint32_t, 3> key{same, kNoTable, kNoTable};
    for_each_element(graph_, range, n, [&](WeightId weight, NeuronId input) {
      std::uint32_t& table = key[input == kNoNeuron ? 2 : 1];
      if (weight != kNoWeight && table == kNoTable) table = graph_.table_of_weight[weight];
    });
    if (key == last_key_) return last_;
    const auto [entry, is_new] = groups_.try_emplace(key, next());
    if (is_new) {
      std::string name = graph_.functions[range.function].text();
      if (key[1] != kNoTable) name += " of " + graph_.weight_tables[key[1]].name;
      add_group(range, std::move(name));
    }
    last_key_ = key;
    return last_ = entry->second;
  }

  [[nodiscard]] std::uint32_t next() const {
    return static_cast<std::uint32_t>(grouping_.groups.size());
  }
  void add_group(const NeuronRange& range, std::string name) {
    const NeuronGroup& of = graph_.groups[range.group];
    NeuronGroup group;
    group.file_id = kept_[range.group] ? of.file_id : kFoundGroup;
    group.neuron_class = of.neuron_class;
    group.head_predicate = std::move(name);
    if (range.fact != FactKind::NotAFact) group.rule_text = of.rule_text;
    grouping_.groups.push_back(std::move(group));
  }

  const NeuronGraph& graph_;
  std::vector<bool> kept_;  // by group
  Grouping grouping_;
  boost::unordered_flat_map<std::string, std::uint32_t> of_range_;
  boost::unordered_flat_map<std::array<std::uint32_t, 3>, std::uint32_t,
                            boost::hash<std::array<std::uint32_t, 3>>>
      groups_;  // by what the range has in common, table, table of the offset
  std::array<std::uint32_t, 3> last_key_{kNoTable, 0, 0};
  std::uint32_t last_ = 0;
};

/// The graph's own groups, but those of cycles split by level.
Grouping split_by_level(const NeuronGraph& graph) {
  const LayerGraph layers = build_layer_graph(graph);
  Grouping grouping{graph.groups, std::vector<std::uint32_t>(graph.neuron_count())};
  for (const NeuronRange& range : graph.ranges) {
    std::fill_n(grouping.group_of.begin() + range.first, range.count, range.group);
  }
  for (std::uint32_t c = 0; c < layers.components.size(); ++c) {
    if (!layers.components[c].recursive) continue;
    const Levels levels = level_component(graph, layers, c);
    if (levels.neurons.size() > kMostLevels) continue;
    for (std::size_t level = 0; level < levels.neurons.size(); ++level) {
      boost::unordered_flat_map<std::uint32_t, std::uint32_t> split;  // by group: that of the level
      for (const NeuronId n : levels.neurons[level]) {
        const std::uint32_t of = grouping.group_of[n];
        const auto [entry, is_new] =
            split.try_emplace(of, static_cast<std::uint32_t>(grouping.groups.size()));
        if (is_new) {
          NeuronGroup group = graph.groups[of];
          group.file_id = kFoundGroup;
          group.head_predicate += " " + std::to_string(level);
          grouping.groups.push_back(std::move(group));
        }
        grouping.group_of[n] = entry->second;
      }
    }
  }
  return grouping;
}

}  // namespace
}  // namespace vecc::vectorizer

namespace vecc {

NeuronGraph find_groups(NeuronGraph graph) {
  vectorizer::regroup(graph, vectorizer::Signatures(graph).run());
  vectorizer::regroup(graph, vectorizer::split_by_level(graph));
  return graph;
}

}  // namespace vecc
