#include "backends/cpu/template_program.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "backends/cpu/load_kernels.h"
#include "backends/cpu/thread_teams.h"
#include "src/support/log.h"

namespace vecc::cpu {
namespace {

using binding::RowLaunch;
using binding::RowLaunches;

template <class T>
void read_as(const std::byte* from, std::uint64_t count, std::vector<double>& values) {
  for (std::uint64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    values.push_back(static_cast<double>(value));
  }
}

}  // namespace

CpuTemplateProgram::CpuTemplateProgram(std::shared_ptr<const binding::TemplateData> data,
                                       std::shared_ptr<ThreadTeam> team, DType dtype)
    : data_(std::move(data)),
      team_(std::move(team)),
      book_(dtype, data_->functions),
      binder_(*data_, book_) {}

Result<std::unique_ptr<TemplateProgram>> CpuTemplateProgram::make(
    std::shared_ptr<const binding::TemplateData> data, const TemplateCompileOptions& options) {
  const DType dtype = options.dtype.value_or(data->dtype);
  std::unique_ptr<CpuTemplateProgram> made(
      new CpuTemplateProgram(std::move(data), team_of(options.threads), dtype));
  for (const binding::Signature& signature : made->data_->signatures) {
    VECC_TRY_VOID(made->book_.add(signature));
  }
  if (options.interprets) {
    made->interpret_new();
  } else {
    VECC_TRY_VOID(made->load());
  }
  return std::unique_ptr<TemplateProgram>(std::move(made));
}

Result<void> CpuTemplateProgram::load() {
  std::vector<WantedKernel> kernels;
  for (const auto& facts : book_.kernels()) {
    kernels.push_back({&facts.kernel, {.narrow = false}});
  }
  LoadOptions options;
  options.warn = [](const std::string& text) { log_warning(text); };
  CodeCounts counts;
  auto loaded = load_kernels(kernels, host_processor(), options, &counts);
  if (!loaded && loaded.error().list().front().code == ErrorCode::CompilerAbsent) {
    interpret_new();
    return {};
  }
  VECC_TRY(std::vector<LoadedKernel> code, std::move(loaded));
  compiled_ = counts.compiled;
  for (LoadedKernel& kernel : code) {
    code_.push_back({std::move(kernel.unit), nullptr, kernel.wide, kernel.scratch_bytes});
  }
  return {};
}

void CpuTemplateProgram::interpret_new() {
  while (code_.size() < book_.kernels().size()) {
    Code code;
    code.interpreter = std::make_unique<KernelInterpreter>(book_.kernels()[code_.size()].kernel,
                                                           host_processor().tiles);
    code.function = code.interpreter->function(/*narrow=*/false);
    code.scratch_bytes = code.interpreter->scratch_bytes();
    code_.push_back(std::move(code));
  }
}

Result<void> CpuTemplateProgram::bind(std::span<const NeuronGraph* const> graphs, BoundGraph& to) {
  try {
    VECC_TRY_VOID(binder_.bind(graphs, launches_of(to)));
    interpret_new();
    return {};
  } catch (const std::bad_alloc&) {
    return Errors(ErrorCode::OutOfMemory, "bind", "no memory for the graphs' values and arrays");
  } catch (const std::length_error&) {
    return Errors(ErrorCode::OutOfMemory, "bind", "more values than memory can hold");
  }
}

KernelArguments CpuTemplateProgram::arguments_of(RowLaunches& launches, const RowLaunch& launch,
                                                 void** data, const void** lists,
                                                 const unsigned** words) const {
  const auto& facts = book_.kernels()[launch.kernel];
  const std::size_t accesses = facts.kernel.accesses.size();
  // Kernels do not store to weights.
  auto* const weights = const_cast<std::byte*>(launches.weights->data());
  for (std::size_t a = 0; a < accesses; ++a) {
    data[a] = facts.weights[a] ? weights : launches.values.data();
    lists[a] = launch.lists[std::min<std::size_t>(a, facts.loads)].data();
  }
  *words = launch.words.data();
  return {data,
          lists,
          words,
          launch.offsets.data(),
          nullptr,
          launch.rows,
          0,
          nullptr,
          code_[launch.kernel].interpreter.get()};
}

std::uint64_t CpuTemplateProgram::work_of(const RowLaunch& launch) const {
  return book_.kernels()[launch.kernel].work * std::max<std::uint64_t>(launch.rows, launch.members);
}

void CpuTemplateProgram::run(BoundGraph& bound) {
  RowLaunches& launches = launches_of(bound);
  bool shares = false;
  for (std::uint32_t l = 0; l < launches.used && team_->size() > 1; ++l) {
    shares = shares || work_of(launches.launches[l]) >= kSharedWork;
  }
  shares ? run_shared_out(launches) : run_here(launches);
}

void CpuTemplateProgram::run_here(RowLaunches& launches) {
  for (const std::uint32_t l : launches.order) {
    const RowLaunch& launch = launches.launches[l];
    const Code& code = code_[launch.kernel];
    const std::size_t accesses = book_.kernels()[launch.kernel].kernel.accesses.size();
    if (data_room_.size() < accesses) {
      data_room_.resize(accesses);
      lists_room_.resize(accesses);
    }
    const unsigned* words = nullptr;
    KernelArguments arguments =
        arguments_of(launches, launch, data_room_.data(), lists_room_.data(), &words);
    if (scratch_.size() < code.scratch_bytes) scratch_.resize(code.scratch_bytes);
    arguments.scratch = scratch_.data();
    code.function(&arguments, 0, launch.rows, 0);
  }
}

// Tiles of about as much work as a thread is woken for.
void CpuTemplateProgram::run_shared_out(RowLaunches& launches) {
  struct Arrays {
    std::vector<void*> data;
    std::vector<const void*> lists;
    const unsigned* words = nullptr;
    std::vector<std::uint32_t> tiles;
  };
  std::vector<Arrays> arrays(launches.order.size());
  std::vector<BoundLaunch> bound;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const RowLaunch& launch = launches.launches[launches.order[i]];
    const std::size_t accesses = book_.kernels()[launch.kernel].kernel.accesses.size();
    arrays[i].data.resize(accesses);
    arrays[i].lists.resize(accesses);
    BoundLaunch& to = bound.emplace_back();
    to.function = code_[launch.kernel].function;
    to.arguments = arguments_of(launches, launch, arrays[i].data.data(), arrays[i].lists.data(),
                                &arrays[i].words);
    to.work = work_of(launch);
    to.scratch_bytes = code_[launch.kernel].scratch_bytes;
    const std::uint64_t tiles =
        std::clamp<std::uint64_t>(8 * to.work / kSharedWork, 1, launch.rows);
    for (std::uint64_t t = 0; t <= tiles; ++t) {
      arrays[i].tiles.push_back(static_cast<std::uint32_t>(launch.rows * t / tiles));
    }
    to.tiles = arrays[i].tiles.data();
    to.tile_count = tiles;
  }
  const std::size_t count = bound.size();
  TileWalk(std::move(bound), team_->size()).run(0, count, *team_);
}

