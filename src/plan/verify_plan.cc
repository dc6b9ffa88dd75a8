// The rules of a Plan, checked.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/unordered/unordered_flat_set.hpp>
#include <set>
#include <utility>

#include "src/kernel/kernel_lists.h"
#include "src/plan/analysis/in_place.h"
#include "src/plan/analysis/launch_rows.h"
#include "src/plan/analysis/updated_tables.h"
#include "src/plan/verify_number_steps.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "vecc/plan.h"

namespace vecc {
namespace {

/// By where they begin in the arena.
using LiveBuffers = std::set<std::pair<std::uint64_t, BufferIndex>>;

class PlanVerifier {
 public:
  explicit PlanVerifier(const Plan& plan)
      : plan_(plan),
        written_(plan.buffers.size(), false),
        by_steps_(written_by_steps(plan)),
        updated_(plan),
        number_steps_(plan, written_, updated_) {}

  Result<void> verify() {
    for (const Kernel& kernel : plan_.kernels) VECC_TRY_VOID(vecc::verify(kernel));
    for (const Kernel& kernel : plan_.kernels) steps_.push_back(access_steps(kernel));
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      VECC_TRY_VOID(number_steps_.check_before(l));
      VECC_TRY_VOID(check_launch(l));
    }
    VECC_TRY_VOID(number_steps_.check_before(plan_.launches.size()));
    return check_arena();
  }

 private:
  [[nodiscard]] Errors error(std::size_t launch, const std::string& text) const {
    return Errors(ErrorCode::IllFormedOp, fmt::format("launch {}", launch), text);
  }

  // Buffers that are live at once lie apart, or one takes the other's place: visit the launches
  // with those that are live, by their place.
  [[nodiscard]] Result<void> check_arena() const {
    std::vector<BufferIndex> begins;
    for (BufferIndex b = 0; b < plan_.buffers.size(); ++b) {
      const PlanBuffer& buffer = plan_.buffers[b];
      if (buffer.kind != PlanBuffer::Kind::Arena || buffer.elements == 0) continue;
      if (buffer.offset + buffer.elements > plan_.arena_elements) {
        return Errors(ErrorCode::IllFormedOp, fmt::format("buffer {}", b), "ends behind the arena");
      }
      begins.push_back(b);
    }
    std::vector<BufferIndex> ends = begins;
    std::ranges::stable_sort(begins, {}, [&](BufferIndex b) { return plan_.buffers[b].first; });
    std::ranges::stable_sort(ends, {}, [&](BufferIndex b) { return plan_.buffers[b].last; });
    LiveBuffers live;
    auto end = ends.begin();
    for (const BufferIndex b : begins) {
      for (; plan_.buffers[*end].last < plan_.buffers[b].first; ++end) {
        live.erase({plan_.buffers[*end].offset, *end});
      }
      VECC_TRY_VOID(check_place(b, live));
      live.emplace(plan_.buffers[b].offset, b);
    }
    return {};
  }

  // Those that are live lie apart, or begin at one place: one that lies wholly before the buffer
  // has none before it that reaches into it.
  [[nodiscard]] Result<void> check_place(BufferIndex b, const LiveBuffers& live) const {
    const PlanBuffer& buffer = plan_.buffers[b];
    std::uint64_t before = buffer.offset;  // where the last one that lies before it begins
    for (auto next = live.lower_bound({buffer.offset + buffer.elements, 0});
         next != live.begin();) {
      const auto& [offset, o] = *--next;
      if (offset < before && before < buffer.offset) break;
      if (offset + plan_.buffers[o].elements <= buffer.offset) {
        before = offset;
      } else if (!takes_place(b, o) && !takes_place(o, b)) {
        return Errors(ErrorCode::IllFormedOp, fmt::format("buffer {}", b),
                      fmt::format("overlaps buffer {}, which is live, too", o));
      }
    }
    return {};
  }

