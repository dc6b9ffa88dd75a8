#include "backends/cpu/number_steps.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <span>

#include "src/function/counter_draws.h"
#include "src/program/row_number_errors.h"
#include "src/support/number_sort.h"
#include "src/support/team_pieces.h"

namespace vecc::cpu {
namespace {

// Numbers, or draws, that are worth a piece of a thread's work; numbers of rows that are moved.
constexpr std::size_t kNumbersAtOnce = 1 << 14;
constexpr std::size_t kMovedAtOnce = 1 << 15;

RowNumberPlace place_of(const NumberStep::Use& use) {
  return {"cpu", use.op, use.kind, use.numbers};
}

std::size_t rows_at_once(const NumberStep& step) {
  return std::max<std::size_t>(1, kMovedAtOnce / std::max<std::uint64_t>(step.row_elements, 1));
}

// The least of what threads note.
class Least {
 public:
  void note(std::size_t value) {
    std::size_t known = value_;
    while (value < known && !value_.compare_exchange_weak(known, value)) {
    }
  }
  [[nodiscard]] bool is_noted() const { return value_ != kNothing; }
  [[nodiscard]] std::size_t value() const { return value_; }

 private:
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);
  std::atomic<std::size_t> value_{kNothing};
};

template <class T>
class NumberStepRun {
 public:
  NumberStepRun(const NumberStep& step, const BoundNumberStep& bound, ThreadTeam& team)
      : step_(step), bound_(bound), team_(team) {}

  Result<void> run() const {
    switch (step_.kind) {
      case NumberStep::Kind::Draw: return draw();
      case NumberStep::Kind::List: return list();
      case NumberStep::Kind::Sort:
        sort_by_number(numbers(), bound_.order, bound_.scratch, team_);
        rank_by_number(numbers(), bound_.order, bound_.ranks, bound_.offsets, bound_.scratch,
                       team_);
        return {};
      case NumberStep::Kind::Offsets:
        find_numbers(numbers(), bound_.order, bound_.row_offsets, bound_.numbered_rows, team_);
        return {};
      case NumberStep::Kind::Compare: return compare();
      case NumberStep::Kind::Store: store(); return {};
    }
    return {};
  }

 private:
  static constexpr DType kDType = sizeof(T) == sizeof(float) ? DType::F32 : DType::F64;

  [[nodiscard]] const T* from() const { return static_cast<const T*>(bound_.from); }
  [[nodiscard]] std::uint32_t rows() const { return step_.from.rows; }
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return {bound_.list, rows()}; }

  [[nodiscard]] Result<void> draw() const {
    const double at = static_cast<double>(from()[0]);
    constexpr double kEnd = row_number_end(kDType);
    if (!is_whole_below(at, kEnd)) return step_error(place_of(step_.uses.front()), at, kEnd);
    T* const to = static_cast<T*>(bound_.to);
    const DrawOp& key = step_.draw;
    for_team_pieces(team_, step_.to.rows, kNumbersAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const DrawBits bits = draw_bits(key.seed, key.stream, static_cast<DrawBits>(at), i);
        to[i] = static_cast<T>(draw_below(bits, key.bound));
      }
    });
    return {};
  }

  [[nodiscard]] static double end_of(const NumberStep::Use& use) {
    return std::min(static_cast<double>(use.rows), row_number_end(kDType));
  }

  [[nodiscard]] Result<void> list() const {
    double end = row_number_end(kDType);
    for (const NumberStep::Use& use : step_.uses) end = std::min(end, end_of(use));
    std::atomic<bool> are_rows{true};
    for_team_pieces(team_, rows(), kNumbersAtOnce, [&](std::size_t begin, std::size_t last) {
      bool are_own = true;
      for (std::size_t i = begin; i < last; ++i) {
        const auto number = static_cast<double>(from()[i]);
        const bool is_row = is_whole_below(number, end);
        bound_.list[i] = is_row ? static_cast<std::uint32_t>(number) : 0;
        are_own = are_own && is_row;
      }
      if (!are_own) are_rows = false;
    });
    return are_rows ? Result<void>() : wrong_number();
  }

  // Of the first op that has one.
  [[nodiscard]] Result<void> wrong_number() const {
    for (const NumberStep::Use& use : step_.uses) {
      for (std::uint32_t i = 0; i < rows(); ++i) {
        const auto number = static_cast<double>(from()[i]);
        if (is_whole_below(number, end_of(use))) continue;
        return row_number_error(place_of(use), i, number, end_of(use));
      }
    }
    fail_check("a number that is no row", __FILE__, __LINE__, "");
  }

  [[nodiscard]] std::span<const T> row(std::uint32_t r) const {
    return {from() + r * step_.row_elements, step_.row_elements};
  }

  // Every NaN is one number, 0 and -0 are two.
  [[nodiscard]] static bool are_same(T a, T b) {
    const bool are_equal = a == b && std::signbit(a) == std::signbit(b);
    return are_equal || (std::isnan(a) && std::isnan(b));
  }

  [[nodiscard]] Result<void> compare() const {
    const std::uint32_t* const order = bound_.order;
    const auto are_equal = [&](std::size_t i) {
      return bound_.list[order[i - 1]] != bound_.list[order[i]] ||
             std::ranges::equal(row(order[i - 1]), row(order[i]), are_same);
    };
    Least different;
    for_team_pieces(team_, rows(), rows_at_once(step_), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
        if (!are_equal(i)) return different.note(i);
      }
    });
    if (!different.is_noted()) return {};
    const std::uint32_t first = order[different.value() - 1];
    const std::uint32_t second = order[different.value()];
    const auto [a, b] = std::ranges::mismatch(row(first), row(second), are_same);
    return different_rows_error(place_of(step_.uses.front()), bound_.list[first],
                                static_cast<std::size_t>(a - row(first).begin()),
                                {first, static_cast<double>(*a)},
                                {second, static_cast<double>(*b)});
  }

  // Each row once: threads store in different ones.
  void store() const {
    T* const to = static_cast<T*>(bound_.to);
    const std::span<const std::uint32_t> offsets = bound_.offsets;
    const auto count =
        static_cast<std::size_t>(std::ranges::lower_bound(offsets, rows()) - offsets.begin());
    for_team_pieces(team_, count, rows_at_once(step_), [&](std::size_t begin, std::size_t end) {
      for (std::size_t rank = begin; rank < end; ++rank) {
        const std::uint32_t first = bound_.order[offsets[rank]];
        std::ranges::copy(row(first), to + bound_.list[first] * step_.row_elements);
      }
    });
  }

  const NumberStep& step_;
  const BoundNumberStep& bound_;
  ThreadTeam& team_;
};

}  // namespace

Result<void> run_number_step(const NumberStep& step, const BoundNumberStep& bound, DType dtype,
                             ThreadTeam& team) {
  if (dtype == DType::F32) return NumberStepRun<float>(step, bound, team).run();
  return NumberStepRun<double>(step, bound, team).run();
}

}  // namespace vecc::cpu
