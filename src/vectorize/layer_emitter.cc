#include "src/vectorize/layer_emitter.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "src/support/list_threads.h"
#include "src/vectorize/map_in_parts.h"
#include "vecc/escape.h"

namespace vecc::vectorizer {
namespace {

/// Segments from offsets: fixed where all are equally long.
Segments make_segments(std::vector<std::uint32_t>&& offsets) {
  const std::uint32_t length = offsets.size() > 1 ? offsets[1] : 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] - offsets[i] != length || length == 0) {
      return Segments::ragged(std::move(offsets));
    }
  }
  return Segments::fixed(length);
}

bool all_single(std::span<const std::uint32_t> offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != i) return false;
  }
  return true;
}

ExprNode input_node(std::uint32_t input) {
  ExprNode node;
  node.input = input;
  return node;
}

}  // namespace

LayerEmitter::LayerEmitter(const NeuronGraph& graph, const Placement& placement,
                           LayerPlanner& planner, const std::vector<bool>& whole_read,
                           Program& program)
    : graph_(graph),
      placement_(placement),
      planner_(planner),
      whole_read_(whole_read),
      program_(program),
      cursor_(graph),
      table_value_(graph.weight_tables.size(), kNone) {}

Result<void> LayerEmitter::add_parameters() {
  for (const WeightTable& table : graph_.weight_tables) {
    parameter_of_table_.push_back(kNone);
    if (!table.learnable) {
      if (!table.has_values) {
        return Errors(ErrorCode::MissingValues,
                      "weight table \"" + escape_terminal(table.name) + "\"",
                      "is fixed, but has no values");
      }
      continue;
    }
    Parameter parameter{table.name, table.count, table.shape, nullptr};
    if (table.has_values) parameter.values = table.values;
    VECC_TRY(parameter_of_table_.back(), program_.add_parameter(std::move(parameter)));
  }
  return {};
}

ValueId LayerEmitter::concat(const std::vector<ValueId>& operands) {
  if (operands.size() == 1) return operands[0];
  const auto [entry, is_new] = concats_.try_emplace(operands, 0);
  if (is_new) entry->second = program_.concat(operands);
  return entry->second;
}

ValueId LayerEmitter::weight_value(std::uint32_t table) {
  if (table_value_[table] != kNone) return table_value_[table];
  const WeightTable& weights = graph_.weight_tables[table];
  if (weights.learnable) {
    table_value_[table] = program_.weight(parameter_of_table_[table]);
  } else {
    table_value_[table] = program_.shared_fact(weights.values, weights.count, weights.shape,
                                               weights.name + ": fixed weight");
  }
  return table_value_[table];
}

LayerEmitter::Sources LayerEmitter::layer_sources(std::span<const std::uint32_t> layers) {
  Sources sources;
  boost::unordered_flat_map<ValueId, std::uint32_t> base_of_value;
  std::uint32_t rows = 0;
  for (const std::uint32_t layer : layers) {
    const ValueId value = placement_.layers[layer].value;
    const auto [entry, is_new] = base_of_value.try_emplace(value, rows);
    if (is_new) {
      sources.values.push_back(value);
      rows += program_.op(value).rows;
    }
    sources.base.emplace(layer, entry->second);
  }
  return sources;
}

LayerEmitter::Sources LayerEmitter::table_sources(std::span<const std::uint32_t> tables) {
  Sources sources;
  std::uint32_t rows = 0;
  for (const std::uint32_t table : tables) {
    sources.values.push_back(weight_value(table));
    sources.base.emplace(table, rows);
    rows += graph_.weight_tables[table].count;
  }
  return sources;
}

std::vector<LayerEmitter::UseRows> LayerEmitter::lists_of_uses(const LayerPlan& plan) {
  std::vector<UseRows> uses;
  for (const ElementUse& use : plan.uses) {
    UseRows& rows = uses.emplace_back();
    rows.layers = layer_sources(use.layers);
    rows.tables = table_sources(use.tables);
    if (!use.layers.empty()) rows.input_rows.resize(use.count);
    if (!use.tables.empty()) rows.weight_rows.resize(use.count);
  }
  return uses;
}

