// What a chunk of a group must fulfil by itself.
#pragma once

#include <optional>
#include <string>

#include "src/graph_io/import_state.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {

/// A chunk with its decoded parts.
struct CheckedChunk {
  const wire::Group& wire;
  std::string place;  ///< `group 3 "layer_1"`
  FactKind fact = FactKind::NotAFact;
  std::uint32_t function = 0;
  std::optional<Shape> shape;
  std::uint64_t edges = 0;

  /// `group 3 "layer_1", neuron 345`, for the i-th neuron of the chunk.
  [[nodiscard]] std::string place_of(std::uint64_t i) const {
    return place + ", neuron " + std::to_string(wire.first_id() + i);
  }
};

/// Facts: which columns there are and how long, shapes, finite values. Reports and returns false.
[[nodiscard]] bool check_fact(CheckedChunk& chunk, ImportState& state);
/// Other neurons: columns, fan-in, function parameters. Reports and returns false.
[[nodiscard]] bool check_neurons(CheckedChunk& chunk, ImportState& state);

}  // namespace vecc::graph_io