  // Whether a buffer begins where another ends, in a launch that is through with a row of the old
  // one when it stores that of the new one.
  [[nodiscard]] bool takes_place(BufferIndex made, BufferIndex old) const {
    const PlanBuffer& next = plan_.buffers[made];
    const PlanBuffer& before = plan_.buffers[old];
    if (next.first != before.last || next.offset != before.offset || by_steps_[made] ||
        next.first >= plan_.launches.size()) {
      return false;
    }
    const Launch& launch = plan_.launches[next.first];
    const Kernel& kernel = plan_.kernels[launch.kernel];
    return (kernel.in_place || kernel.reloads) &&
           may_lend_place(kernel, steps_[launch.kernel], launch, old, made);
  }

  [[nodiscard]] std::uint64_t counted(const Launch& launch, KernelSpace space) const {
    return counted_rows(plan_, plan_.kernels[launch.kernel], launch, space);
  }

  Result<void> check_launch(std::size_t number) {
    const Launch& launch = plan_.launches[number];
    VECC_TRY_VOID(check_numbers(number, launch));
    VECC_TRY_VOID(number_steps_.check_arrays(number));
    const Kernel& kernel = plan_.kernels[launch.kernel];
    VECC_TRY_VOID(check_segments(number, launch, kernel));
    VECC_TRY_VOID(check_words(number, launch, kernel));
    VECC_TRY_VOID(check_tiles(number, launch));
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      VECC_TRY_VOID(check_access(number, launch, kernel, a));
    }
    VECC_TRY_VOID(check_hazards(number, launch, kernel));
    updated_.add(launch);
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (kernel.accesses[a].store) written_[launch.accesses[a].buffer] = true;
    }
    return {};
  }

  // Everything that is named is there.
  [[nodiscard]] Result<void> check_numbers(std::size_t number, const Launch& launch) const {
    const auto is_array = [&](ArrayIndex a) { return a == kNone || a < plan_.arrays.size(); };
    if (launch.kernel >= plan_.kernels.size()) return error(number, "no such kernel");
    const Kernel& kernel = plan_.kernels[launch.kernel];
    if (kernel.accesses.size() != launch.accesses.size()) {
      return error(number, "binds other accesses than its kernel has");
    }
    bool known = is_array(launch.offsets) && is_array(launch.order);
    for (const ArrayIndex words : launch.words) known = known && words < plan_.arrays.size();
    for (const AccessBinding& access : launch.accesses) {
      known = known && access.buffer < plan_.buffers.size() && is_array(access.list);
    }
    if (!known) return error(number, "no such buffer or array");
    return {};
  }

  [[nodiscard]] Result<void> check_words(std::size_t number, const Launch& launch,
                                         const Kernel& kernel) const {
    if (launch.words.size() != kernel.word_slots)
      return error(number, "other words than its kernel");
    for (const KernelPhase& phase : kernel.phases) {
      for (const KernelStep& step : phase.steps) {
        if (step.store || !kernel.nodes[step.number].words_by_row) continue;
        const KernelNode& node = kernel.nodes[step.number];
        const std::uint64_t needed =
            counted(launch, phase.space) * word_count(node.transformation.id);
        if (plan_.arrays[launch.words[node.word_slot]]->size() < needed) {
          return error(number, fmt::format("too few words {}", node.word_slot));
        }
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> check_segments(std::size_t number, const Launch& launch,
                                            const Kernel& kernel) const {
    if (kernel.members != 0 && kernel.members != launch.members) {
      return error(number, "other members than its kernel has");
    }
    if (kernel.segments != KernelSegments::Ragged) return {};
    if (launch.offsets == kNone) return error(number, "has no offsets");
    const auto& offsets = *plan_.arrays[launch.offsets];
    const auto ascends = [&](std::size_t i) { return offsets[i] <= offsets[i + 1]; };
    if (offsets.size() != std::size_t{launch.rows} + 1 || offsets[0] != 0 ||
        !holds_for_all(launch.rows, ascends)) {
      return error(number, "offsets that are not those of its rows");
    }
    return {};
  }

  [[nodiscard]] Result<void> check_tiles(std::size_t number, const Launch& launch) const {
    const auto& tiles = launch.tiles;
    if (tiles.empty() || tiles.front() != 0 || tiles.back() != launch.rows ||
        !std::ranges::is_sorted(tiles)) {
      return error(number, "tiles that do not cover its rows once");
    }
    const Kernel& kernel = plan_.kernels[launch.kernel];
    const bool typed = has_types(kernel);
    if (typed && launch.order == kNone) return error(number, "types without an order");
    if (typed && kernel.segments != KernelSegments::None) {
      return error(number, "types of rows that have members");
    }
    if (!typed && !kernel.ordered && launch.order != kNone) {
      return error(number, "an order that its kernel does not read");
    }
    if (typed && launch.tile_types.size() + 1 != tiles.size()) {
      return error(number, "tiles without a type");
    }
    if (launch.order == kNone) return {};
    const std::vector<std::uint32_t>& order = *plan_.arrays[launch.order];
    std::vector<std::uint8_t> seen = long_list<std::uint8_t>(launch.rows);
    const auto is_new = [&](std::size_t i) {
      return order[i] < launch.rows && std::atomic_ref(seen[order[i]]).exchange(1) == 0;
    };
    if (order.size() != launch.rows || !holds_for_all(order.size(), is_new)) {
      return error(number, "an order of other rows");
    }
    return {};
  }

  [[nodiscard]] Result<void> check_access(std::size_t number, const Launch& launch,
                                          const Kernel& kernel, std::size_t a) const {
    const KernelAccess& access = kernel.accesses[a];
    const AccessBinding& binding = launch.accesses[a];
    const PlanBuffer& buffer = plan_.buffers[binding.buffer];
    const std::uint64_t size = access.shape.size();
    const std::uint64_t begin = buffer.offset + binding.first;
    if (access.aligned && begin % pack_size(access.shape) != 0) {
      return error(number, fmt::format("access {} is not aligned, it begins at {}", a, begin));
    }
    if (binding.first + binding.rows * size > buffer.elements) {
      return error(number, fmt::format("access {} ends behind its buffer", a));
    }
    if (buffer.kind == PlanBuffer::Kind::Arena && (number < buffer.first || number > buffer.last)) {
      return error(number,
                   fmt::format("access {} to buffer {}, which is not live", a, binding.buffer));
    }
    if (access.store) VECC_TRY_VOID(check_store(number, launch, kernel, a));
    std::uint64_t bound = counted(launch, access.space);
    if (access.map == RowMap::One) bound = 1;
    if (access.map == RowMap::Tile) {
      bound = launch.tile_types.empty() ? 0 : *std::ranges::max_element(launch.tile_types) + 1;
    }
    if (access.map == RowMap::List) {
      if (binding.list == kNone) return error(number, fmt::format("access {} has no list", a));
      const auto& list = *plan_.arrays[binding.list];
      if (list.size() < bound) return error(number, fmt::format("access {}: a short list", a));
      bound = list.empty() ? 0 : largest_entry(list) + std::uint64_t{1};
      if (plan_.is_filled(binding.list) && bound > 0) bound = number_steps_.end_of(binding.list);
    }
    if (bound > binding.rows) {
      return error(number, fmt::format("access {} names row {} of {}", a, bound - 1, binding.rows));
    }
    if (!access.store && buffer.kind == PlanBuffer::Kind::Arena && bound > 0 &&
        !written_[binding.buffer] && !stores_before(launch, kernel, a)) {
      return error(number, fmt::format("access {} reads buffer {}, which was never written", a,
                                       binding.buffer));
    }
    if (updated_.loads_updated(launch, a)) {
      return error(number, fmt::format("access {} reads rows of buffer {} that were updated before",
                                       a, binding.buffer));
    }
    return {};
  }

  // Whether the launch stores the row before it loads it.
  [[nodiscard]] bool stores_before(const Launch& launch, const Kernel& kernel,
                                   std::size_t load) const {
    const std::vector<AccessSteps>& steps = steps_[launch.kernel];
    for (std::size_t s = 0; s < launch.accesses.size(); ++s) {
      if (kernel.accesses[s].store && launch.accesses[s].buffer == launch.accesses[load].buffer &&
          reach_same_rows(kernel, launch, s, load) && steps[s].first < steps[load].first) {
        return true;
      }
    }
    return false;
  }

  // Rows run in any order: no two store to the same place; a constant stays.
  [[nodiscard]] Result<void> check_store(std::size_t number, const Launch& launch,
                                         const Kernel& kernel, std::size_t a) const {
    const KernelAccess& access = kernel.accesses[a];
    if (plan_.buffers[launch.accesses[a].buffer].kind == PlanBuffer::Kind::Constant) {
      return error(number, fmt::format("access {} stores into a constant", a));
    }
    bool twice = (access.map == RowMap::One || access.map == RowMap::Tile) &&
                 counted(launch, access.space) > 1;
    if (access.map == RowMap::List && launch.accesses[a].list != kNone) {
      twice = twice || has_twice(*plan_.arrays[launch.accesses[a].list], launch.accesses[a].rows);
    }
    if (twice) return error(number, fmt::format("access {} stores a row twice", a));
    return {};
  }

  // Rows from `bound` on are another error.
  [[nodiscard]] static bool has_twice(const std::vector<std::uint32_t>& list, std::uint64_t bound) {
    constexpr std::uint64_t kSparse = 16;  // rows an entry: more, and a byte for each is too much
    if (bound / kSparse > list.size()) {
      boost::unordered_flat_set<std::uint32_t> rows;
      return !std::ranges::all_of(list, [&](std::uint32_t row) { return rows.insert(row).second; });
    }
    std::vector<std::uint8_t> seen = long_list<std::uint8_t>(bound);
    return !holds_for_all(list.size(), [&](std::size_t i) {
      return list[i] >= bound || std::atomic_ref(seen[list[i]]).exchange(1) == 0;
    });
  }

  // Nothing is read in the launch that writes it, except at the same row: before that is stored,
  // or, of the arena, after it.
  [[nodiscard]] Result<void> check_hazards(std::size_t number, const Launch& launch,
                                           const Kernel& kernel) const {
    const std::vector<AccessSteps>& steps = steps_[launch.kernel];
    for (std::size_t s = 0; s < launch.accesses.size(); ++s) {
      if (!kernel.accesses[s].store) continue;
      for (std::size_t l = 0; l < launch.accesses.size(); ++l) {
        if (kernel.accesses[l].store || !may_overlap(plan_, kernel, launch, s, l)) continue;
        const bool before = steps[l].last < steps[s].first && (kernel.in_place || kernel.reloads);
        const bool after = steps[s].first < steps[l].first && kernel.reloads &&
                           plan_.buffers[launch.accesses[l].buffer].kind == PlanBuffer::Kind::Arena;
        if (!reach_same_rows(kernel, launch, s, l) || !(before || after)) {
          return error(number, fmt::format("access {} reads what access {} writes", l, s));
        }
      }
    }
    return {};
  }

  const Plan& plan_;
  std::vector<bool> written_;                    // by buffer
  std::vector<bool> by_steps_;                   // by buffer: number steps write it
  UpdatedTables updated_;                        // by the launches and steps before
  NumberStepVerifier number_steps_;              // those before
  std::vector<std::vector<AccessSteps>> steps_;  // by kernel
};

}  // namespace

Result<void> verify(const Plan& plan) {
  return PlanVerifier(plan).verify();
}

}  // namespace vecc
