// A training's step on a GPU: its memory, its kernels, and the CUDA graph that starts them. Batch,
// negatives, scores, derivatives and rows are made and moved there; between the steps of an epoch
// the host does nothing but to start them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/device_block.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/launch_graph.h"
#include "src/kg/cuda/rank_model.h"
#include "src/kg/train/cuda/step_launches.h"
#include "src/kg/train/cuda/step_sizes.h"
#include "src/kg/train/learned_model.h"

namespace vecc::kg {

/// What throws throws cuda::DeviceError.
class DeviceStep {
 public:
  /// Of options that check_triple_options() lets pass; `formula`: of ScoreModel::Formula. Errors:
  /// BackendUnsupported (rows of a formula that threads have no room for), LimitShape, OutOfMemory,
  /// those of cuda::compile_device_code().
  [[nodiscard]] static Result<std::unique_ptr<DeviceStep>> make(
      std::shared_ptr<cuda::Device> device, std::span<const Triple> triples, std::uint32_t entities,
      std::uint32_t relations, const TripleTrainOptions& options,
      std::optional<ScoreFormula> formula);

  [[nodiscard]] const StepSizes& sizes() const { return sizes_; }
  /// On the device.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Of tables that it has no room for, in the host's memory.
  [[nodiscard]] std::uint64_t host_bytes() const { return host_bytes_; }

  /// Weights and states; T is that of the options' dtype.
  template <class T>
  void write(const LearnedModel<T>& model) const;
  template <class T>
  void read(LearnedModel<T>& model) const;

  /// For ranks by the weights where they are.
  [[nodiscard]] RankModel rank_model() const;
  [[nodiscard]] RankTables rank_tables() const;

  /// Of the epoch whose steps are started next.
  void set_order(std::span<const std::uint32_t> order) const;
  void begin(const device::EpochState& state, std::span<const device::StepRates> rates) const;
  /// One step; does not wait.
  void start() const { graph_->start(); }
  /// The kernels of the step that comes next, each alone; the weights are then of no training.
  [[nodiscard]] std::vector<LaunchTime> time_launches(std::uint32_t runs) const {
    return launches_->time(device_, runs);
  }
  /// Waits for all steps.
  [[nodiscard]] device::EpochState state() const;

 private:
  struct Table {
    cuda::DeviceMemory values;
    std::vector<cuda::DeviceMemory> states;
  };
  DeviceStep(std::shared_ptr<cuda::Device> device, const StepKinds& kinds, const StepSizes& sizes)
      : device_(std::move(device)), kinds_(kinds), sizes_(sizes) {}

  // On the device, or pinned in the host's memory, at the same address there.
  struct TablePlaces {
    TablePlace values = TablePlace::Device;
    TablePlace states = TablePlace::Device;
  };
  [[nodiscard]] Result<void> place_tables(const TripleTrainOptions& options);
  cuda::DeviceMemory allocate(std::uint64_t count, std::uint64_t bytes,
                              TablePlace place = TablePlace::Device);
  std::uint64_t hold(std::uint64_t count, std::uint64_t bytes);
  template <class T>
  std::uint64_t hold_values(std::span<const T> values);
  [[nodiscard]] Table make_table(std::uint64_t rows, std::uint64_t width, std::uint32_t states,
                                 const TablePlaces& places);
  /// `triples`: what batches are cut from; k-vs-all: QueryExamples. `known`: or null.
  void make_memory(std::span<const Triple> triples, const KnownTriples* known,
                   const TripleTrainOptions& options);
  void hold_draws(std::span<const Triple> triples, const KnownTriples* known,
                  const NegativeOptions& options);
  void set_numbers(const TripleTrainOptions& options);
  void make_formula_memory(std::uint32_t states);
  /// Modules of the step and of the formula's kernels.
  [[nodiscard]] Result<void> load_code();
  void make_graph(const cuda::DeviceModule& code, const StepGrids& grids);
  template <class T>
  void write_table(const Table& table, const LearnedRows<T>& rows, ParameterOwner owner) const;
  template <class T>
  void read_table(const Table& table, LearnedRows<T>& rows, ParameterOwner owner) const;

  std::shared_ptr<cuda::Device> device_;
  StepKinds kinds_;
  StepSizes sizes_;
  std::uint64_t bytes_ = 0;
  std::uint64_t host_bytes_ = 0;
  device::Arguments arguments_{};
  TablePlaces entity_places_;
  TablePlaces relation_places_;
  Table entities_;
  Table relations_;
  Table shared_;
  cuda::DeviceMemory state_;
  cuda::DeviceMemory order_;
  cuda::DeviceMemory rates_;
  std::vector<cuda::DeviceMemory> held_;  ///< what only the kernels know
  std::optional<DeviceScore> score_;      ///< a user's
  std::optional<FormulaStep> formula_;    ///< its kernels
  std::shared_ptr<cuda::DeviceModule> code_;
  std::vector<std::shared_ptr<cuda::DeviceModule>> formula_code_;
  std::unique_ptr<StepLaunches> launches_;
  std::unique_ptr<cuda::LaunchGraph> graph_;
};

}  // namespace vecc::kg
