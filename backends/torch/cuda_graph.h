// A run recorded once as a CUDA graph and launched whole after that: one launch instead of one a
// kernel. Without the headers of the CUDA runtime at build time it is not there, and runs are
// launched kernel by kernel.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace vecc::libtorch {

class CudaGraph {
 public:
  CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph();

  /// Whether this build can record.
  [[nodiscard]] static bool is_built_in();
  [[nodiscard]] bool is_recorded() const;

  /// Records what `body` launches on the device, without running it; tensors that it makes stay
  /// where they are and hold the results of the last launch. False if something in it cannot be
  /// recorded (it waits for the device): then nothing was run, and what `body` made is void.
  [[nodiscard]] bool record(const c10::Device& device, const std::function<void()>& body);
  /// Forgets what was recorded, and frees what it made.
  void discard();
  /// Runs what was recorded; does not wait for it. Throws c10::Error.
  void launch();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vecc::libtorch
