// Columns of the graph to columns of the wire.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "vecc/graph.pb.h"
#include "vecc/shape.h"

namespace vecc::graph_io {

/// Bytes that a chunk aims at; what cannot be split may be larger.
inline constexpr std::uint64_t kChunkBytes = std::uint64_t{16} << 20;
/// Neurons, weights or samples of a chunk, at most.
inline constexpr std::uint64_t kChunkRows = std::uint64_t{1} << 20;

inline void set_shape(wire::Shape* wire, Shape shape) {
  wire->set_rows(shape.is_scalar() ? 0 : shape.rows());
  wire->set_cols(shape.is_scalar() ? 0 : shape.cols());
}

/// Whether every value is exactly a float (NaN and infinity count as one).
inline bool fit_float(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) {
    if (!std::isfinite(value)) return true;
    return std::abs(value) <= std::numeric_limits<float>::max() &&
           static_cast<double>(static_cast<float>(value)) == value;
  });
}

/// Stores values in values_f32 where nothing is lost, else in values_f64.
template <class Message>
void set_values(Message& wire, std::span<const double> values) {
  if (fit_float(values)) {
    auto* column = wire.mutable_values_f32();
    column->Reserve(static_cast<int>(values.size()));
    for (const double value : values) column->AddAlreadyReserved(static_cast<float>(value));
  } else {
    wire.mutable_values_f64()->Add(values.begin(), values.end());
  }
}

}  // namespace vecc::graph_io
