#include "tools/common/memory_statement.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "src/plan/plan_tables.h"
#include "src/support/mapped_file.h"
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
  MemoryNeed sum;
  for (const auto part : {&MemoryNeed::values, &MemoryNeed::facts, &MemoryNeed::parameters,
                          &MemoryNeed::arrays, &MemoryNeed::outputs, &MemoryNeed::copies,
                          &MemoryNeed::unwritten, &MemoryNeed::left, &MemoryNeed::starts}) {
    sum.*part = a.*part + b.*part;
  }
  return sum;
}

// Of the two images of a batch in pinned memory, each at most.
constexpr std::uint64_t kImage = std::uint64_t{16} << 20;

HostMemory memory_of(const PlannedProgram& planned, const Program* stays) {
  if (planned.on_device == nullptr) return host_memory(planned.program, planned.plan, stays);
  return host_memory_of_device(planned.program, planned.plan, *planned.on_device,
                               planned.batch != nullptr, stays);
}

// Those of others that are of tables on the host there are on the host as well.
std::uint64_t facts_on_host(const PlannedProgram& planned, const MemoryNeed& later) {
  std::uint64_t bytes = 0;
  for (const PlacedTable& table : *planned.on_device) {
    if (table.place != TablePlace::Host || !table.is_named) continue;
    const auto found = later.of_facts.find(table.name);
    if (found != later.of_facts.end()) bytes += found->second;
  }
  return bytes;
}

