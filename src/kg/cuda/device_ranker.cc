#include "src/kg/cuda/device_ranker.h"

#include <algorithm>
#include <utility>

#include "src/support/quantity_text.h"

namespace vecc::kg {
namespace {

using device::RankPlace;

constexpr std::uint64_t kMostItems = 0x7FFFFFFF;

std::uint64_t whole_units(std::uint64_t n, std::uint64_t unit) {
  return (n + unit - 1) / unit;
}

std::uint32_t narrow(std::uint64_t n) {
  return static_cast<std::uint32_t>(n);
}

}  // namespace

Result<std::unique_ptr<DeviceRanker>> DeviceRanker::make(std::shared_ptr<cuda::Device> device,
                                                         RankModel model, const RankTables& tables,
                                                         std::span<const Triple> triples,
                                                         const KnownTriples& known,
                                                         const RankOptions& options,
                                                         std::uint64_t block_bytes) {
  if (triples.size() > kMostItems / 2) {
    return Errors(ErrorCode::LimitShape, "--backend=cuda",
                  "there are " + std::to_string(triples.size()) +
                      " triples to rank, the limit is 2^30 - 1; --backend=cpu ranks any number");
  }
  std::unique_ptr<DeviceRanker> ranker(
      new DeviceRanker(std::move(device), std::move(model), tables));
  const RankModel& m = ranker->model_;
  ranker->progress_ = options.progress;
  const std::uint64_t free = ranker->device_->free_bytes();
  RankBlocks& blocks = ranker->blocks_;
  blocks = rank_blocks(m, 2 * triples.size(), block_bytes);
  const auto list = [&] {
    ranker->plan_ = plan_queries(triples, options.inverse, m.batch_kind(), blocks.queries);
    return rank_lists(ranker->plan_, triples, known, rank_tile_of(m));
  };
  RankLists lists = list();
  const auto needed_bytes = [&] {
    return blocks.bytes + lists.bytes() +
           lists.item_queries.size() * (sizeof(RankPlace) + m.number_bytes());
  };
  const std::uint64_t first_bytes = blocks.bytes;
  while (needed_bytes() > free && block_bytes > 0) {
    block_bytes /= 2;
    blocks = rank_blocks(m, 2 * triples.size(), block_bytes);
  }
  if (blocks.bytes != first_bytes) lists = list();
  const std::uint64_t needed = needed_bytes();
  if (needed > free) {
    return Errors(ErrorCode::OutOfMemory, ranker->device_->name(),
                  "ranks need " + text_of_bytes(needed) + " beside the weights, free are " +
                      text_of_bytes(free) + "; --backend=cpu uses the host's memory");
  }
  ranker->first_run_ = lists.first_run;
  ranker->hold_lists(lists);
  ranker->hold_block();
  VECC_TRY_VOID(ranker->load_code());
  return ranker;
}

std::uint64_t DeviceRanker::hold(std::uint64_t bytes) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  bytes_ += bytes;
  return held_.emplace_back(device_, bytes).address();
}

template <class T>
std::uint64_t DeviceRanker::hold_values(const std::vector<T>& values) {
  const std::uint64_t address = hold(values.size() * sizeof(T));
  held_.back().write(0, values.data(), values.size() * sizeof(T));
  return address;
}

void DeviceRanker::hold_lists(const RankLists& lists) {
  a_.anchors = hold_values(lists.anchors);
  a_.query_relations = hold_values(lists.relations);
  a_.query_tails = hold_values(lists.tails);
  a_.first_items = hold_values(lists.first_items);
  a_.item_queries = hold_values(lists.item_queries);
  a_.item_entities = hold_values(lists.item_entities);
  a_.first_known = hold_values(lists.first_known);
  a_.known = hold_values(lists.known);
  if (model_.has_matrices()) a_.runs = hold_values(lists.runs);
  const std::uint64_t items = lists.item_queries.size();
  a_.own = hold(items * model_.number_bytes());
  a_.places = hold(items * sizeof(RankPlace));
  places_ = held_.back();
}

