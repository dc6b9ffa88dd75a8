// What reading a value means once gathers are gone: rows of another value, through an index.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "src/program/value_places.h"
#include "vecc/program.h"

namespace vecc {

/// Row i of a value is row index[i] of `value`; no index: row i.
struct ValueSource {
  ValueId value = 0;
  std::optional<Index> index;
};

/// By value; of those that are their own source, as most are, there is nothing but that.
class ValueSources {
 public:
  ValueSources() = default;
  /// Room for so many.
  explicit ValueSources(std::size_t count) { others_.reserve(count); }
  void push_back(ValueSource source);
  void set(ValueId id, ValueSource source);
  [[nodiscard]] ValueSource operator[](ValueId id) const {
    return others_[id] == kOwn ? ValueSource{id, std::nullopt} : sources_[others_[id]];
  }
  /// operator[](id).value
  [[nodiscard]] ValueId value_of(ValueId id) const {
    return others_[id] == kOwn ? id : sources_[others_[id]].value;
  }

 private:
  static constexpr std::uint32_t kOwn = 0xFFFFFFFFu;
  std::vector<std::uint32_t> others_;  // by value: its place in `sources_`
  std::deque<ValueSource> sources_;
};

/// Where values lie, as place_values(); of a reshaped value (or a transposed vector), which is the
/// same numbers, what it is made of lies there.
[[nodiscard]] std::vector<Place> stored_places(const Program& program);

/// By value, through chains of gathers, of reshaped values, of transposed vectors and of gradients
/// that a sum passes on, unless these have a place in a concat; the value of an update is what it
/// stores. A value that is computed, or stored by itself, is its own source; so is a `segment
/// concat`, whose rows are others. Linear in the lists that are composed.
[[nodiscard]] ValueSources value_sources(const Program& program, std::span<const Place> places);

/// `source`, of a value of `rows` rows, read through one more index.
[[nodiscard]] ValueSource through(const ValueSource& source, const Index& index,
                                  std::uint32_t rows);

/// What a side of a `linear` reads in row i of the result: the source's row, through its lift.
[[nodiscard]] ValueSource lifted_source(const ValueSource& source, const Lift& lift,
                                        std::uint32_t operand_rows);

}  // namespace vecc
