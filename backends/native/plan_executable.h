// An Executable that runs a Plan: all of it that does not depend on where the Plan runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backends/common/shared_rows.h"
#include "backends/native/gradient_program.h"
#include "backends/native/program_outline.h"
#include "src/batch/plan_batch.h"
#include "src/program/value_indices.h"
#include "src/support/free_memory.h"
#include "src/support/list_threads.h"
#include "vecc/backend.h"
#include "vecc/plan.h"

namespace vecc::native {

/// The Plan's options for these, of a Program with its backward pass.
[[nodiscard]] PlanOptions plan_options(const ExecutionOptions& options,
                                       const GradientProgram& program);

/// The Plan, verified; places of what is never asked for are gone.
[[nodiscard]] Plan make_verified_plan(const Program& program, const PlanOptions& options);

/// BackendUnsupported of every `update` and `vjp`, if gradients are wanted.
void check_gradients(const Program& program, const ExecutionOptions& options,
                     const std::string& backend, Errors& errors);

/// Backend::compile() where the device is there: what must hold of the Program and its storage,
/// then `make()`. Errors: those of check_stored() and check_gradients(), OutOfMemory if `make()`
/// throws for want of the host's memory, its own.
template <class Block, class Make>
[[nodiscard]] Result<std::unique_ptr<Executable>> compile_checked(const Program& program,
                                                                  const ExecutionOptions& options,
                                                                  const std::string& backend,
                                                                  Make&& make) {
  const ListThreads threads(options.threads);  // that plan, and write what is bound
  Errors errors;
  check_stored<Block>(program, options, backend, errors);
  check_gradients(program, options, backend, errors);
  if (!errors.empty()) return errors;
  try {
    return make();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // more than a vector can ever hold
  }
  return Errors(ErrorCode::OutOfMemory, backend,
                "no memory on the host for values of " +
                    std::to_string(statistics(program).value_bytes) + " bytes at most, " +
                    std::to_string(free_host_bytes()) + " are free");
}

/// Where a Plan runs. Block: numbers of the Plan's dtype in its memory; a copy is the same memory.
template <class Block>
class PlanMachine {
 public:
  virtual ~PlanMachine() = default;
  [[nodiscard]] virtual const Plan& plan() const = 0;
  /// The memory of a buffer that is not the machine's own: a parameter, a state.
  virtual void set_block(BufferIndex buffer, Block block) = 0;
  /// When all buffers have their memory.
  virtual void bind() = 0;
  [[nodiscard]] virtual const Block& block(BufferIndex buffer) const = 0;
  [[nodiscard]] virtual Block make_block(const StoredRequest& asked) const = 0;
  /// All launches of a stage; may return before they are done. Errors: RowNumber, DifferentRows,
  /// when nothing is stored that outlives a run.
  [[nodiscard]] virtual Result<void> start(std::uint32_t stage) = 0;
  /// Until all is done that was started.
  virtual void wait() = 0;
  /// start(), wait(): the seconds of the device between both.
  [[nodiscard]] virtual Result<double> run_measured(std::uint32_t stage) {
    const auto begin = std::chrono::steady_clock::now();
    VECC_TRY_VOID(start(stage));
    wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  /// The same one by one, with the seconds of each launch, then of each number step.
  [[nodiscard]] virtual Result<void> run_timed(std::uint32_t stage,
                                               std::vector<double>& seconds) = 0;
  /// Own memory: arena, constants, indices.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;

  /// The element of block() where a buffer begins.
  [[nodiscard]] std::uint64_t first(BufferIndex buffer) const {
    const PlanBuffer& of = plan().buffers[buffer];
    return of.kind == PlanBuffer::Kind::Arena ? of.offset : 0;
  }
};

template <class Block>
class PlanExecutable : public Executable {
 public:
  Result<void> start() override {
    forget_run();
    VECC_TRY_VOID(machine_->start(0));
    note_run();
    return {};
  }
  Result<void> run() override {
    VECC_TRY_VOID(PlanExecutable::start());
    machine_->wait();
    return {};
  }
  Result<double> timed_run() override {
    forget_run();
    VECC_TRY(const double seconds, machine_->run_measured(0));
    note_run();
    return seconds;
  }
  Result<std::vector<double>> profile() override;
  Result<std::vector<Output>> outputs() override;
  Result<std::vector<double>> read(ValueId value) override;
  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override;
  Result<std::vector<double>> parameter(ParameterIndex parameter) override;
  Result<void> set_state(std::string_view name, std::span<const double> values) override;
  Result<std::vector<double>> state(std::string_view name) override;
  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return stored_.shared(); }
  [[nodiscard]] BatchCounts batch_counts() const override { return batch_counts_; }
  Result<void> differentiate(std::span<const double> output_gradients) override;
  Result<void> differentiate_sum() override;
  Result<std::vector<double>> gradient(ParameterIndex parameter) override;
  [[nodiscard]] std::uint64_t bytes() const override {
    return machine_->bytes() + stored_.made_elements() * byte_size(program_.dtype);
  }

