#include "src/kernel/print/fetch_rows.h"

#include <fmt/format.h>

namespace vecc {

void print_fetches(BodyText& out, const std::string& at, const std::string& row) {
  const Kernel& kernel = out.kernel();
  bool is_first = true;
  for (const std::uint32_t a : out.schedule().fetched) {
    if (kernel.accesses[a].map == RowMap::Direct && row == "ahead") continue;
    if (is_first) {
      out.line(fmt::format("const unsigned ahead = {0} + {1} < end ? {0} + {1} : end - 1;", at,
                           out.schedule().rows_ahead));
      out.line(fmt::format("const unsigned next = {};", row));
      is_first = false;
    }
    const std::uint64_t entries = kernel.accesses[a].shape.size();
    out.line(
        fmt::format("fetch_row<T, {}>({});", entries, out.nodes().row_pointer(a, "next", entries)));
  }
}

}  // namespace vecc