// Beside the lists of a batch that runs and of the next, those of the binder.
void take_compact_batches(const BatchBytes& usual, MemoryNeed& need) {
  constexpr std::uint64_t kBatches = 3;
  need.values = usual.values;
  need.arrays += kBatches * usual.arrays;
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
  add_size(
      app, "--host-memory", most, {1, std::numeric_limits<std::uint64_t>::max()},
      "The memory to hold at most (8G): tables that do not fit are in files (--place), and what "
      "takes more all the same is refused before it starts (docs/cpu.md). More than what is free: "
      "where others can be swapped out. Needs --backend=cpu")
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

Result<void> MemoryStatement::expect(const MemoryNeed& later, const WeightCopies& copies,
                                     std::uint64_t copied) {
  later_ = later;
  is_step_ = true;
  copies_ = copies;
  copied_ = copied;
  MemoryNeed least = later;
  // Files, or a GPU, may have them.
  for (const auto& [groups, bytes] : later.of_facts) least.facts -= std::min(bytes, least.facts);
  return_freed_memory();  // what is counted as held is then in use
  return check(least, "");
}

Result<void> MemoryStatement::state(const PlannedProgram& planned, const Program* stays) {
  const HostMemory memory = memory_of(planned, stays);
  device_ = planned.device;
  MemoryNeed own = need_of_run(memory);
  own.arrays = memory.narrow;  // the others are in the Plan, which is there
  own.parameters = memory.parameters + memory.states;
  const std::uint64_t copy = copied_ + memory.all_states;
  own.copies = (copies_.kept + copies_.made) * copy;
  own.left = memory.left;
  if (is_step_) own.outputs = 0;
  if (planned.on_device != nullptr) {
    own.facts += facts_on_host(planned, later_);
    if (planned.batch != nullptr) own.arrays += 2 * std::min(kImage, memory.read);
  } else if (planned.compact != nullptr) {
    take_compact_batches(*planned.compact, own);
  } else if (planned.batch != nullptr) {
    take_batches(memory, *planned.batch, own);
  }
  need_ = sum_of(own, later_);
  return_freed_memory();  // what is counted now is then in use
  now_ = process_memory();
  if (planned.tables != nullptr) VECC_TRY_VOID(place(planned, copy));
  if (planned.batch != nullptr && planned.batch->keeps_more && planned.kept_bytes != nullptr) {
    keep_values(memory.values, *planned.kept_bytes);
  }
  const ProcessMemory peak = process_peak();
  const auto beside = [&](std::uint64_t to_come, std::uint64_t gone) {
    const std::uint64_t held = now_.resident + to_come + kOthers;
    return held - std::min(gone, held);
  };
  stated_.resident = std::max({peak.resident, beside(need_.bytes(), need_.left + need_.starts),
                               beside(need_.compiled_bytes(), need_.left)});
  // A driver reserves addresses as it likes.
  stated_.address_space = planned.batch != nullptr || planned.on_device != nullptr
                              ? 0
                              : std::max(peak.address_space, now_.address_space + need_.bytes() +
                                                                 need_.files + kOthers);
  VECC_TRY_VOID(check(need_, text_of_tables(planned)));
  if (!say_ || need_.bytes() + need_.files < kMuch) return {};
  std::string text = "memory: " + words();
  if (stated_.address_space != 0) {
    text += fmt::format(", {} of addresses", text_of_bytes(stated_.address_space));
  }
  say_(fmt::format("{}; {} now, to come: {}", text, text_of_bytes(now_.resident),
                   text_of_parts(need_)));
  return {};
}

// Where they may be in files, and are a tenth of what is needed at least.
std::string MemoryStatement::text_of_tables(const PlannedProgram& planned) const {
  if (planned.tables == nullptr || (most_ == 0 && need_.files == 0)) return {};
  const std::uint64_t bytes =
      bytes_at(*planned.tables, TablePlace::Host) + bytes_at(*planned.tables, TablePlace::File);
  if (bytes == 0 || bytes < need_.bytes() / 10) return {};
  return "\n" + text_of(*planned.tables);
}

// Takes what is in files off need_. `copy`: bytes of one.
Result<void> MemoryStatement::place(const PlannedProgram& planned, std::uint64_t copy) {
  std::vector<PlacedTable>& tables = *planned.tables;
  std::map<std::string, std::uint64_t> copies = later_.of_facts;
  for (PlacedTable& table : tables) {
    const bool is_fact = planned.plan.buffers[table.buffer].kind == PlanBuffer::Kind::Constant;
    const auto found = is_fact && table.is_named ? copies.find(table.name) : copies.end();
    if (found != copies.end()) table.copies = std::exchange(found->second, 0);
  }
  const std::uint64_t room = this->room().bytes;
  const std::uint64_t in_files = bytes_at(tables, TablePlace::File);
  const auto need = [&] { return need_.to_come() - std::min(in_files, need_.to_come()); };
  const bool moves = most_ != 0 && need() > room;
  if (in_files == 0 && !moves) return {};
  VECC_TRY(const FileFolder folder, find_file_folder(planned.places->folder));
  if (folder.is_memory) return {};  // where its files are all the same
  if (copies_.kept > 0) {           // they are made there, a table at a time
    const std::uint64_t bytes = (copies_.kept + copies_.made) * copy;
    need_.copies -= bytes;
    need_.files += bytes;
    kept_copies_ = {folder.path, copy};
  }
  if (moves && need() > room) {
    const std::uint64_t held = bytes_at(tables, TablePlace::Host);
    move_tables(tables, TablePlace::Host, TablePlace::File, held - std::min(held, need() - room));
  }
  for (const PlacedTable& table : tables) {
    if (table.place != TablePlace::File) continue;
    const bool is_fact = planned.plan.buffers[table.buffer].kind == PlanBuffer::Kind::Constant;
    (is_fact ? need_.facts : need_.parameters) -= table.bytes + table.copies;
    need_.files += table.bytes + table.copies;
  }
  return {};
}

void MemoryStatement::keep_values(std::uint64_t values, std::uint64_t& kept) {
  const std::uint64_t room = this->room().bytes;
  const std::uint64_t left = room - std::min(room, need_.to_come());
  const std::uint64_t raised = kept_where_free(kept, values, left);
  const std::uint64_t more = raised - std::exchange(kept, raised);
  need_.values += more;
  need_.unwritten -= more;
}

HostRoom MemoryStatement::room() const {
  if (most_ == 0) return host_room();
  const std::uint64_t held = process_memory().resident + kOthers;
  return {most_ - std::min(most_, held), "--host-memory"};
}

Result<void> MemoryStatement::check(const MemoryNeed& need, const std::string& tables) const {
  const HostRoom room = this->room();
  // The rest may come from addresses that the heap has.
  const std::uint64_t bytes =
      room.limit == "ulimit -v" ? need.values + need.unwritten + need.files : need.to_come();
  if (bytes <= room.bytes) return {};
  return Errors(ErrorCode::OutOfMemory, device_,
                fmt::format("needs {} more of the host's memory ({}), and {} are left of {}; fewer "
                            "samples at a time take less (--batch-size, --eval-batch-size), "
                            "--host-memory=SIZE sets another limit{}",
                            text_of_bytes(bytes), text_of_parts(need), text_of_bytes(room.bytes),
                            escape_terminal(room.limit), tables));
}

std::string MemoryStatement::words() const {
  std::string text = text_of_bytes(stated_.resident) + " at most";
  if (need_.files != 0) text += ", in files " + text_of_bytes(need_.files);
  return text;
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
                       {"left_bytes", need_.left + need_.starts},
                       {"file_bytes", need_.files},
                       {"to_come", std::move(parts)}};
}

}  // namespace vecc::tools
