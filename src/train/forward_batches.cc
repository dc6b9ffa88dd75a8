#include "vecc/forward_batches.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace vecc {
namespace {

Result<void> check(const Program& program, const Backend& backend) {
  const auto refuse = [](std::string why) {
    return Errors(ErrorCode::BackendUnsupported, "batches of a forward pass", std::move(why));
  };
  if (!backend.binds_batches()) {
    return refuse(std::string(backend.name()) + " runs all samples at once; cpu and cuda do not");
  }
  const bool updates = std::ranges::any_of(program.ops(), [&](const Op& op) {
    return op.kind() == OpKind::Update && program.op(op.operands[0]).kind() == OpKind::Weight;
  });
  if (updates) return refuse("the program updates parameters, which every batch would do again");
  return {};
}

// Makes `to` batch number `batch` of so many samples.
void set_samples(const ForwardBatches::Options& options, std::uint32_t samples, std::uint32_t batch,
                 Batch& to) {
  const std::uint64_t first = std::uint64_t{batch} * options.batch_size;
  to.samples.resize(std::min<std::uint64_t>(options.batch_size, samples - first));
  std::iota(to.samples.begin(), to.samples.end(), static_cast<std::uint32_t>(first));
  if (options.set_weights) options.set_weights(to);
}

}  // namespace

Result<ForwardBatches> ForwardBatches::compile(const Program& program, const Backend& backend,
                                               const ExecutionOptions& execution, Options options) {
  VECC_CHECK(options.batch_size > 0, "batches of no samples");
  VECC_TRY_VOID(check(program, backend));
  const std::uint32_t samples = program.sample_count();
  options.batch.computes_outputs = true;
  if (samples > 0 && backend.plans_by_typical_batch()) {
    const std::uint32_t last = (samples - 1) / options.batch_size;
    set_samples(options, samples, last / 2, options.batch.typical);
  }
  ExecutionOptions own = execution;
  own.batch = std::make_shared<const BatchOptions>(options.batch);
  VECC_TRY(auto executable, backend.compile(program, own));
  return ForwardBatches(std::move(executable), samples, std::move(options));
}

std::uint32_t ForwardBatches::batch_count() const {
  return samples_ == 0 ? 0 : (samples_ - 1) / options_.batch_size + 1;
}

Result<void> ForwardBatches::bind(std::uint32_t batch) {
  set_samples(options_, samples_, batch, batch_);
  return executable_->bind_batch(batch_, bound_);
}

Result<BatchBytes> ForwardBatches::first_bytes() {
  if (samples_ == 0) return BatchBytes();
  VECC_TRY_VOID(bind(0));
  return bound_->step_bytes();
}

Result<std::vector<Executable::Output>> ForwardBatches::outputs() {
  std::vector<Executable::Output> all;
  all.reserve(samples_);
  for (std::uint32_t b = 0; b < batch_count(); ++b) {
    VECC_TRY_VOID(bind(b));
    VECC_TRY_VOID(executable_->start_batch(*bound_));
    VECC_TRY(auto outputs, executable_->outputs());
    std::ranges::move(outputs, std::back_inserter(all));
    if (options_.after_batch) VECC_TRY_VOID(options_.after_batch());
  }
  return all;
}

}  // namespace vecc
