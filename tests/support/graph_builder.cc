#include "tests/support/graph_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace vecc::test {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(std::string("GraphBuilder: ") + what);
}

std::uint32_t function_index(NeuronGraph& graph, const NeuronFunction& function) {
  const auto found = std::find(graph.functions.begin(), graph.functions.end(), function);
  if (found == graph.functions.end()) {
    graph.functions.push_back(function);
    return static_cast<std::uint32_t>(graph.functions.size() - 1);
  }
  return static_cast<std::uint32_t>(found - graph.functions.begin());
}

}  // namespace

NeuronFunction function(Combination combination, Transformation transformation) {
  return function(combination, TransformationSpec{.id = transformation, .target = {}});
}

NeuronFunction function(Combination combination, TransformationSpec transformation) {
  return {
      .combination = combination, .axis = -1, .expr = nullptr, .transformation = transformation};
}

NeuronFunction concat_function(int axis) {
  NeuronFunction result = function(Combination::Concat);
  result.axis = axis;
  return result;
}

NeuronFunction function_graph(std::string_view expression, Transformation transformation) {
  Result<Expr> expr = parse_expr(expression, "expression");
  if (!expr) throw std::logic_error("GraphBuilder: " + expr.error().text());
  NeuronFunction result = function(Combination::FunctionGraph, transformation);
  result.expr = std::make_shared<const Expr>(std::move(*expr));
  return result;
}

WeightId GraphBuilder::weight(std::string_view name, Shape shape, std::vector<double> values,
                              bool learnable) {
  return weight_table(name, 1, shape, std::move(values), learnable);
}

WeightId GraphBuilder::weight_table(std::string_view name, std::uint32_t count, Shape shape,
                                    std::vector<double> values, bool learnable,
                                    std::vector<std::string> row_names) {
  require(values.empty() || values.size() == count * shape.size(), "weight values fit the shape");
  require(row_names.empty() || row_names.size() == count, "one row name a weight");
  WeightTable table;
  table.name = name;
  table.shape = shape;
  table.first = weight_count_;
  table.count = count;
  table.file_first_id = weight_count_;
  table.learnable = learnable;
  table.has_values = !values.empty();
  if (table.has_values) table.values = SharedNumbers::of(std::move(values));
  for (const std::string& row : row_names) table.row_names.push_back(row);
  weight_count_ += count;
  tables_.push_back(std::move(table));
  return tables_.back().first;
}

GroupIndex GraphBuilder::group(std::string_view head_predicate, NeuronClass neuron_class,
                               std::string_view rule_text) {
  NeuronGroup group;
  group.file_id = groups_.size();
  group.neuron_class = neuron_class;
  group.head_predicate = head_predicate;
  group.rule_text = rule_text;
  groups_.push_back(std::move(group));
  return static_cast<GroupIndex>(groups_.size() - 1);
}

NeuronId GraphBuilder::fact(GroupIndex group, Shape shape, std::vector<double> values) {
  require(values.size() == shape.size(), "fact values fit the shape");
  Neuron neuron;
  neuron.group = group;
  neuron.fact = FactKind::Constant;
  neuron.shape = shape;
  neuron.values = std::move(values);
  return add(std::move(neuron));
}

NeuronId GraphBuilder::unit_fact(GroupIndex group) {
  Neuron neuron;
  neuron.group = group;
  neuron.fact = FactKind::Unit;
  return add(std::move(neuron));
}

NeuronId GraphBuilder::learnable_fact(GroupIndex group, WeightId weight) {
  Neuron neuron;
  neuron.group = group;
  neuron.fact = FactKind::Learnable;
  neuron.weights = {weight};
  return add(std::move(neuron));
}

NeuronId GraphBuilder::neuron(GroupIndex group, const NeuronFunction& function, Inputs inputs,
                              Weights weights, WeightId offset, std::vector<std::uint32_t> words,
                              std::optional<Shape> declared) {
  Neuron neuron;
  neuron.group = group;
  neuron.function = function;
  neuron.inputs = std::move(inputs);
  neuron.weights = std::move(weights);
  neuron.offset = offset;
  neuron.words = std::move(words);
  neuron.shape = declared;
  return add(std::move(neuron));
}

NeuronId GraphBuilder::add(Neuron neuron) {
  check_neuron(neuron);
  neurons_.push_back(std::move(neuron));
  return static_cast<NeuronId>(neurons_.size() - 1);
}

void GraphBuilder::check_neuron(const Neuron& neuron) const {
  require(neuron.group < groups_.size(), "a known group");
  const auto known = [&](WeightId weight) { return weight == kNoWeight || weight < weight_count_; };
  require(std::all_of(neuron.weights.begin(), neuron.weights.end(), known), "known weights");
  require(known(neuron.offset), "a known offset");
  if (neuron.fact != FactKind::NotAFact) return;
  require(neuron.weights.empty() || neuron.weights.size() == neuron.inputs.size(),
          "weights like inputs");
  require(neuron.words.size() == word_count(neuron.function.transformation.id),
          "words as the transformation has");
}

