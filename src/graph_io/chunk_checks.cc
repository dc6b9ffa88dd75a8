#include "src/graph_io/chunk_checks.h"

#include <numeric>
#include <span>

#include "src/graph_io/columns.h"
#include "src/graph_io/function_reader.h"
#include "src/graph_io/wire_checks.h"

namespace vecc::graph_io {
namespace {

constexpr std::string_view kOneANeuron = "one a neuron";

bool refuse_column(ImportState& state, const std::string& place, std::string_view column,
                   int length, std::string_view owner) {
  if (length == 0) return true;
  state.errors.add(ErrorCode::InconsistentGroup, place,
                   std::string(owner) + " have no " + std::string(column) + ", found " +
                       std::to_string(length) + " entries");
  return false;
}

bool check_values(CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  if (!chunk.shape) {
    state.errors.add(ErrorCode::InconsistentGroup, chunk.place,
                     "constant facts have no shape, expected one");
    return false;
  }
  const std::uint64_t size = chunk.shape->size();
  const auto expected = checked_product(wire.count(), size);
  const bool wide = wire.values_f64_size() > 0;
  const auto found =
      static_cast<std::uint64_t>(wide ? wire.values_f64_size() : wire.values_f32_size());
  // More than 64 bits are longer than any column.
  if (!check_length(state, chunk.place, wide ? "values_f64" : "values_f32", found,
                    expected.value_or(~std::uint64_t{0}),
                    chunk.shape->text() + " for each of " + std::to_string(wire.count()))) {
    return false;
  }
  const auto place = [&](std::uint64_t i) { return chunk.place_of(i / size); };
  return wide ? check_finite(state, wire.values_f64(), "value", place)
              : check_finite(state, wire.values_f32(), "value", place);
}

// Fan-in of every neuron, as one entry or one each.
bool check_fan_in_column(CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  const auto& fan_in = wire.fan_in();
  const auto length = static_cast<std::uint64_t>(fan_in.size());
  if (length == 1) {
    // Both below 2^32.
    chunk.edges = std::uint64_t{fan_in[0]} * wire.count();
  } else if (length == wire.count()) {
    chunk.edges = std::accumulate(fan_in.begin(), fan_in.end(), std::uint64_t{0});
  } else {
    return check_length(state, chunk.place, "fan_in", length, wire.count(),
                        "one a neuron, or 1 for all");
  }
  if (chunk.edges > state.limits.max_edges - state.edge_count) {
    state.stop(ErrorCode::LimitEdges, chunk.place,
               std::to_string(chunk.edges) + " more inputs after " +
                   std::to_string(state.edge_count) + ", the limit is " +
                   std::to_string(state.limits.max_edges));
    return false;
  }
  return true;
}

bool check_input_columns(const CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  if (wire.inputs_size() > 0 && wire.inputs64_size() > 0) {
    state.errors.add(ErrorCode::InconsistentGroup, chunk.place,
                     "has both inputs and inputs64, expected one of them");
    return false;
  }
  const bool wide = wire.inputs64_size() > 0;
  const auto found = static_cast<std::uint64_t>(wide ? wire.inputs64_size() : wire.inputs_size());
  bool good = check_length(state, chunk.place, wide ? "inputs64" : "inputs", found, chunk.edges,
                           "the sum of fan_in");
  if (wire.weights_size() > 0) {
    good = check_length(state, chunk.place, "weights", wire.weights_size(), chunk.edges,
                        "one an input") &&
           good;
  }
  if (wire.offsets_size() > 0) {
    good = check_length(state, chunk.place, "offsets", wire.offsets_size(), wire.count(),
                        kOneANeuron) &&
           good;
  }
  return good;
}

// Why a neuron of this function may not have `fan_in` inputs and, if `offset`, an offset; or empty.
std::string fan_in_problem(const NeuronFunction& function, bool has_shape, std::uint32_t fan_in,
                           bool offset) {
  const std::uint64_t elements = std::uint64_t{fan_in} + (offset ? 1 : 0);
  const Combination c = function.combination;
  if (fan_in == 0) {
    const bool sum = c == Combination::Sum || c == Combination::Avg;
    if (!sum && c != Combination::Count) {
      return std::string(info(c).text) + " has no inputs, expected at least 1";
    }
    if (sum && !offset && !has_shape) {
      return std::string(info(c).text) + " has no inputs, expected a declared shape";
    }
  }
  if (c == Combination::CosSim && elements > 2) {
    return "cossim has " + std::to_string(elements) + " elements, expected 2";
  }
  if (function.expr && function.expr->input_count() > elements) {
    return "the expression reads $" + std::to_string(function.expr->input_count() - 1) +
           ", but there are " + std::to_string(elements) + " elements";
  }
  return "";
}

bool check_fan_ins(const CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  const NeuronFunction& function = state.graph.functions[chunk.function];
  const bool has_shape = chunk.shape.has_value();
  const bool uniform = wire.fan_in_size() == 1;
  if (uniform && wire.offsets_size() == 0) {
    std::string problem = fan_in_problem(function, has_shape, wire.fan_in(0), false);
    if (problem.empty()) return true;
    state.errors.add(ErrorCode::FanIn, chunk.place_of(0), std::move(problem));
    return false;
  }
  // What cannot go wrong for a fan-in of at least 1 needs no text.
  const bool any = function.combination != Combination::CosSim && !function.expr;
  bool good = true;
  for (std::uint32_t i = 0; i < wire.count(); ++i) {
    const std::uint32_t fan_in = wire.fan_in(uniform ? 0 : static_cast<int>(i));
    if (any && fan_in > 0) [[likely]] {
      continue;
    }
    const bool offset = wire.offsets_size() > 0 && wire.offsets(static_cast<int>(i)) != kNoWeight;
    std::string problem = fan_in_problem(function, has_shape, fan_in, offset);
    if (problem.empty()) continue;
    good = false;
    state.errors.add(ErrorCode::FanIn, chunk.place_of(i), std::move(problem));
  }
  return good;
}

bool check_words(const CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  const Transformation id = state.graph.functions[chunk.function].transformation.id;
  const std::uint32_t each = word_count(id);
  if (!check_length(state, chunk.place, "words", static_cast<std::uint64_t>(wire.words_size()),
                    std::uint64_t{each} * wire.count(),
                    std::to_string(each) + " a neuron for " + std::string(info(id).text))) {
    return false;
  }
  if (id != Transformation::Slice) return true;
  bool good = true;
  for (std::uint32_t i = 0; i < wire.count(); ++i) {
    for (const int side : {0, 2}) {
      const int at = static_cast<int>(i * 4) + side;
      if (wire.words(at) < wire.words(at + 1)) continue;
      good = false;
      state.errors.add(ErrorCode::ParameterRange, chunk.place_of(i),
                       std::string("slice of ") + (side == 0 ? "rows " : "columns ") +
                           std::to_string(wire.words(at)) + " to " +
                           std::to_string(wire.words(at + 1)) + ", expected a begin below the end");
    }
  }
  return good;
}

}  // namespace

bool check_fact(CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  constexpr std::string_view kFacts = "facts";
  bool good = refuse_column(state, chunk.place, "function", wire.has_function() ? 1 : 0, kFacts);
  good = refuse_column(state, chunk.place, "fan_in", wire.fan_in_size(), kFacts) && good;
  good =
      refuse_column(state, chunk.place, "inputs",
                    wire.inputs_size() > 0 ? wire.inputs_size() : wire.inputs64_size(), kFacts) &&
      good;
  good = refuse_column(state, chunk.place, "weights", wire.weights_size(), kFacts) && good;
  good = refuse_column(state, chunk.place, "offsets", wire.offsets_size(), kFacts) && good;
  good = refuse_column(state, chunk.place, "words", wire.words_size(), kFacts) && good;
  if (!good) return false;

  const int kinds = (wire.values_f32_size() > 0 ? 1 : 0) + (wire.values_f64_size() > 0 ? 1 : 0) +
                    (wire.fact_weights_size() > 0 ? 1 : 0);
  if (kinds > 1) {
    state.errors.add(ErrorCode::InconsistentGroup, chunk.place,
                     "has several of values_f32, values_f64 and fact_weights, expected one");
    return false;
  }
  if (wire.fact_weights_size() > 0) {
    chunk.fact = FactKind::Learnable;
    return check_length(state, chunk.place, "fact_weights",
                        static_cast<std::uint64_t>(wire.fact_weights_size()), wire.count(),
                        kOneANeuron);
  }
  if (kinds == 1) {
    chunk.fact = FactKind::Constant;
    return check_values(chunk, state);
  }
  chunk.fact = FactKind::Unit;
  if (!chunk.shape || chunk.shape->is_scalar()) return true;
  state.errors.add(ErrorCode::ShapeMismatch, chunk.place,
                   "facts of shape " + chunk.shape->text() +
                       " have no values, expected values or a scalar shape");
  return false;
}

bool check_neurons(CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  constexpr std::string_view kNeurons = "neurons that are no facts";
  bool good = refuse_column(
      state, chunk.place, "values",
      wire.values_f32_size() > 0 ? wire.values_f32_size() : wire.values_f64_size(), kNeurons);
  good =
      refuse_column(state, chunk.place, "fact_weights", wire.fact_weights_size(), kNeurons) && good;
  const auto function = read_function(wire.function(), chunk.place, state);
  if (!check_fan_in_column(chunk, state)) return false;
  good = check_input_columns(chunk, state) && good;
  if (!good || !function) return false;
  chunk.function = *function;
  good = check_fan_ins(chunk, state);
  return check_words(chunk, state) && good;
}

}  // namespace vecc::graph_io
