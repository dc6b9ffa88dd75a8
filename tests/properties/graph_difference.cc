#include "tests/properties/graph_difference.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace vecc::test {
namespace {

// A neuron with everything that its range says about it.
struct NeuronView {
  std::uint64_t group_id = 0;
  NeuronClass neuron_class = NeuronClass::Fact;
  std::string_view head_predicate;
  std::string_view rule_text;
  FactKind fact = FactKind::NotAFact;
  std::uint64_t file_id = 0;
  std::optional<Shape> shape;
  NeuronFunction function;
  std::vector<NeuronId> inputs;
  std::vector<WeightId> weights;  // written out: kNoWeight where there is no column
  WeightId offset = kNoWeight;
  std::vector<std::uint32_t> words;
  std::vector<double> values;
  std::string_view name;

  bool operator==(const NeuronView&) const = default;
};

template <class T>
std::vector<T> cut(const std::vector<T>& column, std::uint64_t begin, std::uint64_t count) {
  const auto part = std::span(column).subspan(begin, count);
  return {part.begin(), part.end()};
}

NeuronView view(const NeuronGraph& graph, NeuronId neuron) {
  const NeuronRange& range = graph.ranges[graph.range_of(neuron)];
  const NeuronGroup& group = graph.groups[range.group];
  const std::uint64_t k = neuron - range.first;
  const std::uint64_t begin = graph.input_begin[neuron];
  NeuronView v;
  v.group_id = group.file_id;
  v.neuron_class = group.neuron_class;
  v.head_predicate = group.head_predicate;
  v.rule_text = group.rule_text;
  v.fact = range.fact;
  v.file_id = graph.file_id(neuron);
  if (range.has_shape) v.shape = range.shape;
  v.inputs = cut(graph.inputs, begin, graph.input_begin[neuron + 1] - begin);
  v.weights.assign(v.inputs.size(), kNoWeight);
  if (range.fact == FactKind::NotAFact) {
    v.function = graph.functions[range.function];
    if (range.weight_begin != kNoColumn) {
      v.weights = cut(graph.weights, range.weight_begin + begin - graph.input_begin[range.first],
                      v.inputs.size());
    }
    const std::uint32_t words = word_count(v.function.transformation.id);
    if (words != 0) v.words = cut(graph.words, range.word_begin + words * k, words);
  } else if (range.fact == FactKind::Learnable) {
    v.weights = cut(graph.weights, range.weight_begin + k, 1);
  } else if (range.fact == FactKind::Constant) {
    const std::uint64_t size = range.shape.size();
    const NumberRow row = graph.values.row(range.value_begin + size * k);
    for (std::uint64_t i = 0; i < size; ++i) v.values.push_back(row[i]);
  }
  if (range.offset_begin != kNoColumn) v.offset = graph.offsets[range.offset_begin + k];
  if (range.name_begin != kNoColumn) v.name = graph.names[range.name_begin + k];
  return v;
}

bool same_strings(const StringColumn& a, const StringColumn& b) {
  return a.bytes == b.bytes && a.begin == b.begin;
}

bool same_table(const WeightTable& a, const WeightTable& b) {
  return std::tie(a.name, a.shape, a.first, a.count, a.file_first_id, a.learnable, a.has_values,
                  a.values) == std::tie(b.name, b.shape, b.first, b.count, b.file_first_id,
                                        b.learnable, b.has_values, b.values) &&
         same_strings(a.row_names, b.row_names);
}

bool same_sample(const NeuronGraph& a, const Sample& x, const NeuronGraph& b, const Sample& y) {
  if (std::tie(x.output, x.group, x.weight, x.split, x.role, x.has_target) !=
      std::tie(y.output, y.group, y.weight, y.split, y.role, y.has_target)) {
    return false;
  }
  if (!x.has_target) return true;
  const std::uint64_t size = x.target_shape.size();
  return x.target_shape == y.target_shape &&
         cut(a.target_values, x.target_begin, size) == cut(b.target_values, y.target_begin, size);
}

}  // namespace

std::string graph_difference(const NeuronGraph& a, const NeuronGraph& b) {
  if (a.neuron_count() != b.neuron_count()) return "another number of neurons";
  for (NeuronId n = 0; n < a.neuron_count(); ++n) {
    if (!(view(a, n) == view(b, n))) return a.describe(n) + " against " + b.describe(n);
  }
  if (!std::equal(a.weight_tables.begin(), a.weight_tables.end(), b.weight_tables.begin(),
                  b.weight_tables.end(), same_table)) {
    return "weight tables";
  }
  if (a.table_of_weight != b.table_of_weight) return "tables of weights";
  const auto same = [&](const Sample& x, const Sample& y) { return same_sample(a, x, b, y); };
  if (!std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(), same)) {
    return "samples";
  }
  if (!same_strings(a.sample_ids, b.sample_ids)) return "sample ids";
  return a.producer == b.producer ? "" : "producer";
}

}  // namespace vecc::test
