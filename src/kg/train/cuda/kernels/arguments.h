// What the kernels of a training step are started with, as the host and the GPU have it.
#pragma once

#include "src/kg/cuda/kernels/argument_types.h"
#include "src/kg/cuda/kernels/row_span.h"

namespace vecc::kg::device {

using Key = unsigned long long;  ///< a row above 32 bits, then the number of what is added to it

/// Of a step of the optimizer.
struct StepRates {
  double rate;
  double correction1;
  double correction2;
};

/// Where an epoch stands; the GPU goes on with it from step to step.
struct EpochState {
  unsigned long long first_step;  ///< of the epoch
  unsigned long long queries;     ///< of the epoch's steps so far
  double loss_sum;                ///< over those
  unsigned next;                  ///< batch of the epoch
  unsigned now;                   ///< the one that runs
  unsigned tails;                 ///< Sides::Mixed: of the batch's triples that ask for the tail
  unsigned parts;                 ///< of the batch's gradients of entities, Batch::parts()
  /// Not 0: the loss of batch `next` is not finite. judge() sets it, so that kernels that run
  /// beside it do not read it: threads of a block might differ. They do no harm.
  unsigned failed;
  StepRates rates;  ///< of the batch
};

/// A query's relation and entities.
struct QueryRows {
  unsigned anchor;
  unsigned relation;
  unsigned answer;
};

/// Keys to sort: of rows of entities, or relations.
struct KeyList {
  VECC_KG_POINTER(Key) keys;    ///< as the step writes them
  VECC_KG_POINTER(Key) from;    ///< of a pass: sorted runs
  VECC_KG_POINTER(Key) to;      ///< of a pass: longer ones
  VECC_KG_POINTER(Key) sorted;  ///< after the last pass
  unsigned most;                ///< of a step
  unsigned padding;
};

/// Derivatives by a shared parameter: `count` sums, of which each has all of its numbers.
struct SharedPart {
  VECC_KG_POINTER(const Number) from;
  unsigned begin;  ///< the parameter's, among all shared numbers
  unsigned size;
  unsigned count;
  unsigned padding;
};

struct Arguments {
  VECC_KG_POINTER(EpochState) state;
  VECC_KG_POINTER(const StepRates) rates;   ///< by batch of the epoch
  VECC_KG_POINTER(const unsigned) triples;  ///< head, relation, tail of each; k-vs-all: of queries
  VECC_KG_POINTER(const unsigned) order;    ///< of the epoch's triples
  VECC_KG_POINTER(unsigned)
  chosen;  ///< Sides::Mixed: triples asked for tails, and, batch_size behind
           ///< them, for heads
  VECC_KG_POINTER(const double) head_probability;  ///< bernoulli: by relation
  VECC_KG_POINTER(const double) degree_sums;       ///< draw_weighted()'s
  VECC_KG_POINTER(const unsigned) known_heads;     ///< rows of KnownTriples: filtered, k-vs-all
  VECC_KG_POINTER(const unsigned) known_tails;
  VECC_KG_POINTER(Number) entities;
  VECC_KG_POINTER(Number) relations;
  VECC_KG_POINTER(Number) entity_states[2];  ///< the optimizer's
  VECC_KG_POINTER(Number) relation_states[2];
  VECC_KG_POINTER(QueryRows) query_rows;
  VECC_KG_POINTER(unsigned) negatives;  ///< [chunks][negatives]
  VECC_KG_POINTER(Number) dropped;      ///< [chunks][negatives][dim], where entities are dropped
  VECC_KG_POINTER(Number) queries;      ///< [queries][dim]
  VECC_KG_POINTER(Number) normals;      ///< transh: u, [queries][dim]
  VECC_KG_POINTER(Number) along;  ///< transh: u.e, [queries][negatives], then the derivatives by it
  VECC_KG_POINTER(Number)
  by_normal;  ///< transh: [negative_splits, 1 of product tiles][queries][dim]
  VECC_KG_POINTER(Number)
  positive_along;                       ///< transh: by query: the derivative by u.e of its answer
  VECC_KG_POINTER(Number) biases;       ///< by query
  VECC_KG_POINTER(Number) scores;       ///< [queries][negatives], then the derivatives by the sums
  VECC_KG_POINTER(Number) positives;    ///< by query: the derivative by the sum of its answer
  VECC_KG_POINTER(Number) by_bias;      ///< by query
  VECC_KG_POINTER(Number) slopes;       ///< by query: the sum of the derivatives by its scores
  VECC_KG_POINTER(double) losses;       ///< by query
  VECC_KG_POINTER(Number) by_query;     ///< [negative_splits][queries][dim]
  VECC_KG_POINTER(Number) by_negative;  ///< [query_parts][chunks][negatives][dim]
  VECC_KG_POINTER(Number) by_anchor;    ///< [queries][dim]
  VECC_KG_POINTER(Number) by_relation;  ///< [queries][relation's width]; rescal: none, transr: dim
  VECC_KG_POINTER(unsigned)
  segments;  ///< rescal, transr: of one relation; their number, then where each
             ///< begins
  VECC_KG_POINTER(unsigned)
  runs;  ///< rescal, transr: of one relation and side, as many as a block
         ///< multiplies; likewise
  // transr, of kernels/spaces.h.
  VECC_KG_POINTER(Number) images;           ///< q, [queries][dim]
  VECC_KG_POINTER(Number) differences;      ///< d, [queries][dim], then the derivatives by it
  VECC_KG_POINTER(Number) by_image;         ///< by q, and by d added, [queries][dim]
  VECC_KG_POINTER(Number) by_answer;        ///< [queries][dim]
  VECC_KG_POINTER(Number) negative_images;  ///< [groups][negatives][dim]
  VECC_KG_POINTER(unsigned) image_rows;     ///< of what they are images, [groups][negatives]
  VECC_KG_POINTER(Number)
  norms;  ///< [groups][negatives]; then what images are times in the
          ///< derivatives by them
  VECC_KG_POINTER(Number) by_negative_parts;  ///< [space_parts][chunks][negatives][dim]
  VECC_KG_POINTER(unsigned) groups;           ///< their number, then where each begins
  VECC_KG_POINTER(unsigned) group_of;         ///< by query
  VECC_KG_POINTER(unsigned) segment_groups;   ///< by segment: the first group of its relation
  // A user's score, of kernels/formula.h. Rows of several parameters lie one parameter after the
  // other: all rows' numbers of the first, then those of the second.
  VECC_KG_POINTER(const unsigned) entity_parts;    ///< where each parameter begins, then the width
  VECC_KG_POINTER(const unsigned) relation_parts;  ///<
  VECC_KG_POINTER(unsigned) ranges;            ///< first row, and that behind the last: RangeNumber
  VECC_KG_POINTER(unsigned) slot_rows;         ///< rows of queries, answers, negatives as read
  VECC_KG_POINTER(unsigned) relation_rows;     ///< by query
  VECC_KG_POINTER(RowSpan) query_spans;        ///< a query with its negatives
  VECC_KG_POINTER(const RowSpan) row_spans;    ///< of each row alone: a query with its answer
  VECC_KG_POINTER(RowSpan) negative_spans;     ///< a negative with the queries of its chunk
  VECC_KG_POINTER(RowSpan) sum_spans;          ///< by range of rows: kSharedSums parts, then all
  VECC_KG_POINTER(const unsigned) sum_ranges;  ///< 0, kSharedSums, 0, 1
  VECC_KG_POINTER(Number) dropped_relations;   ///< [queries][relation_width]
  VECC_KG_POINTER(Number) answers;             ///< e of answers, [queries][width]
  VECC_KG_POINTER(Number) vectors;             ///< e of negatives, [chunks][negatives][width]
  VECC_KG_POINTER(Number) positive_scores;     ///< by query
  VECC_KG_POINTER(Number) by_positive;         ///< by q, of the answer's score, [queries][width]
  VECC_KG_POINTER(Number) columns;             ///< derivatives by scores, [negatives][chunk]
  VECC_KG_POINTER(Number) by_answer_rows;      ///< [queries][dim]
  VECC_KG_POINTER(Number) by_negative_rows;    ///< [chunks][negatives][dim]
  VECC_KG_POINTER(Number) shared;              ///< parameters of all triples, [shared_width]
  VECC_KG_POINTER(Number) shared_states[2];
  VECC_KG_POINTER(const SharedPart) shared_parts;
  KeyList entity_keys;
  KeyList relation_keys;
  unsigned long long seed;
  double margin;
  double adversarial;
  double label_smoothing;
  double l2;
  double n3;
  double constraints;
  double epsilon;
  double beta1;
  double beta2;
  double entity_scale;  ///< dropout_scale()
  double relation_scale;
  unsigned entity_share;  ///< dropout_share()
  unsigned relation_share;
  unsigned known_head_count;
  unsigned known_tail_count;
  unsigned entity_count;
  unsigned relation_count;
  unsigned dim;             ///< numbers of a row of entities
  unsigned width;           ///< of q and e: dim, but of a user's score
  unsigned relation_width;  ///< a user's score: numbers of a row of relations
  unsigned shared_width;
  unsigned shared_part_count;
  unsigned triple_count;
  unsigned tail_queries;  ///< k-vs-all: the first ones of `triples` ask for the tail
  unsigned batch_size;
  unsigned chunk;           ///< queries that share negatives
  unsigned negative_count;  ///< of a chunk
  unsigned most_queries;    ///< of a step
  unsigned most_chunks;
  unsigned query_parts;  ///< of the derivative by a negative: 1, or by kJointQueries of its chunk
  unsigned
      negative_splits;  ///< of the derivative by a query: 1, or by split_negatives of its chunk
  unsigned split_negatives;
  unsigned space_parts;  ///< transr: blocks that share the groups of a chunk
  unsigned run;          ///< of a pass: keys of a sorted run
};

// Numbers that the host computes grids from.
constexpr unsigned kRowThreads = 128;    ///< that share a row
constexpr unsigned kPairThreads = 256;   ///< of a tile of pairs
constexpr unsigned kTile = 32;           ///< queries, negatives and numbers of a tile
constexpr unsigned kSortedRun = 1024;    ///< keys that a block sorts
constexpr unsigned kSortThreads = 512;   ///
constexpr unsigned kMergedRuns = 8;      ///< runs that a pass makes one
constexpr unsigned kMergeThreads = 256;  ///
constexpr unsigned kLossThreads = 128;   ///< a warp a query
constexpr unsigned kSideThreads = 256;   ///< of the one block that draws sides
constexpr unsigned kJudgeThreads = 256;  ///< of the one block that adds up losses
constexpr unsigned kProductRows = 32;    ///< rescal, transr: vectors that a block multiplies
constexpr unsigned kPairSide = 64;       ///< queries and negatives of product_scores.h, at most
constexpr unsigned kGroupRows = 64;      ///< of a block of group_tile.h
constexpr unsigned kWideColumns = 256;   ///< rescal, transr: of a block's part of a product
constexpr unsigned kJointThreads = 128;  ///< of joint_gradients.h
constexpr unsigned kJointQueries = 64;   ///< that share a block of joint_gradients.h
constexpr unsigned kSpaceRows = 64;      ///< transr: negatives of a block

constexpr unsigned kClearBlocks = 1024;  ///< a user's score: that set numbers to 0, however many
constexpr unsigned kSharedSums = 16;     ///< a user's score: sums that are added up

/// Rows of a user's score: queries (and answers), then negatives, of questions for tails, for
/// heads.
enum RangeNumber : unsigned { kTailQueries, kHeadQueries, kTailNegatives, kHeadNegatives, kRanges };
constexpr unsigned kSumSpans = kSharedSums + 1;  ///< of a range: its parts, then all of it

/// What negatives replace, as kernels are compiled for it.
enum class Sides : unsigned char {
  Both,
  Head,
  Tail,
  Mixed,  ///< each triple asks for one: bernoulli, k-vs-all
};

}  // namespace vecc::kg::device
