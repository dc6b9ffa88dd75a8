#include "src/plan/fetched_rows.h"

#include <algorithm>
#include <utility>

#include "src/plan/row_reads.h"

namespace vecc {
namespace {

using Kind = PlanBuffer::Kind;

Kernel copy_kernel(const Plan& plan, std::uint64_t row) {
  Kernel kernel;
  kernel.dtype = plan.dtype;
  const Shape shape{static_cast<std::uint32_t>(row), 1};
  KernelAccess from;
  from.shape = shape;
  from.aligned = true;
  KernelAccess to = from;
  to.store = true;
  kernel.accesses = {from, to};
  KernelNode& load = kernel.nodes.emplace_back();
  load.shape = shape;
  kernel.stores = {{1, 0, 0}};
  kernel.phases = {{KernelSpace::Row, false, {{false, 0}, {true, 0}}}};
  return kernel;
}

Launch copy_launch(const Plan& plan, std::uint32_t kernel, BufferIndex from, BufferIndex to,
                   std::uint64_t row) {
  Launch launch;
  launch.kernel = kernel;
  launch.rows = static_cast<std::uint32_t>(plan.buffers[from].elements / row);
  launch.accesses = {{from, 0, launch.rows, kNone}, {to, 0, launch.rows, kNone}};
  launch.tiles = {0, launch.rows};
  launch.work = 2 * plan.buffers[from].elements;
  return launch;
}

std::uint32_t number_of(Plan& plan, Kernel kernel) {
  const auto found = std::ranges::find(plan.kernels, kernel);
  const auto number = static_cast<std::uint32_t>(found - plan.kernels.begin());
  if (number == plan.kernels.size()) plan.kernels.push_back(std::move(kernel));
  return number;
}

// So that rows are aligned as in a block of their own.
std::uint64_t aligned(std::uint64_t elements) {
  return (elements + 63) / 64 * 64;
}

// What is read of a fact is read of its copy.
void read_copy(Plan& plan, BufferIndex fact, BufferIndex copy) {
  for (Launch& launch : plan.launches) {
    for (AccessBinding& access : launch.accesses) {
      if (access.buffer == fact) access.buffer = copy;
    }
  }
}

}  // namespace

std::vector<BufferIndex> find_fetched(const Plan& plan, const Program& program,
                                      const std::vector<PlacedTable>& tables) {
  std::vector<BufferIndex> facts;
  const bool has_stages = !plan.launches.empty() && plan.launches.back().stage > 0;
  if (has_stages || !plan.number_steps.empty()) return facts;
  for (const PlacedTable& table : tables) {
    if (table.place != TablePlace::Host) continue;
    if (plan.buffers[table.buffer].kind != Kind::Constant) continue;
    if (common_row_elements(plan, program, table.buffer) > 0) facts.push_back(table.buffer);
  }
  std::ranges::sort(facts);
  return facts;
}

void fetch_rows(Plan& plan, const Program& program, const std::vector<BufferIndex>& facts) {
  const auto count = static_cast<std::uint32_t>(facts.size());
  for (Launch& launch : plan.launches) launch.stage = 1;
  for (PlanBuffer& buffer : plan.buffers) {
    buffer.first += count;
    buffer.last += count;
  }
  std::vector<Launch> copies;
  for (const BufferIndex fact : facts) {
    const std::uint64_t row = common_row_elements(plan, program, fact);
    const auto copy = static_cast<BufferIndex>(plan.buffers.size());
    PlanBuffer& buffer = plan.buffers.emplace_back();
    buffer.elements = plan.buffers[fact].elements;
    buffer.offset = aligned(plan.arena_elements);
    buffer.first = static_cast<std::uint32_t>(copies.size());
    buffer.last = static_cast<std::uint32_t>(plan.launches.size()) + count;
    plan.arena_elements = buffer.offset + buffer.elements;
    read_copy(plan, fact, copy);
    copies.push_back(copy_launch(plan, number_of(plan, copy_kernel(plan, row)), fact, copy, row));
  }
  plan.launches.insert(plan.launches.begin(), std::make_move_iterator(copies.begin()),
                       std::make_move_iterator(copies.end()));
}

}  // namespace vecc
