// Memory of a GPU for one batch at a time, and the graph that runs it. There are two: a batch is
// copied to one while that in the other runs.
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

class BatchSlot {
 public:
  /// `bytes`: for a batch, at most. `weights`: elements of each parameter of BatchOptions::weights,
  /// of which every slot has its own. `set_numbers`: print_set_numbers(). Throws DeviceError.
  BatchSlot(const std::shared_ptr<Device>& device, const BatchLayout& layout,
            std::span<const NodeCode> nodes, std::uint64_t bytes, DType dtype,
            std::span<const std::uint64_t> weights, CUfunction set_numbers);
  /// When its batch has run.
  ~BatchSlot();
  BatchSlot(const BatchSlot&) = delete;
  BatchSlot& operator=(const BatchSlot&) = delete;

  [[nodiscard]] std::uint64_t capacity() const { return host_.bytes().size(); }
  /// Where a batch is written; it is there that the device finds it.
  [[nodiscard]] std::span<std::byte> host() const { return host_.bytes(); }
  [[nodiscard]] CUdeviceptr address() const { return memory_.address(); }
  [[nodiscard]] const DeviceBlock& weights(std::size_t number) const { return weights_[number]; }
  /// The Bounds of all launches, but for what differs from batch to batch.
  std::vector<std::byte> bounds;
  /// By parameter of weights: rows that are not 0.
  std::vector<std::vector<std::uint32_t>> weight_rows;

  /// Until host() may be written again. Throws DeviceError.
  void wait() const { copied_.wait(); }
  /// Copies the first `bytes` of host(), sets the numbers that stand at `writes` in it, and starts
  /// the graph. Does not wait. Throws DeviceError.
  void start(std::uint64_t bytes, std::uint64_t writes, std::uint32_t write_count) const;
  /// Batches are made here, too, of at least so many bytes of input. `bounds` are there. Throws
  /// DeviceError.
  void add_maker(const BatchMaker& maker, std::uint64_t input_bytes);
  /// Null without.
  [[nodiscard]] SlotMaker* maker() const { return maker_.get(); }
  /// As start(), of a batch that is made from the first `bytes` of maker()'s input.
  void start_made(std::uint64_t bytes) const;
  /// What the batch that runs is read from, of its first `bytes`. Waits. Throws DeviceError.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void run_graph() const;

  std::shared_ptr<Device> device_;
  DeviceMemory memory_;
  PinnedMemory host_;
  std::vector<DeviceBlock> weights_;
  CUfunction set_numbers_;
  DeviceEvent copied_;
  DeviceEvent ran_;
  std::unique_ptr<LaunchGraph> graph_;
  std::unique_ptr<SlotMaker> maker_;
};

}  // namespace vecc::cuda
