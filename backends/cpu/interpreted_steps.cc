// Steps of a block that compute: whole rows, and entries.
#include <algorithm>
#include <vector>

#include "backends/cpu/interpreted_block.h"

namespace vecc::cpu {
namespace {

using Kind = KernelNode::Kind;

}  // namespace

template <class T>
void InterpretedBlock<T>::compute(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  if (node.kind == Kind::Load) return load(number, items);
  if (node.kind == Kind::Threshold) return;  // behind the loop
  if (is_entry_selection(node)) return choose_entries(number, items);
  if (is_selection(node)) return choose(number, items);
  if (node.kind == Kind::Reduce) return reduce(number, items);
  views_[number] = {values(number), node.kind == Kind::Constant ? 0 : size(number)};
  if (node.kind == Kind::Constant) {
    values(number)[0] = static_cast<T>(node.constant);
  } else if (node.kind == Kind::Guard) {
    guard(number, items);
  } else if (node.kind == Kind::Scan) {
    scan(number, items);
  } else if (node.kind == Kind::Selected) {
    select(number, items);
  } else if (is_entrywise(kernel_, node) && node.kind != Kind::Draw &&
             moved_load(kernel_, node) == nullptr) {
    compute_entries(number, items);
  } else {
    compute_each(number, items);
  }
}

template <class T>
void InterpretedBlock<T>::compute_entries(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  const std::size_t entries = size(number);
  const std::size_t count = items.count * entries;
  T* const y = values(number);
  const auto operand = [&](std::size_t k, std::uint32_t room) {
    return entries_of(node.operands[k], items, entries, room);
  };
  const std::size_t last = node.operands.size() - 1;
  if (node.kind == Kind::Transform) {
    transform_entries(node.transformation, count, operand(0, 0), y);
  } else if (node.kind == Kind::TransformVjp) {
    const T* const x = node.reads_x ? operand(0, 0) : nullptr;
    const T* const result = node.reads_y ? operand(last - 1, 1) : nullptr;
    pull_entries(node.transformation, count, x, result, operand(last, 2), y);
  } else if (node.kind == Kind::Times) {
    const T* const left = operand(0, 0);
    const T* const right = operand(1, 1);
    for (std::size_t i = 0; i < count; ++i) y[i] = left[i] * right[i];
  } else if (node.kind == Kind::Combine) {
    combine(number, items, kNoOperand, node.operands.size());
  } else {
    if (node.combination == Combination::ElProduct) {
      combine(number, items, node.wrt, last - 1);
    } else {
      std::fill_n(y, count, node.combination == Combination::Sum ? T(1) : T(1.0 / (last - 1)));
    }
    const T* const g = operand(last, 2);
    for (std::size_t i = 0; i < count; ++i) y[i] = g[i] * y[i];
  }
}

// The first `count` operands' sum, mean or product, from left to right, `without` one of them.
template <class T>
void InterpretedBlock<T>::combine(std::uint32_t number, const Items& items, std::uint32_t without,
                                  std::size_t count) {
  const KernelNode& node = kernel_.nodes[number];
  const std::size_t entries = size(number);
  const std::size_t all = items.count * entries;
  const bool multiplies = node.combination == Combination::ElProduct;
  T* const y = values(number);
  bool is_first = true;
  for (std::size_t k = 0; k < count; ++k) {
    if (k == without) continue;
    const T* const x = entries_of(node.operands[k], items, entries, 0);
    if (is_first) {
      std::copy_n(x, all, y);
    } else if (multiplies) {
      for (std::size_t i = 0; i < all; ++i) y[i] *= x[i];
    } else {
      for (std::size_t i = 0; i < all; ++i) y[i] += x[i];
    }
    is_first = false;
  }
  if (is_first) std::fill_n(y, all, T(1));
  if (node.combination != Combination::Avg) return;
  const T share = static_cast<T>(1.0 / static_cast<double>(count));
  for (std::size_t i = 0; i < all; ++i) y[i] *= share;
}

template <class T>
void InterpretedBlock<T>::compute_each(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  const std::size_t entries = size(number);
  T* const y = values(number);
  if (node.kind == Kind::Times) {
    multiply_rows(product_shape(kernel_, node), node, items.count,
                  rows_of(node.operands[0], items, 0), rows_of(node.operands[1], items, 1),
                  at<T>(interpreter_.operand_room(2)), y);
    return;
  }
  if (node.kind == Kind::RowSum) {
    const Rows<T> x = rows_of(node.operands[0], items, 0);
    for (std::uint32_t i = 0; i < items.count; ++i) {
      y[i] = T(0);
      for (std::size_t e = 0; e < size(node.operands[0]); ++e) y[i] += x[i][e];
    }
    return;
  }
  std::vector<const T*> operands(node.operands.size());
  const std::uint32_t width = word_count(node.transformation.id);
  for (std::uint32_t i = 0; i < items.count; ++i) {
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const std::uint32_t operand = node.operands[o];
      const bool is_repeated = items.rows != nullptr && !interpreter_.layout(operand).by_member;
      operands[o] = views_[operand][is_repeated ? items.rows[i] : i];
    }
    std::span<const std::uint32_t> words(node.words.data(), width);
    if (node.words_by_row) {
      words = {arguments_.words[node.word_slot] + std::size_t{items.numbers[i]} * width, width};
    }
    evaluate_row<T>(kernel_, node, operands, words, y + i * entries);
  }
}

