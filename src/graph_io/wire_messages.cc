#include "src/graph_io/wire_messages.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "src/graph_io/wire_format.h"
#include "src/graph_io/wire_values.h"

namespace vecc::graph_io {
namespace {

void set_function(wire::Function* wire, const NeuronFunction& function) {
  wire->set_combination(std::string(info(function.combination).text));
  if (function.combination == Combination::Concat) wire->set_axis(function.axis);
  if (function.expr) wire->set_expression(function.expr->text());
  const TransformationSpec& t = function.transformation;
  if (t.id == Transformation::Identity) return;
  wire->set_transformation(std::string(info(t.id).text));
  switch (info(t.id).parameters) {
    case FunctionParameters::Slope: wire->set_slope(t.slope); break;
    case FunctionParameters::Target: set_shape(wire->mutable_target(), t.target); break;
    case FunctionParameters::None:
    case FunctionParameters::Index:
    case FunctionParameters::Bounds: break;
  }
}

template <class Column, class T>
void add_all(Column* column, std::span<const T> values) {
  column->Add(values.begin(), values.end());
}

void set_inputs(wire::Group& wire, std::span<const std::uint64_t> inputs) {
  constexpr std::uint64_t kNarrow = std::numeric_limits<std::uint32_t>::max();
  if (std::any_of(inputs.begin(), inputs.end(), [](std::uint64_t id) { return id > kNarrow; })) {
    add_all(wire.mutable_inputs64(), inputs);
    return;
  }
  auto* column = wire.mutable_inputs();
  column->Reserve(static_cast<int>(inputs.size()));
  for (const std::uint64_t id : inputs) column->AddAlreadyReserved(static_cast<std::uint32_t>(id));
}

void set_fan_in(wire::Group& wire, std::span<const std::uint32_t> fan_in) {
  const bool uniform = std::all_of(fan_in.begin(), fan_in.end(),
                                   [&](std::uint32_t f) { return f == fan_in.front(); });
  add_all(wire.mutable_fan_in(), uniform ? fan_in.first(1) : fan_in);
}

}  // namespace

std::string field_head(std::uint32_t number, std::uint32_t size) {
  std::uint8_t head[16];
  using Coded = google::protobuf::io::CodedOutputStream;
  std::uint8_t* end = Coded::WriteVarint32ToArray(number << 3 | 2, head);
  end = Coded::WriteVarint32ToArray(size, end);
  return {head, end};
}

wire::Group make_group(const GroupChunk& chunk, const ChunkPart& part, bool is_new) {
  wire::Group wire;
  wire.set_id(chunk.group_id);
  wire.set_continued(!is_new);
  if (is_new) {
    wire.set_neuron_class(static_cast<wire::NeuronClass>(chunk.neuron_class));
    wire.set_head_predicate(std::string(chunk.head_predicate));
    wire.set_rule_text(std::string(chunk.rule_text));
  }
  wire.set_first_id(chunk.first_id + part.begin);
  wire.set_count(static_cast<std::uint32_t>(part.count));
  if (chunk.has_shape) set_shape(wire.mutable_shape(), chunk.shape);
  for (const std::string& name : part_of(chunk.names, part.begin, part.count)) wire.add_names(name);
  if (chunk.fact == FactKind::NotAFact) {
    set_function(wire.mutable_function(), chunk.function);
    set_fan_in(wire, chunk.fan_in.size() == 1 ? chunk.fan_in
                                              : chunk.fan_in.subspan(part.begin, part.count));
    set_inputs(wire, chunk.inputs.subspan(part.first_edge, part.edges));
    add_all(wire.mutable_weights(), part_of(chunk.weights, part.first_edge, part.edges));
    add_all(wire.mutable_offsets(), part_of(chunk.offsets, part.begin, part.count));
    const std::uint64_t words = chunk.words.size() / chunk.count;
    add_all(wire.mutable_words(), part_of(chunk.words, part.begin * words, part.count * words));
  } else {
    const std::uint64_t size = value_size(chunk);
    wire.set_fact(true);
    add_all(wire.mutable_fact_weights(), part_of(chunk.weights, part.begin, part.count));
    set_values(wire, part_of(chunk.values, part.begin * size, part.count * size));
  }
  return wire;
}

wire::Samples make_samples(std::span<const SampleRecord> records, bool ids) {
  wire::Samples wire;
  const auto any = [&](auto has) { return std::any_of(records.begin(), records.end(), has); };
  using Record = const SampleRecord&;
  const bool wide =
      any([](Record r) { return r.output > std::numeric_limits<std::uint32_t>::max(); });
  const bool targets = any([](Record r) { return r.has_target; });
  const bool splits = any([](Record r) { return r.split != Split::Unspecified; });
  const bool groups = any([](Record r) { return r.group != kNoGroup; });
  const bool roles = any([](Record r) { return r.role != Role::Unspecified; });
  const bool weights = any([](Record r) { return r.weight != 1; });
  const bool same_shape = targets && !any([&](Record r) {
                            return !r.has_target || r.target_shape != records.front().target_shape;
                          });
  for (Record r : records) {
    if (wide) {
      wire.add_outputs64(r.output);
    } else {
      wire.add_outputs(static_cast<std::uint32_t>(r.output));
    }
    if (ids) wire.add_ids(std::string(r.id));
    if (splits) wire.add_splits(static_cast<wire::Split>(r.split));
    if (groups) wire.add_groups(r.group);
    if (roles) wire.add_roles(static_cast<wire::Role>(r.role));
    if (weights) wire.add_weights(r.weight);
    add_all(wire.mutable_targets(), r.has_target ? r.target : std::span<const double>());
    if (targets && (!same_shape || wire.target_shapes_size() == 0)) {
      wire::Shape* shape = wire.add_target_shapes();
      if (r.has_target) {
        set_shape(shape, r.target_shape);
      } else {
        shape->set_rows(kNoTargetSide);
        shape->set_cols(kNoTargetSide);
      }
    }
  }
  return wire;
}

wire::Vocabulary make_vocabulary(const Vocabulary& vocabulary, std::size_t begin) {
  wire::Vocabulary wire;
  wire.set_name(vocabulary.name);
  wire.set_continued(begin > 0);
  std::uint64_t bytes = 0;
  for (std::size_t i = begin; i < vocabulary.names.size() && bytes < kChunkBytes; ++i) {
    wire.add_names(std::string(vocabulary.names[i]));
    bytes += vocabulary.names[i].size() + 5;
  }
  if (begin > 0) return wire;
  for (const VocabularyUse& use : vocabulary.uses) {
    wire::VocabularyUse* const added = wire.add_uses();
    switch (use.place) {
      case VocabularyUse::Place::Weights: added->set_weight_table(use.table); break;
      case VocabularyUse::Place::Facts: added->set_group(use.group); break;
      case VocabularyUse::Place::Outputs: added->set_outputs(true); continue;
    }
    added->set_axis(static_cast<wire::VocabularyUse::Axis>(use.axis));
    added->set_inner(use.inner == 1 ? 0 : use.inner);
  }
  return wire;
}

}  // namespace vecc::graph_io
