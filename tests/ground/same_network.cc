#include "tests/ground/same_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "vecc/backend.h"

namespace vecc::test {
namespace {

using Hash = std::uint64_t;

Hash mix(Hash a, Hash b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15ull;
  return (a ^ (a >> 29)) * 0xBF58476D1CE4E5B9ull;
}
Hash hash_of(std::string_view text) {
  return mix(std::hash<std::string_view>{}(text), text.size());
}

// Whose inputs are in the order of a hash table there.
bool is_unordered(NeuronClass neuron_class) {
  return neuron_class == NeuronClass::Aggregation ||
         neuron_class == NeuronClass::SplittableAggregation;
}

std::string without_spaces(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

// What neurons are, by what they are made from.
class Signatures {
 public:
  explicit Signatures(const NeuronGraph& graph) : graph_(graph), hashes_(graph.neuron_count(), 0) {
    for (NeuronId n = 0; n < graph.neuron_count(); ++n) visit(n);
  }

  [[nodiscard]] const std::vector<Hash>& hashes() const { return hashes_; }
  [[nodiscard]] bool order_matters() const { return order_matters_; }

  [[nodiscard]] std::string weight_text(WeightId w) const {
    if (w == kNoWeight) return "1";
    const WeightTable& table = graph_.weight_tables[graph_.table_of_weight[w]];
    const std::uint32_t row = w - table.first;
    if (!table.learnable) {
      std::string text = "<" + table.shape.text();
      for (std::uint64_t i = 0; i < table.shape.size(); ++i) {
        text += fmt::format(" {}", table.values[row * table.shape.size() + i]);
      }
      return text + ">";
    }
    std::string text = table.name + " " + table.shape.text();
    if (table.row_names.size() > 0) text += " " + without_spaces(table.row_names[row]);
    return text;
  }

  [[nodiscard]] std::string label(NeuronId n) const {
    const NeuronRange& range = graph_.ranges[graph_.range_of(n)];
    const NeuronGroup& group = graph_.groups[range.group];
    std::string text = fmt::format("{} {} ", text_of(group.neuron_class), group.head_predicate);
    return range.fact == FactKind::NotAFact ? text + function_text(n, range) : text + "fact";
  }

 private:
  [[nodiscard]] std::size_t element_count(NeuronId n, const NeuronRange& range) const {
    const bool has_offset = range.offset_begin != kNoColumn &&
                            graph_.offsets[range.offset_begin + (n - range.first)] != kNoWeight;
    return graph_.input_begin[n + 1] - graph_.input_begin[n] + (has_offset ? 1 : 0);
  }

  // Of one element most combinations leave it as it is, and the others make 1.
  [[nodiscard]] std::string function_text(NeuronId n, const NeuronRange& range) const {
    NeuronFunction function = graph_.functions[range.function];
    if (element_count(n, range) == 1) {
      const CombinationSingle single = info(function.combination).single;
      if (single == CombinationSingle::Skipped) function.combination = Combination::Sum;
      if (single == CombinationSingle::One) function.combination = Combination::Count;
    }
    return function.text();
  }

  void visit(NeuronId root) {
    std::vector<NeuronId> open{root};
    while (!open.empty()) {
      const NeuronId n = open.back();
      if (hashes_[n] != 0) {
        open.pop_back();
        continue;
      }
      bool ready = true;
      for (std::uint64_t e = graph_.input_begin[n]; e < graph_.input_begin[n + 1]; ++e) {
        if (hashes_[graph_.inputs[e]] != 0) continue;
        open.push_back(graph_.inputs[e]);
        ready = false;
      }
      if (ready) hashes_[n] = hash(n) | 1;
    }
  }

  Hash hash(NeuronId n) {
    const NeuronRange& range = graph_.ranges[graph_.range_of(n)];
    Hash out = hash_of(label(n));
    if (range.fact != FactKind::NotAFact) return mix(out, fact(n, range));
    if (range.offset_begin != kNoColumn) {
      out = mix(out, hash_of(weight_text(graph_.offsets[range.offset_begin + (n - range.first)])));
    } else {
      out = mix(out, hash_of(weight_text(kNoWeight)));
    }
    std::vector<Hash> elements;
    const std::uint64_t first = graph_.input_begin[range.first];
    for (std::uint64_t e = graph_.input_begin[n]; e < graph_.input_begin[n + 1]; ++e) {
      const WeightId weight = range.weight_begin == kNoColumn
                                  ? kNoWeight
                                  : graph_.weights[range.weight_begin + e - first];
      elements.push_back(mix(hash_of(weight_text(weight)), hashes_[graph_.inputs[e]]));
    }
    const NeuronClass neuron_class = graph_.groups[range.group].neuron_class;
    if (neuron_class == NeuronClass::Aggregation) {
      const CombinationInfo& of = info(graph_.functions[range.function].combination);
      const bool is_free = of.order == CombinationOrder::Free;
      order_matters_ |= !is_free && elements.size() > 1;
    }
    if (is_unordered(neuron_class)) std::ranges::sort(elements);
    for (const Hash element : elements) out = mix(out, element);
    return mix(mix(out, elements.size()), words_hash(n, range));
  }

  // An entry of a list in any order is what it is made from, not its number.
  [[nodiscard]] Hash words_hash(NeuronId n, const NeuronRange& range) const {
    if (range.word_begin == kNoColumn) return 0;
    const TransformationSpec& function = graph_.functions[range.function].transformation;
    const std::uint64_t count = word_count(function.id);
    const std::uint64_t begin = range.word_begin + count * (n - range.first);
    const NeuronId list = graph_.inputs[graph_.input_begin[n]];
    const NeuronGroup& of_list = graph_.groups[graph_.ranges[graph_.range_of(list)].group];
    if (function.id == Transformation::AtIndex && is_unordered(of_list.neuron_class)) {
      return hashes_[graph_.inputs[graph_.input_begin[list] + graph_.words[begin]]];
    }
    Hash out = 1;
    for (std::uint64_t i = 0; i < count; ++i) out = mix(out, graph_.words[begin + i]);
    return out;
  }

  [[nodiscard]] Hash fact(NeuronId n, const NeuronRange& range) const {
    if (range.fact == FactKind::Learnable) {
      return hash_of(weight_text(graph_.weights[range.weight_begin + (n - range.first)]));
    }
    std::string text = range.shape.text();
    if (range.fact == FactKind::Unit) return hash_of(text + " 1");
    const std::uint64_t size = range.shape.size();
    for (std::uint64_t i = 0; i < size; ++i) {
      text += fmt::format(" {}", graph_.values[range.value_begin + size * (n - range.first) + i]);
    }
    return hash_of(text);
  }

  const NeuronGraph& graph_;
  std::vector<Hash> hashes_;
  bool order_matters_ = false;
};

bool is_learnable_fact(const NeuronGraph& graph, NeuronId n) {
  return graph.ranges[graph.range_of(n)].fact == FactKind::Learnable;
}

std::string differing_neurons(const NeuronGraph& ours, const Signatures& a,
                              const NeuronGraph& theirs, const Signatures& b, bool counts_facts) {
  std::map<Hash, std::int64_t> surplus;
  std::map<Hash, std::string> labels;
  for (NeuronId n = 0; n < ours.neuron_count(); ++n) {
    if (counts_facts || !is_learnable_fact(ours, n)) ++surplus[a.hashes()[n]];
    labels.try_emplace(a.hashes()[n], a.label(n));
  }
  for (NeuronId n = 0; n < theirs.neuron_count(); ++n) {
    if (counts_facts || !is_learnable_fact(theirs, n)) --surplus[b.hashes()[n]];
    labels.try_emplace(b.hashes()[n], b.label(n));
  }
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_label;
  for (const auto& [hash, count] : surplus) {
    auto& [more, fewer] = by_label[labels[hash]];
    (count > 0 ? more : fewer) += std::abs(count);
  }
  std::string out;
  for (const auto& [label, counts] : by_label) {
    if (counts.first + counts.second == 0) continue;
    out += fmt::format("{}: {} too many, {} missing\n", label, counts.first, counts.second);
  }
  return out;
}

std::multiset<std::string> samples_of(const NeuronGraph& graph, const Signatures& signatures) {
  std::multiset<std::string> out;
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    const Sample& sample = graph.samples[i];
    std::string text = fmt::format("{} {} {}", graph.sample_ids[i],
                                   signatures.hashes()[sample.output], sample.weight);
    if (sample.has_target) {
      text += " " + sample.target_shape.text();
      for (std::uint64_t k = 0; k < sample.target_shape.size(); ++k) {
        text += fmt::format(" {}", graph.target_values[sample.target_begin + k]);
      }
    }
    out.insert(text);
  }
  return out;
}

std::string differing_samples(const NeuronGraph& ours, const Signatures& a,
                              const NeuronGraph& theirs, const Signatures& b) {
  const std::multiset<std::string> mine = samples_of(ours, a);
  const std::multiset<std::string> others = samples_of(theirs, b);
  if (mine == others) return {};
  std::string out = fmt::format("{} samples instead of {}\n", mine.size(), others.size());
  for (const std::string& text : mine) {
    if (!others.contains(text)) out += "only ours: " + text + "\n";
  }
  for (const std::string& text : others) {
    if (!mine.contains(text)) out += "only theirs: " + text + "\n";
  }
  return out.substr(0, 2000);
}

// By name; rows by theirs.
std::string give_weights(NeuronGraph& ours, const NeuronGraph& theirs) {
  const Signatures a(ours);
  const Signatures b(theirs);
  std::map<std::string, std::vector<double>> values;
  for (const WeightTable& table : theirs.weight_tables) {
    for (std::uint32_t row = 0; row < table.count; ++row) {
      std::vector<double>& to = values[b.weight_text(table.first + row)];
      to.resize(table.shape.size());
      table.values.copy_to(row * to.size(), to);
    }
  }
  std::string missing;
  for (WeightTable& table : ours.weight_tables) {
    if (!table.learnable) continue;
    table.has_values = true;
    std::vector<double> numbers;
    for (std::uint32_t row = 0; row < table.count; ++row) {
      const auto found = values.find(a.weight_text(table.first + row));
      if (found == values.end()) {
        missing += "no weight of theirs is " + a.weight_text(table.first + row) + "\n";
        numbers.insert(numbers.end(), table.shape.size(), 0.0);
      } else {
        numbers.insert(numbers.end(), found->second.begin(), found->second.end());
      }
    }
    table.values = SharedNumbers::of(std::move(numbers));
  }
  return missing;
}

}  // namespace

NetworkComparison compare_networks(NeuronGraph ours, const NeuronGraph& theirs, bool counts_facts) {
  NetworkComparison out;
  out.difference = give_weights(ours, theirs);
  const Signatures a(ours);
  const Signatures b(theirs);
  out.difference += differing_neurons(ours, a, theirs, b, counts_facts);
  out.difference += differing_samples(ours, a, theirs, b);
  if (!out.difference.empty() || a.order_matters()) return out;
  const Result<ReferenceValues> mine = evaluate_reference(ours);
  const Result<ReferenceValues> others = evaluate_reference(theirs);
  if (!mine) out.difference += mine.error().text();
  if (!others) out.difference += others.error().text();
  if (!out.difference.empty()) return out;
  std::map<Hash, NeuronId> of_hash;
  for (NeuronId n = 0; n < theirs.neuron_count(); ++n) of_hash[b.hashes()[n]] = n;
  for (NeuronId n = 0; n < ours.neuron_count(); ++n) {
    const NeuronId other = of_hash[a.hashes()[n]];
    const std::uint64_t begin = mine->begin[n];
    const std::uint64_t size = mine->begin[n + 1] - begin;
    if (size != others->begin[other + 1] - others->begin[other]) {
      out.difference = "the value of " + a.label(n) + " has another size";
      return out;
    }
    std::vector<double> xs(mine->values.begin() + static_cast<std::ptrdiff_t>(begin),
                           mine->values.begin() + static_cast<std::ptrdiff_t>(begin + size));
    const auto first = others->values.begin() + static_cast<std::ptrdiff_t>(others->begin[other]);
    std::vector<double> ys(first, first + static_cast<std::ptrdiff_t>(size));
    if (is_unordered(ours.groups[ours.ranges[ours.range_of(n)].group].neuron_class)) {
      std::ranges::sort(xs);
      std::ranges::sort(ys);
    }
    for (std::uint64_t i = 0; i < size; ++i) {
      const double x = xs[i];
      const double y = ys[i];
      out.largest = std::max(out.largest, std::abs(x - y) / std::max(1.0, std::abs(y)));
    }
  }
  return out;
}

}  // namespace vecc::test
