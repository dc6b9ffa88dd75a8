// Tables (parameters and states) whose rows launches have stored: what reads a table reads it as it
// was before the step, so no later launch reads these rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "src/plan/plan_tables.h"
#include "vecc/plan.h"

namespace vecc {

class UpdatedTables {
 public:
  explicit UpdatedTables(const Plan& plan) : plan_(plan) {}

  /// Whether an access may load a number that a launch before has stored. Arenas and constants are
  /// no tables.
  [[nodiscard]] bool loads_updated(const Launch& launch, std::size_t access) const;
  /// Whether any of these rows, of `row_elements` numbers each, was stored before.
  [[nodiscard]] bool reads_updated(const AccessBinding& rows, std::uint64_t row_elements) const;
  /// These rows are updated from now on.
  void add(const AccessBinding& rows, std::uint64_t row_elements);
  /// What the launch stores is updated from now on.
  void add(const Launch& launch);

 private:
  [[nodiscard]] bool is_updated(BufferIndex buffer, std::uint64_t first, std::uint64_t count) const;
  void add(BufferIndex buffer, std::uint64_t first, std::uint64_t count);

  std::map<TableId, std::vector<bool>> updated_;  // by table, by number of it
  const Plan& plan_;
};

}  // namespace vecc
