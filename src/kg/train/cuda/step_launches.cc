#include "src/kg/train/cuda/step_launches.h"

#include <utility>

#include "backends/cuda/device_event.h"

namespace vecc::kg {

using namespace device;

StepLaunches::StepLaunches(const cuda::DeviceModule& code, const StepKinds& kinds,
                           const StepGrids& grids, const Arguments& arguments,
                           const StepKeys& entities, const StepKeys& relations,
                           const FormulaStep* formula)
    : code_(code),
      kinds_(kinds),
      arguments_(arguments),
      entities_(entities),
      relations_(relations),
      formula_(formula) {
  const std::size_t last = grids.passes % 2;
  arguments_.entity_keys.keys = entities.written;
  arguments_.entity_keys.sorted = entities.sorted[last];
  arguments_.relation_keys.keys = relations.written;
  arguments_.relation_keys.sorted = relations.sorted[last];
  std::vector<Number> drawn;
  if (kinds.sides == Sides::Mixed) drawn = {add("vecc_kg_sides", 1, kSideThreads, {})};
  const Number begin = add("vecc_kg_begin", grids.begin, kRowThreads, drawn);
  const Number sorted = add_sort(grids, begin);
  Number queries = begin;
  if (kinds.has_matrices()) {
    segments_ = add("vecc_kg_segments", 1, kSideThreads, {sorted});
    queries = segments_;
    if (!kinds.has_spaces()) {
      queries = add("vecc_kg_queries", grids.products, kPairThreads, {segments_});
    }
  }
  std::vector<Number> read = {queries};
  if (kinds.is_formula()) {
    read = add_formula_scores(grids, begin);
  } else if (kinds.drops_entities) {
    read.push_back(add("vecc_kg_drop", grids.drop, kRowThreads, {begin}));
  }
  std::vector<Number> scored;
  if (kinds.has_spaces()) scored = add_spaces(grids, read);
  if (kinds.is_pairwise) {
    scored = read;
  } else {
    scored.push_back(add("vecc_kg_scores", grids.scores, kPairThreads, read));
  }
  if (kinds.has_planes()) {
    scored.push_back(add("vecc_kg_plane_scores", grids.plane_scores, kPairThreads, read));
  }
  const Number losses = add("vecc_kg_losses", grids.losses, kLossThreads, scored);
  const Number judged = add("vecc_kg_judge", 1, kJudgeThreads, {losses});
  if (kinds.is_formula()) {
    add_moves(grids, add_formula_gradients(grids, begin, losses), judged, sorted);
    return;
  }
  const std::uint32_t threads = kinds.is_joint ? kJointThreads : kPairThreads;
  Number gradients = add("vecc_kg_gradients", grids.gradients, threads, {losses});
  if (kinds.has_planes()) {
    const std::uint32_t of_planes = kinds.has_product_tiles ? kPairThreads : threads;
    gradients = add("vecc_kg_plane_gradients", grids.plane_gradients, of_planes, {gradients});
  }
  std::vector<Number> derived = {gradients};
  if (kinds.has_spaces()) derived = add_space_gradients(grids, losses, gradients);
  add_moves(grids, derived, judged, sorted);
}

StepLaunches::Number StepLaunches::add(const char* kernel, std::uint64_t blocks,
                                       std::uint32_t threads, std::vector<Number> before) {
  cuda::BoundLaunch launch;
  launch.function = code_.function(kernel);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&arguments_);
  launch.arguments.assign(bytes, bytes + sizeof arguments_);
  launch.block_count = static_cast<std::uint32_t>(blocks);
  launch.threads = threads;
  launches_.push_back(std::move(launch));
  names_.emplace_back(kernel);
  before_.push_back(std::move(before));
  return static_cast<Number>(launches_.size() - 1);
}

// Beside the scores, which do not wait for it.
StepLaunches::Number StepLaunches::add_sort(const StepGrids& grids, Number begin) {
  const auto pass_to = [&](std::size_t to) {
    arguments_.entity_keys.from = entities_.sorted[1 - to];
    arguments_.entity_keys.to = entities_.sorted[to];
    arguments_.relation_keys.from = relations_.sorted[1 - to];
    arguments_.relation_keys.to = relations_.sorted[to];
  };
  pass_to(0);
  Number sorted = add("vecc_kg_sort", grids.sort, kSortThreads, {begin});
  arguments_.run = kSortedRun;
  for (std::uint32_t pass = 1; pass <= grids.passes; ++pass) {
    pass_to(pass % 2);
    sorted = add("vecc_kg_merge", grids.merge, kMergeThreads, {sorted});
    arguments_.run *= kMergedRuns;
  }
  return sorted;
}

