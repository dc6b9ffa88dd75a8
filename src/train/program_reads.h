// What samples depend on, by rows of a Program with weights of members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/batch/row_set.h"
#include "src/train/draw_members.h"
#include "src/train/step_reads.h"
#include "vecc/batch_program.h"
#include "vecc/fanout.h"

namespace vecc::training {

/// Takes a bit for each row of the Program.
class ProgramReads final : public StepReads {
 public:
  /// `members`: of a SampledProgram; must outlive this.
  explicit ProgramReads(const SampledMembers& members);

  void find(std::span<const std::uint32_t> samples, std::uint64_t run) override;
  [[nodiscard]] TableRows rows() override;
  void write_weights(Batch::Weights& to) override { drawn_.write_weights(to); }
  void fill(const Batch::Weights& drawn, std::span<double> table) const override;

 private:
  using Aggregation = SampledSegments::Aggregation;
  static constexpr std::uint32_t kNotSampled = 0xFFFFFFFF;

  // Reaches what the reached rows of a value read.
  void visit(ValueId id);
  // Of those of a `segment` op the drawn members.
  void visit_segments(ValueId id, const Aggregation& aggregation);
  // Places of the drawn members of a segment, into places_.
  void find_places(const Aggregation& aggregation, std::uint32_t segment, std::uint32_t members);

  const SampledMembers& members_;
  const SampledSegments& sampled_;
  const Program& program_;
  std::vector<SampleRow> samples_;       // by sample
  std::vector<std::uint32_t> draws_by_;  // by op: the aggregation whose members it has
  std::vector<bool> is_looked_up_;       // by value: leads to rows of tables, or to draws
  std::vector<RowSet> reached_;          // by value
  std::uint64_t run_ = 0;
  std::vector<std::uint32_t> places_;
  DrawnMembers drawn_;
};

}  // namespace vecc::training
