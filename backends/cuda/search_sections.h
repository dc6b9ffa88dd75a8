// Sets that a search fills, as sections of one row of numbers, and the order in which.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backends/cuda/batch_search.h"

namespace vecc::cuda {

/// What a job does. Places are counted from the beginnings of their sets.
struct SearchWalk {
  /// Over numbers first .. first + count - 1 of a set; kNone: a fill that looks at none.
  SearchWalk(std::uint32_t set, std::uint64_t first, std::uint64_t count);

  vecc_kernel::SearchJob job{};
  vecc_kernel::SearchTarget to{};
  std::uint32_t source;
  std::uint32_t only = kNone;
  std::uint32_t unless = kNone;
};

/// Numbers are put there as they are in the source.
[[nodiscard]] bool is_copy(const vecc_kernel::SearchJob& job, const vecc_kernel::SearchTarget& to);

/// A walk whose numbers are put into a set, or a fill of it.
struct SearchPut {
  SearchWalk walk;
  std::uint32_t set;
};

struct SearchSection {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< where it has to lie, a multiple of 64; kAnywhere
  bool is_own = false;      ///< is no other set's place, whatever they have
  bool starts = false;      ///< has numbers that no job puts there
  bool has_any = false;     ///< these, or a job's

  static constexpr std::uint64_t kAnywhere = std::numeric_limits<std::uint64_t>::max();
};

struct SearchClasses;

class SearchSections {
 public:
  /// Numbers below `count` are sections of at().
  explicit SearchSections(std::uint64_t count) : count_((count + 63) / 64 * 64) {}

  /// A set that may lie anywhere.
  [[nodiscard]] std::uint32_t take(std::uint64_t count);
  /// One that lies where others of at() may, too, if they have the same numbers in any batch.
  [[nodiscard]] std::uint32_t at(std::uint64_t first, std::uint64_t count);
  /// One that lies there alone.
  [[nodiscard]] std::uint32_t own_at(std::uint64_t first, std::uint64_t count);
  [[nodiscard]] const SearchSection& operator[](std::uint32_t set) const { return sets_[set]; }

  /// What a set has before the first job: rows of weights, where members are drawn when all draws
  /// are done; samples.
  void start_weights(std::uint32_t set, std::uint32_t weights, std::uint32_t unit);
  void start_drawn_weights(std::uint32_t set, std::uint32_t weights, std::uint32_t unit);
  void start_sample(std::uint32_t set, std::uint32_t row);

  // What is named is not put anywhere if its owner is not there, or if it is there, from a number
  // of a set on.
  static void only(SearchWalk& walk, std::uint32_t set) { walk.only = set; }
  void unless(SearchWalk& walk, std::uint32_t set, std::uint64_t first) const;

  // Jobs, in an order in which each may follow those before it. One that finds nothing, as nothing
  // was put where it looks, is left out.
  /// Puts what is named there, number 0 at `first`.
  void put(const SearchWalk& walk, std::uint32_t set, std::uint64_t first = 0);
  /// Numbers below `count`, always or where the source of `walk` has any.
  void fill(std::uint32_t set, std::uint64_t count);
  void fill(std::uint32_t set, std::uint64_t count, const SearchWalk& walk);
  /// Draws members of what is there of the source of `walk`, a set for them.
  void draw(SearchWalk walk, const vecc_kernel::DrawJob& job, std::uint32_t set);

  /// By section of these, which at() or own_at() took, where it may begin: those that have the
  /// same numbers in any batch begin together. Behind them how many numbers there are then.
  [[nodiscard]] std::vector<std::uint64_t> begins(std::span<const NumberSection> sections) const;
  /// Writes all of `to`. Sets that are the same are one, jobs of one step that walk alike, too.
  void finish(BatchSearch& to) const;

 private:
  struct PlacedJob;
  struct Start {
    std::uint32_t set;
    std::uint32_t weights;
    std::uint32_t unit;
    bool is_drawn;
  };
  struct Sample {
    std::uint32_t set;
    std::uint32_t row;
  };
  void add(const SearchWalk& walk, std::uint32_t set, std::uint64_t first);
  void start(std::uint32_t set);
  std::uint32_t add_section(const SearchSection& section);
  static void add_jobs(std::vector<PlacedJob> jobs, BatchSearch& to);
  [[nodiscard]] std::vector<PlacedJob> in_steps(const SearchClasses& classes,
                                                const std::vector<std::uint64_t>& places,
                                                BatchSearch& to) const;
  [[nodiscard]] std::vector<std::uint64_t> places(const std::vector<std::uint32_t>& same,
                                                  std::uint64_t& numbers) const;

  std::uint64_t count_;
  std::vector<SearchSection> sets_;
  std::vector<SearchPut> puts_;
  std::vector<Start> weights_;
  std::vector<Sample> samples_;
  std::vector<vecc_kernel::DrawJob> draws_;
};

}  // namespace vecc::cuda
