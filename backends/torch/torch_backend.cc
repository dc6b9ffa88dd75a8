#include "backends/torch/torch_backend.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <utility>

#include "backends/torch/buffer_plan.h"
#include "backends/torch/torch_ops.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

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

// Bytes of memory that the machine has free, 0 if it does not say.
std::uint64_t free_host_bytes() {
  std::ifstream lines("/proc/meminfo");
  std::string key;
  for (std::uint64_t kilobytes = 0; lines >> key >> kilobytes;) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    lines.ignore(64, '\n');
  }
  return 0;
}

std::string first_line(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return escape_terminal(text.substr(0, text.find('\n')), 300);
}

bool is_out_of_memory(const c10::Error& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  // The CPU's allocator throws a plain error.
  const std::string text = error.what_without_backtrace();
  return text.find("DefaultCPUAllocator") != std::string::npos;
}

/// What was being made when libtorch failed.
struct Work {
  std::string place;  ///< `torch: %7 concat`
  std::uint64_t bytes = 0;
};

Errors out_of_memory(const Work& work, const at::Device& device, const std::string& reason) {
  std::string message = "no memory for " + std::to_string(work.bytes) + " bytes on " + device.str();
  if (device.is_cpu()) message += ", " + std::to_string(free_host_bytes()) + " are free";
  if (!reason.empty()) message += ": " + reason;  // on CUDA it says how much is free
  return Errors(ErrorCode::OutOfMemory, work.place, message);
}

/// Runs `body` and turns what libtorch throws into Errors; `work()` is asked then.
template <class GetWork, class Body>
Result<void> guard(const at::Device& device, GetWork&& work, Body&& body) {
  try {
    const c10::InferenceMode inference;
    const c10::OptionalDeviceGuard current(device);
    body();
    return {};
  } catch (const c10::Error& error) {
    if (is_out_of_memory(error)) return out_of_memory(work(), device, first_line(error));
    return Errors(ErrorCode::DeviceFailure, work().place, first_line(error));
  } catch (const std::bad_alloc&) {
    return out_of_memory(work(), at::kCPU, {});
  }
}

Work work_of(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  return {"torch: %" + std::to_string(id) + " " + std::string(text_of(op.kind())),
          op.size() * byte_size(op.dtype)};
}

std::vector<double> to_doubles(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::TensorOptions(at::kCPU).dtype(at::kDouble)).contiguous();
  const auto* begin = host.const_data_ptr<double>();
  return {begin, begin + host.numel()};
}

class TorchExecutable final : public Executable {
 public:
  TorchExecutable(const Program& program, at::Device device, bool keep_values)
      : program_(program),
        plan_(plan_buffers(program)),
        device_(device),
        keep_values_(keep_values),
        arrays_(device, program.dtype() == DType::F32 ? at::kFloat : at::kDouble),
        values_(program.ops().size()) {}

  /// Uploads and lowers everything.
  Result<void> prepare() {
    Work work{"torch: parameters", 0};
    return guard(
        device_, [&] { return work; },
        [&] {
          for (const Parameter& parameter : program_.parameters()) {
            work.bytes = parameter.values->size() * byte_size(program_.dtype());
            parameters_.push_back(
                arrays_.values(*parameter.values, parameter.rows,
                               static_cast<std::int64_t>(parameter.shape.size())));
          }
          for (const ConcatChain& chain : plan_.chains) {
            work = {"torch: concat buffer",
                    chain.rows * chain.shape.size() * byte_size(program_.dtype())};
            chains_.push_back(
                arrays_.buffer(chain.rows, static_cast<std::int64_t>(chain.shape.size())));
          }
          const LoweringContext context{program_, plan_, arrays_, parameters_, chains_};
          for (ValueId id = 0; id < program_.ops().size(); ++id) {
            work = work_of(program_, id);
            steps_.push_back(lower_op(context, id));
          }
          synchronize();
        });
  }

