// What a pass is: a function that rewrites a Program and tells whether it changed anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optimizer/rewrite/row_classes.h"
#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::opt {

/// What a pass may know, and where it counts what it did.
class PassContext {
 public:
  PassContext(const OptimizeOptions& options, const GatherPreset& preset, PadMode pad_mode)
      : options_(options), preset_(preset), pad_mode_(pad_mode) {}

  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }
  [[nodiscard]] const GatherPreset& preset() const { return preset_; }
  /// Whether the Program is for what waits for products (cost.h), at a level that asks for that.
  [[nodiscard]] bool waits_for_products() const {
    return options_.level >= 2 && vecc::waits_for_products(options_.cost.runner);
  }
  [[nodiscard]] PadMode pad_mode() const { return pad_mode_; }

  /// Of the Program that the pass was given, found once for all passes that leave it as it is.
  [[nodiscard]] const RowClasses& row_classes(const Program& program);
  /// The same, or null if the rows that are different have more than `most` elements, which takes
  /// less time to find (RowClasses::of_few).
  [[nodiscard]] const RowClasses* row_classes_of_few(const Program& program, std::uint64_t most);
  /// Said by a pass of the Program that it leaves: of each value that makes_new_rows(), no two rows
  /// are equal.
  void leave_rows_told_apart() { leaves_told_apart_ = true; }
  /// Whether the last one said so, and none has changed the Program since.
  [[nodiscard]] bool rows_are_told_apart() const { return told_apart_; }
  /// A pass has ended. If it changed the Program, what was found out about that is gone.
  void end_pass(bool changed) {
    if (changed) row_classes_.reset();
    told_apart_ = std::exchange(leaves_told_apart_, false) || (told_apart_ && !changed);
  }

  /// Adds to a counter of this run: `count("rows merged", 12)`.
  void count(std::string_view what, std::uint64_t amount);
  /// The counters of the run so far; starts the next one with none.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> take_counters();

 private:
  const OptimizeOptions& options_;
  const GatherPreset& preset_;
  PadMode pad_mode_;
  std::optional<RowClasses> row_classes_;
  bool told_apart_ = false;
  bool leaves_told_apart_ = false;  // the pass that runs
  std::vector<std::pair<std::string, std::uint64_t>> counters_;
};

/// Rewrites `program`, which has passed verify(); true if it changed anything. What it replaced is
/// gone afterwards (Rewriter::finish and rebuild_rows see to it).
using PassFunction = bool (*)(Program& program, PassContext& context);

}  // namespace vecc::opt