void DeviceRanker::hold_block() {
  using device::rank_padded;
  const std::uint64_t number = model_.number_bytes();
  const RankModel& m = model_;
  a_.entities = tables_.entities;
  a_.relations = tables_.relations;
  a_.matrices = tables_.matrices;
  a_.normals = tables_.normals;
  a_.relation_stride = tables_.relation_stride;
  a_.matrix_stride = tables_.matrix_stride;
  a_.normal_stride = tables_.normal_stride;
  a_.dim = m.dim;
  a_.relation_dim = m.relation_dim;
  a_.width = m.width();
  a_.answer_width = m.answer_width();
  a_.most_entities = narrow(blocks_.entities);
  a_.rows = hold(blocks_.queries * a_.width * number);
  a_.biases = hold(blocks_.queries * number);
  if (m.is_pairwise()) {
    a_.scores = hold(blocks_.queries * blocks_.entities * number);
    const std::uint64_t spans = blocks_.queries * whole_units(blocks_.entities, device::kRankSpan);
    a_.spans = hold(spans * sizeof(device::RowSpan));
  } else {
    a_.queries = hold(blocks_.queries * rank_padded(a_.width) * number);
    a_.answers = hold(blocks_.entities * rank_padded(a_.answer_width) * number);
    a_.projected = a_.answers;
  }
  if (m.projects()) a_.projected = hold(blocks_.entities * rank_padded(a_.width) * number);
  if (m.makes_answers()) a_.answer_rows = hold(blocks_.entities * a_.answer_width * number);
  if (!m.score) return;
  a_.slots = hold(blocks_.queries * sizeof(std::uint32_t));
  a_.slot_relations = hold(blocks_.queries * sizeof(std::uint32_t));
  a_.slot_entities = hold(blocks_.entities * sizeof(std::uint32_t));
  a_.ranges = hold(6 * sizeof(std::uint32_t));
}

Result<void> DeviceRanker::load_code() {
  std::vector<std::string> texts{rank_text(model_)};
  std::vector<FormulaUnit*> units;
  if (model_.score) {
    VECC_TRY(formula_, make_rank_formula(model_, tables_, a_, blocks_.queries, blocks_.entities,
                                         device_->target(),
                                         [&](std::uint64_t bytes) { return hold(bytes); }));
    for (RankFormulaSide& side : formula_) {
      for (auto* const list : {&side.queries, &side.answers, &side.pairs}) {
        for (FormulaUnit& unit : *list) {
          units.push_back(&unit);
          texts.push_back(unit.text);
        }
      }
    }
  }
  VECC_TRY(formula_code_, cuda::load_device_code(device_, texts, {}, nullptr));
  code_ = formula_code_.front();
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i]->bound.function = formula_code_[i + 1]->function(kFormulaKernel);
  }
  return {};
}

void DeviceRanker::start(const char* kernel, std::uint64_t blocks, std::uint32_t threads) const {
  cuda::BoundLaunch launch;
  launch.function = code_->function(kernel);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&a_);
  launch.arguments.assign(bytes, bytes + sizeof a_);
  launch.block_count = narrow(blocks);
  launch.threads = threads;
  cuda::start_launch(*device_, launch, device_->stream());
}

void DeviceRanker::start(const std::vector<FormulaUnit>& units) const {
  for (const FormulaUnit& unit : units) {
    cuda::start_launch(*device_, unit.bound, device_->stream());
  }
}

std::vector<Rank> DeviceRanker::rank() {
  places_.fill_words(0, plan_.item.size() * (sizeof(RankPlace) / sizeof(std::uint32_t)));
  answers_.reset();  // the weights have changed
  const std::size_t batches = plan_.batch.size() - 1;
  for (std::size_t batch = 0; batch < batches && !plan_.item.empty(); ++batch) {
    rank_batch(batch);
    if (!progress_) continue;
    device_->wait();
    progress_(static_cast<double>(batch + 1) / static_cast<double>(batches));
  }
  return read_ranks();
}

