#include "src/train/training_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "src/train/step_program.h"
#include "src/weights/element_type.h"
#include "vecc/escape.h"
#include "vecc/fanout.h"
#include "vecc/shared_numbers.h"
#include "vecc/train_step.h"

namespace vecc::training {
namespace {

constexpr const char* kStatePrefix = "state/";

std::vector<std::uint64_t> stored_shape(std::uint32_t rows, Shape shape) {
  if (shape.is_scalar()) return {rows};
  return {rows, shape.rows(), shape.cols()};
}

template <class T>
void write_elements(const std::vector<double>& values, char* to) {
  for (const double value : values) {
    const auto element = static_cast<T>(value);
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  }
}

// As floats, half of the bytes, where nothing is lost: what a step in f32 stores.
Result<void> place_tensor(std::string name, std::uint32_t rows, Shape shape,
                          const std::vector<double>& values, const PlaceTensor& place) {
  const bool is_single = are_exact_floats(values);
  const ElementType type = is_single ? ElementType::F32 : ElementType::F64;
  VECC_TRY(char* const to, place({std::move(name), type, stored_shape(rows, shape)}));
  is_single ? write_elements<float>(values, to) : write_elements<double>(values, to);
  return {};
}

// Read where they are: a table of numbers is not copied to be looked at.
template <class T>
bool are_finite(std::string_view elements) {
  for (std::size_t i = 0; i + sizeof(T) <= elements.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, elements.data() + i, sizeof value);
    if (!std::isfinite(value)) return false;
  }
  return true;
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
  explicit CheckpointReader(const WeightSource& source) : source_(source) {}

  // Its number there; any after an error.
  std::size_t find(const std::string& name, std::uint32_t rows, Shape shape) {
    const auto tensor = std::ranges::find(source_.tensors(), name, &TensorHeader::name);
    if (tensor == source_.tensors().end()) {
      differ(name, "is not in the checkpoint");
      return 0;
    }
    ++used_;
    const auto expected = stored_shape(rows, shape);
    if (tensor->shape != expected) {
      differ(name, "is " + text_of_shape(tensor->shape) + ", expected " + text_of_shape(expected));
    }
    return static_cast<std::size_t>(tensor - source_.tensors().begin());
  }
  [[nodiscard]] Result<std::vector<double>> values(std::size_t tensor) const {
    const TensorHeader& header = source_.tensors()[tensor];
    std::vector<double> values;
    values.reserve(element_count(header));
    VECC_TRY_VOID(source_.read(tensor, [&](std::string_view bytes) -> Result<void> {
      weights::append_values(header.type, bytes, values);
      return {};
    }));
    return values;
  }
  TrainingProgress progress(std::uint64_t batches) {
    TrainingProgress progress;
    for (const auto& [name, value] : fields_of(progress)) {
      const auto found = std::ranges::find(source_.metadata(), name,
                                           [](const auto& m) { return std::string_view(m.first); });
      const std::string text = found == source_.metadata().end() ? std::string() : found->second;
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
    if (errors_.empty() && used_ != source_.tensors().size()) {
      errors_.add(ErrorCode::WeightsDiffer, "checkpoint",
                  "has " + std::to_string(source_.tensors().size()) + " tensors, expected " +
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

  const WeightSource& source_;
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
  forget_values(state.program_);  // which the executable has
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

Result<bool> TrainingState::is_finite() {
  const auto are_finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    VECC_TRY(const std::vector<double> rows, executable_->parameter(p));
    if (!are_finite(rows)) return false;
  }
  for (const StoredState& state : states_) {
    VECC_TRY(const std::vector<double> rows, executable_->state(state.name));
    if (!are_finite(rows)) return false;
  }
  return true;
}

Result<std::vector<MetadataEntry>> TrainingState::save(const TrainingProgress& progress,
                                                       const PlaceTensor& place) {
  std::vector<MetadataEntry> metadata;
  TrainingProgress values = progress;
  for (const auto& [name, value] : fields_of(values)) {
    metadata.emplace_back(name, std::to_string(*value));
  }
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    const Parameter& parameter = program_.parameters()[p];
    VECC_TRY(const std::vector<double> rows, executable_->parameter(p));
    VECC_TRY_VOID(place_tensor(parameter.name, parameter.rows, parameter.shape, rows, place));
  }
  for (const StoredState& state : states_) {
    VECC_TRY(const std::vector<double> rows, executable_->state(state.name));
    VECC_TRY_VOID(place_tensor(kStatePrefix + state.name, state.rows, state.shape, rows, place));
  }
  return metadata;
}

Result<TrainingProgress> TrainingState::restore(const WeightSource& source, std::uint64_t batches) {
  CheckpointReader reader(source);
  const TrainingProgress progress = reader.progress(batches);
  std::vector<std::size_t> tensors;
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    const Parameter& parameter = program_.parameters()[p];
    tensors.push_back(reader.find(parameter.name, parameter.rows, parameter.shape));
  }
  for (const StoredState& state : states_) {
    tensors.push_back(reader.find(kStatePrefix + state.name, state.rows, state.shape));
  }
  VECC_TRY_VOID(reader.finish());  // before anything is set
  for (ParameterIndex p = 0; p < parameters_; ++p) {
    VECC_TRY(const std::vector<double> values, reader.values(tensors[p]));
    VECC_TRY_VOID(executable_->set_parameter(p, values));
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    VECC_TRY(const std::vector<double> values, reader.values(tensors[parameters_ + i]));
    VECC_TRY_VOID(executable_->set_state(states_[i].name, values));
  }
  return progress;
}

Result<bool> is_finite(const WeightSource& source) {
  for (std::size_t t = 0; t < source.tensors().size(); ++t) {
    const TensorHeader& tensor = source.tensors()[t];
    VECC_CHECK(tensor.type == ElementType::F32 || tensor.type == ElementType::F64, tensor.name);
    bool finite = true;
    VECC_TRY_VOID(source.read(t, [&](std::string_view bytes) -> Result<void> {
      finite = finite && (tensor.type == ElementType::F32 ? are_finite<float>(bytes)
                                                          : are_finite<double>(bytes));
      return {};
    }));
    if (!finite) return false;
  }
  return true;
}

}  // namespace vecc::training
