#include "backends/cpu/interpreted_block.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/kernel/prelude/base.h"
#include "src/kernel/prelude/kernels.h"

namespace vecc::cpu {
namespace {

using Kind = KernelNode::Kind;

template <class T>
T sum_of(const T* row, std::size_t entries) {
  T sum = 0;
  for (std::size_t i = 0; i < entries; ++i) sum += row[i];
  return sum;
}

}  // namespace

template <class T>
void InterpretedBlock<T>::run(std::uint32_t first, std::uint32_t end) {
  auto* const numbers = at<std::uint32_t>(interpreter_.row_numbers());
  for (std::uint32_t q = first; q < end; ++q) {
    numbers[q - first] = order_ == nullptr ? q : entry(order_, q);
  }
  block_ = {end - first, numbers, nullptr, order_ == nullptr};
  for (const KernelPhase& phase : kernel_.phases) run_phase(phase);
}

template <class T>
std::uint32_t InterpretedBlock<T>::begin_of(std::uint32_t row) const {
  if (kernel_.segments == KernelSegments::Ragged) return arguments_.offsets[row];
  return kernel_.segments == KernelSegments::Strided ? row : row * count_of(row);
}

template <class T>
std::uint32_t InterpretedBlock<T>::count_of(std::uint32_t row) const {
  if (kernel_.segments == KernelSegments::Ragged) {
    return arguments_.offsets[row + 1] - arguments_.offsets[row];
  }
  return kernel_.members > 0 ? kernel_.members : arguments_.members;
}

// The row's k-th member.
template <class T>
std::uint32_t InterpretedBlock<T>::member_of(std::uint32_t row, std::uint32_t k) const {
  return begin_of(row) + (kernel_.segments == KernelSegments::Strided ? k * arguments_.rows : k);
}

// Members of all rows of the block, as many at a time as a piece has room for.
template <class T>
void InterpretedBlock<T>::run_phase(const KernelPhase& phase) {
  if (phase.space == KernelSpace::Row) return run_steps(phase, block_);
  start_reductions(phase);
  auto* const numbers = at<std::uint32_t>(interpreter_.member_numbers());
  auto* const rows = at<std::uint32_t>(interpreter_.member_rows());
  const bool are_consecutive =
      block_.are_consecutive && !phase.reversed && kernel_.segments != KernelSegments::Strided;
  Items piece{0, numbers, rows, are_consecutive};
  for (std::uint32_t b = 0; b < block_.count; ++b) {
    const std::uint32_t row = block_.numbers[b];
    const std::uint32_t count = count_of(row);
    for (std::uint32_t k = 0; k < count; ++k) {
      numbers[piece.count] = member_of(row, phase.reversed ? count - 1 - k : k);
      rows[piece.count] = b;
      if (++piece.count < interpreter_.block()) continue;
      run_steps(phase, piece);
      piece.count = 0;
    }
  }
  if (piece.count > 0) run_steps(phase, piece);
  finish_reductions(phase);
}

template <class T>
void InterpretedBlock<T>::run_steps(const KernelPhase& phase, const Items& items) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) {
      store(kernel_.stores[step.number], items);
    } else {
      compute(step.number, items);
    }
  }
}

template <class T>
std::size_t InterpretedBlock<T>::place_of(const KernelAccess& access, std::uint32_t number,
                                          std::uint32_t counter) const {
  switch (access.map) {
    case RowMap::Direct: return counter;
    case RowMap::List: return entry(arguments_.lists[number], counter);
    case RowMap::One: return 0;
    case RowMap::Tile: return type_;
  }
  return counter;
}

