#include "backends/cpu/batch_walk.h"

#include <algorithm>
#include <cstring>

namespace vecc::cpu {

BatchWalk::BatchWalk(const BatchPlan& batch, const BoundPlan& bound, std::uint32_t threads)
    : batch_(batch),
      bound_(bound),
      launches_(bound.launches()),
      data_(launches_.size()),
      lists_(launches_.size()),
      next_tiles_(std::make_unique<std::atomic<std::size_t>[]>(2 * launches_.size() + 1)) {
  std::uint64_t unstored = 0;
  for (std::size_t l = 0; l < launches_.size(); ++l) {
    const BatchLaunch& launch = batch.launches[l];
    BoundLaunch& own = launches_[l];
    data_[l].assign(own.arguments.data, own.arguments.data + launch.accesses.size());
    own.arguments.data = data_[l].data();
    if (launch.drops) {
      lists_[l].assign(own.arguments.lists, own.arguments.lists + launch.accesses.size());
      own.arguments.lists = lists_[l].data();
    }
    for (const BatchUpdate& update : launch.updates) {
      const BatchAccess& access = launch.accesses[update.access];
      unstored = std::max(unstored, access.rows * access.size * batch.units[access.buffer]);
    }
    scratch_bytes_ = std::max(scratch_bytes_, own.scratch_bytes);
  }
  nowhere_ = NativeBlock(bound.plan().dtype, unstored);
  steps_.reserve(2 * launches_.size() + 1);
  while (scratch_bytes_ > 0 && scratch_.size() < threads) {
    scratch_.emplace_back(new std::byte[scratch_bytes_]);
  }
}

std::uint64_t BatchWalk::bytes() const {
  return nowhere_.bytes() + scratch_bytes_ * scratch_.size();
}

void BatchWalk::bind_run(const BatchRows& rows, const BatchRows::Run& run) {
  const BatchLaunch& launch = batch_.launches[run.launch];
  const KernelArguments& whole = bound_.launches()[run.launch].arguments;
  BoundLaunch& own = launches_[run.launch];
  const auto entries = [&](std::uint32_t place) -> const void* {
    if (launch.is_narrow) return rows.narrow.data() + place;
    return rows.wide.data() + place;
  };
  own.work = run.work;
  if (run.order != kNone) {
    own.arguments.order = entries(run.order);
  } else {
    own.arguments.order = run.is_whole && launch.types ? whole.order : nullptr;
  }
  if (!launch.updates.empty()) {
    std::copy_n(whole.data, launch.accesses.size(), data_[run.launch].begin());
  }
  if (!launch.drops) return;
  own.arguments.rows = run.rows;
  own.arguments.offsets = rows.wide.data() + run.offsets;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const std::uint32_t place = rows.lists[run.lists + a];
    if (place != kNone) lists_[run.launch][a] = entries(place);
  }
}

void BatchWalk::bind(const BatchRows& rows) {
  for (const BatchRows::Run& run : rows.runs) bind_run(rows, run);
  for (const BatchRows::Unstored& unstored : rows.unstored) {
    data_[unstored.launch][unstored.access] = nowhere_.at(0);
  }
  add_steps(rows);
}

void BatchWalk::add_steps(const BatchRows& rows) {
  steps_.clear();
  std::uint32_t zeros = 0;
  for (std::uint32_t r = 0; r < rows.runs.size(); ++r) {
    const BatchRows::Run& run = rows.runs[r];
    const std::uint32_t first = zeros;
    while (zeros < rows.zeros.size() && rows.zeros[zeros].launch <= run.launch) ++zeros;
    if (first < zeros) steps_.push_back({kNone, first, zeros, false});
    const std::size_t tiles = run.is_whole ? launches_[run.launch].tile_count : run.tiles;
    steps_.push_back({r, 0, 0, run.work >= kSharedWork && tiles > 1});
  }
}

void BatchWalk::set_zeros(const BatchRows& rows, const Step& step) const {
  for (std::uint32_t z = step.first_zeros; z < step.end_zeros; ++z) {
    const BatchRows::Zeros& zeros = rows.zeros[z];
    void* const at = bound_.block(zeros.buffer).at(bound_.first(zeros.buffer) + zeros.first);
    if (bound_.plan().dtype == DType::F64) {
      std::fill_n(static_cast<double*>(at), zeros.count, zeros.value);
    } else {
      std::fill_n(static_cast<float*>(at), zeros.count, static_cast<float>(zeros.value));
    }
  }
}

void BatchWalk::run_tile(const BatchRows& rows, const BatchRows::Run& run, std::size_t tile,
                         std::uint32_t thread) const {
  const BoundLaunch& launch = launches_[run.launch];
  BatchRows::Tile of;
  if (run.is_whole) {
    of = {launch.tiles[tile], launch.tiles[tile + 1],
          launch.tile_types == nullptr ? 0 : launch.tile_types[tile]};
  } else {
    of = rows.tiles[run.first_tile + tile];
  }
  if (launch.scratch_bytes == 0) {
    return launch.function(&launch.arguments, of.begin, of.end, of.type);
  }
  KernelArguments own = launch.arguments;
  own.scratch = scratch_[thread].get();
  launch.function(&own, of.begin, of.end, of.type);
}

void BatchWalk::run_step(const BatchRows& rows, const Step& step, std::uint32_t thread) const {
  if (step.run == kNone) return set_zeros(rows, step);
  const BatchRows::Run& run = rows.runs[step.run];
  const std::size_t tiles = run.is_whole ? launches_[run.launch].tile_count : run.tiles;
  for (std::size_t tile = 0; tile < tiles; ++tile) run_tile(rows, run, tile, thread);
}

void BatchWalk::run(const BatchRows& rows, ThreadTeam& team) {
  bind(rows);
  const bool shares = team.size() > 1 && std::ranges::any_of(steps_, &Step::is_shared_out);
  if (shares) return run_shared_out(rows, team);
  for (const Step& step : steps_) run_step(rows, step, 0);
}

// As TileWalk: small steps one after another are one thread's.
void BatchWalk::run_shared_out(const BatchRows& rows, ThreadTeam& team) {
  for (std::size_t s = 0; s < steps_.size(); ++s)
    next_tiles_[s].store(0, std::memory_order_relaxed);
  team.run([&](std::uint32_t thread) {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const Step& step = steps_[s];
      const bool is_last = s + 1 == steps_.size();
      if (!step.is_shared_out) {
        if (thread == 0) run_step(rows, step, 0);
        if (!is_last && steps_[s + 1].is_shared_out) team.barrier();
        continue;
      }
      const BatchRows::Run& run = rows.runs[step.run];
      const std::size_t tiles = run.is_whole ? launches_[run.launch].tile_count : run.tiles;
      const auto next = [&] { return next_tiles_[s].fetch_add(1, std::memory_order_relaxed); };
      for (std::size_t t = next(); t < tiles; t = next()) run_tile(rows, run, t, thread);
      if (!is_last) team.barrier();
    }
  });
}

}  // namespace vecc::cpu
