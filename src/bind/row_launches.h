// A bound graph: launches of row kernels, all arrays of them, and the memory of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "src/bind/group_match.h"
#include "vecc/shape.h"

namespace vecc::binding {

/// One run of a kernel.
struct RowLaunch {
  std::uint32_t kernel = 0;  ///< of RecipeBook::kernels()
  std::uint32_t rows = 0;
  std::uint64_t members = 0;
  /// By access, up to the (first) store: rows of the weights' block or of the values, in rows of
  /// the access's shape. Later stores and loads are of the same rows.
  std::vector<std::vector<std::uint32_t>> lists;
  std::vector<std::uint32_t> offsets;  ///< of a kernel with segments
  std::vector<std::uint32_t> words;
};

/// What a backend keeps for launches from one bind to the next: memory of a device.
struct BackendMemory {
  BackendMemory() = default;
  BackendMemory(const BackendMemory&) = delete;
  BackendMemory& operator=(const BackendMemory&) = delete;
  virtual ~BackendMemory() = default;
};

/// Memory is kept from one bind to the next.
struct RowLaunches {
  std::deque<RowLaunch> launches;  ///< the first `used` are in use
  std::uint32_t used = 0;
  std::vector<std::uint32_t> order;  ///< in which they run
  /// Places of `order` behind each stage's last launch. Launches of one stage read nothing of one
  /// another.
  std::vector<std::uint32_t> stage_ends;
  std::vector<std::byte> values;  ///< numbers of the template's type; facts are in it
  std::uint64_t elements = 0;     ///< of `values`
  WeightRows::Block weights;
  struct Output {
    std::uint32_t first = 0;  ///< element of `values`
    Shape shape;
  };
  std::vector<Output> outputs;            ///< by sample, graph after graph
  std::unique_ptr<BackendMemory> memory;  ///< of the backend that ran it last
};

}  // namespace vecc::binding
