// What a PlanExecutable has computed: rows of values, outputs of all samples or of a batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backends/native/plan_executable.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"

namespace vecc::native {

// The rows of a value, through its view.
template <class Block>
void PlanExecutable<Block>::append_rows(ValueId value, std::vector<double>& to) const {
  const ProgramOutline::Value& of = program_.values[value];
  const auto& [block, first, index] = placed_rows(value);
  const std::uint64_t size = of.shape.size();
  if (index == nullptr) return block.read(first, of.size(), to);
  const Index& view = *index;
  std::uint32_t least = view[0];
  std::uint32_t last = view[0];
  for (std::uint32_t i = 1; i < of.rows; ++i) {
    least = std::min(least, view[i]);
    last = std::max(last, view[i]);
  }
  std::vector<double> seen;
  block.read(first + least * size, (std::uint64_t{last} - least + 1) * size, seen);
  to.reserve(to.size() + of.size());
  for (std::uint32_t i = 0; i < of.rows; ++i) {
    const auto row = seen.begin() + static_cast<std::ptrdiff_t>((view[i] - least) * size);
    to.insert(to.end(), row, row + static_cast<std::ptrdiff_t>(size));
  }
}

template <class Block>
template <class Visit>
void PlanExecutable<Block>::for_each_row_of(const ProgramOutline::Output& output,
                                            const Visit& visit) const {
  if (output.samples.size() == 0) return;
  const std::uint64_t size = program_.values[output.value].shape.size();
  const auto visit_rows = [&](std::uint32_t begin, std::span<const double> rows) {
    const std::size_t count = rows.size() / size;
    const std::size_t pieces = rows.size() < kManyElements ? 1 : kPieces;
    ListThreads::for_pieces(pieces, [&](std::size_t piece) {
      const std::size_t end = count * (piece + 1) / pieces;
      for (std::size_t i = count * piece / pieces; i < end; ++i) {
        visit(output.samples[begin + static_cast<std::uint32_t>(i)], rows.subspan(i * size, size));
      }
    });
  };
  std::vector<double> some;
  const PlacedRows placed = placed_rows(output.value);
  if (placed.view != nullptr) {  // of rows that may lie anywhere
    append_rows(output.value, some);
    return visit_rows(0, some);
  }
  const std::uint32_t rows = output.samples.size();
  const auto at_once = static_cast<std::uint32_t>(std::max<std::uint64_t>(kReadAtOnce / size, 1));
  some.resize(std::min(at_once, rows) * size);
  for (std::uint32_t begin = 0; begin < rows;) {
    const std::uint32_t count = std::min(at_once, rows - begin);
    const auto read = std::span(some).first(count * size);
    placed.block.copy(placed.first + begin * size, read);
    visit_rows(begin, read);
    begin += count;
  }
}

template <class Block>
Result<std::vector<Executable::Output>> PlanExecutable<Block>::outputs() {
  VECC_TRY_VOID(check_has_run("outputs"));
  std::vector<Output> result(program_.sample_count);
  for (const ProgramOutline::Output& output : program_.outputs) {
    const Shape shape = program_.values[output.value].shape;
    for_each_row_of(output, [&](std::uint32_t sample, std::span<const double> row) {
      result[sample] = {shape, {row.begin(), row.end()}};
    });
  }
  return result;
}

// Where rows lie in the samples' order they are copied as they are.
template <class Block>
Result<void> PlanExecutable<Block>::copy_all_outputs(OutputElements to) const {
  VECC_TRY_VOID(check_has_run("outputs"));
  std::visit(
      [&](auto elements) {
        using T = typename decltype(elements)::value_type;
        for (const ProgramOutline::Output& output : program_.outputs) {
          const PlacedRows placed = placed_rows(output.value);
          if (placed.view == nullptr && is_identity(output.samples, program_.sample_count)) {
            placed.block.copy(placed.first, elements);
            continue;
          }
          for_each_row_of(output, [&](std::uint32_t sample, std::span<const double> row) {
            std::ranges::transform(
                row, elements.begin() + static_cast<std::ptrdiff_t>(program_.output_begin[sample]),
                [](double element) { return static_cast<T>(element); });
          });
        }
      },
      to);
  return {};
}

template <class Block>
template <class Visit>
Result<void> PlanExecutable<Block>::for_each_run_of_outputs(std::span<const BatchOutput> by_sample,
                                                            Visit&& visit) const {
  if (by_sample.empty() || !has_run_) {
    return Errors(ErrorCode::Usage, "batch",
                  "the program was compiled for batches, and " +
                      std::string(has_run_ ? "they compute no outputs" : "has none"));
  }
  const auto at = [&](std::size_t i) -> const BatchOutput& { return by_sample[batch_samples_[i]]; };
  for (std::size_t begin = 0; begin < batch_samples_.size();) {
    std::size_t end = begin + 1;
    while (end < batch_samples_.size() && follows(at(end - 1), at(end))) ++end;
    const BatchOutput& output = at(begin);
    visit(machine_->block(output.buffer), machine_->first(output.buffer) + output.first, begin,
          end);
    begin = end;
  }
  return {};
}

template <class Block>
Result<std::vector<Executable::Output>> PlanExecutable<Block>::batch_outputs(
    std::span<const BatchOutput> by_sample) const {
  std::vector<Output> result(batch_samples_.size());
  std::vector<double> elements;
  const auto take = [&](const Block& block, std::uint64_t first, std::size_t begin,
                        std::size_t end) {
    const Shape shape = by_sample[batch_samples_[begin]].shape;
    elements.clear();
    block.read(first, (end - begin) * shape.size(), elements);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = std::span(elements).subspan((i - begin) * shape.size(), shape.size());
      result[i] = {shape, {row.begin(), row.end()}};
    }
  };
  VECC_TRY_VOID(for_each_run_of_outputs(by_sample, take));
  return result;
}

}  // namespace vecc::native
