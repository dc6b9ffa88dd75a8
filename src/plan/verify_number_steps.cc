#include "src/plan/verify_number_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/support/number_sort.h"

namespace vecc {
namespace {

std::pair<std::uint32_t, std::uint32_t> level_of(const auto& of) {
  return {of.stage, of.level};
}

std::uint64_t least_rows(const NumberStep& list) {
  std::uint64_t least = kMaxRows;
  for (const NumberStep::Use& use : list.uses) least = std::min(least, use.rows);
  return least;
}

}  // namespace

NumberStepVerifier::NumberStepVerifier(const Plan& plan, std::vector<bool>& written,
                                       UpdatedTables& updated)
    : plan_(plan), written_(written), updated_(updated), filled_(plan.arrays.size()) {}

Errors NumberStepVerifier::error(const std::string& text) const {
  return Errors(ErrorCode::IllFormedOp, fmt::format("number step {}", next_), text);
}

Result<void> NumberStepVerifier::check_before(std::size_t launch) {
  const auto& steps = plan_.number_steps;
  for (; next_ < steps.size() && steps[next_].before == launch; ++next_) {
    VECC_TRY_VOID(check_step(steps[next_]));
  }
  if (launch == plan_.launches.size() && next_ < steps.size()) {
    return error("stands behind a step of a later launch");
  }
  return {};
}

Result<void> NumberStepVerifier::check_step(const NumberStep& step) {
  VECC_TRY_VOID(check_from(step));
  VECC_TRY_VOID(check_place(step));
  switch (step.kind) {
    case NumberStep::Kind::Draw: return draw(step);
    case NumberStep::Kind::List: return list(step);
    case NumberStep::Kind::Sort: return sort(step);
    case NumberStep::Kind::Offsets:
      VECC_TRY_VOID(check_sorted(step));
      return fill_offsets(step.row_offsets, step.arrays.list, step.from.rows,
                          end_of(step.arrays.list));
    case NumberStep::Kind::Compare: return check_sorted(step);
    case NumberStep::Kind::Store: return store(step);
  }
  return {};
}

// What it reads is there, as it was before updates.
Result<void> NumberStepVerifier::check_from(const NumberStep& step) const {
  const bool reads_rows =
      step.kind == NumberStep::Kind::Compare || step.kind == NumberStep::Kind::Store;
  if (step.row_elements == 0 || (!reads_rows && step.row_elements != 1)) {
    return error(fmt::format("rows of {} numbers", step.row_elements));
  }
  VECC_TRY_VOID(check_rows(step, step.from));
  const bool is_written =
      plan_.buffers[step.from.buffer].kind != PlanBuffer::Kind::Arena || step.from.rows == 0;
  if (!is_written && !written_[step.from.buffer]) {
    return error("reads a buffer that was never written");
  }
  if (updated_.reads_updated(step.from, step.row_elements)) {
    return error(fmt::format("reads rows of buffer {} that were updated before", step.from.buffer));
  }
  return {};
}

// Before the launches of its level, behind steps of lower ones.
Result<void> NumberStepVerifier::check_place(const NumberStep& step) const {
  const auto& launches = plan_.launches;
  const bool is_late = step.before > 0 && level_of(launches[step.before - 1]) >= level_of(step);
  const bool is_early =
      step.before < launches.size() && level_of(launches[step.before]) < level_of(step);
  if (is_late || is_early) {
    return error(
        fmt::format("of stage {}, level {} stands before launch {}, which is not the "
                    "first one of that level",
                    step.stage, step.level, step.before));
  }
  if (next_ > 0 && level_of(plan_.number_steps[next_ - 1]) > level_of(step)) {
    return error("stands behind a step of a later level");
  }
  return {};
}

Result<void> NumberStepVerifier::check_rows(const NumberStep& step,
                                            const AccessBinding& rows) const {
  if (rows.buffer >= plan_.buffers.size()) return error("no such buffer");
  const PlanBuffer& buffer = plan_.buffers[rows.buffer];
  if (rows.first + rows.rows * step.row_elements > buffer.elements) {
    return error("ends behind its buffer");
  }
  const bool is_live = step.before >= buffer.first && step.before <= buffer.last;
  if (buffer.kind == PlanBuffer::Kind::Arena && rows.rows > 0 && !is_live) {
    return error(fmt::format("buffer {} is not live", rows.buffer));
  }
  return {};
}

Result<void> NumberStepVerifier::draw(const NumberStep& step) {
  VECC_TRY_VOID(check_rows(step, step.to));
  if (plan_.buffers[step.to.buffer].kind != PlanBuffer::Kind::Arena) {
    return error(fmt::format("draws into buffer {}, which is not of the arena", step.to.buffer));
  }
  if (step.from.rows == 0) return error("draws for no step");
  if (step.to.rows != step.draw.rows) {
    return error(fmt::format("draws {} rows, expected {}", step.to.rows, step.draw.rows));
  }
  written_[step.to.buffer] = true;
  return {};
}

bool NumberStepVerifier::is_long(ArrayIndex array, std::size_t entries) const {
  return plan_.is_filled(array) && array < plan_.arrays.size() &&
         plan_.arrays[array]->size() >= entries;
}

// A step fills an array for the rest of the run.
Result<void> NumberStepVerifier::fill(ArrayIndex array, FilledArray as) {
  if (filled_[array].fill != Fill::None) {
    return error(fmt::format("fills array {} again", array));
  }
  filled_[array] = as;
  return {};
}

Result<void> NumberStepVerifier::list(const NumberStep& step) {
  const ArrayIndex list = step.arrays.list;
  if (!is_long(list, step.from.rows)) return error("no such arrays");
  if (plan_.arrays[list]->size() != step.from.rows) {
    return error(
        fmt::format("lists {} numbers, expected {}", step.from.rows, plan_.arrays[list]->size()));
  }
  if (step.uses.empty()) return error("checks its numbers for no op");
  return fill(list, {Fill::List, list, least_rows(step)});
}

// The list is filled, of as many numbers as the step has rows.
Result<void> NumberStepVerifier::check_numbers(const NumberStep& step) const {
  const ArrayIndex list = step.arrays.list;
  if (!is_long(list, step.from.rows)) return error("no such arrays");
  if (filled_[list].fill != Fill::List) {
    return error(fmt::format("array {} is no list that a step before has filled", list));
  }
  if (plan_.arrays[list]->size() != step.from.rows) {
    return error(
        fmt::format("has {} rows, expected {}", step.from.rows, plan_.arrays[list]->size()));
  }
  return {};
}

Result<void> NumberStepVerifier::sort(const NumberStep& step) {
  VECC_TRY_VOID(check_numbers(step));
  const NumberArrays& arrays = step.arrays;
  const std::uint64_t rows = step.from.rows;
  if (!is_long(arrays.order, rows) || !is_long(arrays.ranks, rows) ||
      !is_long(arrays.scratch, sorting_scratch(rows))) {
    return error("no such arrays");
  }
  const std::uint64_t distinct = std::min(rows, end_of(arrays.list));
  VECC_TRY_VOID(fill(arrays.order, {Fill::Order, arrays.list, rows}));
  VECC_TRY_VOID(fill(arrays.ranks, {Fill::Ranks, arrays.list, distinct}));
  VECC_TRY_VOID(fill(arrays.scratch, {Fill::Scratch, arrays.list, 0}));
  return fill_offsets(arrays.offsets, arrays.list, rows, distinct);
}

Result<void> NumberStepVerifier::fill_offsets(ArrayIndex array, ArrayIndex of, std::uint64_t rows,
                                              std::uint64_t numbers) {
  if (!is_long(array, 1)) return error("no such arrays");
  const auto& offsets = *plan_.arrays[array];
  if (offsets.size() - 1 < numbers) {
    return error(
        fmt::format("offsets of {} numbers, expected {} or more", offsets.size() - 1, numbers));
  }
  // What launches are cut by counts as many members as a run has.
  if (offsets.size() > 1 && offsets.back() != rows) {
    return error(fmt::format("offsets of {} rows, expected {}", offsets.back(), rows));
  }
  return fill(array, {Fill::Offsets, of, rows + 1});
}

Result<void> NumberStepVerifier::check_sorted(const NumberStep& step) const {
  VECC_TRY_VOID(check_numbers(step));
  const auto is_of_list = [&](ArrayIndex array, Fill as) {
    return array < filled_.size() && filled_[array].fill == as &&
           filled_[array].list == step.arrays.list;
  };
  if (!is_of_list(step.arrays.order, Fill::Order) ||
      !is_of_list(step.arrays.offsets, Fill::Offsets)) {
    return error(
        fmt::format("array {} is no list that a step before has sorted", step.arrays.list));
  }
  return {};
}

Result<void> NumberStepVerifier::store(const NumberStep& step) {
  VECC_TRY_VOID(check_sorted(step));
  VECC_TRY_VOID(check_rows(step, step.to));
  const PlanBuffer::Kind kind = plan_.buffers[step.to.buffer].kind;
  if (kind != PlanBuffer::Kind::Parameter && kind != PlanBuffer::Kind::State) {
    return error(
        fmt::format("stores into buffer {}, which is no parameter or state", step.to.buffer));
  }
  if (step.to.rows < end_of(step.arrays.list)) {
    return error(fmt::format("stores by numbers below {} into {} rows", end_of(step.arrays.list),
                             step.to.rows));
  }
  updated_.add(step.to, step.row_elements);
  return {};
}

Result<void> NumberStepVerifier::check_arrays(std::size_t launch) const {
  const Launch& of = plan_.launches[launch];
  const auto error = [&](const std::string& text) {
    return Errors(ErrorCode::IllFormedOp, fmt::format("launch {}", launch), text);
  };
  const auto is_ready = [&](ArrayIndex array, std::initializer_list<Fill> as) {
    return !plan_.is_filled(array) || std::ranges::count(as, filled_[array].fill) > 0;
  };
  bool is_read_as_filled = is_ready(of.offsets, {Fill::Offsets}) && is_ready(of.order, {});
  for (const ArrayIndex words : of.words) is_read_as_filled &= is_ready(words, {});
  if (!is_read_as_filled) {
    return error("offsets, order or words that no step before has filled as such");
  }
  const Kernel& kernel = plan_.kernels[of.kernel];
  for (std::size_t a = 0; a < of.accesses.size(); ++a) {
    const ArrayIndex list = of.accesses[a].list;
    if (!is_ready(list, {Fill::List, Fill::Order, Fill::Ranks})) {
      return error(fmt::format("access {}: no step before has filled its list", a));
    }
    if (kernel.accesses[a].store && plan_.is_filled(list)) {
      return error(fmt::format("access {} stores by numbers of the run", a));
    }
  }
  return {};
}

}  // namespace vecc
