#include "backends/cuda/search_classes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace vecc::cuda {
namespace {

namespace made = vecc_kernel;

using Key = std::vector<std::uint64_t>;

void add_map(const made::NumberMap& map, Key& to) {
  to.insert(to.end(),
            {std::bit_cast<std::uintptr_t>(map.list), map.divisor, map.remainder, map.is_zero});
}

class ClassFinder {
 public:
  ClassFinder(std::span<const SearchSection> sections, std::span<const SearchPut> puts)
      : sections_(sections), puts_(puts), is_late_(sections.size(), false) {}

  SearchClasses find() {
    while (!try_find()) {
    }
    for (std::uint32_t s = 0; s < sections_.size(); ++s) {
      if (to_.same[s] != s) continue;
      for (const auto& [key, put] : keys_[s]) to_.puts.push_back(put);
    }
    std::ranges::sort(to_.puts);
    return std::move(to_);
  }

 private:
  // False: sets were the same as others that are put into after they were read. (To know these
  // makes fewer puts equal: such sets only become more.)
  bool try_find() {
    to_ = {std::vector<std::uint32_t>(sections_.size(), kNone), {}};
    keys_.assign(sections_.size(), {});
    first_.clear();
    std::vector<bool> late = is_late_;
    for (std::uint32_t p = 0; p < puts_.size(); ++p) {
      const auto& [walk, set] = puts_[p];
      for (const std::uint32_t read : {walk.source, walk.only, walk.unless}) {
        if (read != kNone) close(read);
      }
      const bool is_new = keys_[set].try_emplace(key_of(p), p).second;
      if (!is_new || to_.same[set] == kNone) continue;
      late[set] = true;
    }
    if (late != std::exchange(is_late_, late)) return false;
    for (std::uint32_t s = 0; s < sections_.size(); ++s) close(s);
    return true;
  }

  // All that is put into a set is known.
  void close(std::uint32_t set) {
    if (to_.same[set] != kNone) return;
    to_.same[set] = find_same(set);
  }

  std::uint32_t find_same(std::uint32_t set) {
    const SearchSection& of = sections_[set];
    if (of.is_own || of.starts || is_late_[set] || keys_[set].empty()) return set;
    if (keys_[set].size() == 1) {
      const SearchWalk& walk = puts_[keys_[set].begin()->second].walk;
      if (copies_all(walk, of.count)) return to_.same[walk.source];
    }
    Key all{of.count};
    for (const auto& [key, put] : keys_[set]) all.insert(all.end(), key.begin(), key.end());
    return first_.try_emplace(std::move(all), set).first->second;
  }

  // Of all of its source, to all of the target.
  [[nodiscard]] bool copies_all(const SearchWalk& walk, std::uint64_t count) const {
    const made::SearchJob& job = walk.job;
    return is_copy(job, walk.to) && walk.only == kNone && job.source == 0 && walk.to.first == 0 &&
           job.count == count && sections_[walk.source].count == count && !is_late_[walk.source] &&
           !sections_[to_.same[walk.source]].is_own;
  }

  // What a put puts there. One that reads what is not all there yet is like no other.
  [[nodiscard]] Key key_of(std::uint32_t put) const {
    const SearchWalk& walk = puts_[put].walk;
    const made::SearchJob& job = walk.job;
    const made::SearchTarget& to = walk.to;
    const auto of = [&](std::uint32_t set) -> std::uint64_t {
      return set == kNone ? kNone : to_.same[set];
    };
    Key key{job.kind,
            of(walk.source),
            job.source,
            job.count,
            job.size,
            job.limit,
            job.expand,
            job.members,
            job.stride,
            job.draw,
            std::bit_cast<std::uintptr_t>(job.begins),
            std::bit_cast<std::uintptr_t>(job.readers)};
    add_map(job.before, key);
    add_map(to.after, key);
    add_map(to.owner, key);
    key.insert(key.end(),
               {of(walk.only), of(walk.unless), to.unless, to.first, to.size, to.to_row});
    const auto is_late = [&](std::uint32_t set) { return set != kNone && is_late_[set]; };
    if (is_late(walk.source) || is_late(walk.only) || is_late(walk.unless)) key.push_back(put);
    return key;
  }

  std::span<const SearchSection> sections_;
  std::span<const SearchPut> puts_;
  std::vector<bool> is_late_;                       // by set: is put into after it was read
  std::vector<std::map<Key, std::uint32_t>> keys_;  // by set: what is put there, and by which
  std::map<Key, std::uint32_t> first_;              // by all that is put there
  SearchClasses to_;
};

}  // namespace

SearchClasses find_classes(std::span<const SearchSection> sections,
                           std::span<const SearchPut> puts) {
  return ClassFinder(sections, puts).find();
}

}  // namespace vecc::cuda
