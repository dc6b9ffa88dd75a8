// What a batch reaches is a set of numbers: of rows and members of launches, and a few more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/row_finder.h"
#include "src/batch/word_sets.h"

namespace vecc {

class ReachNumbers {
 public:
  /// Every launch has numbers of its own. The plan must outlive this.
  explicit ReachNumbers(const BatchPlan& plan);

  /// Of a store whose rows may be read where nothing stores them.
  struct Rests {
    std::uint32_t access = 0;
    std::uint64_t first = 0;  // the number of row 0, a multiple of 64
  };
  /// Where the numbers of a launch begin, multiples of 64. Launches whose rows or members are the
  /// same, whatever the batch, may share them.
  struct Places {
    std::uint64_t rows = 0;
    std::uint64_t members = 0;
    std::vector<Rests> rests;
  };
  [[nodiscard]] const Places& places(std::uint32_t launch) const { return places_[launch]; }
  [[nodiscard]] const LaunchTraits& traits(std::uint32_t launch) const { return traits_[launch]; }
  /// A number by launch: all of its rows run.
  [[nodiscard]] std::uint64_t whole() const { return whole_; }
  /// A number by group: its updates run.
  [[nodiscard]] std::uint64_t groups() const { return groups_; }
  /// How many there are.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The first launch that has the same rows and members.
  [[nodiscard]] std::uint32_t alike(std::uint32_t launch) const { return alike_[launch]; }
  /// A number of its rows, or members: where it is that of another launch's, they are the same.
  [[nodiscard]] std::uint64_t counters(std::uint32_t launch, KernelSpace space) const;

  /// All numbers, in their order: rows, members and rests of each launch, whole(), groups().
  struct Sections {
    std::vector<NumberSection> sections;
    std::vector<bool> is_own;  ///< is shared with no other
  };
  /// `is_whole`: by launch, whether some batch has all of its rows by whole().
  [[nodiscard]] Sections sections(const std::vector<bool>& is_whole) const;
  /// By section where it begins from now on; and, behind them, how many numbers there are.
  void move_to(std::span<const std::uint64_t> begins);

 private:
  void find_alike();

  const BatchPlan& plan_;
  std::vector<LaunchTraits> traits_;
  std::vector<Places> places_;  // by launch
  std::uint64_t whole_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> alike_;
};

}  // namespace vecc
