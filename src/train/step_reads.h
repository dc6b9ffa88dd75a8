// What a training step reads of a model: which rows of its tables, which members of its
// aggregations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vecc/batch.h"
#include "vecc/fanout.h"
#include "vecc/neuron_graph.h"

namespace vecc::training {

/// By name of a table, some of its rows, rising; tables without any are left out.
using TableRows = std::map<std::string, std::vector<std::uint32_t>>;

/// Of the neurons of a graph, or of a Program that was made without. Finds it for one step after
/// another, each time in time linear in the rows and members that the samples reach.
class StepReads {
 public:
  /// `members`: null where steps read all members. Both must outlive the result.
  [[nodiscard]] static std::unique_ptr<StepReads> make(const NeuronGraph& graph,
                                                       const SampledMembers* members);
  StepReads() = default;
  StepReads(const StepReads&) = delete;
  StepReads& operator=(const StepReads&) = delete;
  virtual ~StepReads() = default;

  /// Looks up what these samples depend on, through the members that run number `run` draws. The
  /// other functions are of the last such search.
  virtual void find(std::span<const std::uint32_t> samples, std::uint64_t run) = 0;
  /// The learnable rows.
  [[nodiscard]] virtual TableRows rows() = 0;
  /// Replaces `to`: the weights of the members that were drawn.
  virtual void write_weights(Batch::Weights& to) = 0;
  /// The weights of all members in a step of the whole graph, of those that were drawn for it. What
  /// selects among members that the step does not read has all of them, for it has to have one.
  virtual void fill(const Batch::Weights& drawn, std::span<double> table) const = 0;
};

}  // namespace vecc::training