  Result<void> run() override {
    has_run_ = false;
    ValueId id = 0;
    VECC_TRY_VOID(guard(
        device_, [&] { return id < steps_.size() ? work_of(program_, id) : Work{"torch"}; },
        [&] {
          std::ranges::fill(values_, at::Tensor());
          for (; id < steps_.size(); ++id) {
            values_[id] = steps_[id](values_);
            if (keep_values_) continue;
            for (const ValueId released : plan_.released[id]) values_[released] = at::Tensor();
          }
          synchronize();
        }));
    has_run_ = true;
    return {};
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
    VECC_TRY_VOID(guard(
        device_, [&] { return work_of(program_, value); },
        [&] { result = to_doubles(values_[value]); }));
    return result;
  }

  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override {
    const at::Tensor& stored = parameters_[parameter];
    if (values.size() != static_cast<std::size_t>(stored.numel())) {
      return Errors(
          ErrorCode::Usage,
          "parameter \"" + escape_terminal(program_.parameters()[parameter].name) + "\"",
          std::to_string(values.size()) + " values, expected " + std::to_string(stored.numel()));
    }
    const auto work = [&] { return Work{"torch: parameters", stored.nbytes()}; };
    return guard(device_, work, [&] {
      auto* begin = const_cast<double*>(values.data());  // from_blob; nothing writes through it
      stored.copy_(at::from_blob(begin, stored.sizes(), at::kDouble));
      synchronize();
    });
  }

  [[nodiscard]] std::uint64_t bytes() const override { return arrays_.bytes(); }

  [[nodiscard]] std::string device_name() const override {
    return device_.is_cpu() ? "cpu" : device_.str() + gpu_name(device_.index());
  }

 private:
  void synchronize() const {
    if (device_.is_cuda()) ::torch::cuda::synchronize(device_.index());
  }

  Program program_;
  BufferPlan plan_;
  at::Device device_;
  bool keep_values_;
  DeviceArrays arrays_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> chains_;
  std::vector<Step> steps_;
  std::vector<at::Tensor> values_;  // undefined: not made yet, or released
  bool has_run_ = false;
};

class TorchBackend final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "torch"; }

  [[nodiscard]] Result<void> available(const Device& device) const override {
    if (device.kind != Device::Kind::Cuda) return {};
    const auto count = static_cast<std::uint32_t>(::torch::cuda::device_count());
    if (device.index < count) return {};
    const std::string asked = "cuda:" + std::to_string(device.index) + " is not there: libtorch " +
                              TORCH_VERSION + " sees " + std::to_string(count) +
                              (count == 1 ? " CUDA device" : " CUDA devices");
    return Errors(ErrorCode::DeviceAbsent, "torch",
                  count > 0 ? asked
                            : asked +
                                  "; use --device=cpu, or check the driver (nvidia-smi) and "
                                  "that this torch was built for CUDA");
  }

  [[nodiscard]] std::vector<std::string> unsupported(const Program& program) const override {
    std::vector<std::string> gaps;
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const OpKind kind = program.op(id).kind();
      if (kind != OpKind::State && kind != OpKind::Update) continue;
      gaps.push_back("%" + std::to_string(id) + " " + std::string(text_of(kind)) +
                     ": torch runs the forward pass only");
    }
    return gaps;
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    Errors errors;
    for (std::string& gap : unsupported(program)) {
      errors.add(ErrorCode::BackendUnsupported, "torch", std::move(gap));
    }
    for (const Parameter& parameter : program.parameters()) {
      if (parameter.values) continue;
      errors.add(ErrorCode::MissingValues, "torch",
                 "parameter \"" + escape_terminal(parameter.name) + "\" has no values");
    }
    if (!errors.empty()) return errors;

    // fp32 products in fp32: no TF32, whatever the environment says.
    at::globalContext().setFloat32MatmulPrecision("highest");
    if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
    auto executable =
        std::make_unique<TorchExecutable>(program, choose(options.device), options.keep_values);
    VECC_TRY_VOID(executable->prepare());
    return std::unique_ptr<Executable>(std::move(executable));
  }

 private:
  static at::Device choose(const Device& device) {
    const auto cuda = [](std::uint32_t index) {
      return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    };
    switch (device.kind) {
      case Device::Kind::Auto:
        return ::torch::cuda::is_available() ? cuda(0) : at::Device(at::kCPU);
      case Device::Kind::Cpu: return {at::kCPU};
      case Device::Kind::Cuda: return cuda(device.index);
    }
    return {at::kCPU};
  }
};

}  // namespace

const Backend& torch_backend() {
  static const TorchBackend backend;
  return backend;
}

}  // namespace vecc