template <class T>
void InterpretedBlock<T>::guard(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  const std::size_t entries = size(number);
  const std::size_t guarding = size(node.operands[0]);
  const Rows<T> guards = rows_of(node.operands[0], items, 0);
  const T* x = entries_of(node.operands[1], items, entries, 1);
  T* y = values(number);
  if (node.by_entry) {
    for (std::uint32_t i = 0; i < items.count; ++i, x += entries, y += entries) {
      for (std::size_t e = 0; e < entries; ++e) y[e] = guards[i][e] == T(0) ? T(0) : x[e];
    }
    return;
  }
  for (std::uint32_t i = 0; i < items.count; ++i, x += entries, y += entries) {
    const auto is_zero = [](T value) { return value == T(0); };
    if (std::all_of(guards[i], guards[i] + guarding, is_zero)) {
      std::fill_n(y, entries, T(0));
    } else {
      std::copy_n(x, entries, y);
    }
  }
}

// What came before, then this one too.
template <class T>
void InterpretedBlock<T>::scan(std::uint32_t number, const Items& items) {
  const std::size_t entries = size(number);
  const T* x = entries_of(kernel_.nodes[number].operands[0], items, entries, 0);
  T* const running = at<T>(interpreter_.layout(number).running);
  T* y = values(number);
  for (std::uint32_t i = 0; i < items.count; ++i, x += entries, y += entries) {
    T* const row = running + items.rows[i] * entries;
    std::copy_n(row, entries, y);
    for (std::size_t e = 0; e < entries; ++e) row[e] *= x[e];
  }
}

template <class T>
void InterpretedBlock<T>::select(std::uint32_t number, const Items& items) {
  const KernelNode& node = kernel_.nodes[number];
  const std::size_t entries = size(number);
  const auto* const choices = at<std::uint32_t>(interpreter_.layout(node.operands[0]).choices);
  const T* x = entries_of(node.operands[1], items, entries, 0);
  T* y = values(number);
  if (is_entry_selection(kernel_.nodes[node.operands[0]])) {
    for (std::uint32_t i = 0; i < items.count; ++i, x += entries, y += entries) {
      const std::uint32_t* const chosen = choices + items.rows[i] * entries;
      for (std::size_t e = 0; e < entries; ++e) y[e] = chosen[e] == items.numbers[i] ? x[e] : T(0);
    }
    return;
  }
  for (std::uint32_t i = 0; i < items.count; ++i, x += entries, y += entries) {
    if (choices[items.rows[i]] == items.numbers[i]) {
      std::copy_n(x, entries, y);
    } else {
      std::fill_n(y, entries, T(0));
    }
  }
}

template class InterpretedBlock<float>;
template class InterpretedBlock<double>;

}  // namespace vecc::cpu
