// The rules of a Plan's number steps, and of launches that read what these fill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/analysis/updated_tables.h"
#include "vecc/error.h"
#include "vecc/plan.h"

namespace vecc {

/// Goes through the steps in the order of a run: each is checked by those before it.
class NumberStepVerifier {
 public:
  /// `written`: by buffer, whether a launch or a step has written it so far; `updated`: the tables
  /// that were stored so far. Both are those of all steps and launches.
  NumberStepVerifier(const Plan& plan, std::vector<bool>& written, UpdatedTables& updated);

  /// The steps before a launch; behind the last one all that are left. Error: IllFormedOp with the
  /// step.
  Result<void> check_before(std::size_t launch);
  /// The arrays that a launch names are there, those that runs fill were filled, for what it reads
  /// them as. Error: IllFormedOp with the launch.
  [[nodiscard]] Result<void> check_arrays(std::size_t launch) const;
  /// Entries of a list that a step has filled are below that.
  [[nodiscard]] std::uint64_t end_of(ArrayIndex list) const { return filled_[list].end; }

 private:
  /// What a step has made of an array.
  enum class Fill : std::uint8_t { None, List, Order, Ranks, Offsets, Scratch };
  struct FilledArray {
    Fill fill = Fill::None;
    ArrayIndex list = kNone;  ///< whose numbers they are
    std::uint64_t end = 0;    ///< entries are below it
  };

  [[nodiscard]] Errors error(const std::string& text) const;
  [[nodiscard]] Result<void> check_from(const NumberStep& step) const;
  [[nodiscard]] Result<void> check_place(const NumberStep& step) const;
  [[nodiscard]] Result<void> check_rows(const NumberStep& step, const AccessBinding& rows) const;
  [[nodiscard]] Result<void> check_numbers(const NumberStep& step) const;
  [[nodiscard]] Result<void> check_sorted(const NumberStep& step) const;
  [[nodiscard]] bool is_long(ArrayIndex array, std::size_t entries) const;
  Result<void> check_step(const NumberStep& step);
  Result<void> draw(const NumberStep& step);
  Result<void> list(const NumberStep& step);
  Result<void> sort(const NumberStep& step);
  Result<void> store(const NumberStep& step);
  /// Offsets of `rows` members, of `numbers` numbers at least.
  Result<void> fill_offsets(ArrayIndex array, ArrayIndex of, std::uint64_t rows,
                            std::uint64_t numbers);
  Result<void> fill(ArrayIndex array, FilledArray as);

  const Plan& plan_;
  std::vector<bool>& written_;
  UpdatedTables& updated_;
  std::vector<FilledArray> filled_;  // by array
  std::size_t next_ = 0;             // step
};

}  // namespace vecc
