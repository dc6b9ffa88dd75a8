#include "src/train/member_draw.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace vecc::training {

MemberDraw::MemberDraw(const NeuronGraph& graph, const SampledMembers& members)
    : graph_(graph), members_(members), number_of_range_(graph.ranges.size(), kNotSampled) {
  for (std::uint32_t i = 0; i < members.ranges.size(); ++i) {
    number_of_range_[members.ranges[i].range] = i;
  }
}

void MemberDraw::begin(std::uint64_t step) {
  step_ = step;
  placed_ = kNotSampled;
  drawn_.clear();
}

std::uint32_t MemberDraw::row_of(const SampledMembers::Range& range, std::uint64_t edge) const {
  const std::uint64_t first = graph_.input_begin[graph_.ranges[range.range].first];
  return range.first_row + static_cast<std::uint32_t>(edge - first);
}

void MemberDraw::find_places(const SampledMembers::Range& range, NeuronId neuron) {
  if (placed_ == neuron) return;
  placed_ = neuron;
  const std::uint64_t members = graph_.input_begin[neuron + 1ull] - graph_.input_begin[neuron];
  draw_members(members_.seed, step_, neuron, static_cast<std::uint32_t>(members),
               range.limits[neuron - graph_.ranges[range.range].first], drawn_places_);
}

bool MemberDraw::is_drawn(std::uint32_t row) {
  const auto behind =
      std::ranges::upper_bound(members_.ranges, row, {}, &SampledMembers::Range::first_row);
  const SampledMembers::Range& sampled = *std::prev(behind);
  const NeuronRange& range = graph_.ranges[sampled.range];
  const std::uint64_t edge = graph_.input_begin[range.first] + (row - sampled.first_row);
  const auto begins = std::span(graph_.input_begin).subspan(range.first, range.count);
  const auto behind_owner = std::ranges::upper_bound(begins, edge);
  const auto place = static_cast<std::uint32_t>(behind_owner - begins.begin()) - 1;
  const NeuronId neuron = range.first + place;
  find_places(sampled, neuron);
  return std::ranges::binary_search(drawn_places_,
                                    static_cast<std::uint32_t>(edge - begins[place]));
}

std::span<const std::uint32_t> MemberDraw::draw(std::uint32_t range, NeuronId neuron) {
  const SampledMembers::Range& sampled = members_.ranges[number_of_range_[range]];
  const std::uint64_t begin = graph_.input_begin[neuron];
  const std::uint64_t members = graph_.input_begin[neuron + 1ull] - begin;
  find_places(sampled, neuron);
  if (!drawn_places_.empty()) {
    drawn_.add(
        row_of(sampled, begin), drawn_places_,
        member_weight(sampled.counts, members_.fanout.scales_sums, members, drawn_places_.size()));
  }
  return drawn_places_;
}

void MemberDraw::fill(const Batch::Weights& drawn, std::span<double> table) const {
  set_weights(drawn, table);
  for (const SampledMembers::Range& sampled : members_.ranges) {
    if (sampled.counts != SampledMembers::Counts::There) continue;
    const NeuronRange& range = graph_.ranges[sampled.range];
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      fill_if_none_is_drawn(table.subspan(row_of(sampled, graph_.input_begin[n]),
                                          graph_.input_begin[n + 1ull] - graph_.input_begin[n]));
    }
  }
}

}  // namespace vecc::training
