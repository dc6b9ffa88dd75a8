#include "backends/cuda/template_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/cuda/graph_memory.h"

namespace vecc::cuda {
namespace {

using binding::RowLaunches;

// Numbers of outputs, which lie side by side, to their places among the values.
void place_outputs(RowLaunches& launches, const std::byte* from, std::uint64_t bytes) {
  for (const RowLaunches::Output& output : launches.outputs) {
    const std::uint64_t size = output.shape.size() * bytes;
    std::memcpy(launches.values.data() + output.first * bytes, from, size);
    from += size;
  }
}

}  // namespace

CudaTemplateProgram::CudaTemplateProgram(std::shared_ptr<const binding::TemplateData> data,
                                         std::shared_ptr<Device> device, DType dtype)
    : BoundProgram(std::move(data), dtype), device_(std::move(device)), code_(device_) {}

Result<std::unique_ptr<TemplateProgram>> CudaTemplateProgram::make(
    std::shared_ptr<const binding::TemplateData> data, const TemplateCompileOptions& options) {
  if (options.interprets) {
    return Errors(ErrorCode::Usage, "cuda", "kernels are interpreted on the cpu alone");
  }
  VECC_TRY(auto device, Device::open(options.device.index));
  const DType dtype = options.dtype.value_or(data->dtype);
  std::unique_ptr<CudaTemplateProgram> made(
      new CudaTemplateProgram(std::move(data), std::move(device), dtype));
  VECC_TRY_VOID(made->add_recipes());
  VECC_TRY_VOID(on_device([&]() -> Result<void> {
    made->device_->use();
    return made->code_.add(made->book());
  }));
  return std::unique_ptr<TemplateProgram>(std::move(made));
}

void CudaTemplateProgram::upload_weights(const RowLaunches& launches) {
  if (weights_ && weights_->block == launches.weights) return;
  const std::vector<std::byte>& block = *launches.weights;
  auto weights = std::make_shared<Weights>();
  weights->block = launches.weights;
  weights->memory = DeviceMemory(device_, std::max<std::size_t>(block.size(), 16));
  weights->memory.write(0, block.data(), block.size());
  weights_ = std::move(weights);
}

// The pinned image is written when nothing runs: run() waits for what it started, unless it failed.
Result<void> CudaTemplateProgram::prepare(RowLaunches& launches) {
  return on_device([&]() -> Result<void> {
    device_->use();
    device_->wait();
    VECC_TRY_VOID(code_.add(book()));
    upload_weights(launches);
    auto* memory = dynamic_cast<GraphMemory*>(launches.memory.get());
    if (memory == nullptr || memory->device() != device_) {
      launches.memory = std::make_unique<GraphMemory>(device_);
      memory = static_cast<GraphMemory*>(launches.memory.get());
    }
    StepList& steps = memory->steps;
    steps.plan(launches, book(), code_, device_->target());
    memory->reserve(steps.bytes(), steps.output_numbers() * byte_size(book().dtype()));
    steps.write(launches, memory->host(), memory->address(), weights_->memory.address(),
                memory->host_address() + memory->first_output());
    memory->weights = weights_;
    return {};
  });
}

void CudaTemplateProgram::start(const GraphMemory& memory) const {
  const StepList& steps = memory.steps;
  StepWalk walk;
  walk.from = memory.host_address();
  walk.to = memory.address();
  walk.packs = static_cast<std::uint32_t>(steps.bytes() / 16);
  walk.steps = steps.step_count();
  walk.first_step = static_cast<std::uint32_t>(steps.first_step());
  walk.places = static_cast<std::uint32_t>(steps.first_place());
  walk.place_count = steps.place_count();
  CUdeviceptr first = memory.address() + steps.first_step();
  void* parameters[] = {&walk, &first};
  const auto launch = [&](CUfunction function, std::uint32_t blocks) {
    device_->check(device_->driver().launch_kernel(function, blocks, 1, 1, kCudaThreads, 1, 1, 0,
                                                   device_->stream(), parameters, nullptr),
                   "starting a kernel");
  };
  if (steps.is_walk()) {
    const StepUnit& unit = code_.unit(steps.launches().front().unit);
    return launch(steps.is_here() ? unit.here : unit.walk, 1);
  }
  memory.memory().write(0, memory.host(), steps.bytes());
  for (const StepLaunch& run : steps.launches()) {
    first = memory.address() + steps.first_step() + run.first * sizeof(LaunchStep);
    launch(code_.unit(run.unit).run, run.steps);
  }
}

Result<void> CudaTemplateProgram::run(BoundGraph& bound) {
  RowLaunches& launches = launches_of(bound);
  const auto* const memory = dynamic_cast<const GraphMemory*>(launches.memory.get());
  VECC_CHECK(memory != nullptr, "a run of what this program has not bound");
  if (memory->steps.output_numbers() == 0) return {};
  return on_device([&]() -> Result<void> {
    device_->use();
    start(*memory);
    device_->wait();
    place_outputs(launches, memory->host() + memory->first_output(), byte_size(book().dtype()));
    return {};
  });
}

TemplateProgram::Counts CudaTemplateProgram::counts() const {
  Counts counts;
  counts.kernels = static_cast<std::uint32_t>(book().kernels().size());
  counts.compiled = code_.compiled();
  return counts;
}

}  // namespace vecc::cuda
