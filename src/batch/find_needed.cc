// Backwards: what is needed of what is not 0.
#include "src/batch/batch_loops.h"
#include "src/batch/row_finder.h"

namespace vecc {

void RowFinder::need_outputs(const Batch& batch) {
  for (const std::uint32_t sample : batch.samples) {
    const BatchOutput& output = plan_.outputs[sample];
    if (!plan_.made_buffers[output.buffer]) continue;
    const std::uint64_t unit = plan_.units[output.buffer];
    const std::uint64_t first = output.first / unit;
    if (plan_.zero_buffers[output.buffer] && live_[output.buffer].contains(first)) continue;
    needed_[output.buffer].insert(first, output.shape.size() / unit);
  }
}

void RowFinder::need_updates(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  for (const BatchUpdate& update : launch.updates) {
    if (!runs(update)) continue;
    if (!plan_.lists_touched || update.group == kNone) {
      row_set_.insert(0, launch.rows);
      continue;
    }
    const BatchAccess& access = launch.accesses[update.access];
    for (const std::uint32_t row : *touched_[update.group]) {
      for_each_storing_row(launch, access, row, [&](std::uint32_t r) { row_set_.insert(r); });
    }
  }
}

void RowFinder::need_stores(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  zeros_.clear();
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const BatchAccess& access = launch.accesses[a];
    if (!access.store) continue;
    const auto run = [&](std::uint32_t n) {
      for_each_storing_row(launch, access, n, [&](std::uint32_t r) { row_set_.insert(r); });
    };
    if (!plan_.zero_buffers[access.buffer]) {
      for_each_row_in(needed_[access.buffer], access, run);
      continue;
    }
    if (!traits_[number].is_pure) for_each_row_in(live_[access.buffer], access, run);
    for_each_row_in(needed_[access.buffer], access,
                    [&](std::uint32_t n) { zeros_.push_back(std::uint64_t{a} << 32 | n); });
  }
}

// What is needed and 0, unless the launch computes it with others.
void RowFinder::note_zeros(std::uint32_t number, RowSink& sink) const {
  const BatchLaunch& launch = plan_.launches[number];
  for (const std::uint64_t zero : zeros_) {
    const BatchAccess& access = launch.accesses[zero >> 32];
    const auto n = to_row(zero & 0xFFFFFFFFu);
    bool is_stored = false;
    bool is_computed = false;
    for_each_storing_row(launch, access, n, [&](std::uint32_t r) {
      is_stored = true;
      is_computed = is_computed || row_set_.contains(r);
    });
    if (is_computed && launch.drops && is_by_member(access)) {
      is_computed = false;
      for_each_storing_member(launch, access, n, [&](std::uint32_t member) {
        is_computed = is_computed || members_[number].contains(member);
      });
    }
    if (is_computed || !is_stored) continue;
    sink.set_at_rest(number, static_cast<std::uint32_t>(zero >> 32), n);
  }
}

void RowFinder::find_needed(std::uint32_t number, RowSink& sink) {
  const BatchLaunch& launch = plan_.launches[number];
  need_updates(number);
  need_stores(number);
  if (!zeros_.empty()) note_zeros(number, sink);
  if (row_set_.empty()) {
    if (!members_[number].empty()) has_live_alone_ = true;
    return;
  }
  take_row_set(launch);
  if (launch.drops && keep_members(launch, members_[number], 0, found_)) has_live_alone_ = true;
  run(number, sink);
}

// The rows at hand run: what they load is needed.
void RowFinder::run(std::uint32_t number, RowSink& sink) {
  const BatchLaunch& launch = plan_.launches[number];
  for (const BatchAccess& access : launch.accesses) {
    if (access.is_made && (!access.is_zero || traits_[number].reads_zeros)) {
      need_load(launch, access);
    }
  }
  sink.run(number, found_);
}

void RowFinder::need_load(const BatchLaunch& launch, const BatchAccess& access) {
  RowSet& needed = needed_[access.buffer];
  const RowSet& live = live_[access.buffer];
  const auto need_row = [&](std::uint32_t row) {
    if (access.is_zero && live.contains(begin_of(access, row))) return;
    insert_row(needed, access, row);
  };
  switch (access.map) {
    case RowMap::One: return need_row(0);
    case RowMap::Tile:
      for (const std::uint32_t row : found_.rows) need_row((*launch.types)[row]);
      return;
    case RowMap::Direct:
    case RowMap::List: break;
  }
  const bool by_list = access.map == RowMap::List && !access.is_identity;
  const std::uint32_t* const list = by_list ? access.list->data() : nullptr;
  const auto need = [&](std::uint32_t counter) { need_row(by_list ? list[counter] : counter); };
  if (access.space == KernelSpace::Row || launch.drops) {
    const NumberList& counters = access.space == KernelSpace::Row ? found_.rows : found_.members;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      if (by_list && i + kAhead < counters.size()) prefetch_memory(list + counters[i + kAhead]);
      need(counters[i]);
    }
    return;
  }
  const bool is_ragged = launch.segments == KernelSegments::Ragged;
  for (std::size_t i = 0; i < found_.rows.size(); ++i) {
    if (is_ragged && i + kAhead < found_.rows.size()) {
      const std::uint32_t& begin = (*launch.offsets)[found_.rows[i + kAhead]];
      prefetch_memory(&begin);
      if (by_list) prefetch_memory(list + (*launch.offsets)[found_.rows[i + kAhead / 2]]);
    }
    for_each_member(launch, found_.rows[i], need);
  }
}

}  // namespace vecc
