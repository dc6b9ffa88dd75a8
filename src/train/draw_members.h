// Which members of an aggregation a step draws, and their weights in a batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/batch.h"
#include "vecc/fanout.h"

namespace vecc::training {

/// Which k of an aggregation's members, rising places: all, if it has no more; else each set of k
/// is equally likely (to 2^-32), by Floyd's algorithm over Philox, and depends on seed, step and
/// `owner` alone, the number of a neuron or of a segment. `places` is replaced.
void draw_members(std::uint64_t seed, std::uint64_t step, std::uint32_t owner,
                  std::uint32_t members, std::uint32_t k, std::vector<std::uint32_t>& places);

/// Of each of the drawn members of an aggregation, of which there is at least one.
[[nodiscard]] double member_weight(SampledMembers::Counts counts, bool scales_sums,
                                   std::uint64_t members, std::uint64_t drawn);

/// The members that are drawn for a step.
class DrawnMembers {
 public:
  void clear();
  /// Those of one aggregation, once: its members are rows of the table from `first` on, and each of
  /// those drawn, at rising `places` among them, has this weight.
  void add(std::uint32_t first, std::span<const std::uint32_t> places, double weight);
  /// Replaces `to`: the weights of all members that were added.
  void write_weights(Batch::Weights& to);

 private:
  struct Drawn {
    std::uint32_t first = 0;
    std::uint32_t begin = 0;  // in places_
    std::uint32_t count = 0;
    double weight = 0;  // of each
  };
  std::vector<std::uint32_t> places_;
  std::vector<Drawn> drawn_;
};

/// Replaces the weights of all members: those that were drawn have theirs, others 0.
void set_weights(const Batch::Weights& drawn, std::span<double> table);
/// Of the members of what selects among them: all are there, if none is.
void fill_if_none_is_drawn(std::span<double> members);

}  // namespace vecc::training
