#include "backends/cpu/batch_walk.h"

#include <algorithm>
#include <cstring>

#include "src/runtime/flush_subnormals.h"
#include "src/support/prefetch.h"

namespace vecc::cpu {

BatchWalk::BatchWalk(const BatchPlan& batch, const BoundPlan& bound, std::uint32_t threads)
    : batch_(batch),
      bound_(bound),
      launches_(bound.launches()),
      data_(launches_.size()),
      lists_(launches_.size()),
      progress_(2 * launches_.size() + 1) {
  std::uint64_t unstored = 0;
  std::size_t updates = 0;
  for (std::size_t l = 0; l < launches_.size(); ++l) {
    const BatchLaunch& launch = batch.launches[l];
    BoundLaunch& own = launches_[l];
    data_[l].assign(own.arguments.data, own.arguments.data + launch.accesses.size());
    own.arguments.data = data_[l].data();
    if (launch.drops || batch.is_compact) {
      lists_[l].assign(own.arguments.lists, own.arguments.lists + launch.accesses.size());
      own.arguments.lists = lists_[l].data();
    }
    updates += launch.updates.size();
    for (const BatchUpdate& update : launch.updates) {
      const BatchAccess& access = launch.accesses[update.access];
      unstored = std::max(unstored, access.rows * access.size * batch.units[access.buffer]);
    }
    scratch_bytes_ = std::max(scratch_bytes_, own.scratch_bytes);
  }
  nowhere_ = NativeBlock(bound.plan().dtype, unstored);
  unstored_.reserve(updates);
  steps_.reserve(2 * launches_.size() + 1);
  while (scratch_bytes_ > 0 && scratch_.size() < threads) {
    scratch_.emplace_back(new std::byte[scratch_bytes_]);
  }
}

std::uint64_t BatchWalk::bytes() const {
  return nowhere_.bytes() + values_.bytes() + scratch_bytes_ * scratch_.size();
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
  if (batch_.is_compact) bind_places(rows, run);
  if (!launch.drops && !batch_.is_compact) return;
  own.arguments.rows = run.rows;
  if (run.offsets != kNone) own.arguments.offsets = rows.wide.data() + run.offsets;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const std::uint32_t place = rows.lists[run.lists + a];
    if (place != kNone) lists_[run.launch][a] = entries(place);
  }
}

void BatchWalk::bind_places(const BatchRows& rows, const BatchRows::Run& run) {
  const BatchLaunch& launch = batch_.launches[run.launch];
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    if (!batch_.made_buffers[launch.accesses[a].buffer]) continue;
    data_[run.launch][a] = values_.at(rows.places[run.places + a]);
  }
}

// More than is needed, so that few batches find too little; it is no memory until it is written.
void BatchWalk::make_room(const BatchRows& rows) {
  if (rows.value_count <= values_.elements()) return;
  values_ = NativeBlock();
  values_ = NativeBlock(bound_.plan().dtype, room_for(rows.value_count));
  values_.use_large_pages();
}

void BatchWalk::bind(const BatchRows& rows) {
  if (batch_.is_compact) make_room(rows);
  for (const auto& [launch, access] : unstored_) {
    data_[launch][access] = bound_.launches()[launch].arguments.data[access];
  }
  for (const BatchRows::Run& run : rows.runs) bind_run(rows, run);
  unstored_ = rows.unstored;
  for (const auto& [launch, access] : unstored_) data_[launch][access] = nowhere_.at(0);
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
    steps_.push_back({r, 0, 0, run.work >= kSharedWork && tiles_of(run) > 1});
  }
}

void BatchWalk::set_zeros(const BatchRows& rows, const Step& step) const {
  constexpr std::uint32_t kZerosAhead = 8;
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kFetched = 256;  // the processor fetches what follows
  const auto place = [&](const BatchRows::Zeros& zeros) {
    if (batch_.is_compact) return values_.at(zeros.first);
    return bound_.block(zeros.buffer).at(bound_.first(zeros.buffer) + zeros.first);
  };
  const auto fetch = [&](const BatchRows::Zeros& zeros) {
    const std::size_t bytes = zeros.count * byte_size(bound_.plan().dtype);
    const std::byte* const first = place(zeros);
    for (std::size_t b = 0; b < std::min(bytes, kFetched); b += kLine) {
      prefetch_to_write(first + b);
    }
  };
  for (std::uint32_t z = step.first_zeros; z < step.end_zeros; ++z) {
    if (z + kZerosAhead < step.end_zeros) fetch(rows.zeros[z + kZerosAhead]);
    const BatchRows::Zeros& zeros = rows.zeros[z];
    void* const at = place(zeros);
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
  const FlushSubnormals flush(launch.updates);
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

void BatchWalk::run_step(const BatchRows& rows, const Step& step) const {
  if (step.run == kNone) return set_zeros(rows, step);
  const BatchRows::Run& run = rows.runs[step.run];
  for (std::size_t tile = 0; tile < tiles_of(run); ++tile) run_tile(rows, run, tile, 0);
}

void BatchWalk::run(const BatchRows& rows, ThreadTeam& team) {
  bind(rows);
  const bool shares = team.size() > 1 && std::ranges::any_of(steps_, &Step::is_shared_out);
  if (!shares) {
    for (const Step& step : steps_) run_step(rows, step);
    return;
  }
  struct Walk {
    const BatchWalk& of;
    const BatchRows& rows;
    [[nodiscard]] bool is_shared_out(std::size_t s) const { return of.steps_[s].is_shared_out; }
    [[nodiscard]] std::size_t tiles(std::size_t s) const {
      return of.tiles_of(rows.runs[of.steps_[s].run]);
    }
    void run_step(std::size_t s) const { of.run_step(rows, of.steps_[s]); }
    void run_tile(std::size_t s, std::size_t tile, std::uint32_t thread) const {
      of.run_tile(rows, rows.runs[of.steps_[s].run], tile, thread);
    }
  };
  progress_.run(0, steps_.size(), team, Walk{*this, rows});
}

}  // namespace vecc::cpu
