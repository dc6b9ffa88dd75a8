#include "backends/cpu/template_program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/cpu/load_kernels.h"
#include "backends/cpu/thread_teams.h"

namespace vecc::cpu {

using binding::RowLaunch;
using binding::RowLaunches;

CpuTemplateProgram::CpuTemplateProgram(std::shared_ptr<const binding::TemplateData> data,
                                       std::shared_ptr<ThreadTeam> team, DType dtype)
    : BoundProgram(std::move(data), dtype), team_(std::move(team)) {}

Result<std::unique_ptr<TemplateProgram>> CpuTemplateProgram::make(
    std::shared_ptr<const binding::TemplateData> data, const TemplateCompileOptions& options) {
  const DType dtype = options.dtype.value_or(data->dtype);
  std::unique_ptr<CpuTemplateProgram> made(
      new CpuTemplateProgram(std::move(data), team_of(options.threads), dtype));
  VECC_TRY_VOID(made->add_recipes());
  if (options.interprets) {
    made->interpret_new();
  } else {
    VECC_TRY_VOID(made->load());
  }
  return std::unique_ptr<TemplateProgram>(std::move(made));
}

Result<void> CpuTemplateProgram::load() {
  std::vector<WantedKernel> kernels;
  for (const auto& facts : book().kernels()) {
    kernels.push_back({&facts.kernel, {.narrow = false}});
  }
  LoadOptions options;
  options.warn = native::warn_uncached;
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
  while (code_.size() < book().kernels().size()) {
    Code code;
    code.interpreter = std::make_unique<KernelInterpreter>(book().kernels()[code_.size()].kernel,
                                                           host_processor().tiles);
    code.function = code.interpreter->function(/*narrow=*/false);
    code.scratch_bytes = code.interpreter->scratch_bytes();
    code_.push_back(std::move(code));
  }
}

Result<void> CpuTemplateProgram::prepare(RowLaunches&) {
  interpret_new();
  return {};
}

KernelArguments CpuTemplateProgram::arguments_of(RowLaunches& launches, const RowLaunch& launch,
                                                 void** data, const void** lists,
                                                 const unsigned** words) const {
  const auto& facts = book().kernels()[launch.kernel];
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
  return book().kernels()[launch.kernel].work *
         std::max<std::uint64_t>(launch.rows, launch.members);
}

Result<void> CpuTemplateProgram::run(BoundGraph& bound) {
  RowLaunches& launches = launches_of(bound);
  bool shares = false;
  for (std::uint32_t l = 0; l < launches.used && team_->size() > 1; ++l) {
    shares = shares || work_of(launches.launches[l]) >= kSharedWork;
  }
  shares ? run_shared_out(launches) : run_here(launches);
  return {};
}

void CpuTemplateProgram::run_here(RowLaunches& launches) {
  for (const std::uint32_t l : launches.order) {
    const RowLaunch& launch = launches.launches[l];
    const Code& code = code_[launch.kernel];
    const std::size_t accesses = book().kernels()[launch.kernel].kernel.accesses.size();
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
    const std::size_t accesses = book().kernels()[launch.kernel].kernel.accesses.size();
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

TemplateProgram::Counts CpuTemplateProgram::counts() const {
  Counts counts;
  counts.kernels = static_cast<std::uint32_t>(book().kernels().size());
  counts.compiled = compiled_;
  counts.interpreted = static_cast<std::uint32_t>(
      std::ranges::count_if(code_, [](const Code& code) { return code.interpreter != nullptr; }));
  return counts;
}

}  // namespace vecc::cpu
