// Sets that a search fills, as sections of one row of numbers, and the order in which.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "backends/cuda/batch_search.h"

namespace vecc::cuda {

struct SearchSection {
  std::uint64_t first = 0;     ///< a multiple of 64
  std::uint32_t step = kNone;  ///< the last that puts a number into it; kNone: none does yet
};

class SearchSections;

/// What a job does, but for where its target begins.
struct SearchWalk {
  /// Over numbers first .. first + count - 1 of a set.
  SearchWalk(const SearchSections& sets, std::uint32_t set, std::uint64_t first,
             std::uint64_t count);

  vecc_kernel::SearchJob job{};
  vecc_kernel::SearchTarget to{};
  std::uint32_t source;
  std::uint32_t only = kNone;
  std::uint32_t unless = kNone;
};

class SearchSections {
 public:
  /// Numbers below `count` are there already (at()).
  explicit SearchSections(std::uint64_t count) : numbers_((count + 63) / 64 * 64) {}

  /// A set of its own.
  [[nodiscard]] std::uint32_t take(std::uint64_t count);
  /// The one that begins at this number.
  [[nodiscard]] std::uint32_t at(std::uint64_t first);
  [[nodiscard]] const SearchSection& operator[](std::uint32_t set) const { return sets_[set]; }
  /// It has numbers that no job puts there, when a step has ended; step 0: before the first.
  const SearchSection& start_with(std::uint32_t set, std::uint32_t step = 0);

  /// What is named is not put anywhere if its owner is not there, or if it is there, from a
  /// number of a set on.
  void only(SearchWalk& walk, std::uint32_t set) const;
  void unless(SearchWalk& walk, std::uint32_t set, std::uint64_t first) const;

  // Jobs, in an order in which each may follow those before it. One that finds nothing, as nothing
  // was put where it looks, is left out.
  /// Puts what is named there, number 0 at `first`.
  void put(const SearchWalk& walk, std::uint32_t set, std::uint64_t first = 0);
  /// Numbers below `count`, always or where the source of `walk` has any.
  void fill(std::uint32_t set, std::uint64_t count);
  void fill(std::uint32_t set, std::uint64_t count, const SearchWalk& walk);
  /// Sets jobs, targets, chunks, step_ends, numbers. Jobs of one step that walk alike are one.
  void finish(BatchSearch& to);

 private:
  struct Job {
    vecc_kernel::SearchJob job;
    vecc_kernel::SearchTarget to;
    std::uint32_t step;
  };
  void add(const SearchWalk& walk, std::uint32_t step, std::uint32_t set, std::uint64_t first);
  static void add_chunks(const vecc_kernel::SearchJob& job, BatchSearch& to);

  std::uint64_t numbers_;
  std::vector<SearchSection> sets_;
  std::map<std::uint64_t, std::uint32_t> firsts_;  // of at()
  std::vector<Job> jobs_;
};

}  // namespace vecc::cuda
