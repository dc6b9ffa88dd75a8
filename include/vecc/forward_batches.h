// The forward pass of a Program some samples at a time: in the memory of a batch, where that of all
// samples at once would not fit (vecc/batch.h). On cuda the values of all samples have their memory
// all the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "vecc/backend.h"
#include "vecc/batch.h"
#include "vecc/program.h"

namespace vecc {

/// Samples in their order, as many at a time as `batch_size`, the last batch with what is left. The
/// Program is compiled once, for all of them; after the first batch nothing is planned, compiled or
/// allocated but what outputs() returns.
class ForwardBatches {
 public:
  struct Options {
    std::uint32_t batch_size = 1;  ///< at least 1
    /// weights, kept_bytes; others are set.
    BatchOptions batch = {};
    /// Where batch.weights has some: sets those of a batch, whose samples are there.
    std::function<void(Batch&)> set_weights = {};
    /// Called when a batch has run, with its states and outputs there; may be empty.
    std::function<Result<void>()> after_batch = {};
  };

  /// `program`: without updates of parameters, which every batch would run again; those of states
  /// (sums over the samples) it does run. `execution.batch` is not looked at. Errors:
  /// BackendUnsupported (a backend that binds no batches, such updates), those of
  /// Backend::compile().
  [[nodiscard]] static Result<ForwardBatches> compile(const Program& program,
                                                      const Backend& backend,
                                                      const ExecutionOptions& execution,
                                                      Options options);

  [[nodiscard]] std::uint32_t batch_count() const;
  /// What the first batch takes, before it runs; zeros without samples. Errors: those of
  /// Executable::bind_batch().
  [[nodiscard]] Result<BatchBytes> first_bytes();
  /// Runs all batches: the outputs of all samples, in their order, as
  /// BatchOptions::computes_outputs says. (Bit by bit where both are compiled, or both interpreted:
  /// ExecutionOptions::expected_runs decides, in runs of all batches.) Errors: those of
  /// Executable::bind_batch() and start_batch().
  [[nodiscard]] Result<std::vector<Executable::Output>> outputs();
  /// As Executable::bytes().
  [[nodiscard]] std::uint64_t bytes() const { return executable_->bytes(); }
  [[nodiscard]] Executable& executable() { return *executable_; }

 private:
  ForwardBatches(std::unique_ptr<Executable> executable, std::uint32_t samples, Options options)
      : executable_(std::move(executable)), samples_(samples), options_(std::move(options)) {}
  Result<void> bind(std::uint32_t batch);

  std::unique_ptr<Executable> executable_;
  std::uint32_t samples_;
  Options options_;
  Batch batch_;
  std::unique_ptr<BoundBatch> bound_;
};

}  // namespace vecc
