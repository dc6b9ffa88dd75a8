#include "src/train/member_draw.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>

#include "src/function/draw.h"

namespace vecc::training {
namespace {

// Apart from what `draw` takes of the same seed.
constexpr std::uint32_t kStream = 0x66616E6F;

// Numbers of 64 bits, two from each block of the generator.
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::uint64_t step, NeuronId neuron)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32) ^ kStream},
        counter_{neuron, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32),
                 0} {}

  /// One of 0 ... last, which is below 2^32.
  std::uint32_t below_or_at(std::uint32_t last) {
    if (next_ == 0) block_ = philox(counter_, key_);
    const std::uint64_t number = std::uint64_t{block_[next_]} << 32 | block_[next_ + 1];
    next_ = (next_ + 2) % 4;
    if (next_ == 0) ++counter_[3];
    const std::uint64_t range = last + std::uint64_t{1};
    // The upper half of number * range, without 128 bits.
    const std::uint64_t low = (number & 0xFFFFFFFF) * range >> 32;
    return static_cast<std::uint32_t>(((number >> 32) * range + low) >> 32);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  std::size_t next_ = 0;
};

// Up to so many are kept in order as they are drawn.
constexpr std::uint32_t kSortedMembers = 256;

void draw_many(Numbers& numbers, std::uint32_t members, std::uint32_t k,
               std::vector<std::uint32_t>& places) {
  std::vector<bool> drawn(members, false);
  for (std::uint32_t last = members - k; last < members; ++last) {
    const std::uint32_t place = numbers.below_or_at(last);
    drawn[drawn[place] ? last : place] = true;
  }
  for (std::uint32_t place = 0; place < members; ++place) {
    if (drawn[place]) places.push_back(place);
  }
}

}  // namespace

void draw_members(std::uint64_t seed, std::uint64_t step, NeuronId neuron, std::uint32_t members,
                  std::uint32_t k, std::vector<std::uint32_t>& places) {
  if (members <= k) {
    places.resize(members);
    std::iota(places.begin(), places.end(), 0u);
    return;
  }
  places.clear();
  Numbers numbers(seed, step, neuron);
  if (k > kSortedMembers) return draw_many(numbers, members, k, places);
  // Of 0 ... last one more than of 0 ... last - 1 before; kept sorted.
  for (std::uint32_t last = members - k; last < members; ++last) {
    const std::uint32_t place = numbers.below_or_at(last);
    const auto at = std::ranges::lower_bound(places, place);
    if (at != places.end() && *at == place) {
      places.push_back(last);  // more than all before
    } else {
      places.insert(at, place);
    }
  }
}

MemberDraw::MemberDraw(const NeuronGraph& graph, const SampledMembers& members)
    : graph_(graph), members_(members), number_of_range_(graph.ranges.size(), kNotSampled) {
  for (std::uint32_t i = 0; i < members.ranges.size(); ++i) {
    number_of_range_[members.ranges[i].range] = i;
  }
}

void MemberDraw::begin(std::uint64_t step) {
  step_ = step;
  placed_ = kNotSampled;
  places_.clear();
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
  Drawn drawn;
  drawn.first = row_of(sampled, begin);
  drawn.begin = static_cast<std::uint32_t>(places_.size());
  drawn.count = static_cast<std::uint32_t>(drawn_places_.size());
  drawn.weight = 1;
  if (sampled.counts == SampledMembers::Counts::InMean) {
    drawn.weight = 1.0 / drawn.count;
  } else if (sampled.counts == SampledMembers::Counts::InSum && members_.fanout.scales_sums) {
    drawn.weight = static_cast<double>(members) / drawn.count;
  }
  if (drawn.count > 0) drawn_.push_back(drawn);
  places_.insert(places_.end(), drawn_places_.begin(), drawn_places_.end());
  return drawn_places_;
}

void MemberDraw::write_weights(Batch::Weights& to) {
  std::ranges::sort(drawn_, {}, &Drawn::first);
  to.rows.clear();
  to.values.clear();
  for (const Drawn& drawn : drawn_) {
    for (std::uint32_t i = 0; i < drawn.count; ++i) {
      to.rows.push_back(drawn.first + places_[drawn.begin + i]);
    }
    to.values.insert(to.values.end(), drawn.count, drawn.weight);
  }
}

void MemberDraw::fill(const Batch::Weights& drawn, std::span<double> table) const {
  std::ranges::fill(table, 0.0);
  for (std::size_t i = 0; i < drawn.rows.size(); ++i) table[drawn.rows[i]] = drawn.values[i];
  for (const SampledMembers::Range& sampled : members_.ranges) {
    if (sampled.counts != SampledMembers::Counts::There) continue;
    const NeuronRange& range = graph_.ranges[sampled.range];
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      const auto of = table.subspan(row_of(sampled, graph_.input_begin[n]),
                                    graph_.input_begin[n + 1ull] - graph_.input_begin[n]);
      const bool is_drawn = std::ranges::any_of(of, [](double weight) { return weight != 0; });
      if (!is_drawn) std::ranges::fill(of, 1.0);
    }
  }
}

}  // namespace vecc::training
