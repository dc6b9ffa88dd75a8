#include "src/plan/renumber_rows.h"

#include <map>
#include <memory>
#include <utility>

#include "src/plan/analysis/launch_rows.h"

namespace vecc {
namespace {

// Where the rows of a table lie now, in index arrays and kernels that the Plan gets.
class RowRenumberer {
 public:
  RowRenumberer(Plan& plan, std::uint64_t row_elements, const std::vector<std::uint32_t>& order)
      : plan_(plan),
        row_elements_(row_elements),
        shared_(std::make_shared<std::vector<std::uint32_t>>(order.size())),
        places_(*shared_) {
    for (std::uint32_t place = 0; place < order.size(); ++place) places_[order[place]] = place;
  }

  void renumber(Launch& launch, BufferIndex table) {
    const Kernel& kernel = plan_.kernels[launch.kernel];
    std::vector<std::uint32_t> direct;
    for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
      AccessBinding& binding = launch.accesses[a];
      if (binding.buffer != table) continue;
      const KernelAccess& access = kernel.accesses[a];
      const auto first = static_cast<std::uint32_t>(binding.first / row_elements_);
      if (access.map == RowMap::One) {
        binding.first = places_[first] * row_elements_;
        binding.rows = 1;
        continue;
      }
      if (access.map == RowMap::Direct) {
        direct.push_back(a);
        binding.list = counted(first, counted_rows(plan_, kernel, launch, access.space));
      } else {
        binding.list = listed(first, binding.list);
      }
      binding.first = 0;
      binding.rows = static_cast<std::uint32_t>(places_.size());
    }
    if (!direct.empty()) launch.kernel = listing(launch.kernel, direct);
  }

  void renumber(ValuePlace& place, std::uint32_t rows) {
    const auto first = static_cast<std::uint32_t>(place.first / row_elements_);
    Index view = Index::shared_list(shared_);
    if (place.view != kNone || rows != places_.size()) {
      std::vector<std::uint32_t> own(rows);
      for (std::uint32_t i = 0; i < rows; ++i) {
        own[i] = places_[first + (place.view == kNone ? i : plan_.views[place.view][i])];
      }
      view = Index::list(std::move(own));
    }
    place.first = 0;
    place.view = static_cast<std::uint32_t>(plan_.views.size());
    plan_.views.push_back(std::move(view));
  }

 private:
  ArrayIndex add(std::shared_ptr<const std::vector<std::uint32_t>> array) {
    plan_.arrays.push_back(std::move(array));
    return static_cast<ArrayIndex>(plan_.arrays.size() - 1);
  }
  ArrayIndex add(std::vector<std::uint32_t> array) {
    return add(std::make_shared<const std::vector<std::uint32_t>>(std::move(array)));
  }
  // Of rows that were read one after another.
  ArrayIndex counted(std::uint32_t first, std::uint64_t count) {
    const auto [found, is_new] = counted_.try_emplace({first, count}, kNone);
    if (is_new && count == places_.size()) {
      found->second = add(shared_);
    } else if (is_new) {
      const auto begin = places_.begin() + first;
      found->second = add({begin, begin + static_cast<std::ptrdiff_t>(count)});
    }
    return found->second;
  }
  ArrayIndex listed(std::uint32_t first, ArrayIndex list) {
    const auto [found, is_new] = listed_.try_emplace({first, list}, kNone);
    if (is_new) {
      std::vector<std::uint32_t> entries = *plan_.arrays[list];
      for (std::uint32_t& entry : entries) entry = places_[first + entry];
      found->second = add(std::move(entries));
    }
    return found->second;
  }
  // The kernel with lists in place of counters.
  std::uint32_t listing(std::uint32_t number, const std::vector<std::uint32_t>& direct) {
    const auto [found, is_new] = kernels_.try_emplace({number, direct}, kNone);
    if (is_new) {
      Kernel kernel = plan_.kernels[number];
      for (const std::uint32_t a : direct) {
        kernel.accesses[a].map = RowMap::List;
        kernel.accesses[a].renumbered = true;
      }
      found->second = static_cast<std::uint32_t>(plan_.kernels.size());
      plan_.kernels.push_back(std::move(kernel));
    }
    return found->second;
  }

  Plan& plan_;
  std::uint64_t row_elements_;
  std::shared_ptr<std::vector<std::uint32_t>> shared_;
  std::vector<std::uint32_t>& places_;  // by row
  std::map<std::pair<std::uint32_t, std::uint64_t>, ArrayIndex> counted_;
  std::map<std::pair<std::uint32_t, ArrayIndex>, ArrayIndex> listed_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> kernels_;
};

}  // namespace

void renumber_rows(Plan& plan, const Program& program, BufferIndex table,
                   std::uint64_t row_elements, const std::vector<std::uint32_t>& order) {
  RowRenumberer rows(plan, row_elements, order);
  for (Launch& launch : plan.launches) rows.renumber(launch, table);
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    ValuePlace& place = plan.places[id];
    if (place.buffer == table) rows.renumber(place, program.op(id).rows);
  }
}

}  // namespace vecc