// A formula's launches of a phase; returns what waits for all of them.
std::vector<StepLaunches::Number> StepLaunches::add_phase(FormulaPhase phase,
                                                          const std::vector<Number>& before) {
  std::vector<Number> added;
  number_of_.resize(formula_->launches.size());
  for (std::size_t i = 0; i < formula_->launches.size(); ++i) {
    const FormulaLaunch& launch = formula_->launches[i];
    if (launch.phase != phase) continue;
    number_of_[i] = static_cast<Number>(launches_.size());
    added.push_back(number_of_[i]);
    launches_.push_back(launch.bound);
    names_.push_back(launch.name);
    before_.push_back(before);
    for (const std::uint32_t other : launch.after) before_.back().push_back(number_of_[other]);
  }
  return added.empty() ? before : added;
}

// q and e, and scores that are no tiles'.
std::vector<StepLaunches::Number> StepLaunches::add_formula_scores(const StepGrids& grids,
                                                                   Number begin) {
  std::vector<Number> read = {add("vecc_kg_slots", grids.slots, kRowThreads, {begin})};
  if (grids.drop > 0) {
    read.push_back(add("vecc_kg_drop_slots", grids.drop, kRowThreads, {begin}));
  }
  return add_phase(FormulaPhase::Score, add_phase(FormulaPhase::Make, read));
}

// Returns what rows wait for.
std::vector<StepLaunches::Number> StepLaunches::add_formula_gradients(const StepGrids& grids,
                                                                      Number begin, Number losses) {
  std::vector<Number> derived;
  if (kinds_.is_pairwise) {
    const Number columns = add("vecc_kg_columns", grids.scores, kPairThreads, {losses});
    derived = add_phase(FormulaPhase::Pairs, {columns});
  } else {
    derived = {add("vecc_kg_gradients", grids.gradients, kPairThreads, {losses})};
  }
  derived = {add("vecc_kg_spread", grids.spread, kRowThreads, derived)};
  if (formula_->clears) derived.push_back(add("vecc_kg_clear", kClearBlocks, kRowThreads, {begin}));
  return add_phase(FormulaPhase::Pull, derived);
}

// transr, of what negatives and queries are read behind: queries' vectors are then read, too.
// Returns what losses wait for.
std::vector<StepLaunches::Number> StepLaunches::add_spaces(const StepGrids& grids,
                                                           std::vector<Number>& read) {
  const Number norms = add("vecc_kg_norms", grids.images, kPairThreads, read);
  const Number images = add("vecc_kg_images", grids.products, kPairThreads, {segments_});
  read.push_back(add("vecc_kg_vectors", grids.products, kPairThreads, {images}));
  return {norms, images};
}

// All that reads matrices and what is drawn, before matrices move.
std::vector<StepLaunches::Number> StepLaunches::add_space_gradients(const StepGrids& grids,
                                                                    Number losses,
                                                                    Number gradients) {
  const Number norms = add("vecc_kg_by_norms", grids.norms, kPairThreads, {losses});
  const Number images = add("vecc_kg_by_images", grids.products, kPairThreads, {gradients});
  const Number parts = add("vecc_kg_by_negatives", grids.negatives, kPairThreads, {norms});
  return {add("vecc_kg_negative_parts", grids.negative_parts, kRowThreads, {parts, gradients}),
          add("vecc_kg_by_entities", grids.products, kPairThreads, {images})};
}

// Relations' matrices before rows of entities: all gradients are of the weights before the step.
void StepLaunches::add_moves(const StepGrids& grids, std::vector<Number> derived, Number judged,
                             Number sorted) {
  if (!kinds_.has_spaces() && !kinds_.is_formula()) {
    derived = {add("vecc_kg_spread", grids.spread, kRowThreads, derived)};
    if (kinds_.has_matrices()) {
      derived = {add("vecc_kg_anchors", grids.products, kPairThreads, {derived[0], sorted})};
    }
  }
  derived.push_back(judged);
  if (kinds_.has_matrices()) {
    derived.push_back(segments_);
    derived = {add("vecc_kg_matrices", grids.matrices, kPairThreads, derived), judged};
  }
  if (grids.shared > 0) add("vecc_kg_shared", grids.shared, kRowThreads, derived);
  derived.push_back(sorted);
  add("vecc_kg_rows", grids.rows, kRowThreads, derived);
}

std::unique_ptr<cuda::LaunchGraph> StepLaunches::make_graph(
    const std::shared_ptr<cuda::Device>& device) const {
  std::vector<const cuda::BoundLaunch*> launches;
  launches.reserve(launches_.size());
  for (const cuda::BoundLaunch& launch : launches_) launches.push_back(&launch);
  return std::make_unique<cuda::LaunchGraph>(device, launches, before_);
}

std::vector<LaunchTime> StepLaunches::time(const std::shared_ptr<cuda::Device>& device,
                                           std::uint32_t runs) const {
  std::vector<LaunchTime> times;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    cuda::start_launch(*device, launches_[i], device->stream());
    const cuda::EventPair events(device);
    for (std::uint32_t run = 0; run < runs; ++run) {
      cuda::start_launch(*device, launches_[i], device->stream());
    }
    times.push_back({names_[i], launches_[i].block_count, events.end() / runs});
  }
  return times;
}

}  // namespace vecc::kg
