#include "src/batch/binder_pool.h"

#include <utility>

namespace vecc {

std::unique_ptr<BatchBinder> BinderPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<BatchBinder> binder = std::move(free_.back());
      free_.pop_back();
      return binder;
    }
  }
  auto binder = std::make_unique<BatchBinder>(plan_, reach_.get());
  const std::lock_guard lock(mutex_);
  bytes_ += binder->bytes();
  return binder;
}

void BinderPool::give(std::unique_ptr<BatchBinder> binder) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(binder));
}

void BinderPool::bind(const Batch& batch, BatchRows& result) {
  std::unique_ptr<BatchBinder> binder = take();
  binder->bind(batch, result);
  give(std::move(binder));
}

std::uint64_t BinderPool::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_ + (reach_ ? reach_->bytes() : 0);
}

}  // namespace vecc
