// Threads for functions over long lists that are called from everywhere: an index compared or
// composed, a list written. They take no number of threads; the scope that they run in has one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "src/support/thread_team.h"

namespace vecc {

/// While it lives, functions over long lists that its thread calls run on up to `threads` threads
/// (0: as many as there are cores, 64 at most), which start with the first long list. Within
/// another scope of one thread it is that scope: the number of threads of the outermost one holds.
/// Without one, and on any other thread, lists are gone through by the caller. Results are the same
/// for any number.
class ListThreads {
 public:
  explicit ListThreads(std::uint32_t threads);
  ListThreads(const ListThreads&) = delete;
  ListThreads& operator=(const ListThreads&) = delete;
  ~ListThreads();

  /// Calls `body(piece)` for 0 .. pieces-1, several at once where the caller has a scope. What a
  /// body throws is thrown when all have ended.
  template <class Body>
  static void for_pieces(std::size_t pieces, const Body& body) {
    if (pieces > 1 && has_threads()) return share(pieces, body);
    for (std::size_t piece = 0; piece < pieces; ++piece) body(piece);
  }
  /// Calls `body(range, begin, end)` for ranges 0 .. ranges_of(count)-1, which together are 0 ..
  /// count-1 in order: for what each range keeps for itself.
  template <class Body>
  static void for_numbered_ranges(std::size_t count, const Body& body) {
    const std::size_t ranges = ranges_of(count);
    for_pieces(ranges, [&](std::size_t range) {
      body(range, count * range / ranges, count * (range + 1) / ranges);
    });
  }
  /// One of a short list, else as many as the scope has threads.
  [[nodiscard]] static std::size_t ranges_of(std::size_t count);
  /// Calls `body(begin, end)` for ranges that together are 0 .. count-1: one of a short list,
  /// pieces as above of a long one.
  template <class Body>
  static void for_ranges(std::size_t count, const Body& body) {
    if (count < kLong || !has_threads()) return body(std::size_t{0}, count);
    for_pieces((count - 1) / kRange + 1, [&](std::size_t piece) {
      body(piece * kRange, std::min(count, (piece + 1) * kRange));
    });
  }

 private:
  static constexpr std::size_t kLong = 1 << 16;  // entries; with less one thread is done at once
  static constexpr std::size_t kRange = 1 << 14;

  [[nodiscard]] static bool has_threads();
  static void share(std::size_t pieces, const std::function<void(std::size_t)>& body);

  std::uint32_t threads_ = 1;
  bool is_outer_ = false;
  std::optional<ThreadTeam> team_;
};

/// Whether `holds(begin, end)` for all ranges that are asked about, which together are 0 ..
/// count-1. Found by all threads of the scope, which stop soon after one that does not hold.
template <class Holds>
[[nodiscard]] bool holds_for_ranges(std::size_t count, const Holds& holds) {
  constexpr std::size_t kBlock = 1 << 12;  // between two looks at what the others have found
  std::atomic<bool> all{true};
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (; begin < end && all.load(std::memory_order_relaxed); begin += kBlock) {
      if (!holds(begin, std::min(end, begin + kBlock))) all.store(false, std::memory_order_relaxed);
    }
  });
  return all.load(std::memory_order_relaxed);
}

/// Whether `holds(i)` for all i below `count`; the same.
template <class Holds>
[[nodiscard]] bool holds_for_all(std::size_t count, const Holds& holds) {
  return holds_for_ranges(count, [&](std::size_t begin, std::size_t end) {
    while (begin < end && holds(begin)) ++begin;
    return begin == end;
  });
}

}  // namespace vecc
