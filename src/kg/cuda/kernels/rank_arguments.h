// What the kernels that rank are started with, as the host and the GPU have it. A launch is of a
// block of queries, and of a block of entities. Panels are kRankTile rows, number by number:
// [panels][numbers, up to whole stages][kRankTile], zeros where there is nothing.
#pragma once

#include "src/kg/cuda/kernels/argument_types.h"
#include "src/kg/cuda/kernels/row_span.h"

namespace vecc::kg::device {

/// Queries of one relation and side, as many as a tile has.
struct RankRun {
  unsigned relation;
  unsigned tail;   ///< whether tails are asked for
  unsigned first;  ///< query
  unsigned count;
};

/// Of an item, among the entities: `..._open` without those that other known triples have, and
/// without itself.
struct RankPlace {
  unsigned above;
  unsigned equal;  ///< itself too
  unsigned above_open;
  unsigned equal_open;
};

struct RankArguments {
  // Weights. Of a user's score: rows of entities, if its answers are those.
  VECC_KG_POINTER(const Number) entities;   ///< [entities][dim]
  VECC_KG_POINTER(const Number) relations;  ///< rows `relation_stride` apart
  VECC_KG_POINTER(const Number) matrices;   ///< rescal, transr: [relation_dim][dim], likewise
  VECC_KG_POINTER(const Number) normals;    ///< transh: [dim], likewise
  unsigned long long relation_stride;
  unsigned long long matrix_stride;
  unsigned long long normal_stride;
  // What is asked, of all blocks.
  VECC_KG_POINTER(const unsigned) anchors;                ///< by query
  VECC_KG_POINTER(const unsigned) query_relations;        ///< by query, as asked of the model
  VECC_KG_POINTER(const unsigned) query_tails;            ///< by query: whether tails are asked for
  VECC_KG_POINTER(const unsigned) first_items;            ///< by query, and the end
  VECC_KG_POINTER(const unsigned) item_queries;           ///< by item
  VECC_KG_POINTER(const unsigned) item_entities;          ///< whose rank it is
  VECC_KG_POINTER(const unsigned long long) first_known;  ///< by query, and the end
  VECC_KG_POINTER(const unsigned) known;                  ///< entities, ascending for each query
  VECC_KG_POINTER(const RankRun) runs;                    ///< rescal, transr
  // What is made of it.
  VECC_KG_POINTER(Number) rows;               ///< q, [queries of a block][width]
  VECC_KG_POINTER(Number) queries;            ///< as panels
  VECC_KG_POINTER(Number) biases;             ///< by query of the block
  VECC_KG_POINTER(const Number) answer_rows;  ///< e of the block's entities, [..][answer_width]
  VECC_KG_POINTER(Number) answers;            ///< as panels
  VECC_KG_POINTER(Number) projected;  ///< transh, transr: what is scored, as panels; else answers
  VECC_KG_POINTER(Number) own;        ///< scores, by item
  VECC_KG_POINTER(RankPlace) places;  ///< by item
  // A user's score.
  VECC_KG_POINTER(unsigned) slots;           ///< anchors of the block's queries
  VECC_KG_POINTER(unsigned) slot_relations;  ///< their relations
  VECC_KG_POINTER(unsigned) slot_entities;   ///< the block's entities
  VECC_KG_POINTER(unsigned) ranges;  ///< begin and end of queries, entities and spans of the block
  VECC_KG_POINTER(RowSpan) spans;    ///< of pairs: queries with at most kRankSpan entities
  VECC_KG_POINTER(Number) scores;    ///< of pairs: [queries of a block][most_entities]
  unsigned dim;                      ///< numbers of an entity's row
  unsigned relation_dim;             ///< rows of a matrix
  unsigned width;                    ///< of q, and of what it is scored with
  unsigned answer_width;             ///< of e: dim where entities are projected
  unsigned first_query;              ///< of the block
  unsigned query_count;
  unsigned first_entity;
  unsigned entity_count;
  unsigned most_entities;  ///< of a block
  unsigned first_run;
};

constexpr unsigned kRankThreads = 256;     ///< of a tile
constexpr unsigned kRankRowThreads = 128;  ///< of a query, of items, of panels
constexpr unsigned kRankStage =
    16;                             ///< numbers that a tile keeps at once; panels have whole stages
constexpr unsigned kRankPack = 32;  ///< rows and numbers that a block packs
constexpr unsigned kRankSpan = 1024;  ///< entities of a span
/// Queries and entities of a tile; rows of a panel.
constexpr unsigned rank_tile(unsigned number_bytes) {
  return number_bytes == 8 ? 64 : 128;
}
constexpr unsigned rank_padded(unsigned numbers) {
  return (numbers + kRankStage - 1) / kRankStage * kRankStage;
}

}  // namespace vecc::kg::device
