// From a file's ids to dense ids, by ranges.
#pragma once

#include <cstdint>
#include <vector>

namespace vecc::graph_io {

/// Ranges of consecutive ids. A range may be *void*: its ids exist, but what they name was refused,
/// so that a reference to it is no further error.
class IdMap {
 public:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint32_t dense = 0;  ///< of the first id
    bool is_void = false;
    std::uint32_t tag = 0;  ///< the caller's: which chunk

    /// Whether it holds `id`.
    [[nodiscard]] bool contains(std::uint64_t id) const { return id - first < count; }
  };
  struct Overlap {
    Range earlier;  ///< in order of arrival
    Range later;
  };

  void add(const Range& range) { ranges_.push_back(range); }
  /// Sorts, drops empty ranges, joins adjacent ones; after it, find() works. Overlapping ranges
  /// come back, each later one once (and stay in the map, where they find something).
  [[nodiscard]] std::vector<Overlap> seal();
  /// The range that holds `id`, or null; logarithmic.
  [[nodiscard]] const Range* find(std::uint64_t id) const;
  /// Whether the ids are 0, 1, ... without a gap.
  [[nodiscard]] bool is_contiguous_from_zero() const { return contiguous_; }
  /// Ids below this are the dense ones, and there are no others; 0 if some are not. After seal().
  [[nodiscard]] std::uint64_t identity_count() const {
    const bool is_identity = ranges_.size() == 1 && ranges_[0].first == 0 && ranges_[0].dense == 0;
    return is_identity ? ranges_[0].count : 0;
  }

 private:
  std::vector<Range> ranges_;
  bool contiguous_ = false;
};

}  // namespace vecc::graph_io
