#include "src/kg/cuda/rank_blocks.h"

#include <algorithm>

#include "src/kg/cuda/kernels/rank_arguments.h"
#include "src/kg/cuda/rank_formula.h"

namespace vecc::kg {
namespace {

constexpr std::uint64_t kMostQueries = 8192;  // of a block: progress is told between two

std::uint64_t whole_tiles(std::uint64_t most, std::uint64_t count, std::uint64_t tile) {
  const std::uint64_t needed = (count + tile - 1) / tile * tile;
  return std::clamp(most / tile * tile, tile, std::max(needed, tile));
}

}  // namespace

std::uint32_t rank_tile_of(const RankModel& model) {
  return device::rank_tile(static_cast<unsigned>(model.number_bytes()));
}

RankBlocks rank_blocks(const RankModel& model, std::uint64_t queries, std::uint64_t block_bytes) {
  using device::rank_padded;
  const RankStages stages = model.score ? rank_stages(*model.score) : RankStages{};
  const std::uint64_t tile = rank_tile_of(model);
  constexpr std::uint64_t kSpanBytes = sizeof(device::RowSpan);
  std::uint64_t of_entity = stages.answer;
  if (!model.is_pairwise()) of_entity += rank_padded(model.answer_width());
  if (model.projects()) of_entity += rank_padded(model.width());
  if (model.makes_answers()) of_entity += model.answer_width();
  of_entity = of_entity * model.number_bytes() + sizeof(std::uint32_t);
  RankBlocks blocks;
  blocks.entities = whole_tiles(block_bytes / of_entity, model.entities, tile);
  std::uint64_t of_query = stages.query + model.width() + rank_padded(model.width()) + 1;
  if (model.is_pairwise()) of_query += blocks.entities;
  of_query = of_query * model.number_bytes() + 2 * sizeof(std::uint32_t);
  if (model.is_pairwise()) of_query += (blocks.entities / device::kRankSpan + 1) * kSpanBytes;
  blocks.queries = whole_tiles(std::min(block_bytes / of_query, kMostQueries), queries, tile);
  blocks.bytes = blocks.entities * of_entity + blocks.queries * of_query;
  return blocks;
}

}  // namespace vecc::kg
