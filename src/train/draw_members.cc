#include "src/train/draw_members.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "src/function/draw.h"

namespace vecc::training {
namespace {

// Numbers of 64 bits, made some at a time.
class Numbers {
 public:
  /// `count`: how many it will be asked for.
  Numbers(std::uint64_t seed, std::uint64_t step, std::uint32_t owner, std::uint32_t count)
      : key_{static_cast<std::uint32_t>(seed),
             static_cast<std::uint32_t>(seed >> 32) ^ kFanoutStream},
        counter_{owner, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32),
                 0},
        left_(count) {}

  /// One of 0 ... last, which is below 2^32.
  std::uint32_t below_or_at(std::uint32_t last) {
    if (next_ == end_) fill();
    const std::uint64_t number = numbers_[next_++];
    const std::uint64_t range = last + std::uint64_t{1};
    // The upper half of number * range, without 128 bits.
    const std::uint64_t low = (number & 0xFFFFFFFF) * range >> 32;
    return static_cast<std::uint32_t>(((number >> 32) * range + low) >> 32);
  }

 private:
  void fill() {
    next_ = 0;
    end_ = std::min<std::uint32_t>(left_, kAtOnce);
    philox_numbers(counter_, key_, std::span(numbers_).first(end_));
    counter_[3] += kAtOnce / 2;
    left_ -= end_;
  }

  static constexpr std::uint32_t kAtOnce = 16;  // two of a block
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::uint32_t left_;
  std::array<std::uint64_t, kAtOnce> numbers_{};
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;
};

// Of up to so many members a bit each says which are drawn.
constexpr std::uint32_t kBitMembers = 64;

void draw_bits(Numbers& numbers, std::uint32_t members, std::uint32_t k,
               std::vector<std::uint32_t>& places) {
  std::uint64_t drawn = 0;
  for (std::uint32_t last = members - k; last < members; ++last) {
    const std::uint32_t place = numbers.below_or_at(last);
    // All bits, if it is drawn already: a jump would be guessed wrong.
    const std::uint32_t is_drawn = 0u - static_cast<std::uint32_t>(drawn >> place & 1);
    drawn |= std::uint64_t{1} << (place ^ ((place ^ last) & is_drawn));
  }
  places.resize(k);
  for (std::uint32_t& place : places) {
    place = static_cast<std::uint32_t>(std::countr_zero(drawn));
    drawn &= drawn - 1;
  }
}

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

void draw_members(std::uint64_t seed, std::uint64_t step, std::uint32_t owner,
                  std::uint32_t members, std::uint32_t k, std::vector<std::uint32_t>& places) {
  if (members <= k) {
    places.resize(members);
    std::iota(places.begin(), places.end(), 0u);
    return;
  }
  Numbers numbers(seed, step, owner, k);
  if (members <= kBitMembers) return draw_bits(numbers, members, k, places);
  places.clear();
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

double member_weight(SampledMembers::Counts counts, bool scales_sums, std::uint64_t members,
                     std::uint64_t drawn) {
  if (counts == SampledMembers::Counts::InMean) return 1.0 / static_cast<double>(drawn);
  if (counts == SampledMembers::Counts::InSum && scales_sums) {
    return static_cast<double>(members) / static_cast<double>(drawn);
  }
  return 1;
}

void DrawnMembers::clear() {
  places_.clear();
  drawn_.clear();
}

void DrawnMembers::add(std::uint32_t first, std::span<const std::uint32_t> places, double weight) {
  if (places.empty()) return;
  drawn_.push_back({first, static_cast<std::uint32_t>(places_.size()),
                    static_cast<std::uint32_t>(places.size()), weight});
  places_.insert(places_.end(), places.begin(), places.end());
}

void DrawnMembers::write_weights(Batch::Weights& to) {
  std::ranges::sort(drawn_, {}, &Drawn::first);
  to.rows.resize(places_.size());
  to.values.resize(places_.size());
  std::size_t at = 0;
  for (const Drawn& drawn : drawn_) {
    for (std::uint32_t i = 0; i < drawn.count; ++i, ++at) {
      to.rows[at] = drawn.first + places_[drawn.begin + i];
      to.values[at] = drawn.weight;
    }
  }
}

void set_weights(const Batch::Weights& drawn, std::span<double> table) {
  std::ranges::fill(table, 0.0);
  for (std::size_t i = 0; i < drawn.rows.size(); ++i) table[drawn.rows[i]] = drawn.values[i];
}

void fill_if_none_is_drawn(std::span<double> members) {
  const bool is_drawn = std::ranges::any_of(members, [](double weight) { return weight != 0; });
  if (!is_drawn) std::ranges::fill(members, 1.0);
}

}  // namespace vecc::training
