// What several threads take one of each, and give back: a free one, or a new one.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace vecc {

/// As many are made as threads have at the same time.
template <class T>
class FreeList {
 public:
  /// `make()`, where none is free, may run on several threads at once.
  template <class Make>
  [[nodiscard]] std::unique_ptr<T> take(Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> taken = std::move(free_.back());
        free_.pop_back();
        return taken;
      }
    }
    return make();
  }
  void give_back(std::unique_ptr<T> taken) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(taken));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace vecc