void GraphBuilder::set_inputs(NeuronId neuron, Inputs inputs, Weights weights) {
  Neuron& target = neurons_.at(neuron);
  target.inputs = std::move(inputs);
  target.weights = std::move(weights);
  check_neuron(target);
}

void GraphBuilder::name(NeuronId neuron, std::string_view text) {
  neurons_.at(neuron).name = text;
}

std::uint32_t GraphBuilder::sample(NeuronId output, std::string_view id) {
  require(output < neurons_.size(), "a known output");
  const std::string number = std::to_string(samples_.size());
  BuiltSample sample;
  sample.record.output = output;
  sample.id = id.empty() ? number : std::string(id);
  samples_.push_back(std::move(sample));
  return static_cast<std::uint32_t>(samples_.size() - 1);
}

std::uint32_t GraphBuilder::sample(NeuronId output, Shape target_shape, std::vector<double> target,
                                   std::string_view id) {
  require(target.size() == target_shape.size(), "target values fit the shape");
  const std::uint32_t number = sample(output, id);
  samples_[number].record.has_target = true;
  samples_[number].record.target_shape = target_shape;
  samples_[number].target = std::move(target);
  return number;
}

bool GraphBuilder::fits_range(const Neuron& previous, const Neuron& next) {
  if (previous.group != next.group || previous.fact != next.fact) return false;
  if (previous.shape != next.shape) return false;
  if (previous.name.empty() != next.name.empty()) return false;
  if (next.fact != FactKind::NotAFact) return true;
  // A range has a weight for every edge or for none; so with offsets.
  const auto weighted = [](const Neuron& n) { return !n.weights.empty(); };
  return previous.function == next.function && weighted(previous) == weighted(next) &&
         (previous.offset == kNoWeight) == (next.offset == kNoWeight);
}

void GraphBuilder::append(NeuronGraph& graph, const Neuron& neuron, bool new_range) const {
  const auto id = static_cast<NeuronId>(graph.neuron_count());
  const bool has_offset = neuron.fact == FactKind::NotAFact && neuron.offset != kNoWeight;
  if (new_range) {
    NeuronRange range;
    range.group = neuron.group;
    range.fact = neuron.fact;
    range.first = id;
    range.file_first_id = id;
    range.has_shape = neuron.shape.has_value();
    range.shape = neuron.shape.value_or(Shape());
    if (neuron.fact == FactKind::NotAFact) {
      range.function = function_index(graph, neuron.function);
    }
    if (!neuron.weights.empty()) range.weight_begin = graph.weights.size();
    if (has_offset) range.offset_begin = graph.offsets.size();
    if (!neuron.words.empty()) range.word_begin = graph.words.size();
    if (!neuron.values.empty()) range.value_begin = graph.values.size();
    if (!neuron.name.empty()) range.name_begin = graph.names.size();
    graph.groups[neuron.group].ranges.push_back(static_cast<std::uint32_t>(graph.ranges.size()));
    graph.ranges.push_back(range);
  }
  ++graph.ranges.back().count;
  ++graph.groups[neuron.group].neuron_count;
  for (const NeuronId input : neuron.inputs) require(input < neurons_.size(), "known inputs");
  graph.inputs.insert(graph.inputs.end(), neuron.inputs.begin(), neuron.inputs.end());
  graph.input_begin.push_back(graph.inputs.size());
  graph.weights.insert(graph.weights.end(), neuron.weights.begin(), neuron.weights.end());
  if (has_offset) graph.offsets.push_back(neuron.offset);
  graph.words.insert(graph.words.end(), neuron.words.begin(), neuron.words.end());
  graph.values.append(std::span<const double>(neuron.values));
  if (!neuron.name.empty()) graph.names.push_back(neuron.name);
}

void GraphBuilder::append_samples(NeuronGraph& graph) const {
  for (const BuiltSample& sample : samples_) {
    graph.samples.push_back(sample.record);
    graph.samples.back().target_begin = graph.target_values.size();
    graph.target_values.insert(graph.target_values.end(), sample.target.begin(),
                               sample.target.end());
    graph.sample_ids.push_back(sample.id);
  }
}

NeuronGraph GraphBuilder::build() const {
  NeuronGraph graph;
  graph.groups = groups_;
  graph.weight_tables = tables_;
  graph.producer = "test";
  for (std::uint32_t t = 0; t < tables_.size(); ++t) {
    graph.table_of_weight.insert(graph.table_of_weight.end(), tables_[t].count, t);
  }
  for (std::size_t i = 0; i < neurons_.size(); ++i) {
    append(graph, neurons_[i], i == 0 || !fits_range(neurons_[i - 1], neurons_[i]));
  }
  append_samples(graph);
  return graph;
}

}  // namespace vecc::test
