#include "backends/torch/torch_executable.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "backends/common/shared_rows.h"
#include "backends/torch/cuda_graph.h"
#include "backends/torch/output_gradients.h"
#include "backends/torch/stored_updates.h"
#include "backends/torch/stream_clock.h"
#include "backends/torch/torch_checks.h"
#include "backends/torch/torch_guard.h"
#include "backends/torch/torch_ops.h"
#include "vecc/escape.h"

namespace vecc::libtorch {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kNeverRecord = 2;  // of TorchExecutable::runs_

// The driver's name of a GPU. torch's own way to it needs headers of the CUDA toolkit.
std::string gpu_name(int index) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver == nullptr) return {};
  using GetDevice = int (*)(int* device, int index);
  using GetName = int (*)(char* name, int length, int device);
  const auto get_device = reinterpret_cast<GetDevice>(dlsym(driver, "cuDeviceGet"));
  const auto get_name = reinterpret_cast<GetName>(dlsym(driver, "cuDeviceGetName"));
  int device = 0;
  char name[128] = {};
  if (get_device == nullptr || get_name == nullptr || get_device(&device, index) != 0 ||
      get_name(name, sizeof name - 1, device) != 0) {
    return {};
  }
  return " " + escape_terminal(name);
}

std::vector<double> to_doubles(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::TensorOptions(at::kCPU).dtype(at::kDouble)).contiguous();
  const auto* begin = host.const_data_ptr<double>();
  return {begin, begin + host.numel()};
}

Errors usage(std::string message) {
  return Errors(ErrorCode::Usage, "torch", std::move(message));
}

class TorchExecutable final : public Executable {
 public:
  TorchExecutable(const Program& program, at::Device device, const ExecutionOptions& options)
      : program_(program),
        fused_(program_,
               {.fuse = !options.keep_values, .cuda = device.is_cuda(), .kept = options.kept}),
        plan_(plan_buffers(program_, fused_, options.kept)),
        gradient_plan_(plan_gradients(program_, fused_, plan_, options.gradients)),
        device_(device),
        options_(options),
        arrays_(device, program.dtype() == DType::F32 ? at::kFloat : at::kDouble),
        values_(program.ops().size()),
        output_gradients_(program_),
        records_(options.gradients || std::ranges::any_of(program_.ops(), [](const Op& op) {
                   return op.kind() == OpKind::Vjp;
                 })) {}

  TorchExecutable(const TorchExecutable&) = delete;  // fused_ refers to program_
  TorchExecutable& operator=(const TorchExecutable&) = delete;
  ~TorchExecutable() override = default;

  /// Uploads and lowers everything.
  Result<void> prepare() {
    TorchWork work{"torch: parameters", 0};
    return unrecorded(
        [&] { return work; },
        [&] {
          bind_stored(work);
          for (const ConcatChain& chain : plan_.chains) {
            work = {"torch: concat buffer",
                    chain.rows * chain.shape.size() * byte_size(program_.dtype())};
            chains_.push_back(
                arrays_.buffer(chain.rows, static_cast<std::int64_t>(chain.shape.size())));
          }
          for (const CollectedRows& block : gradient_plan_.collected) {
            gradient_rows_.push_back(std::make_shared<GradientRows>(
                block.rows, static_cast<std::int64_t>(block.shape.size()), arrays_.options()));
          }
          for (ValueId id = 0; id < program_.ops().size(); ++id) {
            work = work_of(program_, id);
            steps_.push_back(lower_op(context(), id));
            if (program_.op(id).kind() != OpKind::Update) continue;
            updates_.add(program_, id, stored_.target(program_, program_.op(id).operands[0]),
                         arrays_);
          }
          synchronize();
        });
  }

  Result<void> run() override {
    if (!graph_.is_recorded()) return run_steps(nullptr);
    return launch_graph();
  }

  Result<double> timed_run() override {
    if (device_.is_cpu()) return Executable::timed_run();
    const auto work = [] { return TorchWork{"torch: events", 0}; };
    VECC_TRY_VOID(guard(device_, work, [&] {
      if (clock_ == nullptr) clock_ = std::make_unique<StreamClock>(device_);
      clock_->begin();
    }));
    is_timed_ = true;
    const Result<void> result = run();
    is_timed_ = false;
    VECC_TRY_VOID(result);
    return clock_->seconds();
  }