 protected:
  /// copy_outputs() of all samples, piece by piece.
  Result<void> copy_all_outputs(OutputElements to) const;
  PlanExecutable(std::string backend, const GradientProgram& whole)
      : backend_(std::move(backend)),
        program_(whole.program),
        first_(whole.first),
        seeds_(whole.seeds),
        gradients_(whole.gradients) {}

  /// check_stored() has passed.
  void bind(const Program& program, const ExecutionOptions& options,
            std::unique_ptr<PlanMachine<Block>> machine);

  /// That these tables of the storage are in files.
  void note_files(const std::set<std::string>& names) {
    stored_.shared()->in_files.insert(names.begin(), names.end());
  }
  /// Before a run: until it has ended well there are neither values nor gradients.
  void forget_run() {
    has_run_ = false;
    has_gradients_ = false;
  }
  /// After all launches of a run were started.
  void note_run();
  /// After those of a batch were.
  void note_batch(const PlanBatch& batch) {
    ++(batch.has_rows() ? batch_counts_.on_host : batch_counts_.on_device);
    batch_samples_ = batch.samples();
    note_run();
  }
  /// outputs() of the last batch. `by_sample`: BatchPlan::outputs. Error: Usage (batches compute
  /// none, or there was none yet).
  [[nodiscard]] Result<std::vector<Output>> batch_outputs(
      std::span<const BatchOutput> by_sample) const;
  /// Calls visit(block, first element, first sample of the last batch, one behind the last) for
  /// outputs that lie one after another.
  template <class Visit>
  [[nodiscard]] Result<void> for_each_run_of_outputs(std::span<const BatchOutput> by_sample,
                                                     Visit&& visit) const;
  [[nodiscard]] const std::vector<std::uint32_t>& batch_samples() const { return batch_samples_; }
  [[nodiscard]] const Block& parameter_block(ParameterIndex parameter) {
    return stored_.parameter(parameter);
  }
  /// A state of one number, by its name. Error: Usage (there is none, or it has more).
  [[nodiscard]] Result<Block> scalar_state(std::string_view name) {
    VECC_TRY(const ValueId id, program_.find_state(name, backend_));
    VECC_TRY_VOID(check_value_count(describe_state(name), 1, stored_.state(id).elements()));
    return stored_.state(id);
  }

  /// Whether values are there. Error: Usage.
  [[nodiscard]] Result<void> check_has_run(const std::string& call) const {
    if (has_run_) return {};
    return usage(call + ": no run yet, or the last one had an error");
  }

  [[nodiscard]] const ProgramOutline& outline() const { return program_; }
  /// The rows of a value: row i begins at element first + size * i of the block, or, with a view,
  /// first + size * view[i].
  struct PlacedRows {
    const Block& block;
    std::uint64_t first;
    const Index* view;  ///< or null
  };
  [[nodiscard]] PlacedRows placed_rows(ValueId value) const {
    VECC_CHECK(has_run_, "rows before the first run");
    const Plan& plan = machine_->plan();
    const ValuePlace& place = plan.places[value];
    return {machine_->block(place.buffer), machine_->first(place.buffer) + place.first,
            place.view == kNone ? nullptr : &plan.views[place.view]};
  }

