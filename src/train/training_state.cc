#include "src/train/training_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "src/train/step_program.h"
#include "vecc/escape.h"
#include "vecc/fanout.h"
#include "vecc/train_step.h"

namespace vecc::training {
namespace {

constexpr const char* kStatePrefix = "state/";

std::vector<std::uint64_t> stored_shape(std::uint32_t rows, Shape shape) {
  if (shape.is_scalar()) return {rows};
  return {rows, shape.rows(), shape.cols()};
}

// Whether it is a float, bit for bit once it is a double again.
bool is_exact_in_single(double value) {
  const bool fits = !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
  if (!fits) return false;
  const auto again = static_cast<double>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(again) == std::bit_cast<std::uint64_t>(value);
}

// As floats, half of the bytes, where nothing is lost: what a step in f32 stores.
WeightTensor stored_tensor(std::string name, std::uint32_t rows, Shape shape,
                           const std::vector<double>& values) {
  WeightTensor tensor{std::move(name), ElementType::F64, stored_shape(rows, shape), {}};
  if (std::ranges::all_of(values, is_exact_in_single)) tensor.type = ElementType::F32;
  const std::size_t size = size_of(tensor.type);
  tensor.data.resize(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto single = static_cast<float>(tensor.type == ElementType::F32 ? values[i] : 0);
    const void* from = &single;
    if (tensor.type == ElementType::F64) from = &values[i];
    std::memcpy(tensor.data.data() + i * size, from, size);
  }
  return tensor;
}

std::array<std::pair<const char*, std::uint64_t*>, 4> fields_of(TrainingProgress& progress) {
  return {{{"epoch", &progress.position.epoch},
           {"batch", &progress.position.batch},
           {"step", &progress.position.step},
           {"counted", &progress.counted}}};
}

// The tensors of a checkpoint by name, and what is wrong with them.
class CheckpointReader {
 public:
  explicit CheckpointReader(const WeightFile& file) : file_(file) {}

  // None after an error.
  const WeightTensor* find(const std::string& name, std::uint32_t rows, Shape shape) {
    const auto tensor = std::ranges::find(file_.tensors, name, &WeightTensor::name);
    if (tensor == file_.tensors.end()) {
      differ(name, "is not in the checkpoint");
      return nullptr;
    }
    ++used_;
    const auto expected = stored_shape(rows, shape);
    if (tensor->shape == expected) return &*tensor;
    differ(name, "is " + text_of_shape(tensor->shape) + ", expected " + text_of_shape(expected));
    return nullptr;
  }
  TrainingProgress progress(std::uint64_t batches) {
    TrainingProgress progress;
    for (const auto& [name, value] : fields_of(progress)) {
      const auto found = std::ranges::find(file_.metadata, name,
                                           [](const auto& m) { return std::string_view(m.first); });
      const std::string text = found == file_.metadata.end() ? std::string() : found->second;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), *value);
      if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
        errors_.add(ErrorCode::WeightsDiffer, std::string("metadata \"") + name + "\"",
                    "is not a count: this is no checkpoint of a training");
      }
    }
    if (errors_.empty() && !is_possible(progress.position, batches)) {
      const TrainPosition& at = progress.position;
      errors_.add(ErrorCode::WeightsDiffer, "metadata \"step\"",
                  "says " + std::to_string(at.step) + " steps at batch " +
                      std::to_string(at.batch) + " of epoch " + std::to_string(at.epoch) +
                      ", and an epoch has " + std::to_string(batches) +
                      " here: this is no checkpoint of this training");
    }
    return progress;
  }
  Result<void> finish() {
    if (errors_.empty() && used_ != file_.tensors.size()) {
      errors_.add(ErrorCode::WeightsDiffer, "checkpoint",
                  "has " + std::to_string(file_.tensors.size()) + " tensors, expected " +
                      std::to_string(used_) + ": it is of another model or optimizer");
    }
    if (errors_.empty()) return {};
    return errors_;
  }

 private:
  static bool is_possible(const TrainPosition& at, std::uint64_t batches) {
    if (at.batch > batches || at.step < at.batch) return false;
    const std::uint64_t before = at.step - at.batch;  // this epoch
    return before % batches == 0 && before / batches == at.epoch;
  }
  void differ(const std::string& name, std::string message) {
    if (errors_.list().size() == 20) return errors_.omit(1);
    errors_.add(ErrorCode::WeightsDiffer, "\"" + escape_terminal(name) + "\"", std::move(message));
  }

  const WeightFile& file_;
  std::size_t used_ = 0;
  Errors errors_;
};