Shape CpuTemplateProgram::read_output(const BoundGraph& bound, std::uint64_t sample,
                                      std::vector<double>& values) const {
  const RowLaunches& launches = launches_of(bound);
  const RowLaunches::Output& output = launches.outputs[sample];
  const std::byte* from = launches.values.data() + output.first * byte_size(book_.dtype());
  if (book_.dtype() == DType::F64) {
    read_as<double>(from, output.shape.size(), values);
  } else {
    read_as<float>(from, output.shape.size(), values);
  }
  return output.shape;
}

std::vector<Executable::Output> CpuTemplateProgram::outputs(const BoundGraph& bound) const {
  std::vector<Executable::Output> outputs(bound.sample_count());
  for (std::uint64_t s = 0; s < outputs.size(); ++s) {
    outputs[s].shape = read_output(bound, s, outputs[s].value);
  }
  return outputs;
}

TemplateProgram::Counts CpuTemplateProgram::counts() const {
  Counts counts;
  counts.kernels = static_cast<std::uint32_t>(book_.kernels().size());
  counts.compiled = compiled_;
  counts.interpreted = static_cast<std::uint32_t>(
      std::ranges::count_if(code_, [](const Code& code) { return code.interpreter != nullptr; }));
  return counts;
}

}  // namespace vecc::cpu

namespace vecc {

Result<std::unique_ptr<TemplateProgram>> Template::compile(
    const TemplateCompileOptions& options) const {
  return cpu::CpuTemplateProgram::make(data_, options);
}

}  // namespace vecc
