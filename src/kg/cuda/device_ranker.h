// Ranks of triples among all entities on a GPU, block by block: queries' vectors, then tiles of
// their scores with entities, which are counted where they are computed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/device_block.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/launch_graph.h"
#include "src/kg/cuda/rank_blocks.h"
#include "src/kg/cuda/rank_formula.h"
#include "src/kg/cuda/rank_lists.h"
#include "src/kg/ranks.h"

namespace vecc::kg {

/// Of the same triples, by the weights that are in the tables when rank() is called. What throws
/// throws cuda::DeviceError.
class DeviceRanker {
 public:
  /// `tables` must outlive it. `options`: `threads` says nothing here. Without room for blocks of
  /// `block_bytes` they are smaller. Errors: OutOfMemory, LimitShape, BackendUnsupported (rows of a
  /// formula that threads have no room for), those of cuda::compile_device_code().
  [[nodiscard]] static Result<std::unique_ptr<DeviceRanker>> make(
      std::shared_ptr<cuda::Device> device, RankModel model, const RankTables& tables,
      std::span<const Triple> triples, const KnownTriples& known, const RankOptions& options,
      std::uint64_t block_bytes = kRankBlockBytes);

  /// After all work that was started on the device; rank_triples() says which ranks.
  [[nodiscard]] std::vector<Rank> rank();
  /// Of memory on the GPU.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  // Whose `answers` and `projected` are.
  struct Answers {
    std::uint32_t first_entity = 0;
    Side asked = Side::Tail;
    std::uint32_t relation = 0;
  };
  DeviceRanker(std::shared_ptr<cuda::Device> device, RankModel model, const RankTables& tables)
      : device_(std::move(device)), model_(std::move(model)), tables_(tables) {}

  [[nodiscard]] std::uint64_t hold(std::uint64_t bytes);
  template <class T>
  [[nodiscard]] std::uint64_t hold_values(const std::vector<T>& values);
  void hold_lists(const RankLists& lists);
  void hold_block();
  [[nodiscard]] Result<void> load_code();
  void start(const char* kernel, std::uint64_t blocks, std::uint32_t threads) const;
  void start(const std::vector<FormulaUnit>& units) const;
  void rank_batch(std::size_t batch);
  void make_queries(std::size_t batch) const;
  void make_answers(const Query& query);
  [[nodiscard]] const RankFormulaSide& side_of(const Query& query) const {
    return formula_[query.asked == Side::Tail ? 1 : 0];
  }
  [[nodiscard]] std::vector<Rank> read_ranks() const;

  std::shared_ptr<cuda::Device> device_;
  RankModel model_;
  RankTables tables_;
  RankBlocks blocks_;
  QueryPlan plan_;
  std::vector<std::uint32_t> first_run_;
  std::function<void(double)> progress_;
  std::uint64_t bytes_ = 0;
  device::RankArguments a_{};
  std::vector<cuda::DeviceMemory> held_;
  cuda::DeviceMemory places_;
  RankFormula formula_;
  std::shared_ptr<cuda::DeviceModule> code_;
  std::vector<std::shared_ptr<cuda::DeviceModule>> formula_code_;
  std::optional<Answers> answers_;
};

}  // namespace vecc::kg