 private:
  static constexpr std::uint64_t kReadAtOnce = 1 << 19;    // elements of outputs
  static constexpr std::uint64_t kManyElements = 1 << 16;  // with less one thread is done at once
  static constexpr std::size_t kPieces = 128;

  [[nodiscard]] Errors usage(std::string message) const {
    return Errors(ErrorCode::Usage, backend_, std::move(message));
  }
  void append_rows(ValueId value, std::vector<double>& to) const;
  /// Calls visit(sample, elements) for all rows of an output, by threads (ListThreads) where they
  /// are many.
  template <class Visit>
  void for_each_row_of(const ProgramOutline::Output& output, const Visit& visit) const;
  [[nodiscard]] Result<void> check_differentiates() const;
  [[nodiscard]] Result<void> run_backward();
  [[nodiscard]] std::vector<double> all_of(const Block& block) const {
    std::vector<double> values;
    block.read(0, block.elements(), values);
    return values;
  }

  std::string backend_;
  ProgramOutline program_;  // of the backward pass, too
  // As in GradientProgram; without gradients kNone, none, none.
  ValueId first_;
  std::vector<ParameterIndex> seeds_;
  std::vector<std::optional<ValueId>> gradients_;
  std::unique_ptr<PlanMachine<Block>> machine_;
  StoredRows<Block> stored_;
  std::vector<std::uint32_t> batch_samples_;  // of the last batch
  BatchCounts batch_counts_;
  bool has_run_ = false;
  bool has_gradients_ = false;
  std::uint64_t changes_at_run_ = 0;
};

template <class Block>
void PlanExecutable<Block>::bind(const Program& program, const ExecutionOptions& options,
                                 std::unique_ptr<PlanMachine<Block>> machine) {
  machine_ = std::move(machine);
  ExecutionOptions own = options;
  own.own_parameters.insert(own.own_parameters.end(), seeds_.begin(), seeds_.end());
  stored_.bind(program, own, [&](const StoredRequest& asked) {
    Block block = machine_->make_block(asked);
    if (asked.values) {
      block.write(asked.values);
    } else {
      block.fill(asked.initial);
    }
    return block;
  });
  const Plan& plan = machine_->plan();
  for (BufferIndex b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (buffer.kind == PlanBuffer::Kind::Parameter) {
      machine_->set_block(b, stored_.parameter(buffer.source));
    } else if (buffer.kind == PlanBuffer::Kind::State) {
      machine_->set_block(b, stored_.state(buffer.source));
    }
  }
  machine_->bind();
}

template <class Block>
void PlanExecutable<Block>::note_run() {
  if (program_.updates) stored_.note_change();
  has_run_ = true;
  has_gradients_ = false;
  changes_at_run_ = stored_.changes();
}

template <class Block>
Result<std::vector<double>> PlanExecutable<Block>::profile() {
  std::vector<double> of_launches;
  forget_run();
  VECC_TRY_VOID(machine_->run_timed(0, of_launches));
  note_run();
  std::vector<double> seconds(program_.values.size());
  const Plan& plan = machine_->plan();
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const auto& ops = plan.launches[l].ops;  // the last op of a kernel stands for all
    if (!ops.empty()) seconds[ops.back()] += of_launches[l];
  }
  for (std::size_t s = 0; s < plan.number_steps.size(); ++s) {
    const auto& uses = plan.number_steps[s].uses;
    if (!uses.empty()) seconds[uses.front().op] += of_launches[plan.launches.size() + s];
  }
  if (first_ != kNone) seconds.resize(first_);
  return seconds;
}

