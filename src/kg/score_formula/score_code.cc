#include "src/kg/score_formula/score_code.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace vecc::kg {
namespace {

// Kernels, and the functions that are to be theirs.
struct WantedFunction {
  ScoreKernel kernel;
  ScoreFunction* function;
};

void want(ScoreKernel kernel, ScoreFunction& function, std::vector<WantedFunction>& wanted) {
  if (!kernel.empty()) wanted.push_back({std::move(kernel), &function});
}

void want_all(std::vector<ScoreKernel> kernels, std::vector<ScoreFunction>& functions,
              std::vector<WantedFunction>& wanted) {
  functions.resize(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    want(std::move(kernels[k]), functions[k], wanted);
  }
}

void want_side(ScoreKernels kernels, bool gradients, ScoreSideCode& code,
               std::vector<WantedFunction>& wanted) {
  code.split = std::move(kernels.split);
  want(std::move(kernels.query.make), code.make_query, wanted);
  want(std::move(kernels.answer.make), code.make_answer, wanted);
  want(std::move(kernels.pair.score), code.score, wanted);
  if (!gradients) return;
  want(std::move(kernels.query.pull), code.pull_query, wanted);
  want(std::move(kernels.answer.pull), code.pull_answer, wanted);
  want(std::move(kernels.pair.pull_query), code.pull_pair_query, wanted);
  want(std::move(kernels.pair.pull_answer), code.pull_pair_answer, wanted);
  want_all(std::move(kernels.query.pull_shared), code.pull_query_shared, wanted);
  want_all(std::move(kernels.answer.pull_shared), code.pull_answer_shared, wanted);
}

}  // namespace

bool ScoreFunction::makes(ScoreArray array) const {
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (arrays_[a] == array && stores_[a]) return true;
  }
  return false;
}

void ScoreFunction::run(ScoreOperands& operands, std::uint32_t begin, std::uint32_t end,
                        std::uint32_t members) const {
  constexpr std::size_t kFew = 16;
  constexpr std::size_t kAlignment = 64;
  void* few_data[kFew];
  const void* few_lists[kFew];
  std::vector<void*> data_space;
  std::vector<const void*> list_space;
  void** data = few_data;
  const void** lists = few_lists;
  if (arrays_.size() > kFew) {
    data_space.resize(arrays_.size());
    list_space.resize(arrays_.size());
    data = data_space.data();
    lists = list_space.data();
  }
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    const auto number = static_cast<std::size_t>(arrays_[a]);
    const bool is_shared = number >= operands.arrays.size();
    const void* const begins =
        is_shared ? operands.shared[number - operands.arrays.size()] : operands.arrays[number].data;
    data[a] = const_cast<void*>(begins);  // what is loaded only is not written
    lists[a] = is_shared ? nullptr : operands.arrays[number].list;
  }
  std::unique_ptr<std::byte[]> space;
  void* scratch = nullptr;
  if (scratch_bytes_ > 0) {
    std::size_t room = scratch_bytes_ + kAlignment;
    space = std::make_unique_for_overwrite<std::byte[]>(room);
    scratch = space.get();
    (void)std::align(kAlignment, scratch_bytes_, scratch, room);
  }
  const cpu::KernelArguments arguments{data, lists,   nullptr, nullptr,           nullptr,
                                       end,  members, scratch, interpreter_.get()};
  function_(&arguments, begin, end, 0);
}

Result<std::shared_ptr<const ScoreCode>> ScoreCode::load(ScoreFormula formula, DType dtype,
                                                         const ScoreCodeOptions& options) {
  auto code = std::make_shared<ScoreCode>();
  code->formula_ = std::move(formula);
  code->dtype_ = dtype;
  code->shared_ = shared_parameters(code->formula_);
  std::vector<WantedFunction> wanted;
  std::array<SplitScore, 2> splits = split_questions(code->formula_);
  for (std::size_t side = 0; side < splits.size(); ++side) {
    want_side(make_score_kernels(code->formula_, std::move(splits[side]), dtype), options.gradients,
              code->sides_[side], wanted);
  }
  std::vector<cpu::WantedKernel> kernels;
  for (const WantedFunction& each : wanted) {
    kernels.push_back({&each.kernel.kernel, {.narrow = false}});
  }
  std::vector<cpu::LoadedKernel> loaded;
  code->is_interpreted_ = options.interpret;
  if (!options.interpret) {
    auto result = cpu::load_kernels(kernels, host_processor(), {}, nullptr);
    if (result) {
      loaded = std::move(*result);
    } else if (result.error().list().front().code == ErrorCode::CompilerAbsent) {
      code->is_interpreted_ = true;
    } else {
      return result.error();
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ScoreFunction& function = *wanted[i].function;
    function.arrays_ = wanted[i].kernel.arrays;
    for (const KernelAccess& access : wanted[i].kernel.kernel.accesses) {
      function.stores_.push_back(access.store);
    }
    if (code->is_interpreted_) {
      function.interpreter_ = std::make_shared<const cpu::KernelInterpreter>(
          std::move(wanted[i].kernel.kernel), host_processor().tiles);
      function.function_ = function.interpreter_->function(/*narrow=*/false);
      function.scratch_bytes_ = function.interpreter_->scratch_bytes();
    } else {
      function.loaded_ = loaded[i];
      function.function_ = loaded[i].wide;
      function.scratch_bytes_ = loaded[i].scratch_bytes;
    }
  }
  return std::shared_ptr<const ScoreCode>(std::move(code));
}

}  // namespace vecc::kg
