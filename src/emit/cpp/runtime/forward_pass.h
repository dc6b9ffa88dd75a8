// The program: its launches bound to code and memory, and its outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/thread_team.h"
#include "backends/cpu/tile_walk.h"
#include "src/emit/cpp/runtime/data_file.h"
#include "src/emit/cpp/runtime/tables.h"

namespace vecc::emitted {

class ForwardPass {
 public:
  /// `data` outlives it. `weights`: by weight, its values. Launches of `shared_work` and more are
  /// shared out among threads.
  ForwardPass(const DataFile& data, const std::vector<std::vector<double>>& weights,
              std::uint64_t shared_work);

  void run(cpu::ThreadTeam& team) { walk_.run(0, launch_count_, team); }
  /// Lines of id, value and target, separated by tabs. Throws Failure.
  void print(std::FILE* file) const;

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
  void bind_accesses(const LaunchRow& row, std::size_t first);
  [[nodiscard]] const void* list(std::uint64_t place, bool is_wide) const;
  [[nodiscard]] const unsigned* wide(std::uint64_t place) const;
  [[nodiscard]] std::vector<double> read(const OutputRow& row) const;

  const DataFile& data_;
  bool is_double_;
  std::size_t element_bytes_;
  std::size_t launch_count_ = 0;
  std::vector<Memory> memory_;
  std::vector<std::byte*> buffers_;
  ArgumentArrays arguments_;
  cpu::TileWalk walk_;
};

}  // namespace vecc::emitted
