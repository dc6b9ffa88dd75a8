// Checks that several readers of wire messages share.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "src/graph_io/import_state.h"
#include "src/support/list_threads.h"
#include "vecc/graph.pb.h"
#include "vecc/shape.h"

namespace vecc::graph_io {

/// Whether a column has one of the lengths it may have; reports ColumnLength if not.
/// `meaning` says why: `one a neuron`.
inline bool check_length(ImportState& state, const std::string& place, std::string_view column,
                         std::uint64_t found, std::uint64_t expected, std::string_view meaning) {
  if (found == expected) return true;
  state.errors.add(ErrorCode::ColumnLength, place,
                   std::string(column) + " has " + std::to_string(found) + " entries, expected " +
                       std::to_string(expected) + " (" + std::string(meaning) + ")");
  return false;
}

/// A wire shape as a Shape; reports ShapeMismatch (one side 0) and LimitShape (and stops).
inline bool read_shape(ImportState& state, const std::string& place, const wire::Shape& wire,
                       Shape& shape) {
  const std::uint32_t rows = wire.rows();
  const std::uint32_t cols = wire.cols();
  if ((rows == 0) != (cols == 0)) {
    state.errors.add(ErrorCode::ShapeMismatch, place,
                     "shape " + std::to_string(rows) + "x" + std::to_string(cols) +
                         ", expected both sides at least 1, or both 0 for a scalar");
    return false;
  }
  shape = rows == 0 ? Shape() : Shape(rows, cols);
  if (shape.size() <= state.limits.max_value_size) return true;
  state.stop(ErrorCode::LimitShape, place,
             "shape " + shape.text() + " has " + std::to_string(shape.size()) +
                 " elements, the limit is " + std::to_string(state.limits.max_value_size));
  return false;
}

/// Reports every entry of a column that is NaN or infinite; `place_of(i)` names entry i.
template <class Column>
bool check_finite(ImportState& state, const Column& column, std::string_view what,
                  const std::function<std::string(std::uint64_t)>& place_of) {
  const auto is_finite = [&](std::size_t i) {
    return std::isfinite(static_cast<double>(column[static_cast<int>(i)]));
  };
  if (holds_for_all(static_cast<std::size_t>(column.size()), is_finite)) return true;
  bool all = true;
  for (int i = 0; i < column.size(); ++i) {
    const auto value = static_cast<double>(column[i]);
    if (std::isfinite(value)) [[likely]] {
      continue;
    }
    all = false;
    if (state.errors.full()) {
      state.errors.omit();
      continue;
    }
    const std::string_view found = std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
    state.errors.add(
        ErrorCode::NotFinite, place_of(static_cast<std::uint64_t>(i)),
        std::string(what) + " is " + std::string(found) + ", expected a finite number");
  }
  return all;
}

/// Whether a number is an enumerator; reports MalformedField if not.
inline bool check_enum(ImportState& state, const std::string& place, std::string_view what,
                       int found, bool valid) {
  if (valid) return true;
  state.errors.add(
      ErrorCode::MalformedField, place,
      std::string(what) + " is " + std::to_string(found) + ", expected a value of graph.proto");
  return false;
}

}  // namespace vecc::graph_io
