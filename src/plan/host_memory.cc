#include "src/plan/host_memory.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/kernel/kernel_lists.h"
#include "src/plan/analysis/narrow_arrays.h"
#include "src/program/op_arrays.h"
#include "vecc/backend.h"

namespace vecc {
namespace {

/// Bytes of each array or list of numbers by where it is: several ops may share one.
using Held = std::unordered_map<const void*, std::uint64_t>;

template <class T>
void add(Held& held, const std::shared_ptr<const std::vector<T>>& list) {
  if (list) held.emplace(list.get(), list->size() * sizeof(T));
}

Held held_by(const Program& program) {
  Held held;
  for (const Op& op : program.ops()) {
    for_each_array(op, [&](const auto& array) { add(held, array); });
    if (const auto* fact = std::get_if<FactOp>(&op.attributes)) add(held, fact->values);
  }
  for (const Parameter& parameter : program.parameters()) add(held, parameter.values);
  return held;
}

/// By array of a Plan: whether kernels read it as it is, and whether they read a copy of 16 bits.
struct ArrayReads {
  explicit ArrayReads(const Plan& plan) : wide(plan.arrays.size()), narrow(plan.arrays.size()) {
    const NarrowArrays fits(plan);
    for (const Launch& launch : plan.launches) {
      const bool is_narrow = has_lists(plan.kernels[launch.kernel]) && fits.has_all_of(launch);
      std::vector<bool>& lists = is_narrow ? narrow : wide;
      if (launch.order != kNone) lists[launch.order] = true;
      for (const AccessBinding& access : launch.accesses) {
        if (access.list != kNone) lists[access.list] = true;
      }
      if (launch.offsets != kNone) wide[launch.offsets] = true;
      for (const ArrayIndex words : launch.words) wide[words] = true;
    }
  }
  std::vector<bool> wide;
  std::vector<bool> narrow;
};

void count_buffers(const Plan& plan, HostMemory& memory) {
  const std::uint64_t number = byte_size(plan.dtype);
  memory.values = plan.arena_elements * number;
  std::unordered_set<std::uint64_t> counted;  // a parameter, or a state, may be several buffers
  for (const PlanBuffer& buffer : plan.buffers) {
    const std::uint64_t bytes = buffer.elements * number;
    if (buffer.kind == PlanBuffer::Kind::Arena) continue;
    if (buffer.kind == PlanBuffer::Kind::Constant) {
      memory.constants += bytes;
      continue;
    }
    const bool is_state = buffer.kind == PlanBuffer::Kind::State;
    const std::uint64_t key = std::uint64_t{buffer.source} << 1 | (is_state ? 1 : 0);
    if (counted.insert(key).second) (is_state ? memory.states : memory.parameters) += bytes;
  }
}

void count_arrays(const Plan& plan, const Held& of_program, const Program* stays,
                  HostMemory& memory) {
  const ArrayReads reads(plan);
  Held left = of_program;
  for (const auto& array : plan.arrays) add(left, array);
  for (const PlanBuffer& buffer : plan.buffers) add(left, buffer.values);
  Held read;
  for (ArrayIndex a = 0; a < plan.arrays.size(); ++a) {
    if (reads.narrow[a]) memory.narrow += plan.arrays[a]->size() * sizeof(std::uint16_t);
    if (!reads.wide[a]) continue;
    add(read, plan.arrays[a]);
  }
  for (const auto& [array, bytes] : read) {
    left.erase(array);
    memory.read += bytes;
    if (!of_program.contains(array)) memory.own += bytes;
  }
  const Held kept = stays != nullptr ? held_by(*stays) : Held();
  for (const auto& [list, bytes] : left) memory.left += kept.contains(list) ? 0 : bytes;
}

}  // namespace

std::uint64_t bytes_of_piece(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = 32;
  constexpr std::uint64_t kUnit = 16;
  constexpr std::uint64_t kSize = 8;  // which stands before it
  return std::max(kLeast, (bytes + kSize + kUnit - 1) / kUnit * kUnit);
}

HostMemory host_memory(const Program& program, const Plan& plan, const Program* stays) {
  HostMemory memory;
  count_buffers(plan, memory);
  count_arrays(plan, held_by(program), stays, memory);
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Output) continue;
    memory.outputs +=
        op.rows * (sizeof(Executable::Output) + bytes_of_piece(op.shape.size() * sizeof(double)));
  }
  return memory;
}

}  // namespace vecc
