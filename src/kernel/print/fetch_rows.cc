#include "src/kernel/print/fetch_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

void print_far(BodyText& out, const std::string& members_end) {
  if (out.schedule().gathered.empty()) return;
  out.line(fmt::format("[[maybe_unused]] const unsigned far = {};", members_end));
}

void print_member_fetch(BodyText& out, std::uint32_t load) {
  const NodeText& of = out.nodes();
  const std::uint32_t access = of.node(load).access;
  const std::vector<std::uint32_t>& gathered = out.schedule().gathered;
  if (std::ranges::find(gathered, access) == gathered.end()) return;
  const std::uint32_t ahead = out.schedule().members_ahead;
  out.line(fmt::format("if (far > {0} && e < far - {0}) fetch_member<T, {1}>({2});", ahead,
                       of.size(load),
                       of.row_pointer(access, fmt::format("e + {}", ahead), of.size(load))));
}

}  // namespace vecc
