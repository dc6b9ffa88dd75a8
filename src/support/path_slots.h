// Paths where a signal handler may read them.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace vecc {

/// The first so many at a time, none longer than 4095 bytes: what else is remembered is forgotten.
template <std::size_t kSlots>
class PathSlots {
 public:
  void remember(const std::string& path) {
    if (path.size() >= sizeof Slot::path) return;
    for (Slot& slot : slots_) {
      if (slot.is_taken.exchange(true)) continue;
      path.copy(slot.path, path.size());
      slot.path[path.size()] = '\0';
      slot.is_live = true;
      return;
    }
  }
  void forget(const std::string& path) {
    for (Slot& slot : slots_) {
      if (!slot.is_live || path != slot.path) continue;
      slot.is_live = false;
      slot.is_taken = false;
    }
  }
  /// visit(path) of each that is remembered, with a NUL behind it.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.is_live) visit(slot.path);
    }
  }

 private:
  struct Slot {
    std::atomic<bool> is_taken{false};
    std::atomic<bool> is_live{false};
    char path[4096];
  };
  static_assert(std::atomic<bool>::is_always_lock_free);

  Slot slots_[kSlots];
};

}  // namespace vecc
