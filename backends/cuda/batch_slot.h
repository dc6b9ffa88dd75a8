// Memory of a GPU for one batch at a time, or for a few whose steps follow one another, and the
// graphs that run them. There are two: batches are copied to one while those in the other run.
//
//   step 0, step 1, ...    what has fixed places (BatchLayout), of each
//   zeros, arrays          of step 0, then of step 1, ...
//   numbers to set         of all
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/batch_layout.h"
#include "backends/cuda/device_block.h"
#include "backends/cuda/device_event.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/pinned_memory.h"
#include "vecc/batch.h"

namespace vecc::cuda {

class BatchMaker;
class SlotMaker;

struct SlotRequest {
  const BatchLayout& layout;
  std::span<const NodeCode> nodes;
  std::size_t fetches = 0;  ///< the first nodes, which run while the batch before does
  std::uint32_t steps = 1;  ///< batches, at most; 1 with fetches
  std::uint64_t bytes = 0;  ///< of all of them
  DType dtype = DType::F32;
  /// Elements of each, of which every step has its own.
  std::span<const std::uint64_t> weights = {};
  CUfunction set_numbers = nullptr;  ///< print_set_numbers()
};

class BatchSlot {
 public:
  /// Throws DeviceError.
  BatchSlot(const std::shared_ptr<Device>& device, const SlotRequest& request);
  /// When its batch has run.
  ~BatchSlot();
  BatchSlot(const BatchSlot&) = delete;
  BatchSlot& operator=(const BatchSlot&) = delete;

  [[nodiscard]] std::uint64_t capacity() const { return host_.bytes().size(); }
  /// Where batches are written; it is there that the device finds them.
  [[nodiscard]] std::span<std::byte> host() const { return host_.bytes(); }
  [[nodiscard]] CUdeviceptr address() const { return memory_.address(); }
  /// Of one batch.
  struct Step {
    std::uint64_t first = 0;  ///< where its fixed places begin
    /// The Bounds of all launches, but for what differs from batch to batch.
    std::vector<std::byte> bounds;
    std::vector<DeviceBlock> weights;
    /// By parameter of weights: rows that are not 0.
    std::vector<std::vector<std::uint32_t>> weight_rows;
  };
  [[nodiscard]] std::span<Step> steps() { return steps_; }
  /// Of its batch, where the next one's are there, too. Made when they are needed.
  [[nodiscard]] DeviceBlock& values() { return values_; }
  /// Behind all fixed places: what kernels count Zeros from.
  [[nodiscard]] std::uint64_t rest() const { return rest_; }

  /// Until host() may be written again. Throws DeviceError.
  void wait() const { copied_.wait(); }
  /// Copies the first `bytes` of host(), sets the numbers that stand at `writes` in it, and starts
  /// the first `steps`. Does not wait. Throws DeviceError.
  void start(std::uint64_t bytes, std::uint64_t writes, std::uint32_t write_count,
             std::size_t steps) const;
  /// Batches are made here, too, as step 0, of at least so many bytes of input. Its bounds are
  /// there. Throws DeviceError.
  void add_maker(const BatchMaker& maker, std::uint64_t input_bytes);
  /// Null without.
  [[nodiscard]] SlotMaker* maker() const { return maker_.get(); }
  /// As start(), of a batch that is made from the first `bytes` of maker()'s input. False, and it
  /// does not run: it has no room here.
  [[nodiscard]] bool start_made(std::uint64_t bytes) const;
  /// What the batch that runs is read from, of its first `bytes`. Waits. Throws DeviceError.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void run_graphs(std::size_t steps) const;

  std::shared_ptr<Device> device_;
  DeviceMemory memory_;
  PinnedMemory host_;
  std::vector<Step> steps_;
  DeviceBlock values_;
  std::uint64_t rest_;
  CUfunction set_numbers_;
  DeviceEvent copied_;  // what the host wrote was read
  DeviceEvent ready_;   // and rows are fetched
  DeviceEvent ran_;
  std::unique_ptr<LaunchGraph> fetch_;                     // null: none
  std::vector<std::unique_ptr<LaunchGraph>> step_graphs_;  // a step each
  std::unique_ptr<LaunchGraph> whole_;                     // of all steps, where they are several
  std::unique_ptr<SlotMaker> maker_;
};

/// What each launch of `count` graphs waits for, one after another in one: those of the next that
/// wait for nothing wait for all of the one before that nothing there waits for.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> repeat_in_turn(
    std::span<const std::vector<std::uint32_t>> before, std::size_t count);

}  // namespace vecc::cuda
