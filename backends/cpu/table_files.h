// Tables of an executable that are in a file (docs/cpu.md): where they are, and their memory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/common/shared_rows.h"
#include "backends/cpu/native_block.h"
#include "src/plan/plan_tables.h"
#include "vecc/backend.h"

namespace vecc::cpu {

/// All tables of a Plan of that Program, in memory but for those that are asked for in a file, or
/// have the name of one that another executable of the storage has placed so. Those that are in
/// options.storage stay where they are.
[[nodiscard]] std::vector<PlacedTable> place_in_files(const Plan& plan, const Program& program,
                                                      const ExecutionOptions& options);

/// One file for all of them, without a name.
class TableFiles {
 public:
  TableFiles() = default;
  /// Reserves and maps it. Says on the log which tables are there. Errors: those of
  /// find_file_folder() and map_new_file().
  [[nodiscard]] static Result<TableFiles> make(const Plan& plan, std::vector<PlacedTable> tables,
                                               const PlaceOptions& places);

  /// A table's memory, zeros at first; none: it is not in the file.
  [[nodiscard]] std::optional<NativeBlock> find(const TableId& table) const;
  /// Of tables that others of the storage may have.
  [[nodiscard]] const std::set<std::string>& names() const { return names_; }

 private:
  std::map<TableId, NativeBlock> blocks_;
  std::set<std::string> names_;
};

}  // namespace vecc::cpu
