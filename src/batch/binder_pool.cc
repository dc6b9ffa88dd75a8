#include "src/batch/binder_pool.h"

#include <utility>

namespace vecc {

std::unique_ptr<BatchBinder> BinderPool::take() {
  return free_.take([this] {
    auto binder = std::make_unique<BatchBinder>(plan_, reach_.get(), numbers_);
    bytes_ += binder->bytes();
    return binder;
  });
}

void BinderPool::share_arrays(const ReachNumbers& numbers) {
  numbers_ = &numbers;
  bytes_ -= take()->bytes();
  free_.give_back(take());
}

void BinderPool::bind(const Batch& batch, BatchRows& result) {
  std::unique_ptr<BatchBinder> binder = take();
  if (plan_.is_compact) {  // what it takes grows with its batches
    const std::uint64_t before = binder->bytes();
    binder->bind(batch, result);
    bytes_ += binder->bytes() - before;
  } else {
    binder->bind(batch, result);
  }
  free_.give_back(std::move(binder));
}

std::uint64_t BinderPool::bytes() const {
  return bytes_ + (reach_ ? reach_->bytes() : 0);
}

}  // namespace vecc
