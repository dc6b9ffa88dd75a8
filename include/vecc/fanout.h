// Neighbour sampling: a step of training reads some members of each aggregation, others each time.
//
// Every edge into an aggregation that is sampled gets a weight, a row of the table kFanoutTable. A
// step is that of the whole graph, in which the weights of members that were not drawn are 0:
//
//   h(X) = avg of the messages 7, 8, 9          =>   h(X) = sum of m0 * 7, m1 * 8, m2 * 9
//   drawn for this step with k = 2: 7 and 9          m0 = 1/2, m1 = 0, m2 = 1/2
//
// The table is a parameter, which no pass looks at the values of: the optimizer tells members apart
// that are equal but for it. Batches (batch.h) leave out what the zeros make 0.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc {

inline constexpr std::string_view kFanoutTable = "fanout.members";

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

/// Which neurons of a graph are sampled.
struct SampledMembers {
  struct Range {
    std::uint32_t range = 0;            ///< of the graph
    bool is_mean = false;               ///< else a sum
    std::vector<std::uint32_t> limits;  ///< by neuron: members at most
  };
  Fanout fanout;
  std::uint64_t seed = 0;
  std::vector<Range> ranges;       ///< rising
  WeightId first = 0;              ///< of the table's rows, which are the last weights
  std::uint64_t members = 0;       ///< of the sampled neurons: the table's rows
  std::uint64_t aggregations = 0;  ///< neurons with more members than their level's number
};

struct SampledGraph {
  NeuronGraph graph;
  SampledMembers members;  ///< without ranges: no aggregation has more members
};

/// Gives the aggregations (neurons of the classes Aggregation and SplittableAggregation) weights of
/// their members. The level of a neuron is the largest number of aggregations by sum or mean on a
/// way from it to an output, itself included. A group is sampled if one of its neurons has more
/// members than its level's number. A count reads no member and stays as it is. Errors: Usage (an
/// aggregation with more members by another function, with weights of its own, or by mean with an
/// offset), DuplicateName, LimitWeights.
[[nodiscard]] Result<SampledGraph> sample_members(const NeuronGraph& graph, const Fanout& fanout);

}  // namespace vecc