  // Leaves values_ with tensors of its own, which a graph would not write: no more graph.
  Result<std::vector<double>> profile() override {
    graph_.discard();
    runs_ = kNeverRecord;
    std::vector<double> seconds(steps_.size());
    VECC_TRY_VOID(run_steps(&seconds));
    return seconds;
  }

  Result<std::vector<Output>> outputs() override {
    VECC_CHECK(has_run_, "outputs before the first run");
    std::vector<Output> result(program_.sample_count());
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      const auto* output = std::get_if<OutputOp>(&op.attributes);
      if (output == nullptr) continue;
      VECC_TRY(const std::vector<double> rows, read(id));
      const auto size = static_cast<std::ptrdiff_t>(op.shape.size());
      for (std::uint32_t i = 0; i < op.rows; ++i) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i) * size;
        result[output->samples[i]] = {op.shape, {begin, begin + size}};
      }
    }
    return result;
  }

  Result<std::vector<double>> read(ValueId value) override {
    VECC_CHECK(has_run_, "read before the first run");
    if (!values_[value].defined()) {
      return Errors(ErrorCode::Usage, work_of(program_, value).place,
                    "the value was released after its last reader; compile with keep_values");
    }
    std::vector<double> result;
    VECC_TRY_VOID(unrecorded([&] { return work_of(program_, value); },
                             [&] { result = to_doubles(values_[value]); }));
    return result;
  }

  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override {
    stored_.note_change(parameter);  // what the last run kept is of the values before
    return set_block(stored_.parameter(parameter), values,
                     describe_parameter(program_.parameters()[parameter].name));
  }

  Result<std::vector<double>> parameter(ParameterIndex parameter) override {
    return read_block(stored_.parameter(parameter));
  }

  Result<void> set_state(std::string_view name, std::span<const double> values) override {
    VECC_TRY(const ValueId id, find_state(program_, name, "torch"));
    stored_.note_change();
    return set_block(stored_.state(id), values, describe_state(name));
  }

  Result<std::vector<double>> state(std::string_view name) override {
    VECC_TRY(const ValueId id, find_state(program_, name, "torch"));
    return read_block(stored_.state(id));
  }

  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return stored_.shared(); }

  Result<void> differentiate(std::span<const double> output_gradients) override {
    if (!options_.gradients) {
      return usage("differentiate: the Program was compiled without gradients");
    }
    if (!can_differentiate()) {
      return usage("differentiate: no run since the Program was compiled or a parameter was set");
    }
    if (output_gradients.size() != output_gradients_.count()) {
      return Errors(ErrorCode::Usage, "output gradients",
                    std::to_string(output_gradients.size()) + " numbers, expected " +
                        std::to_string(output_gradients_.count()) +
                        ": one an element of every sample's output");
    }
    parameter_gradients_.clear();
    const auto work = [&] { return TorchWork{"torch: backward pass", largest_value()}; };
    return guard(device_, work, [&] {
      const c10::InferenceMode mode(false);
      output_gradients_.upload(output_gradients, arrays_.options());
      for (const auto& rows : gradient_rows_) rows->clear();  // of a pass that failed
      std::vector<at::Tensor> outputs;
      for (const ValueId id : output_gradients_.outputs()) outputs.push_back(values_[id]);
      parameter_gradients_ = gradients_of(outputs, parameters_, output_gradients_.tensors());
      for (const auto& rows : gradient_rows_) rows->clear();  // memory that only gradients share
      synchronize();
    });
  }

  Result<std::vector<double>> gradient(ParameterIndex parameter) override {
    if (parameter_gradients_.size() != parameters_.size()) {
      return usage("gradient: no differentiate() since the last run");
    }
    const at::Tensor& gradient = parameter_gradients_[parameter];
    std::vector<double> result(static_cast<std::size_t>(parameters_[parameter].numel()));
    if (!gradient.defined()) return result;
    const auto work = [&] { return TorchWork{"torch: gradients", gradient.nbytes()}; };
    VECC_TRY_VOID(unrecorded(work, [&] { result = to_doubles(gradient); }));
    return result;
  }

  [[nodiscard]] std::uint64_t bytes() const override { return arrays_.bytes(); }

  [[nodiscard]] std::string device_name() const override {
    return device_.is_cpu() ? "cpu" : device_.str() + gpu_name(device_.index());
  }

 private:
  /// guard() of what is no part of a run.
  template <class GetWork, class Body>
  Result<void> unrecorded(GetWork&& work, Body&& body) {
    return guard(device_, work, [&] {
      const c10::InferenceMode mode(!records_);
      const c10::NoGradGuard no_gradients;
      body();
    });
  }

  // A run; if `seconds` is there, with each op timed.
  Result<void> run_steps(std::vector<double>* seconds) {
    has_run_ = false;
    parameter_gradients_.clear();
    ValueId id = 0;
    const auto work = [&] {
      return id < steps_.size() ? work_of(program_, id) : TorchWork{"torch", 0};
    };
    VECC_TRY_VOID(guard(device_, work, [&] {
      // What the first run made on its way (workspaces, tuned kernels) is there: the second one is
      // recorded. A run that is timed op by op waits for the device in between.
      if (seconds == nullptr && runs_ == 1 && may_record()) {
        runs_ = kNeverRecord;
        if (graph_.record(device_, [&] { launch_steps(id, nullptr); })) {
          graph_.launch();
          finish_run();
          return;
        }
        id = 0;
      }
      launch_steps(id, seconds);
      finish_run();
    }));
    if (seconds == nullptr && runs_ == 0) runs_ = 1;
    has_run_ = true;
    changes_at_run_ = stored_.changes();
    return {};
  }

  void launch_steps(ValueId& id, std::vector<double>* seconds) {
    // Without gradients nothing is recorded, and tensors carry less with them.
    const c10::InferenceMode mode(!records_);
    std::ranges::fill(values_, at::Tensor());
    for (; id < steps_.size(); ++id) {
      if (!steps_[id]) continue;
      const auto start = seconds != nullptr ? Clock::now() : Clock::time_point();
      values_[id] = steps_[id](values_);
      if (seconds != nullptr) {
        synchronize();
        (*seconds)[id] = std::chrono::duration<double>(Clock::now() - start).count();
      }
      if (options_.keep_values) continue;
      for (const ValueId released : plan_.released[id]) values_[released] = at::Tensor();
    }
    store_updates(seconds);
  }

  // With gradients, the backward pass needs what autograd writes down in every run.
  [[nodiscard]] bool may_record() const {
    return device_.is_cuda() && options_.torch_records && !options_.gradients &&
           CudaGraph::is_built_in();
  }

  // The run as it was recorded: into the same tensors.
  Result<void> launch_graph() {
    has_run_ = false;
    VECC_TRY_VOID(guard(
        device_,
        [] {
          return TorchWork{"torch: CUDA graph", 0};
        },
        [&] {
          for (std::size_t k = 0; k < updates_.updates().size(); ++k) stored_.note_change();
          graph_.launch();
          finish_run();
        }));
    has_run_ = true;
    changes_at_run_ = stored_.changes();
    return {};
  }

  // After every other op of the run: all of them, and the host, see what was stored before.
  void store_updates(std::vector<double>* seconds) {
    updates_.detach(values_);
    for (std::size_t k = 0; k < updates_.updates().size(); ++k) {
      const ValueId id = updates_.updates()[k];
      const auto start = seconds != nullptr ? Clock::now() : Clock::time_point();
      stored_.note_change();
      updates_.store(k, values_[id]);
      const bool kept =
          options_.keep_values || std::ranges::find(options_.kept, id) != options_.kept.end();
      if (!kept) values_[id] = at::Tensor();
      if (seconds == nullptr) continue;
      synchronize();
      (*seconds)[id] += std::chrono::duration<double>(Clock::now() - start).count();
    }
  }

  // Parameters and states as plain tensors, which any executable of the storage can use, whether it
  // records or not; one that records has its own alias of a parameter.
  void bind_stored(TorchWork& work) {
    const c10::InferenceMode plain(false);
    stored_.bind(program_, options_, [&](const StoredRequest& asked) {
      work.bytes = asked.elements() * byte_size(program_.dtype());
      const auto size = static_cast<std::int64_t>(asked.shape.size());
      return asked.values ? arrays_.values(asked.values, asked.rows, size)
                          : arrays_.buffer(asked.rows, size).fill_(asked.initial);
    });
    for (const at::Tensor& stored : stored_.parameters()) {
      parameters_.push_back(options_.gradients ? stored.detach().requires_grad_() : stored);
    }
  }

  Result<void> set_block(const at::Tensor& stored, std::span<const double> values,
                         const std::string& what) {
    VECC_TRY_VOID(
        check_value_count(what, values.size(), static_cast<std::uint64_t>(stored.numel())));
    const auto work = [&] { return TorchWork{"torch: " + what, stored.nbytes()}; };
    return unrecorded(work, [&] {
      auto* begin = const_cast<double*>(values.data());  // from_blob; nothing writes through it
      stored.copy_(at::from_blob(begin, stored.sizes(), at::kDouble));
      synchronize();
    });
  }

  Result<std::vector<double>> read_block(const at::Tensor& stored) {
    std::vector<double> result;
    const auto work = [&] { return TorchWork{"torch: parameters", stored.nbytes()}; };
    VECC_TRY_VOID(unrecorded(work, [&] { result = to_doubles(stored); }));
    return result;
  }

  [[nodiscard]] bool can_differentiate() const {
    return has_run_ && changes_at_run_ == stored_.changes();
  }

  [[nodiscard]] LoweringContext context() {
    return {program_,    fused_,           plan_,   gradient_plan_, options_.torch_reduce, arrays_,
            parameters_, stored_.states(), chains_, gradient_rows_};
  }

  [[nodiscard]] std::uint64_t largest_value() const {
    std::uint64_t largest = 0;
    for (const Op& op : program_.ops()) largest = std::max(largest, op.size());
    return largest * byte_size(program_.dtype());
  }

  void finish_run() const {
    if (is_timed_) clock_->end();
    synchronize();
  }

  void synchronize() const {
    if (device_.is_cuda()) ::torch::cuda::synchronize(device_.index());
  }

  Program program_;
  FusedReads fused_;
  BufferPlan plan_;
  GradientPlan gradient_plan_;
  at::Device device_;
  ExecutionOptions options_;
  DeviceArrays arrays_;
  StoredRows<at::Tensor> stored_;
  std::vector<at::Tensor> parameters_;  // the stored ones, or their aliases that record
  StoredUpdates updates_;
  std::vector<at::Tensor> chains_;
  std::vector<std::shared_ptr<GradientRows>> gradient_rows_;
  std::vector<Step> steps_;         // empty: an op that is not run
  std::vector<at::Tensor> values_;  // undefined: not made yet, or released
  OutputGradients output_gradients_;
  std::vector<at::Tensor> parameter_gradients_;  // by parameter; undefined: zero
  bool records_;                                 // a backward pass, or in the steps of a vjp
  CudaGraph graph_;
  std::unique_ptr<StreamClock> clock_;  // when a run was timed
  bool is_timed_ = false;               // the run that is going on
  int runs_ = 0;                        // of run(), as far as recording wants to know
  bool has_run_ = false;
  std::uint64_t changes_at_run_ = 0;
};

at::Device choose(const Device& device) {
  const auto cuda = [](std::uint32_t index) {
    return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
  };
  switch (device.kind) {
    case Device::Kind::Auto: return ::torch::cuda::is_available() ? cuda(0) : at::Device(at::kCPU);
    case Device::Kind::Cpu: return {at::kCPU};
    case Device::Kind::Cuda: return cuda(device.index);
  }
  return {at::kCPU};
}

}  // namespace

std::uint32_t count_torch_gpus() {
  return static_cast<std::uint32_t>(::torch::cuda::device_count());
}

Result<std::unique_ptr<Executable>> make_torch_executable(const Program& program,
                                                          const ExecutionOptions& options) {
  // fp32 products in fp32: no TF32, whatever the environment says.
  at::globalContext().setFloat32MatmulPrecision("highest");
  if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
  const at::Device device = choose(options.device);
  VECC_TRY_VOID(check_torch_program(program, options, device));
  auto executable = std::make_unique<TorchExecutable>(program, device, options);
  VECC_TRY_VOID(executable->prepare());
  return std::unique_ptr<Executable>(std::move(executable));
}

}  // namespace vecc::libtorch
