#include "backends/cpu/bound_plan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/kernel/prelude.h"
#include "src/kernel/print_cpp.h"

namespace vecc::cpu {
namespace {

// Work (see Launch::work) from which waking other threads pays.
constexpr std::uint64_t kSharedWork = 1 << 16;

}  // namespace

BoundPlan::BoundPlan(Plan plan)
    : plan_(std::move(plan)),
      arrays_(plan_),
      arena_(plan_.dtype, plan_.arena_elements),
      blocks_(plan_.buffers.size()) {
  for (BufferIndex b = 0; b < plan_.buffers.size(); ++b) {
    PlanBuffer& buffer = plan_.buffers[b];
    if (buffer.kind == PlanBuffer::Kind::Arena) blocks_[b] = arena_;
    if (buffer.kind != PlanBuffer::Kind::Constant) continue;
    blocks_[b] = NativeBlock(plan_.dtype, buffer.elements);
    blocks_[b].write(*buffer.values);
    buffer.values = nullptr;
  }
}

Result<std::unique_ptr<BoundPlan>> BoundPlan::make(Plan plan, const LoadOptions& load,
                                                   CodeCounts* counts) {
  std::unique_ptr<BoundPlan> bound(new BoundPlan(std::move(plan)));
  std::vector<CodeUnit> units;
  for (const Kernel& kernel : bound->plan_.kernels) {
    units.push_back({std::string(kernel_prelude()) + print_cpp(kernel)});
  }
  VECC_TRY(bound->units_, load_code(units, load, counts));
  return bound;
}

void BoundPlan::bind() {
  launches_.resize(plan_.launches.size());
  for (std::size_t l = 0; l < launches_.size(); ++l) bind_launch(plan_.launches[l], launches_[l]);
  next_tiles_ = std::make_unique<std::atomic<std::size_t>[]>(launches_.size());
  plan_.arrays.clear();
  arrays_.drop_unread();
}

void BoundPlan::bind_launch(const Launch& launch, BoundLaunch& bound) {
  const bool narrow = has_lists(plan_.kernels[launch.kernel]) && arrays_.is_narrow(launch);
  bound.function = reinterpret_cast<KernelFunction>(
      units_[launch.kernel]->symbol(narrow ? "vecc_kernel_16" : "vecc_kernel_32"));
  VECC_CHECK(bound.function != nullptr, "a kernel without its function");
  for (const AccessBinding& access : launch.accesses) {
    bound.data.push_back(blocks_[access.buffer].at(first(access.buffer) + access.first));
    bound.lists.push_back(access.list == kNone ? nullptr : arrays_.entries(access.list, narrow));
  }
  for (const ArrayIndex words : launch.words) bound.words.push_back(arrays_.words(words));
  bound.arguments = {bound.data.data(),
                     bound.lists.data(),
                     bound.words.data(),
                     launch.offsets == kNone ? nullptr : arrays_.words(launch.offsets),
                     launch.order == kNone ? nullptr : arrays_.entries(launch.order, narrow),
                     launch.rows,
                     launch.members};
}

void BoundPlan::run_tile(std::size_t launch, std::size_t tile) const {
  const Launch& planned = plan_.launches[launch];
  launches_[launch].function(&launches_[launch].arguments, planned.tiles[tile],
                             planned.tiles[tile + 1],
                             planned.tile_types.empty() ? 0 : planned.tile_types[tile]);
}

void BoundPlan::run_launch(std::size_t launch) const {
  const std::size_t tiles = plan_.launches[launch].tiles.size() - 1;
  for (std::size_t tile = 0; tile < tiles; ++tile) run_tile(launch, tile);
}

bool BoundPlan::is_shared_out(std::size_t launch) const {
  return plan_.launches[launch].work >= kSharedWork && plan_.launches[launch].tiles.size() > 2;
}

void BoundPlan::run(std::uint32_t stage, ThreadTeam& team) {
  const auto at_stage = [&](std::uint32_t s) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(plan_.launches, s, {}, &Launch::stage) - plan_.launches.begin());
  };
  const std::size_t first = at_stage(stage);
  const std::size_t last = at_stage(stage + 1);
  bool shares = false;
  for (std::size_t l = first; l < last && team.size() > 1; ++l) shares = shares || is_shared_out(l);
  if (!shares) {
    for (std::size_t l = first; l < last; ++l) run_launch(l);
    return;
  }
  run_shared_out(first, last, team);
}

// Small launches one after another are one thread's; the others wait for it where a large one,
// whose tiles all share, comes next.
void BoundPlan::run_shared_out(std::size_t first, std::size_t last, ThreadTeam& team) {
  for (std::size_t l = first; l < last; ++l) next_tiles_[l].store(0, std::memory_order_relaxed);
  team.run([&](std::uint32_t thread) {
    for (std::size_t l = first; l < last; ++l) {
      if (!is_shared_out(l)) {
        if (thread == 0) run_launch(l);
        if (l + 1 < last && is_shared_out(l + 1)) team.barrier();
        continue;
      }
      const std::size_t tiles = plan_.launches[l].tiles.size() - 1;
      const auto next = [&] { return next_tiles_[l].fetch_add(1, std::memory_order_relaxed); };
      for (std::size_t tile = next(); tile < tiles; tile = next()) run_tile(l, tile);
      if (l + 1 < last) team.barrier();
    }
  });
}

void BoundPlan::run_timed(std::uint32_t stage, std::vector<double>& seconds) {
  using Clock = std::chrono::steady_clock;
  seconds.assign(launches_.size(), 0);
  for (std::size_t l = 0; l < launches_.size(); ++l) {
    if (plan_.launches[l].stage != stage) continue;
    const auto start = Clock::now();
    run_launch(l);
    seconds[l] = std::chrono::duration<double>(Clock::now() - start).count();
  }
}

std::uint64_t BoundPlan::bytes() const {
  std::uint64_t bytes = arena_.bytes() + arrays_.bytes();
  for (BufferIndex b = 0; b < blocks_.size(); ++b) {
    if (plan_.buffers[b].kind == PlanBuffer::Kind::Constant) bytes += blocks_[b].bytes();
  }
  return bytes;
}

}  // namespace vecc::cpu