void DeviceRanker::rank_batch(std::size_t batch) {
  a_.first_query = narrow(plan_.batch[batch]);
  a_.query_count = narrow(plan_.batch[batch + 1] - plan_.batch[batch]);
  a_.first_run = first_run_[batch];
  const std::uint64_t items =
      plan_.first_item[plan_.batch[batch + 1]] - plan_.first_item[plan_.batch[batch]];
  const std::uint64_t entity_blocks = whole_units(model_.entities, blocks_.entities);
  const std::uint64_t tile = rank_tile_of(model_);
  const Query& query = plan_.scored[a_.first_query];
  // Items' own scores are compared with those of all blocks.
  const bool scores_first = entity_blocks > 1;
  for (int pass = 0; pass < (scores_first ? 2 : 1); ++pass) {
    for (std::uint64_t block = 0; block < entity_blocks; ++block) {
      a_.first_entity = narrow(block * blocks_.entities);
      a_.entity_count =
          narrow(std::min<std::uint64_t>(blocks_.entities, model_.entities - a_.first_entity));
      if (!model_.makes_answers()) {
        const std::uint64_t numbers = std::uint64_t{a_.first_entity} * a_.dim;
        a_.answer_rows = tables_.entities + numbers * model_.number_bytes();
      }
      if (model_.score) {
        const std::uint64_t spans = whole_units(a_.entity_count, device::kRankSpan);
        start("vecc_kg_rank_slots",
              whole_units(std::max<std::uint64_t>(a_.query_count * spans, a_.entity_count),
                          device::kRankRowThreads),
              device::kRankRowThreads);
      }
      if (pass == 0 && block == 0) make_queries(batch);
      make_answers(query);
      if (model_.score) start(side_of(query).pairs);
      if (pass == 0) {
        start("vecc_kg_rank_items", whole_units(items, device::kRankRowThreads),
              device::kRankRowThreads);
      }
      if (scores_first && pass == 0) continue;
      start("vecc_kg_rank_count",
            whole_units(a_.query_count, tile) * whole_units(a_.entity_count, tile),
            device::kRankThreads);
    }
  }
}

void DeviceRanker::make_queries(std::size_t batch) const {
  const std::uint64_t tile = rank_tile_of(model_);
  if (model_.score) {
    start(side_of(plan_.scored[a_.first_query]).queries);
  } else if (model_.has_matrices()) {
    const std::uint64_t runs = first_run_[batch + 1] - first_run_[batch];
    start("vecc_kg_rank_queries", runs * whole_units(a_.width, tile), device::kRankThreads);
  } else {
    const bool by_warp = model_.model == ScoreModel::TransH;
    start("vecc_kg_rank_queries", a_.query_count, by_warp ? 32 : device::kRankRowThreads);
  }
  if (model_.is_pairwise()) return;
  const std::uint64_t columns = whole_units(device::rank_padded(a_.width), device::kRankPack);
  start("vecc_kg_rank_pack_queries",
        whole_units(a_.query_count, tile) * (tile / device::kRankPack) * columns,
        device::kRankThreads);
}

// Of the block of entities, unless they are there.
void DeviceRanker::make_answers(const Query& query) {
  const std::uint64_t tile = rank_tile_of(model_);
  const std::uint64_t panels = whole_units(a_.entity_count, tile);
  const bool moves = !answers_ || answers_->first_entity != a_.first_entity ||
                     (model_.makes_answers() && answers_->asked != query.asked);
  const bool projects = model_.projects() && (moves || answers_->relation != query.relation);
  answers_ = {a_.first_entity, query.asked, query.relation};
  if (moves && model_.score) start(side_of(query).answers);
  if (moves && !model_.is_pairwise()) {
    const std::uint64_t numbers = device::rank_padded(a_.answer_width);
    start("vecc_kg_rank_pack_answers",
          panels * (tile / device::kRankPack) * whole_units(numbers, device::kRankPack),
          device::kRankThreads);
  }
  if (!projects) return;
  if (model_.has_matrices()) {
    start("vecc_kg_rank_project", panels * whole_units(a_.width, tile), device::kRankThreads);
  } else {
    start("vecc_kg_rank_project", whole_units(panels * tile, device::kRankRowThreads),
          device::kRankRowThreads);
  }
}

std::vector<Rank> DeviceRanker::read_ranks() const {
  std::vector<RankPlace> places(plan_.item.size());
  places_.read(0, places.data(), places.size() * sizeof(RankPlace));
  std::vector<Rank> ranks(places.size());
  for (std::size_t at = 0; at < places.size(); ++at) {
    const RankPlace& place = places[at];
    VECC_CHECK(place.equal > 0, "an entity's score differs from its own");
    ranks[plan_.item[at]] = {1 + place.above + (place.equal - 1) / 2.0,
                             1 + place.above_open + place.equal_open / 2.0};
  }
  return ranks;
}

}  // namespace vecc::kg
