#include "optimizer/passes/linear_lifts.h"

#include <limits>

#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

// How the rows of a side repeat: any multiple of `period` that divides their number is a period,
// and any divisor of `interleaving` an interleaving.
struct Pattern {
  std::uint32_t period = 0;
  std::uint32_t interleaving = 1;
};

Pattern pattern_of(const Index& rows) {
  if (is_view(rows)) return {rows.size(), 1};
  return {shortest_period(rows), longest_interleaving(rows)};
}

Lift repeat(std::uint32_t times) {
  return {times > 1 ? Lift::Kind::Repeat : Lift::Kind::None, times};
}
Lift interleave(std::uint32_t times) {
  return {times > 1 ? Lift::Kind::Interleave : Lift::Kind::None, times};
}

class LiftChooser {
 public:
  LiftChooser(const LinearSide& left, const LinearSide& right, const FollowingSegments& following)
      : n_(left.rows.size()),
        left_(left),
        right_(right),
        following_(following),
        left_pattern_(pattern_of(left.rows)),
        right_pattern_(pattern_of(right.rows)) {}

  LinearLifts choose() {
    consider({});
    both_sides(left_pattern_.period, right_pattern_.interleaving, [this](std::uint32_t l) {
      return LinearLifts{repeat(n_ / l), interleave(l)};
    });
    both_sides(right_pattern_.period, left_pattern_.interleaving, [this](std::uint32_t l) {
      return LinearLifts{interleave(l), repeat(n_ / l)};
    });
    one_side(left_pattern_, [](Lift lift) { return LinearLifts{lift, {}}; });
    one_side(right_pattern_, [](Lift lift) { return LinearLifts{{}, lift}; });
    return best_;
  }

 private:
  [[nodiscard]] static double elements(const LinearSide& side, const Lift& lift) {
    if (lift.kind == Lift::Kind::None && is_view(side.rows)) return 0;
    return static_cast<double>(side.rows.size() / lift.times) * static_cast<double>(side.row_size);
  }
  [[nodiscard]] double elements(const LinearLifts& lifts) const {
    return elements(left_, lifts.left) + elements(right_, lifts.right);
  }

  // `aligned`: the lifts of the same kind that fit the segments that follow.
  void consider(const LinearLifts& lifts, const LinearLifts& aligned) {
    const double count = elements(lifts);
    if (count >= least_) return;
    least_ = count;
    best_ = aligned;
  }
  void consider(const LinearLifts& lifts) { consider(lifts, lifts); }

  // One side repeats l rows, the other interleaves each of its rows l times.
  template <class Lifts>
  void both_sides(std::uint32_t period, std::uint32_t interleaving, Lifts&& lifts) {
    if (period >= n_ || interleaving % period != 0) return;
    const auto allowed = [&](std::uint32_t l) {
      return l > 1 && l < n_ && l % period == 0 && interleaving % l == 0;
    };
    const std::uint32_t wanted = repeated_rows_along_segments();
    const std::uint32_t largest = interleaving / period;
    for (std::uint32_t k = 1; std::uint64_t{k} * k <= largest; ++k) {
      if (largest % k != 0) continue;
      for (const std::uint32_t l : {period * k, period * (largest / k)}) {
        if (allowed(l)) consider(lifts(l), lifts(allowed(wanted) ? wanted : l));
      }
    }
  }

  template <class Lifts>
  void one_side(const Pattern& pattern, Lifts&& lifts) {
    const std::uint32_t members = following_.members;
    if (pattern.period < n_) {
      const bool fits = following_.dimension == 2 && pattern.period > 1 && members < n_ &&
                        members % pattern.period == 0;
      const std::uint32_t rows = fits ? members : pattern.period;
      consider(lifts(repeat(n_ / pattern.period)), lifts(repeat(n_ / rows)));
    }
    if (pattern.interleaving > 1 && pattern.interleaving < n_) {
      const std::uint32_t wanted = following_.dimension == 1 ? n_ / members : 1;
      const bool fits = wanted > 1 && pattern.interleaving % wanted == 0;
      consider(lifts(interleave(pattern.interleaving)),
               lifts(interleave(fits ? wanted : pattern.interleaving)));
    }
  }

  // The rows that repeat if the table of pairs is cut as the segments are: members are columns
  // (dimension 2) or rows (dimension 1).
  [[nodiscard]] std::uint32_t repeated_rows_along_segments() const {
    if (following_.members == 0) return 0;
    return following_.dimension == 2 ? following_.members : n_ / following_.members;
  }

  std::uint32_t n_;
  const LinearSide& left_;
  const LinearSide& right_;
  FollowingSegments following_;
  Pattern left_pattern_;
  Pattern right_pattern_;
  double least_ = std::numeric_limits<double>::infinity();
  LinearLifts best_;
};

}  // namespace

FollowingSegments following_segments(const Program& program, const Readers& readers,
                                     ValueId linear) {
  const ValueId reader = readers.only(linear);
  if (reader == kNoValue) return {};
  const auto* segment = std::get_if<SegmentOp>(&program.op(reader).attributes);
  if (segment == nullptr || !segment->segments.is_fixed()) return {};
  return {segment->segments.members(), segment->segments.dimension()};
}

LinearLifts choose_lifts(const LinearSide& left, const LinearSide& right,
                         const FollowingSegments& following) {
  VECC_CHECK(left.rows.size() == right.rows.size(), "sides of a linear have different lengths");
  if (left.rows.size() < 2) return {};
  return LiftChooser(left, right, following).choose();
}

Index rows_under_lift(const Index& rows, const Lift& lift) {
  const std::uint32_t count = rows.size() / lift.times;
  switch (lift.kind) {
    case Lift::Kind::None: return rows;
    case Lift::Kind::Repeat: return first_rows(rows, count);
    case Lift::Kind::Interleave: return every_nth(rows, 0, lift.times);
  }
  return rows;
}

}  // namespace vecc::opt
