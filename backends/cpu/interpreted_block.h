// The rows of a tile, a block after the other, through the steps of a kernel.
#pragma once

#include <cstdint>
#include <span>

#include "backends/cpu/interpreted_rows.h"
#include "backends/cpu/kernel_interpreter.h"
#include "src/kernel/kernel_lists.h"

namespace vecc::cpu {

/// T: float or double, the kernel's dtype.
template <class T>
class InterpretedBlock {
 public:
  /// `narrow`: an entry of the launch's lists has 16 bits, else 32.
  InterpretedBlock(const KernelInterpreter& interpreter, const KernelArguments& arguments,
                   bool narrow, std::uint32_t type)
      : interpreter_(interpreter),
        kernel_(interpreter.kernel()),
        arguments_(arguments),
        narrow_(narrow),
        type_(type),
        order_(has_order(kernel_) ? arguments.order : nullptr),
        views_(kernel_.nodes.size()) {}

  /// Rows first .. end - 1 of the launch's order, at most as many as a block has.
  void run(std::uint32_t first, std::uint32_t end);

 private:
  /// What a step walks: the block's rows, or a piece of their members.
  struct Items {
    std::uint32_t count = 0;
    const std::uint32_t* numbers = nullptr;  ///< of the rows; of the members, among all members
    const std::uint32_t* rows = nullptr;     ///< members: the row of the block of each
    bool are_consecutive = false;            ///< the numbers
  };

  template <class Value>
  [[nodiscard]] Value* at(std::uint64_t place) const {
    return reinterpret_cast<Value*>(static_cast<std::byte*>(arguments_.scratch) + place);
  }
  [[nodiscard]] T* values(std::uint32_t node) const {
    return at<T>(interpreter_.layout(node).values);
  }
  [[nodiscard]] std::size_t size(std::uint32_t node) const {
    return interpreter_.layout(node).entries;
  }

  [[nodiscard]] std::uint32_t entry(const void* list, std::uint32_t at) const {
    return narrow_ ? static_cast<const std::uint16_t*>(list)[at]
                   : static_cast<const std::uint32_t*>(list)[at];
  }

  void run_phase(const KernelPhase& phase);
  void run_steps(const KernelPhase& phase, const Items& items);
  [[nodiscard]] std::uint32_t begin_of(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t count_of(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t member_of(std::uint32_t row, std::uint32_t k) const;
  [[nodiscard]] std::size_t place_of(const KernelAccess& access, std::uint32_t number,
                                     std::uint32_t counter) const;

  void load(std::uint32_t node, const Items& items);
  void store(const KernelStore& store, const Items& items);
  void compute(std::uint32_t node, const Items& items);
  void compute_entries(std::uint32_t node, const Items& items);
  void compute_each(std::uint32_t node, const Items& items);
  void combine(std::uint32_t node, const Items& items, std::uint32_t without, std::size_t count);
  void guard(std::uint32_t node, const Items& items);
  void scan(std::uint32_t node, const Items& items);
  void select(std::uint32_t node, const Items& items);

  void start_reductions(const KernelPhase& phase);
  void reduce(std::uint32_t node, const Items& items);
  void choose(std::uint32_t node, const Items& items);
  void choose_entries(std::uint32_t node, const Items& items);
  void finish_reductions(const KernelPhase& phase);
  void find_threshold(std::uint32_t node);

  /// An operand's rows, one for each item; what belongs to rows is repeated for their members, in
  /// room number `room`.
  [[nodiscard]] Rows<T> rows_of(std::uint32_t node, const Items& items, std::uint32_t room) const;
  /// The same as `entries` numbers a row without gaps: scalars are repeated.
  [[nodiscard]] const T* entries_of(std::uint32_t node, const Items& items, std::size_t entries,
                                    std::uint32_t room) const;

  const KernelInterpreter& interpreter_;
  const Kernel& kernel_;
  const KernelArguments& arguments_;
  bool narrow_;
  std::uint32_t type_;
  const void* order_;
  Items block_;
  std::vector<Rows<T>> views_;  // by node: where its values are
};

}  // namespace vecc::cpu
