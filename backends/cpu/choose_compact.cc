#include "backends/cpu/choose_compact.h"

#include <algorithm>

#include "backends/cpu/batch_walk.h"
#include "src/batch/batch_binder.h"
#include "src/batch/batch_loops.h"
#include "src/batch/batch_sizes.h"
#include "src/batch/check_batch.h"
#include "src/support/free_memory.h"

namespace vecc::cpu {
namespace {

// Of a step of all samples, that is compact.
struct ListedWork {
  double stored = 0;   ///< bytes of values
  double entries = 0;  ///< of lists
  double updated = 0;  ///< of these, of launches that change tables: each batch has them all
};

bool changes_tables(const Plan& plan, const Launch& launch) {
  const std::vector<KernelAccess>& accesses = plan.kernels[launch.kernel].accesses;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const PlanBuffer::Kind kind = plan.buffers[launch.accesses[a].buffer].kind;
    const bool stays = kind == PlanBuffer::Kind::Parameter || kind == PlanBuffer::Kind::State;
    if (accesses[a].store && stays) return true;
  }
  return false;
}

ListedWork listed_work(const Plan& plan) {
  ListedWork work;
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const double members = kernel.segments == KernelSegments::Ragged
                               ? plan.arrays[launch.offsets]->back()
                               : static_cast<double>(launch.rows) * launch.members;
    double entries = 0;
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const KernelAccess& access = kernel.accesses[a];
      if (access.map != RowMap::Direct && access.map != RowMap::List) continue;
      const double rows = access.space == KernelSpace::Member ? members : launch.rows;
      entries += rows;
      const bool is_made = plan.buffers[launch.accesses[a].buffer].kind == PlanBuffer::Kind::Arena;
      if (access.store && is_made) {
        work.stored += rows * static_cast<double>(access.shape.size() * byte_size(plan.dtype));
      }
    }
    work.entries += entries;
    if (changes_tables(plan, launch)) work.updated += entries;
  }
  return work;
}

// Of all rows of weights, those that a typical batch has.
double share_of_batch(const Plan& plan, const BatchOptions& batch) {
  double all = 0;
  double some = 0;
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind != PlanBuffer::Kind::Parameter) continue;
    const auto at = std::ranges::find(batch.weights, buffer.source);
    if (at != batch.weights.end()) all += static_cast<double>(buffer.elements);
  }
  for (const Batch::Weights& weights : batch.typical.weights) {
    some += static_cast<double>(weights.rows.size());
  }
  return is_empty(batch.typical) || all == 0 ? 1 : some / all;
}

// Whether rows that lie all over cost more than the lists of a compact batch: where values of all
// samples are many times a cache, and rows wide, or pages would be given back; where tables that
// each batch changes as a whole do not make most of the lists; and where a batch is a small part of
// all, so that twice its values, none in the place of another, are less than what spread ones keep.
bool gains_by_compact(const Plan& plan, const BatchOptions& batch) {
  constexpr double kWideRow = 48;
  constexpr double kMostShare = 0.125;
  const std::uint64_t values = plan.arena_elements * byte_size(plan.dtype);
  if (values <= batch.kept_bytes) return false;
  const ListedWork work = listed_work(plan);
  const double share = share_of_batch(plan, batch);
  if (share > kMostShare) return false;
  const double of_samples = (work.entries - work.updated) * share;
  if (!batch.lists_touched && work.updated > of_samples) return false;
  return work.stored >= kWideRow * std::max(work.entries, 1.0) ||
         kept_where_free(batch.kept_bytes, values, free_host_bytes()) < values;
}

// Of rows of all accesses, each with all its entries.
BatchBytes most_bytes(const BatchPlan& plan) {
  BatchBytes bytes;
  for (const BatchLaunch& launch : plan.launches) {
    const std::uint64_t entry = launch.is_narrow ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
    for (const BatchAccess& access : launch.accesses) {
      bytes.arrays += entry * (access.space == KernelSpace::Member ? member_count(launch)
                                                                   : std::uint64_t{launch.rows});
    }
  }
  for (BufferIndex b = 0; b < plan.made_buffers.size(); ++b) {
    if (plan.made_buffers[b]) {
      bytes.values += plan.unit_counts[b] * plan.units[b] * byte_size(plan.plan.dtype);
    }
  }
  return bytes;
}

}  // namespace

Result<bool> takes_compact(const Plan& plan, const BatchOptions& batch) {
  if (batch.values == BatchValues::Spread) return false;
  const Result<void> can_be = check_compact(plan, batch);
  if (batch.values == BatchValues::Choose) return can_be && gains_by_compact(plan, batch);
  if (!can_be) return can_be.error();
  return true;
}

Result<BatchBytes> usual_bytes(const BatchPlan& plan, const Batch& typical) {
  constexpr std::uint64_t kUsualMost = 2;  // of the largest batches, beside a typical one
  BatchBytes bytes;
  if (is_empty(typical)) {
    bytes = most_bytes(plan);
  } else {
    VECC_TRY_VOID(check_batch(plan, typical));
    BatchRows rows;
    BatchBinder(plan).bind(typical, rows);
    bytes = bytes_of_step(plan, rows, byte_size(plan.plan.dtype));
    bytes.values *= kUsualMost;
    bytes.arrays *= kUsualMost;
  }
  bytes.is_compact = true;
  return bytes;
}

}  // namespace vecc::cpu
