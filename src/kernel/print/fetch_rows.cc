#include "src/kernel/print/fetch_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/kernel_lists.h"

namespace vecc {
namespace {

// Longer rows are fetched by the processor when it meets their first lines.
constexpr std::uint64_t kLongestRow = 256;

bool is_scattered(const Kernel& kernel, const KernelAccess& access, bool order) {
  const bool by_list = access.map == RowMap::List || (access.map == RowMap::Direct && order);
  return access.store && access.space == KernelSpace::Row && by_list &&
         access.shape.size() * byte_size(kernel.dtype) <= kLongestRow;
}

}  // namespace

bool scatters_rows(const Kernel& kernel, const KernelSchedule& schedule) {
  return !schedule.rows_are_a_vector_loop &&
         std::ranges::any_of(kernel.accesses, [&](const KernelAccess& access) {
           return is_scattered(kernel, access, has_order(kernel));
         });
}

void print_fetches(BodyText& out, const std::string& at, std::uint32_t distance,
                   const std::string& row) {
  const Kernel& kernel = out.kernel();
  bool is_first = true;
  for (std::uint32_t a = 0; a < kernel.accesses.size(); ++a) {
    if (!is_scattered(kernel, kernel.accesses[a], row != "ahead")) continue;
    if (is_first) {
      out.line(fmt::format("const unsigned ahead = {0} + {1} < end ? {0} + {1} : end - 1;", at,
                           distance));
      out.line(fmt::format("const unsigned next = {};", row));
      is_first = false;
    }
    const std::uint64_t entries = kernel.accesses[a].shape.size();
    out.line(
        fmt::format("fetch_row<T, {}>({});", entries, out.nodes().row_pointer(a, "next", entries)));
  }
}

}  // namespace vecc
