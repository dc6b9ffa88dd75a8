// What a step does with rows one by one, for each set of instructions.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/rows.h"
#include "src/kg/tiles.h"

namespace vecc::kg {

template <class T>
struct RowKernels {
  /// sum[k] += x[k] of n numbers.
  void (*add)(const T* x, std::size_t n, T* sum);
  /// By RowOptimizer: moves the n numbers of a row. `first` and `second` are what the optimizer
  /// keeps of them: adagrad the first alone, sgd none.
  using Move = void (*)(const formulas::RowRates<T>& rates, const T* gradient, std::size_t n, T* w,
                        T* first, T* second);
  std::array<Move, 3> moves;
  /// By TileKind: adds to dq and de what a query q and an entity e of `dim` numbers get of their
  /// score; c: formulas::by_sum().
  using AddPair = void (*)(T c, const T* q, const T* e, std::size_t dim, T* dq, T* de);
  std::array<AddPair, kTileKinds> pairs;

  [[nodiscard]] Move move(RowOptimizer optimizer) const {
    return moves[static_cast<std::size_t>(optimizer)];
  }
  [[nodiscard]] AddPair add_pair(TileKind kind) const {
    return pairs[static_cast<std::size_t>(kind)];
  }
};

/// Those that this processor runs, the best first.
template <class T>
[[nodiscard]] std::span<const RowKernels<T>* const> usable_row_kernels();
template <class T>
[[nodiscard]] const RowKernels<T>& row_kernels() {
  return *usable_row_kernels<T>().front();
}

}  // namespace vecc::kg