// Rows that lie one after another, or are all the same, are read where they are.
template <class T>
void InterpretedBlock<T>::load(std::uint32_t node, const Items& items) {
  const std::uint32_t number = kernel_.nodes[node].access;
  const KernelAccess& access = kernel_.accesses[number];
  const auto* const data = static_cast<const T*>(arguments_.data[number]);
  const std::size_t entries = size(node);
  if (access.map == RowMap::One || access.map == RowMap::Tile) {
    views_[node] = {data + place_of(access, number, 0) * entries, 0};
    return;
  }
  if (access.map == RowMap::Direct && items.are_consecutive) {
    views_[node] = {data + items.numbers[0] * entries, entries};
    return;
  }
  T* y = values(node);
  views_[node] = {y, entries};
  for (std::uint32_t i = 0; i < items.count; ++i, y += entries) {
    std::copy_n(data + place_of(access, number, items.numbers[i]) * entries, entries, y);
  }
}

template <class T>
void InterpretedBlock<T>::store(const KernelStore& store, const Items& items) {
  const KernelAccess& access = kernel_.accesses[store.access];
  auto* const data = static_cast<T*>(arguments_.data[store.access]);
  const std::size_t entries = size(store.value);
  const Rows<T> rows = rows_of(store.value, items, 0);
  for (std::uint32_t i = 0; i < items.count; ++i) {
    std::copy_n(rows[i], entries,
                data + place_of(access, store.access, items.numbers[i]) * access.shape.size() +
                    store.first);
  }
}

template <class T>
Rows<T> InterpretedBlock<T>::rows_of(std::uint32_t node, const Items& items,
                                     std::uint32_t room) const {
  const Rows<T> view = views_[node];
  if (items.rows == nullptr || view.stride == 0 || interpreter_.layout(node).by_member) return view;
  T* const y = at<T>(interpreter_.operand_room(room));
  for (std::uint32_t i = 0; i < items.count; ++i) {
    std::copy_n(view[items.rows[i]], view.stride, y + i * view.stride);
  }
  return {y, view.stride};
}

template <class T>
const T* InterpretedBlock<T>::entries_of(std::uint32_t node, const Items& items,
                                         std::size_t entries, std::uint32_t room) const {
  const Rows<T> view = views_[node];
  const bool is_repeated = items.rows != nullptr && !interpreter_.layout(node).by_member;
  const bool is_one = size(node) == 1;
  if (!is_repeated && view.stride == entries) return view.first;
  T* const y = at<T>(interpreter_.operand_room(room));
  if (view.stride == 0 && is_one) {
    std::fill_n(y, items.count * entries, view.first[0]);
    return y;
  }
  for (std::uint32_t i = 0; i < items.count; ++i) {
    const T* const row = view[is_repeated ? items.rows[i] : i];
    if (is_one) {
      std::fill_n(y + i * entries, entries, *row);
    } else {
      std::copy_n(row, entries, y + i * entries);
    }
  }
  return y;
}

// What a reduction begins with.
template <class T>
T of_no_member(const KernelNode& node) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (is_selection(node)) return selects_largest(node.combination) ? -kInfinity : kInfinity;
  return T(node.combination == Combination::ElProduct ? 1 : 0);
}

template <class T>
void InterpretedBlock<T>::start_reductions(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = kernel_.nodes[step.number];
    const NodeLayout& layout = interpreter_.layout(step.number);
    if (is_selection(node)) {
      const std::size_t each = is_entry_selection(node) ? layout.entries : 1;
      std::fill_n(at<std::uint32_t>(layout.choices), block_.count * each, ~0u);
    }
    if (node.kind == Kind::Scan) {
      std::fill_n(at<T>(layout.running), block_.count * layout.entries, T(1));
    } else if (node.kind == Kind::Reduce) {
      views_[step.number] = {values(step.number), layout.entries};
      std::fill_n(values(step.number), block_.count * layout.entries, of_no_member<T>(node));
    }
  }
}