std::vector<std::uint32_t> LayerEmitter::offsets_of(const LayerPlan& plan) const {
  std::vector<std::uint32_t> offsets(plan.neurons.size() + 1);
  ListThreads::for_ranges(plan.neurons.size(), [&](std::size_t begin, std::size_t end) {
    RangeCursor cursor(graph_);
    for (std::size_t i = begin; i < end; ++i) {
      const NeuronId n = plan.neurons[i];
      offsets[i + 1] = static_cast<std::uint32_t>(element_count(graph_, cursor.at(n), n));
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

std::vector<std::uint32_t> LayerEmitter::find_uses(const LayerPlan& plan,
                                                   std::span<const NeuronId> neurons,
                                                   std::span<std::uint32_t> use) const {
  std::vector<std::uint32_t> use_of_class;
  for (std::uint32_t k = 0; k < plan.uses.size(); ++k) {
    const std::uint32_t element_class = plan.uses[k].element_class;
    if (use_of_class.size() <= element_class) use_of_class.resize(element_class + 1, kNone);
    use_of_class[element_class] = k;
  }
  std::vector<std::uint32_t> count(plan.uses.size());
  RangeCursor cursor(graph_);
  KeyCache classes;
  std::size_t next = 0;
  for (const NeuronId n : neurons) {
    for_each_element(graph_, cursor.at(n), n, [&](WeightId weight, NeuronId input) {
      use[next] = use_of_class[planner_.known_class_of(weight, input, classes)];
      ++count[use[next++]];
    });
  }
  return count;
}

void LayerEmitter::write_elements(const LayerPlan& plan, Piece neurons,
                                  std::span<const std::uint32_t> first_row,
                                  std::vector<std::uint32_t> next, Elements& elements) const {
  const bool by_position = plan.form == LayerForm::Positions;
  const bool member_read = is_member_read(plan);
  std::vector<SourceCursors> last(plan.uses.size());
  RangeCursor cursor(graph_);
  std::size_t element = elements.offsets[neurons.begin];
  for (std::size_t i = neurons.begin; i < neurons.end; ++i) {
    const NeuronId n = plan.neurons[i];
    const NeuronRange& range = cursor.at(n);
    const std::uint32_t member =
        member_read ? graph_.words[range.word_begin + (n - range.first)] : 0;
    std::uint32_t position = 0;
    for_each_element(graph_, range, n, [&](WeightId weight, NeuronId input) {
      std::uint32_t use = by_position ? position++ : 0;
      std::size_t row = by_position ? i : element;
      if (!elements.order.empty()) {
        use = elements.order[element];
        row = next[use]++;
        elements.order[element] = first_row[use] + static_cast<std::uint32_t>(row);
      }
      write_element(elements.uses[use], row, {weight, input, member}, last[use]);
      ++element;
    });
  }
}

void LayerEmitter::write_element(UseRows& use, std::size_t row, const ElementRead& read,
                                 SourceCursors& last) const {
  if (read.weight != kNoWeight) {
    const std::uint32_t table = graph_.table_of_weight[read.weight];
    use.weight_rows[row] =
        use.tables.base_of(table, last.tables) + read.weight - graph_.weight_tables[table].first;
  }
  if (read.input != kNoNeuron) {
    use.input_rows[row] = use.layers.base_of(placement_.layer[read.input], last.layers) +
                          placement_.row[read.input] + read.member;
  }
}

LayerEmitter::Elements LayerEmitter::collect_elements(const LayerPlan& plan) {
  Elements elements{lists_of_uses(plan), {}, offsets_of(plan)};
  std::vector<std::uint32_t> first_row;  // of each use in the concat of all uses
  std::uint32_t rows = 0;
  for (const ElementUse& use : plan.uses) {
    first_row.push_back(rows);
    rows += static_cast<std::uint32_t>(use.count);
  }
  const std::size_t neurons = plan.neurons.size();
  const std::size_t pieces = (neurons + kNeuronsOfPiece - 1) / kNeuronsOfPiece;
  const auto for_pieces = [&](const auto& body) {
    ListThreads::for_pieces(pieces, [&](std::size_t piece) {
      body(piece, piece * kNeuronsOfPiece, std::min(neurons, (piece + 1) * kNeuronsOfPiece));
    });
  };
  // By piece, by use: how many elements it has; then the number of its first one among all.
  std::vector<std::vector<std::uint32_t>> next(pieces);
  if (plan.form != LayerForm::Positions && plan.uses.size() > 1) {
    elements.order.resize(plan.elements);
    for_pieces([&](std::size_t piece, std::size_t begin, std::size_t end) {
      const std::uint32_t first = elements.offsets[begin];
      next[piece] = find_uses(plan, std::span(plan.neurons).subspan(begin, end - begin),
                              std::span(elements.order).subspan(first));
    });
    std::vector<std::uint32_t> before(plan.uses.size());
    for (std::vector<std::uint32_t>& of_piece : next) {
      for (std::size_t use = 0; use < before.size(); ++use) {
        before[use] += std::exchange(of_piece[use], before[use]);
      }
    }
  }
  for_pieces([&](std::size_t piece, std::size_t begin, std::size_t end) {
    write_elements(plan, {begin, end}, first_row, std::move(next[piece]), elements);
  });
  return elements;
}

ValueId LayerEmitter::emit_use(const LayerPlan& plan, std::size_t use, UseRows&& rows) {
  const ElementClass& element = planner_.element_class(plan.uses[use].element_class);
  ValueId weight = 0;
  ValueId input = 0;
  if (element.kind != ElementClass::Kind::Input) {
    weight = program_.gather(concat(rows.tables.values),
                             Index::compact(std::move(rows.weight_rows)), plan.note);
    if (element.kind == ElementClass::Kind::Weight) return weight;
  }
  input = program_.gather(concat(rows.layers.values), Index::compact(std::move(rows.input_rows)),
                          plan.note);
  if (element.kind == ElementClass::Kind::Input) return input;
  return program_.linear(weight, input, {}, plan.note);
}

ValueId LayerEmitter::emit_in_order(const LayerPlan& plan, Elements& elements, Shape shape) {
  std::vector<ValueId> values;
  for (std::size_t k = 0; k < elements.uses.size(); ++k) {
    ValueId value = emit_use(plan, k, std::move(elements.uses[k]));
    const Shape has = program_.op(value).shape;
    if (has != shape) {
      TransformationSpec fit;  // a scalar among vectors, or a row among columns
      fit.id = has.is_scalar() ? Transformation::Broadcast : Transformation::Reshape;
      fit.target = shape;
      value = program_.transform(value, fit, {}, plan.note);
    }
    values.push_back(value);
  }
  if (values.size() == 1) return values[0];
  return program_.gather(program_.concat(values, plan.note),
                         Index::compact(std::move(elements.order)), plan.note);
}

ValueId LayerEmitter::emit_fact(const LayerPlan& plan) {
  const auto rows = static_cast<std::uint32_t>(plan.neurons.size());
  if (plan.form == LayerForm::UnitFact) return program_.unit_fact(rows, plan.note);
  NumberColumn values;
  values.reserve(plan.neurons.size() * plan.combined.size());
  for (const NeuronId n : plan.neurons) {
    const NeuronRange& range = cursor_.at(n);
    if (plan.form == LayerForm::Constant) {
      values.push_back(static_cast<double>(element_count(graph_, range, n)));
      continue;
    }
    const std::uint64_t size = plan.combined.size();
    values.append(graph_.values.row(range.value_begin + size * (n - range.first)), size);
  }
  return program_.shared_fact(values.take(), rows, plan.combined, plan.note);
}

ValueId LayerEmitter::emit_segment(const LayerPlan& plan) {
  if (plan.elements == 0) {
    const auto rows = static_cast<std::uint32_t>(plan.neurons.size());
    return program_.fact(std::vector<double>(rows * plan.combined.size()), rows, plan.combined,
                         plan.note);
  }
  Elements elements = collect_elements(plan);
  const ValueId members = emit_in_order(plan, elements, plan.combined);
  if (all_single(elements.offsets)) return members;
  return program_.segment(members, make_segments(std::move(elements.offsets)),
                          plan.function->combination, plan.note);
}

ValueId LayerEmitter::emit_packed(const LayerPlan& plan) {
  Elements elements = collect_elements(plan);
  const Shape element = planner_.element_class(plan.uses[0].element_class).result;
  const ValueId members = emit_in_order(plan, elements, element);
  const ValueId packed =
      program_.segment(members, Segments::fixed(plan.members), Combination::Concat, plan.note);
  TransformationSpec then;
  if (plan.function->combination == Combination::Softmax) {
    then.id = Transformation::Softmax;
  } else if (plan.function->combination == Combination::Sparsemax) {
    then.id = Transformation::Sparsemax;
  } else if (program_.op(packed).shape != plan.combined) {  // concat of rows of matrices
    then.id = Transformation::Reshape;
    then.target = plan.combined;
  }
  return program_.transform(packed, then, {}, plan.note);
}

ValueId LayerEmitter::emit_positions(const LayerPlan& plan) {
  Elements elements = collect_elements(plan);
  std::vector<ValueId> operands;
  for (std::size_t k = 0; k < plan.uses.size(); ++k) {
    operands.push_back(emit_use(plan, k, std::move(elements.uses[k])));
  }
  const NeuronFunction& function = *plan.function;
  if (function.combination == Combination::Product) {
    ValueId product = operands[0];
    for (std::size_t k = 1; k < operands.size(); ++k) {
      product = program_.linear(product, operands[k], {}, plan.note);
    }
    return product;
  }
  if (function.combination == Combination::FunctionGraph) {
    return map_in_parts(program_, *function.expr, operands, plan.note);
  }
  Expr expr;
  for (std::uint32_t k = 0; k < operands.size(); ++k) expr.nodes.push_back(input_node(k));
  ExprNode combine;
  combine.kind = ExprNode::Kind::Combine;
  combine.combination = function.combination;
  combine.axis = function.axis;
  combine.arity = static_cast<std::uint32_t>(operands.size());
  expr.nodes.push_back(combine);
  return map_in_parts(program_, expr, operands, plan.note);
}

ValueId LayerEmitter::emit_transformation(const LayerPlan& plan, ValueId combined) {
  const std::uint32_t width = word_count(plan.transformation.id);
  std::vector<std::uint32_t> words;
  if (width > 0) {
    words.reserve(plan.neurons.size() * width);
    bool uniform = true;
    for (const NeuronId n : plan.neurons) {
      const NeuronRange& range = cursor_.at(n);
      const auto* own =
          graph_.words.data() + range.word_begin + std::uint64_t{width} * (n - range.first);
      uniform = uniform && (words.empty() || std::equal(own, own + width, words.data()));
      words.insert(words.end(), own, own + width);
    }
    if (uniform) words.resize(width);
  }
  return program_.transform(combined, plan.transformation, std::move(words), plan.note);
}

std::vector<EmittedLayer> LayerEmitter::emit_members(LayerPlan&& plan) {
  Elements elements = collect_elements(plan);
  const ValueId scores = emit_in_order(plan, elements, Shape::scalar());
  EmittedLayer members;
  members.member_rows = true;
  std::vector<std::uint32_t> offsets = std::move(elements.offsets);
  members.value = program_.segment(scores, make_segments(std::vector(offsets)),
                                   plan.function->combination, plan.note);
  std::vector<EmittedLayer> result;
  pack_whole_reads(plan, members, offsets, result);
  for (std::size_t i = 0; i < plan.neurons.size(); ++i) {
    if (whole_read_[plan.neurons[i]]) continue;
    members.neurons.push_back(plan.neurons[i]);
    members.first_rows.push_back(offsets[i]);
  }
  if (!members.neurons.empty()) result.push_back(std::move(members));
  return result;
}

void LayerEmitter::pack_whole_reads(const LayerPlan& plan, const EmittedLayer& members,
                                    std::span<const std::uint32_t> offsets,
                                    std::vector<EmittedLayer>& result) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_length;  // length -> places in the plan
  for (std::uint32_t i = 0; i < plan.neurons.size(); ++i) {
    if (whole_read_[plan.neurons[i]]) by_length[offsets[i + 1] - offsets[i]].push_back(i);
  }
  for (const auto& [length, places] : by_length) {
    EmittedLayer packed;
    std::vector<std::uint32_t> rows;
    rows.reserve(places.size() * length);
    for (const std::uint32_t i : places) {
      packed.neurons.push_back(plan.neurons[i]);
      for (std::uint32_t k = 0; k < length; ++k) rows.push_back(offsets[i] + k);
    }
    packed.value = program_.gather(members.value, Index::compact(std::move(rows)), plan.note);
    if (length > 1) {
      packed.shape = Shape::column(length);
      packed.value =
          program_.segment(packed.value, Segments::fixed(length), Combination::Concat, plan.note);
    }
    result.push_back(std::move(packed));
  }
}

std::vector<EmittedLayer> LayerEmitter::emit(LayerPlan&& plan) {
  ValueId value = 0;
  switch (plan.form) {
    case LayerForm::UnitFact:
    case LayerForm::ConstantFact:
    case LayerForm::Constant: value = emit_fact(plan); break;
    case LayerForm::Segment: value = emit_segment(plan); break;
    case LayerForm::Packed: value = emit_packed(plan); break;
    case LayerForm::Positions: value = emit_positions(plan); break;
    case LayerForm::Members: return emit_members(std::move(plan));
  }
  EmittedLayer layer;
  layer.value = emit_transformation(plan, value);
  layer.shape = plan.shape;
  layer.neurons = std::move(plan.neurons);
  std::vector<EmittedLayer> result;
  result.push_back(std::move(layer));
  return result;
}

ValueId LayerEmitter::gather_neurons(std::span<const NeuronId> neurons, const Note& note) {
  std::vector<std::uint32_t> layers;
  for (const NeuronId n : neurons) layers.push_back(placement_.layer[n]);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  Sources sources = layer_sources(layers);
  std::vector<std::uint32_t> rows;
  rows.reserve(neurons.size());
  Sources::Cursor last;
  for (const NeuronId n : neurons) {
    rows.push_back(sources.base_of(placement_.layer[n], last) + placement_.row[n]);
  }
  return program_.gather(concat(sources.values), Index::compact(std::move(rows)), note);
}

}  // namespace vecc::vectorizer
