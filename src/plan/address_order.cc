#include "src/plan/address_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "src/plan/analysis/narrow_arrays.h"
#include "src/plan/device_arrays.h"

namespace vecc {
namespace {

class AddressOrder {
 public:
  AddressOrder(Plan& plan, const std::vector<PlacedTable>& tables, std::uint64_t room)
      : plan_(plan), fits_(plan), room_(room) {
    for (const PlacedTable& table : tables) {
      if (table.place == TablePlace::Host) on_host_.insert(table_of(plan, table.buffer));
    }
  }

  bool order(Launch& launch) {
    const ArrayIndex list = longest_list(launch);
    if (list == kNone) return false;
    const Key key{list, launch.order, tiles_of(launch)};
    const auto found = orders_.find(key);
    const std::uint64_t bytes = bytes_at_most(launch, found == orders_.end());
    if (bytes > room_) return false;
    const ArrayIndex order =
        found != orders_.end() ? found->second : sorted(launch, *plan_.arrays[list]);
    orders_.emplace(key, order);
    if (order == launch.order) return false;
    room_ -= bytes;
    launch.order = order;
    if (launch.tile_types.empty()) launch.kernel = ordered(launch.kernel);
    return true;
  }

 private:
  // What an order depends on beside a list: launches of the same rows have the same.
  using Tiles = std::vector<std::uint32_t>;
  [[nodiscard]] static Tiles tiles_of(const Launch& launch) {
    Tiles tiles{launch.rows};
    if (launch.tile_types.empty()) return tiles;
    tiles.insert(tiles.end(), launch.tiles.begin(), launch.tiles.end());
    tiles.insert(tiles.end(), launch.tile_types.begin(), launch.tile_types.end());
    return tiles;
  }

  using Key = std::tuple<ArrayIndex, ArrayIndex, Tiles>;

  // What the order takes on the device. Where it does not fit 16 bits an entry, the launch's lists
  // are there with 32 bits, too.
  [[nodiscard]] std::uint64_t bytes_at_most(const Launch& launch, bool is_new) const {
    const auto wide = [](std::uint64_t entries) {
      return device_array_bytes(entries * sizeof(std::uint32_t));
    };
    const bool is_narrow = launch.rows <= std::numeric_limits<std::uint16_t>::max();
    std::uint64_t bytes = is_new ? wide(launch.rows) : 0;
    if (is_narrow || !fits_.has_all_of(launch)) return bytes;
    for (const AccessBinding& access : launch.accesses) {
      if (access.list != kNone) bytes += wide(plan_.arrays[access.list]->size());
    }
    return bytes;
  }

  // Of rows that are read from the host; kNone: there is none.
  [[nodiscard]] ArrayIndex longest_list(const Launch& launch) const {
    const Kernel& kernel = plan_.kernels[launch.kernel];
    if (kernel.segments != KernelSegments::None) return kNone;
    ArrayIndex list = kNone;
    std::uint64_t longest = 0;
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const KernelAccess& access = kernel.accesses[a];
      const AccessBinding& binding = launch.accesses[a];
      if (access.store || access.map != RowMap::List || access.shape.size() <= longest) continue;
      if (!on_host_.contains(table_of(plan_, binding.buffer))) continue;
      list = binding.list;
      longest = access.shape.size();
    }
    return list;
  }

  // The launch's own order where that is one of addresses.
  [[nodiscard]] ArrayIndex sorted(const Launch& launch, const std::vector<std::uint32_t>& list) {
    std::vector<std::uint32_t> order(launch.rows);
    if (launch.order == kNone) {
      std::iota(order.begin(), order.end(), 0u);
    } else {
      order = *plan_.arrays[launch.order];
    }
    const auto entry = [&](std::uint32_t row) { return list[row]; };
    bool is_sorted = true;
    const auto sort = [&](std::uint32_t begin, std::uint32_t end) {
      const auto rows = std::span(order).subspan(begin, end - begin);
      if (std::ranges::is_sorted(rows, {}, entry)) return;
      is_sorted = false;
      std::ranges::stable_sort(rows, {}, entry);
    };
    if (launch.tile_types.empty()) {
      sort(0, launch.rows);
    } else {
      for (std::size_t t = 0; t < launch.tile_types.size();) {
        const std::size_t first = t;
        while (t < launch.tile_types.size() && launch.tile_types[t] == launch.tile_types[first]) {
          ++t;
        }
        sort(launch.tiles[first], launch.tiles[t]);
      }
    }
    if (is_sorted) return launch.order;
    plan_.arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(order)));
    return static_cast<ArrayIndex>(plan_.arrays.size() - 1);
  }

  // The kernel for rows that come in an order.
  [[nodiscard]] std::uint32_t ordered(std::uint32_t number) {
    if (plan_.kernels[number].ordered) return number;
    const auto [found, is_new] = kernels_.try_emplace(number, kNone);
    if (is_new) {
      Kernel kernel = plan_.kernels[number];
      kernel.ordered = true;
      found->second = static_cast<std::uint32_t>(plan_.kernels.size());
      plan_.kernels.push_back(std::move(kernel));
    }
    return found->second;
  }

  Plan& plan_;
  std::set<TableId> on_host_;
  NarrowArrays fits_;  // of the arrays that were there
  std::uint64_t room_;
  std::map<Key, ArrayIndex> orders_;
  std::map<std::uint32_t, std::uint32_t> kernels_;
};

}  // namespace

bool order_rows_by_address(Plan& plan, const std::vector<PlacedTable>& tables, std::uint64_t room) {
  AddressOrder order(plan, tables, room);
  bool is_changed = false;
  for (Launch& launch : plan.launches) is_changed = order.order(launch) || is_changed;
  return is_changed;
}

}  // namespace vecc