template <class Block>
Result<std::vector<double>> PlanExecutable<Block>::read(ValueId value) {
  VECC_TRY_VOID(check_has_run("read"));
  const ProgramOutline::Value& of = program_.values[value];
  std::vector<double> rows;
  if (of.size() == 0) return rows;
  if (machine_->plan().places[value].buffer == kNone) {
    return Errors(ErrorCode::Usage,
                  backend_ + ": %" + std::to_string(value) + " " + std::string(text_of(of.kind)),
                  "the value is not kept; compile with keep_values");
  }
  const Plan& plan = machine_->plan();
  if (plan.arena_elements == 0 &&
      plan.buffers[plan.places[value].buffer].kind == PlanBuffer::Kind::Arena) {
    return usage("values of a compact batch are not kept");
  }
  rows.reserve(of.size());
  append_rows(value, rows);
  return rows;
}

template <class Block>
Result<void> PlanExecutable<Block>::set_parameter(ParameterIndex parameter,
                                                  std::span<const double> values) {
  const Block& block = stored_.parameter(parameter);
  // (Steps set some: a description is made only of an error.)
  if (values.size() != block.elements()) {
    return check_value_count(describe_parameter(program_.parameters[parameter]), values.size(),
                             block.elements());
  }
  block.write(values);
  stored_.note_change(parameter);
  return {};
}

template <class Block>
Result<std::vector<double>> PlanExecutable<Block>::parameter(ParameterIndex parameter) {
  return all_of(stored_.parameter(parameter));
}

template <class Block>
Result<void> PlanExecutable<Block>::set_state(std::string_view name,
                                              std::span<const double> values) {
  VECC_TRY(const ValueId id, program_.find_state(name, backend_));
  const Block& block = stored_.state(id);
  VECC_TRY_VOID(check_value_count(describe_state(name), values.size(), block.elements()));
  block.write(values);
  stored_.note_change();
  return {};
}

template <class Block>
Result<std::vector<double>> PlanExecutable<Block>::state(std::string_view name) {
  VECC_TRY(const ValueId id, program_.find_state(name, backend_));
  return all_of(stored_.state(id));
}

template <class Block>
Result<void> PlanExecutable<Block>::check_differentiates() const {
  if (first_ == kNone) return usage("differentiate: the Program was compiled without gradients");
  if (!has_run_ || stored_.changes() != changes_at_run_) {
    return usage("differentiate: no run since the Program was compiled or a parameter was set");
  }
  return {};
}

template <class Block>
Result<void> PlanExecutable<Block>::run_backward() {
  has_gradients_ = false;
  VECC_TRY_VOID(machine_->start(1));
  machine_->wait();
  has_gradients_ = true;
  return {};
}

template <class Block>
Result<void> PlanExecutable<Block>::differentiate_sum() {
  VECC_TRY_VOID(check_differentiates());
  for (const ParameterIndex seed : seeds_) stored_.parameter(seed).fill(1);
  return run_backward();
}

template <class Block>
Result<void> PlanExecutable<Block>::differentiate(std::span<const double> output_gradients) {
  VECC_TRY_VOID(check_differentiates());
  const std::vector<std::uint64_t>& begin = program_.output_begin;
  if (output_gradients.size() != begin.back()) {
    return Errors(ErrorCode::Usage, "output gradients",
                  std::to_string(output_gradients.size()) + " numbers, expected " +
                      std::to_string(begin.back()) + ": one an element of every sample's output");
  }
  for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
    const auto& [value, samples] = program_.outputs[o];
    const std::size_t size = program_.values[value].shape.size();
    std::vector<double> rows;
    rows.reserve(samples.size() * size);
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
      const auto row = output_gradients.subspan(begin[samples[i]], size);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    stored_.parameter(seeds_[o]).write(rows);
  }
  return run_backward();
}

template <class Block>
Result<std::vector<double>> PlanExecutable<Block>::gradient(ParameterIndex parameter) {
  if (!has_gradients_) return usage("gradient: no differentiate() since the last run");
  if (const auto& value = gradients_[parameter]) return read(*value);
  return std::vector<double>(stored_.parameter(parameter).elements(), 0.0);
}

}  // namespace vecc::native

#include "backends/native/plan_outputs.h"  // members of its class template