// A Program of a model's parameters and of its training's states that computes nothing.
Result<Program> storage_program(const Program& forward, const OptimizerOptions& options) {
  Program step(forward.dtype());
  std::vector<ParameterGradient> gradients;
  for (const Parameter& parameter : forward.parameters()) {
    if (parameter.name == kFanoutTable) continue;  // the last one: of a step, like its targets
    VECC_TRY(const ParameterIndex p, step.add_parameter(parameter));
    gradients.push_back({p, step.weight(p), std::nullopt});  // of the right size
  }
  VECC_TRY_VOID(append_step(step, gradients, options));
  Program stored(forward.dtype());
  for (const Parameter& parameter : step.parameters()) {
    VECC_TRY_VOID(stored.add_parameter(parameter));
  }
  for (const Op& op : step.ops()) {
    if (const auto* state = std::get_if<StateOp>(&op.attributes)) {
      VECC_TRY_VOID(stored.add(*state, {}));
    }
  }
  VECC_TRY_VOID(stored.add(StateOp{kLossState, 1, Shape::scalar(), 0}, {}));
  return stored;
}

}  // namespace

Result<TrainingState> TrainingState::make(const Program& forward, const Backend& backend,
                                          const ExecutionOptions& execution,
                                          const OptimizerOptions& options) {
  TrainingState state;
  const std::vector<Parameter>& parameters = forward.parameters();
  state.parameters_ = parameters.size();
  const auto members = std::ranges::find(parameters, kFanoutTable, &Parameter::name);
  if (members != parameters.end()) {
    VECC_CHECK(members + 1 == parameters.end(), "the members of a fan-out are the last parameter");
    --state.parameters_;
  }
  VECC_TRY(Program program, storage_program(forward, options));
  for (const Op& op : program.ops()) {
    const auto* stored = std::get_if<StateOp>(&op.attributes);
    if (stored != nullptr) state.states_.push_back({stored->name, stored->rows, stored->shape});
  }
  VECC_TRY(state.executable_, backend.compile(program, execution));
  state.program_ = std::move(program);
  return state;
}

Result<void> TrainingState::set_loss(double sum) {
  return executable_->set_state(kLossState, std::span(&sum, 1));
}

Result<double> TrainingState::loss() {
  VECC_TRY(const std::vector<double> sum, executable_->state(kLossState));
  return sum.front();
}

Result<std::vector<double>> TrainingState::parameter(ParameterIndex parameter) {
  return executable_->parameter(parameter);
}

Result<WeightFile> TrainingState::save(const TrainingProgress& progress) {
  WeightFile file;
  TrainingProgress values = progress;
  for (const auto& [name, value] : fields_of(values)) {
    file.metadata.emplace_back(name, std::to_string(*value));
  }
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    const Parameter& parameter = program_.parameters()[p];
    VECC_TRY(const std::vector<double> rows, executable_->parameter(p));
    file.tensors.push_back(stored_tensor(parameter.name, parameter.rows, parameter.shape, rows));
  }
  for (const StoredState& state : states_) {
    VECC_TRY(const std::vector<double> rows, executable_->state(state.name));
    file.tensors.push_back(stored_tensor(kStatePrefix + state.name, state.rows, state.shape, rows));
  }
  return file;
}

Result<TrainingProgress> TrainingState::restore(const WeightFile& file, std::uint64_t batches) {
  CheckpointReader reader(file);
  const TrainingProgress progress = reader.progress(batches);
  std::vector<const WeightTensor*> tensors;
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    const Parameter& parameter = program_.parameters()[p];
    tensors.push_back(reader.find(parameter.name, parameter.rows, parameter.shape));
  }
  for (const StoredState& state : states_) {
    tensors.push_back(reader.find(kStatePrefix + state.name, state.rows, state.shape));
  }
  VECC_TRY_VOID(reader.finish());  // all or nothing
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    VECC_TRY_VOID(executable_->set_parameter(p, values_of(*tensors[p])));
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    VECC_TRY_VOID(executable_->set_state(states_[i].name, values_of(*tensors[parameters_ + i])));
  }
  return progress;
}

bool is_finite(const WeightFile& file) {
  return std::ranges::all_of(file.tensors, [](const WeightTensor& tensor) {
    const std::vector<double> values = values_of(tensor);
    return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
  });
}

}  // namespace vecc::training
