// Neighbour sampling: a step of training reads some members of each aggregation, others each time.
//
// Every edge into an aggregation that is sampled gets a weight, a row of the table kFanoutTable. A
// step is that of the whole graph, in which the weights of members that were not drawn are 0:
//
//   h(X) = avg of the messages 7, 8, 9          =>   h(X) = sum of m0 * 7, m1 * 8, m2 * 9
//   drawn for this step with k = 2: 7 and 9          m0 = 1/2, m1 = 0, m2 = 1/2
//
// What selects among its members, or takes a softmax of them, reads each through a neuron that is
// x + log(m): the member itself where m is 1, -infinity where it is 0 (for min the other way), as
// attention is masked:
//
//   h(X) = max of the messages 7, 8, 9          =>   h(X) = max of 7 + log m0, 8 + log m1,
//   drawn with k = 2: 7 and 9                                       9 + log m2
//                                                      m0 = 1, m1 = 0, m2 = 1
//
// The table is a parameter, which no pass looks at the values of: the optimizer tells members apart
// that are equal but for it. Batches (batch.h) leave out what the zeros make 0 or infinite.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc {

inline constexpr std::string_view kFanoutTable = "fanout.members";
/// Of the generator's key, by which draws of members are apart from what `draw` takes of the same
/// seed.
inline constexpr std::uint32_t kFanoutStream = 0x66616E6F;

struct Fanout {
  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

  /// Members at most, by level: the first of the aggregations next to the outputs, the last also of
  /// all deeper ones. Empty: nothing is sampled.
  std::vector<std::uint32_t> members;
  /// Sums are times n / k, of k drawn of n members, so that they stay unbiased; means always are.
  bool scales_sums = false;

  bool operator==(const Fanout&) const = default;
};
/// `15,10,all`: numbers of at least 1. Error: Usage.
[[nodiscard]] Result<Fanout> parse_fanout(std::string_view text);
[[nodiscard]] std::string text_of(const Fanout& fanout);

struct SampledSegments;

/// Which neurons of a graph are sampled, or which ops of a Program that was made without neurons.
struct SampledMembers {
  /// What the weight of a drawn member is.
  enum class Counts : std::uint8_t {
    InMean,  ///< 1 / k of k drawn
    InSum,   ///< 1, or n / k
    There,   ///< 1; of weight 0 it is not there (max, min, softmax, sparsemax)
  };
  struct Range {
    std::uint32_t range = 0;  ///< of the graph
    Counts counts = Counts::InSum;
    std::uint32_t first_row = 0;        ///< of the table: of its first neuron's first member
    std::vector<std::uint32_t> limits;  ///< by neuron: members at most
  };
  Fanout fanout;
  std::uint64_t seed = 0;
  std::vector<Range> ranges;  ///< rising
  /// By neuron of the graph before: a sum of products with entries of softmaxes that draw; weights
  /// of its members are rows of theirs. Empty: there is none.
  std::vector<bool> follows;
  WeightId first = 0;              ///< of the table's rows, which are the last weights
  std::uint64_t members = 0;       ///< of the sampled neurons: the table's rows
  std::uint64_t aggregations = 0;  ///< neurons with more members than their level's number
  /// Of a Program, which has no ranges; null: of a graph, or nothing is sampled.
  std::shared_ptr<const SampledSegments> segments = nullptr;
};

struct SampledGraph {
  NeuronGraph graph;
  SampledMembers members;  ///< without ranges: no aggregation has more members
};

/// Gives the aggregations (neurons of the classes Aggregation and SplittableAggregation) weights of
/// their members; of those by max, min, softmax and sparsemax, and of members that have weights of
/// their own, these stand in neurons of new groups, behind all others. The level of a neuron is the
/// largest number of aggregations on a way from it to an output, itself included; a sum whose
/// members are products with entries of softmaxes counts as one with them, and has the members that
/// these draw, by the same weights (src/graph/aggregation_levels.h). A group is sampled if one of
/// its neurons has more members than its level's number. A count reads no member and stays as it
/// is. Errors: Usage (an aggregation with more members by another function, or by mean with an
/// offset), DuplicateName, LimitWeights, LimitNeurons.
[[nodiscard]] Result<SampledGraph> sample_members(const NeuronGraph& graph, const Fanout& fanout);

/// A Program with weights of members, and which of its ops read them.
struct SampledSegments {
  /// A `segment` op whose members are drawn.
  struct Aggregation {
    ValueId op = 0;
    SampledMembers::Counts counts = SampledMembers::Counts::InSum;
    std::uint32_t first_row = 0;    ///< of the table: of its operand's first row
    std::uint32_t limit = 0;        ///< members at most
    std::uint32_t first_owner = 0;  ///< that its first segment draws as (draw_members.h)
  };
  Program program;
  std::vector<Aggregation> aggregations;  ///< by op, rising
  /// Sums of products with the rows of a softmax, which have the members that it draws: the op, and
  /// the number of the softmax in `aggregations`. Rising.
  std::vector<std::pair<ValueId, std::uint32_t>> followers;
};

struct SampledProgram {
  Program program;         ///< to optimize; kFanoutTable is its last parameter
  SampledMembers members;  ///< without `segments`: no aggregation has more members
};

/// The same of a Program made directly from arrays, before any pass: its aggregations are the
/// `segment` ops, by sum, avg, max, min, elmax, elmin, softmax and sparsemax. The level of one is
/// the largest number of them on a way from it to an output, itself included; a sum of products
/// with the rows of a softmax over the same members counts as one with it. An op is sampled if one
/// of its segments has more members than its level's number. Ops of one level and equal segments
/// draw the same members: those of a mean and a variance. Errors: Usage (an aggregation with more
/// members by another function), DuplicateName, LimitRows.
[[nodiscard]] Result<SampledProgram> sample_members(const Program& program, const Fanout& fanout);

}  // namespace vecc