template <class T>
void InterpretedBlock<T>::reduce(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  if (node.combination == Combination::Count) return;
  const std::size_t entries = size(number);
  const T* x = entries_of(node.operands[0], items, entries, 0);
  T* const y = values(number);
  const bool multiplies = node.combination == Combination::ElProduct;
  for (std::uint32_t i = 0; i < items.count; ++i, x += entries) {
    T* const row = y + items.rows[i] * entries;
    if (multiplies) {
      for (std::size_t e = 0; e < entries; ++e) row[e] *= x[e];
    } else {
      for (std::size_t e = 0; e < entries; ++e) row[e] += x[e];
    }
  }
}

// The whole member with the largest (smallest) sum of entries, the first on ties. A first one that
// is no number stays, unless those are skipped.
template <class T>
void InterpretedBlock<T>::choose(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  const NodeLayout& layout = interpreter_.layout(number);
  const std::size_t entries = size(node.operands[0]);
  const Rows<T> members = rows_of(node.operands[0], items, 0);
  T* const best = at<T>(layout.running);
  auto* const choices = at<std::uint32_t>(layout.choices);
  for (std::uint32_t i = 0; i < items.count; ++i) {
    const std::uint32_t row = items.rows[i];
    const T sum = sum_of(members[i], entries);
    const bool is_better = selects_largest(node.combination) ? sum > best[row] : sum < best[row];
    const bool replaces_nan = node.skips_nan && std::isnan(best[row]);
    if (choices[row] != ~0u && !is_better && !replaces_nan) continue;
    choices[row] = items.numbers[i];
    best[row] = sum;
    if (node.kind == Kind::Reduce) {
      std::copy_n(members[i], entries, values(number) + row * entries);
    }
  }
}

// The same of each entry by itself.
template <class T>
void InterpretedBlock<T>::choose_entries(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  const NodeLayout& layout = interpreter_.layout(number);
  const std::size_t entries = size(number);
  const bool is_max = selects_largest(node.combination);
  const T* x = entries_of(node.operands[0], items, entries, 0);
  for (std::uint32_t i = 0; i < items.count; ++i, x += entries) {
    const std::size_t row = items.rows[i] * entries;
    T* const best = (node.kind == Kind::Reduce ? values(number) : at<T>(layout.running)) + row;
    auto* const choices = at<std::uint32_t>(layout.choices) + row;
    for (std::size_t e = 0; e < entries; ++e) {
      const bool is_better = is_max ? x[e] > best[e] : x[e] < best[e];
      const bool replaces_nan = node.skips_nan && std::isnan(best[e]);
      if (choices[e] != ~0u && !is_better && !replaces_nan) continue;
      choices[e] = items.numbers[i];
      best[e] = x[e];
    }
  }
}

template <class T>
void InterpretedBlock<T>::finish_reductions(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = kernel_.nodes[step.number];
    if (node.kind == Kind::Threshold) find_threshold(step.number);
    if (node.kind != Kind::Reduce) continue;
    T* y = values(step.number);
    const std::size_t entries = size(step.number);
    for (std::uint32_t b = 0; b < block_.count; ++b, y += entries) {
      const T count = static_cast<T>(count_of(block_.numbers[b]));
      if (node.combination == Combination::Count) {
        std::fill_n(y, entries, count);
      } else if (node.combination == Combination::Avg) {
        const T share = count > 0 ? T(1) / count : T(0);
        for (std::size_t e = 0; e < entries; ++e) y[e] *= share;
      }
    }
  }
}

template <class T>
void InterpretedBlock<T>::find_threshold(std::uint32_t number) {
  const std::uint32_t access = kernel_.nodes[kernel_.nodes[number].operands[0]].access;
  const auto* const data = static_cast<const T*>(arguments_.data[access]);
  views_[number] = {values(number), 1};
  for (std::uint32_t b = 0; b < block_.count; ++b) {
    const std::uint32_t row = block_.numbers[b];
    values(number)[b] = vecc_kernel::sparsemax_threshold<T>(count_of(row), [&](unsigned k) {
      return data[place_of(kernel_.accesses[access], access, member_of(row, k))];
    });
  }
}

template class InterpretedBlock<float>;
template class InterpretedBlock<double>;

}  // namespace vecc::cpu
