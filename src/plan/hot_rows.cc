#include "src/plan/hot_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/plan/renumber_rows.h"
#include "src/plan/row_reads.h"

namespace vecc {
namespace {

// In pages: those of rows that are read. One stays on the host: a table that is all on the device
// is no host table.
std::uint64_t hot_bytes(const PlacedTable& table, const RowReads& reads, std::uint64_t row_bytes,
                        std::uint64_t room, std::uint64_t page) {
  const auto read = static_cast<std::uint64_t>(
      std::ranges::count_if(reads.counts, [](std::uint32_t count) { return count > 0; }));
  const std::uint64_t wanted = (read * row_bytes + page - 1) / page;
  return std::min({wanted, room / page, (table.bytes - page) / page}) * page;
}

}  // namespace

std::vector<std::uint32_t> order_hot_first(const std::vector<std::uint32_t>& counts,
                                           std::uint64_t hot) {
  std::vector<std::uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto end =
      order.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(hot, counts.size()));
  std::ranges::nth_element(order, end, [&](std::uint32_t a, std::uint32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  std::sort(order.begin(), end);
  std::sort(end, order.end());
  return order;
}

bool place_hot_rows(Plan& plan, const Program& program, std::vector<PlacedTable>& tables,
                    std::uint64_t room, std::uint64_t page_bytes, bool by_batches) {
  std::vector<PlacedTable*> cold;
  for (PlacedTable& table : tables) {
    const bool is_fact = plan.buffers[table.buffer].kind == PlanBuffer::Kind::Constant;
    if (is_fact && table.place == TablePlace::Host && !table.is_asked) cold.push_back(&table);
  }
  std::ranges::sort(cold, [](const auto* a, const auto* b) { return is_colder(*b, *a); });
  bool is_any = false;
  for (PlacedTable* table : cold) {
    if (room < page_bytes || table->bytes <= page_bytes) continue;
    const auto reads = count_row_reads(plan, program, table->buffer, by_batches);
    table->rows_stay = !reads;
    if (!reads) continue;
    const std::uint64_t lists = reads->list_entries * sizeof(std::uint32_t);
    const std::uint64_t row_bytes = reads->row_elements * byte_size(plan.dtype);
    HotRows hot;
    hot.bytes = hot_bytes(*table, *reads, row_bytes, room - std::min(room, lists), page_bytes);
    hot.row_elements = reads->row_elements;
    hot.rows = hot.bytes / row_bytes;
    hot.of = reads->counts.size();
    if (hot.rows == 0) continue;
    std::vector<std::uint32_t> order = order_hot_first(reads->counts, hot.rows);
    room -= hot.bytes;
    if (!std::ranges::is_sorted(order)) {
      room -= lists;
      renumber_rows(plan, program, table->buffer, hot.row_elements, order);
      hot.order = std::make_shared<const std::vector<std::uint32_t>>(std::move(order));
    }
    table->hot = std::move(hot);
    is_any = true;
  }
  return is_any;
}

}  // namespace vecc
