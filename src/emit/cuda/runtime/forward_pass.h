// The program on a GPU: its launches bound to code and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "src/emit/cuda/runtime/device.h"
#include "src/emit/cuda/runtime/launch_graph.h"
#include "src/emit/cuda/runtime/machine_options.h"
#include "src/emit/native/runtime/data_file.h"
#include "src/emit/native/runtime/launches.h"

namespace vecc::emitted {

class ForwardPass {
 public:
  /// `data` outlives it. `weights`: by weight, its values. Throws Failure if there is no GPU, or
  /// not enough memory on it.
  ForwardPass(const DataFile& data, const std::vector<std::vector<double>>& weights,
              const MachineOptions& options);

  /// All launches; returns when they are done.
  void run();
  /// A buffer's first element, in a copy that stays until the next run.
  [[nodiscard]] const std::byte* values(std::uint64_t buffer);

 private:
  /// Bytes on the GPU.
  struct Need {
    std::uint64_t arena;
    std::uint64_t constants;
    std::uint64_t weights;
    std::uint64_t indices;
  };

  [[nodiscard]] Need count_need() const;
  void check_memory(const Need& need) const;
  void allocate(const Need& need);
  void bind_buffers(const std::vector<std::vector<double>>& weights);
  void bind_launches();
  [[nodiscard]] std::vector<std::byte> bind_arguments(const LaunchTables& launch) const;
  [[nodiscard]] const std::byte* list(std::uint64_t place, bool is_wide) const;
  [[nodiscard]] const std::byte* wide(std::uint64_t place) const { return list(place, true); }

  const DataFile& data_;
  bool is_double_;
  std::size_t element_bytes_;
  Device device_;
  std::optional<DeviceMemory> arena_;
  std::optional<DeviceMemory> constants_;
  std::optional<DeviceMemory> weights_;
  std::optional<DeviceMemory> narrow_indices_;
  std::optional<DeviceMemory> wide_indices_;
  std::vector<std::byte*> buffers_;  // on the GPU
  std::vector<BoundLaunch> launches_;
  std::optional<LaunchGraph> graph_;
  std::map<std::uint64_t, std::vector<std::byte>> copies_;  // by buffer
};

}  // namespace vecc::emitted
