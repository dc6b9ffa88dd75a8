#include "backends/cpu/table_files.h"

#include <string>
#include <utility>

#include "src/support/log.h"
#include "src/support/mapped_file.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::cpu {
namespace {

bool is_there(const PlanBuffer& buffer, const PlacedTable& table, const ExecutionOptions& options,
              const SharedRows<NativeBlock>& shared) {
  if (buffer.kind == PlanBuffer::Kind::Constant) return false;
  const bool is_state = buffer.kind == PlanBuffer::Kind::State;
  if (!is_state && is_own(options, buffer.source)) return false;
  return shared.find(is_state ? StoredKind::State : StoredKind::Parameter, table.name) != nullptr;
}

void say_places(const std::vector<PlacedTable>& tables, const FileFolder& folder) {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (const PlacedTable& table : tables) {
    if (table.place != TablePlace::File) continue;
    ++count;
    bytes += table.bytes;
  }
  std::string text = "cpu: " + text_of_count(count, "table") + " of " + text_of_bytes(bytes) +
                     " in a file in " + escape_terminal(folder.path, 1000);
  if (folder.is_memory) text += ", which is memory itself (tmpfs): --place-folder names another";
  log_warning(text + "\n" + text_of(tables));
}

}  // namespace

std::vector<PlacedTable> place_in_files(const Plan& plan, const Program& program,
                                        const ExecutionOptions& options) {
  const auto shared = shared_rows<NativeBlock>(options);
  const bool asks = !options.places.wishes.empty() || !shared->in_files.empty();
  if (!asks && !options.check_plan) return {};  // all are in memory
  std::vector<PlacedTable> tables = find_tables(plan, program, TablePlace::Host);
  take_wishes(tables, options.places);
  for (PlacedTable& table : tables) {
    if (table.is_named && shared->in_files.contains(table.name)) table.place = TablePlace::File;
    if (table.place == TablePlace::Device) table.place = TablePlace::Host;
    table.is_there = is_there(plan.buffers[table.buffer], table, options, *shared);
  }
  return tables;
}

Result<TableFiles> TableFiles::make(const Plan& plan, std::vector<PlacedTable> tables,
                                    const PlaceOptions& places) {
  TableFiles files;
  std::erase_if(tables, [](const PlacedTable& table) { return table.is_there; });
  std::uint64_t bytes = 0;
  std::vector<std::pair<const PlacedTable*, std::uint64_t>> placed;  // and its first byte
  for (const PlacedTable& table : tables) {
    if (table.place != TablePlace::File) continue;
    if (table.is_named) files.names_.insert(table.name);
    placed.emplace_back(&table, bytes);
    bytes += NativeBlock::taken_bytes(table.bytes);
  }
  if (placed.empty()) return files;
  VECC_TRY(const FileFolder folder, find_file_folder(places.folder));
  VECC_TRY(const std::shared_ptr<std::byte> memory, map_new_file(folder.path, bytes));
  for (const auto& [table, first] : placed) {
    const std::shared_ptr<std::byte> own(memory, memory.get() + first);
    files.blocks_.emplace(table_of(plan, table->buffer),
                          NativeBlock(plan.dtype, plan.buffers[table->buffer].elements, own));
  }
  say_places(tables, folder);
  return files;
}

std::optional<NativeBlock> TableFiles::find(const TableId& table) const {
  const auto found = blocks_.find(table);
  if (found == blocks_.end()) return std::nullopt;
  return found->second;
}

}  // namespace vecc::cpu
