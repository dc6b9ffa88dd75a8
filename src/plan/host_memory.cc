#include "src/plan/host_memory.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "src/plan/analysis/array_reads.h"
#include "src/plan/device_arrays.h"
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

void add(Held& held, const SharedNumbers& numbers) {
  if (numbers) held.emplace(numbers.data(), numbers.bytes());
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

// Parameters and states have memory whether a kernel reads them or not.
void count_numbers(const Program& program, const Plan& plan, HostMemory& memory) {
  const std::uint64_t number = byte_size(plan.dtype);
  memory.values = plan.arena_elements * number;
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == PlanBuffer::Kind::Constant) memory.constants += buffer.elements * number;
  }
  for (const Parameter& parameter : program.parameters()) {
    memory.parameters += parameter.rows * parameter.shape.size() * number;
  }
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::State) memory.states += op.size() * number;
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

std::uint64_t bytes_of_outputs(const Program& program) {
  std::uint64_t bytes = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Output) continue;
    bytes +=
        op.rows * (sizeof(Executable::Output) + bytes_of_piece(op.shape.size() * sizeof(double)));
  }
  return bytes;
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
  count_numbers(program, plan, memory);
  memory.all_states = memory.states;
  count_arrays(plan, held_by(program), stays, memory);
  memory.outputs = bytes_of_outputs(program);
  return memory;
}

HostMemory host_memory_of_device(const Program& program, const Plan& plan,
                                 const std::vector<PlacedTable>& tables, bool runs_batches,
                                 const Program* stays) {
  HostMemory memory;
  for (const PlacedTable& table : tables) {
    const bool is_state = plan.buffers[table.buffer].kind == PlanBuffer::Kind::State;
    if (is_state) memory.all_states += table.bytes;
  }
  for (const PlacedTable& table : tables) {
    if (table.place != TablePlace::Host || table.is_there) continue;
    const std::uint64_t bytes = table.bytes - (table.hot ? table.hot->bytes : 0);
    const PlanBuffer::Kind kind = plan.buffers[table.buffer].kind;
    const bool is_state = kind == PlanBuffer::Kind::State;
    std::uint64_t& of_kind = is_state ? memory.states : memory.parameters;
    (kind == PlanBuffer::Kind::Constant ? memory.constants : of_kind) += bytes;
  }
  Held left = held_by(program);
  for (const auto& array : plan.arrays) add(left, array);
  for (const PlanBuffer& buffer : plan.buffers) add(left, buffer.values);
  const Held kept = stays != nullptr ? held_by(*stays) : Held();
  for (const auto& [list, bytes] : left) memory.left += kept.contains(list) ? 0 : bytes;
  if (runs_batches) {
    Held bound;
    for (const auto& array : plan.arrays) add(bound, array);
    for (const auto& [list, bytes] : bound) memory.left -= kept.contains(list) ? 0 : bytes;
    memory.read = bytes_of_device_arrays(plan);
  }
  memory.outputs = bytes_of_outputs(program);
  return memory;
}

}  // namespace vecc
