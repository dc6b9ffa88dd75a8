#include "tools/common/memory_statement.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "src/support/quantity_text.h"
#include "tools/common/freed_memory.h"
#include "tools/common/number_options.h"
#include "vecc/batch.h"
#include "vecc/escape.h"

namespace vecc::tools {

using Json = nlohmann::ordered_json;

namespace {

// Code of kernels, stacks, pages of small pieces that are in part free.
constexpr std::uint64_t kOthers = std::uint64_t{4} << 20;
// What comes that is worth a line of its own; the report has it always.
constexpr std::uint64_t kMuch = std::uint64_t{64} << 20;

using Part = std::pair<std::string_view, std::uint64_t>;

std::array<Part, 6> parts_of(const MemoryNeed& need) {
  return {{{"values", need.values},
           {"facts", need.facts},
           {"parameters", need.parameters},
           {"index arrays", need.arrays},
           {"outputs", need.outputs},
           {"copies of weights", need.copies}}};
}

std::string text_of_parts(const MemoryNeed& need) {
  std::string text;
  for (const auto& [name, bytes] : parts_of(need)) {
    if (bytes == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", name, text_of_bytes(bytes));
  }
  return text;
}

MemoryNeed sum_of(const MemoryNeed& a, const MemoryNeed& b) {
  return {a.values + b.values,       a.facts + b.facts,     a.parameters + b.parameters,
          a.arrays + b.arrays,       a.outputs + b.outputs, a.copies + b.copies,
          a.unwritten + b.unwritten, a.left + b.left};
}

// Values that batches leave are given back beyond so many bytes. A batch's arrays are at most the
// step's: of one that runs, and of the next, which is bound meanwhile.
void take_batches(const HostMemory& memory, const BatchOptions& batch, MemoryNeed& need) {
  const std::uint64_t kept = std::min(need.values, batch.kept_bytes);
  need.unwritten += std::exchange(need.values, kept) - kept;
  need.arrays += std::min(kKeptBatchArrays, 2 * (memory.read + memory.narrow));
}

}  // namespace

void add_host_memory(CLI::App& app, std::uint64_t& most) {
  add_size(app, "--host-memory", most, {1, std::numeric_limits<std::uint64_t>::max()},
           "The memory to hold at most (8G): what will take more is refused before it starts "
           "(docs/cpu.md). More than what is free: where others can be swapped out")
      ->default_str("what is free");
}

MemoryNeed need_of_run(const HostMemory& memory) {
  MemoryNeed need;
  need.values = memory.values;
  need.facts = memory.constants;
  need.arrays = memory.own + memory.narrow;
  need.outputs = memory.outputs;
  return need;
}

Result<void> MemoryStatement::expect(const MemoryNeed& later, std::uint64_t copies,
                                     std::uint64_t copied) {
  later_ = later;
  is_step_ = true;
  copies_ = copies;
  copied_ = copied;
  return check(later);
}

Result<void> MemoryStatement::state(const PlannedProgram& planned, const Program* stays) {
  const HostMemory memory = host_memory(planned.program, planned.plan, stays);
  MemoryNeed own = need_of_run(memory);
  own.arrays = memory.narrow;  // the others are in the Plan, which is there
  own.parameters = memory.parameters + memory.states;
  own.copies = copies_ * (copied_ + memory.states);
  own.left = memory.left;
  if (is_step_) own.outputs = 0;
  if (planned.batch != nullptr) take_batches(memory, *planned.batch, own);
  need_ = sum_of(own, later_);
  return_freed_memory();  // what is counted now is then in use
  now_ = process_memory();
  const ProcessMemory peak = process_peak();
  const std::uint64_t held = now_.resident + need_.bytes() + kOthers;
  stated_.resident = std::max(peak.resident, held - std::min(need_.left, held));
  stated_.address_space =
      planned.batch != nullptr
          ? 0
          : std::max(peak.address_space, now_.address_space + need_.bytes() + kOthers);
  VECC_TRY_VOID(check(need_));
  if (!say_ || need_.bytes() < kMuch) return {};
  std::string text = "memory: " + words();
  if (stated_.address_space != 0) {
    text += fmt::format(", {} of addresses", text_of_bytes(stated_.address_space));
  }
  say_(fmt::format("{}; {} now, to come: {}", text, text_of_bytes(now_.resident),
                   text_of_parts(need_)));
  return {};
}

Result<void> MemoryStatement::check(const MemoryNeed& need) const {
  HostRoom room = host_room();
  std::uint64_t bytes = need.bytes() - std::min(need.left, need.bytes());
  if (most_ != 0) {
    const std::uint64_t held = process_memory().resident;
    room = {most_ - std::min(most_, held), "--host-memory"};
  } else if (room.limit == "ulimit -v") {
    // The rest may come from addresses that the heap has.
    bytes = need.values + need.unwritten;
  }
  if (bytes <= room.bytes) return {};
  return Errors(ErrorCode::OutOfMemory, "cpu",
                fmt::format("needs {} more of the host's memory ({}), and {} are left of {}; fewer "
                            "samples at a time take less (--batch-size, --eval-batch-size), "
                            "--host-memory=SIZE sets another limit",
                            text_of_bytes(bytes), text_of_parts(need), text_of_bytes(room.bytes),
                            escape_terminal(room.limit)));
}

std::string MemoryStatement::words() const {
  return text_of_bytes(stated_.resident) + " at most";
}

void MemoryStatement::describe(std::string& words, Json& numbers) const {
  if (stated_.resident == 0) return;
  words += "; " + this->words();
  Json parts = Json::object();
  for (const auto& [name, bytes] : parts_of(need_)) parts[std::string(name)] = bytes;
  const std::uint64_t addresses = stated_.address_space;
  numbers["memory"] = {{"peak_bytes", stated_.resident},
                       {"peak_address_bytes", addresses != 0 ? Json(addresses) : Json()},
                       {"now_bytes", now_.resident},
                       {"left_bytes", need_.left},
                       {"to_come", std::move(parts)}};
}

}  // namespace vecc::tools
