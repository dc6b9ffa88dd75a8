// Two events of a GPU's stream: how long was what ran between them.
#pragma once

#include <memory>

#include "backends/cuda/device.h"

namespace vecc::cuda {

class EventPair {
 public:
  /// Throws DeviceError, as all here.
  explicit EventPair(std::shared_ptr<Device> device);
  ~EventPair();
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  /// What is started from here on counts.
  void begin() const;
  /// Waits for all that was started: the seconds since the GPU came to begin().
  [[nodiscard]] double end() const;

 private:
  std::shared_ptr<Device> device_;
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;
};

}  // namespace vecc::cuda
