#include "src/plan/analysis/dependencies.h"

#include <algorithm>
#include <map>

#include "src/plan/analysis/launch_rows.h"

namespace vecc {
namespace {

// What touched a range of numbers last: the launch that stored it, those that read it since.
struct Touched {
  std::uint32_t writer = kNone;
  std::vector<std::uint32_t> readers;
};

// The numbers of one block of memory, in ranges that were touched alike: each from its key to the
// next one's.
class TouchedRanges {
 public:
  TouchedRanges() { ranges_[0]; }

  // Calls visit(range) for all of first .. first + count - 1.
  template <class Visit>
  void each(std::uint64_t first, std::uint64_t count, Visit&& visit) {
    if (count == 0) return;
    cut(first);
    cut(first + count);
    for (auto range = ranges_.find(first); range != ranges_.end() && range->first < first + count;
         ++range) {
      visit(range->second);
    }
  }

 private:
  void cut(std::uint64_t at) {
    const auto after = ranges_.upper_bound(at);
    const auto range = std::prev(after);
    if (range->first != at) ranges_.emplace_hint(after, at, range->second);
  }

  std::map<std::uint64_t, Touched> ranges_;
};

class DependencyFinder {
 public:
  explicit DependencyFinder(const Plan& plan) : plan_(plan) {}

  std::vector<std::vector<std::uint32_t>> run() {
    std::vector<std::vector<std::uint32_t>> all;
    for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) {
      if (l > 0 && plan_.launches[l].stage != plan_.launches[l - 1].stage) spaces_.clear();
      all.push_back(dependencies_of(l));
    }
    return all;
  }

 private:
  template <class Visit>
  void each_access(const Launch& launch, bool stores, Visit&& visit) {
    const Kernel& kernel = plan_.kernels[launch.kernel];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (kernel.accesses[a].store != stores) continue;
      const AccessBinding& binding = launch.accesses[a];
      const PlanBuffer& buffer = plan_.buffers[binding.buffer];
      const bool is_arena = buffer.kind == PlanBuffer::Kind::Arena;
      if (buffer.kind == PlanBuffer::Kind::Constant) continue;
      const std::uint64_t first = (is_arena ? buffer.offset : 0) + binding.first;
      const std::uint64_t count = rows_of(kernel, launch, a) * kernel.accesses[a].shape.size();
      spaces_[is_arena ? kNone : binding.buffer].each(first, count, visit);
    }
  }

  // Of its buffer's rows those that an access may reach.
  [[nodiscard]] std::uint64_t rows_of(const Kernel& kernel, const Launch& launch,
                                      std::size_t access) const {
    const std::uint64_t all = launch.accesses[access].rows;
    switch (kernel.accesses[access].map) {
      case RowMap::One: return 1;
      case RowMap::Direct:
        return std::min(all, counted_rows(plan_, kernel, launch, kernel.accesses[access].space));
      case RowMap::List:
      case RowMap::Tile: break;
    }
    return all;
  }

  std::vector<std::uint32_t> dependencies_of(std::uint32_t number) {
    const Launch& launch = plan_.launches[number];
    std::vector<std::uint32_t> before;
    const auto wait_for = [&](std::uint32_t other) {
      if (other != kNone && other != number) before.push_back(other);
    };
    each_access(launch, false, [&](Touched& range) {
      wait_for(range.writer);
      if (range.readers.empty() || range.readers.back() != number) range.readers.push_back(number);
    });
    each_access(launch, true, [&](Touched& range) {
      wait_for(range.writer);
      for (const std::uint32_t reader : range.readers) wait_for(reader);
      range.writer = number;
      range.readers.clear();
    });
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    return before;
  }

  const Plan& plan_;
  std::map<std::uint32_t, TouchedRanges> spaces_;  // by buffer; kNone: the arena
};

}  // namespace

std::vector<std::vector<std::uint32_t>> launch_dependencies(const Plan& plan) {
  return DependencyFinder(plan).run();
}

}  // namespace vecc
