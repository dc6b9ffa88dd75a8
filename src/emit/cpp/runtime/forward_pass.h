// The program on the CPU: its launches bound to code and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/emit/cpp/runtime/machine_options.h"
#include "src/emit/native/runtime/data_file.h"
#include "src/emit/native/runtime/launches.h"
#include "src/runtime/tile_walk.h"
#include "src/support/thread_team.h"

namespace vecc::emitted {

class ForwardPass {
 public:
  /// `data` outlives it. `weights`: by weight, its values.
  ForwardPass(const DataFile& data, const std::vector<std::vector<double>>& weights,
              const MachineOptions& options);

  /// All launches; returns when they are done.
  void run() { walk_.run(0, launch_count_, team_); }
  /// A buffer's first element.
  [[nodiscard]] const std::byte* values(std::uint64_t buffer) const { return buffers_[buffer]; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte[], Free>;
  /// What the launches' arguments point to, one launch after another.
  struct ArgumentArrays {
    std::vector<void*> data;
    std::vector<const void*> lists;
    std::vector<const unsigned*> words;
  };

  [[nodiscard]] Memory make_memory(std::uint64_t elements) const;
  void bind_buffers(const std::vector<std::vector<double>>& weights);
  void bind_launches(std::uint64_t shared_work);
  [[nodiscard]] cpu::KernelArguments bind_arguments(const LaunchTables& launch);
  [[nodiscard]] const void* list(std::uint64_t place, bool is_wide) const;
  [[nodiscard]] const unsigned* wide(std::uint64_t place) const;

  const DataFile& data_;
  bool is_double_;
  std::size_t element_bytes_;
  std::size_t launch_count_ = 0;
  std::vector<Memory> memory_;
  std::vector<std::byte*> buffers_;
  ArgumentArrays arguments_;
  cpu::TileWalk walk_;
  ThreadTeam team_;
};

}  // namespace vecc::emitted
