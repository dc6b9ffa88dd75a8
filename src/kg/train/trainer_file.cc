#include "src/kg/train/trainer_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "src/kg/embeddings_file.h"
#include "vecc/escape.h"

namespace vecc::kg {
namespace {

constexpr const char* kEpoch = "epoch";
constexpr const char* kBatch = "batch";
constexpr const char* kStep = "step";
constexpr const char* kQueries = "queries";
constexpr const char* kLossBits = "loss_bits";

// Of state i: what docs/training.md calls it.
std::string state_name(const OptimizerOptions& optimizer, std::size_t i, const std::string& table) {
  const bool is_adagrad = optimizer.optimizer == Optimizer::Adagrad;
  const char* const name = is_adagrad ? "adagrad.sum" : i == 0 ? "adam.m" : "adam.v";
  return std::string("state/") + name + "/" + table;
}

template <class Table>
std::string name_of(const Table& encoder_table) {
  return "encoder/" + encoder_table.name;
}

template <class T>
constexpr ElementType kElement = sizeof(T) == 4 ? ElementType::F32 : ElementType::F64;

Errors differ(const std::string& place, const std::string& message) {
  return Errors(ErrorCode::WeightsDiffer, place, message);
}

const WeightTensor* find_tensor(const WeightFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.tensors, name, &WeightTensor::name);
  return found == file.tensors.end() ? nullptr : &*found;
}

// A table, or a state of one.
template <class T>
Result<std::vector<T>> read_rows(const WeightFile& file, const std::string& name,
                                 const LearnedRows<T>& table) {
  const std::vector<std::uint64_t> shape{table.rows, table.width};
  const WeightTensor* const tensor = find_tensor(file, name);
  if (tensor == nullptr) return differ("\"" + name + "\"", "is not in the checkpoint");
  if (tensor->type != kElement<T> || tensor->shape != shape) {
    return differ("\"" + name + "\"", "has the shape " + text_of_shape(tensor->shape) + " of " +
                                          std::string(text_of(tensor->type)) + ", expected " +
                                          text_of_shape(shape) + " of " +
                                          std::string(text_of(kElement<T>)));
  }
  std::vector<T> values(table.values.size());
  std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
  if (std::ranges::all_of(values, [](T value) { return std::isfinite(value); })) return values;
  return Errors(ErrorCode::NotFinite, "\"" + name + "\"", "has a number that is not finite");
}

template <class T>
Result<std::vector<std::vector<T>>> read_states(const WeightFile& file,
                                                const OptimizerOptions& optimizer,
                                                const std::string& name,
                                                const LearnedRows<T>& table) {
  std::vector<std::vector<T>> states(table.states.size());
  for (std::size_t i = 0; table.rows > 0 && i < states.size(); ++i) {
    VECC_TRY(states[i], read_rows(file, state_name(optimizer, i, name), table));
  }
  return states;
}

template <class T>
Result<std::vector<typename GraphEncoder<T>::Table>> read_encoder(const WeightFile& file,
                                                                  const OptimizerOptions& optimizer,
                                                                  const GraphEncoder<T>& encoder) {
  std::vector<typename GraphEncoder<T>::Table> tables = encoder.tables();
  for (auto& table : tables) {
    const std::string name = name_of(table);
    VECC_TRY(table.rows.values, read_rows(file, name, table.rows));
    VECC_TRY(table.rows.states, read_states(file, optimizer, name, table.rows));
  }
  return tables;
}

template <class T>
void add_rows(std::string name, const LearnedRows<T>& table, const std::vector<T>& values,
              WeightFile& file) {
  const auto* const bytes = reinterpret_cast<const char*>(values.data());
  file.tensors.push_back({std::move(name),
                          kElement<T>,
                          {table.rows, table.width},
                          {bytes, values.size() * sizeof(T)}});
}

bool has_same_formula(const Embeddings& e, const ScoreKind& score) {
  if (!score.formula || !e.formula) return score.formula == e.formula;
  return e.formula->formula().text == score.formula->formula().text &&
         e.formula->formula().dims == score.formula->formula().dims;
}

Result<std::uint64_t> read_number(const WeightFile& file, std::string_view key) {
  const auto found = std::ranges::find(
      file.metadata, key, [](const MetadataEntry& entry) { return std::string_view(entry.first); });
  std::uint64_t number = 0;
  if (found != file.metadata.end()) {
    const char* const end = found->second.data() + found->second.size();
    const auto read = std::from_chars(found->second.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return number;
  }
  return differ("metadata \"" + std::string(key) + "\"", "is not there, or no number");
}

Result<TripleProgress> read_progress(const WeightFile& file, std::uint64_t batch_count) {
  TripleProgress progress;
  TrainPosition& at = progress.position;
  VECC_TRY(at.epoch, read_number(file, kEpoch));
  VECC_TRY(at.batch, read_number(file, kBatch));
  VECC_TRY(at.step, read_number(file, kStep));
  VECC_TRY(progress.queries, read_number(file, kQueries));
  VECC_TRY(const std::uint64_t bits, read_number(file, kLossBits));
  progress.loss_sum = std::bit_cast<double>(bits);
  const bool fits = at.batch < batch_count && at.step >= at.epoch &&
                    at.epoch <= (at.step - at.batch) / batch_count &&
                    at.step == at.epoch * batch_count + at.batch;
  if (fits && std::isfinite(progress.loss_sum)) return progress;
  return differ("checkpoint", "stands at no step of this training");
}

}  // namespace

template <class T>
WeightFile save_training(const LearnedModel<T>& model, const GraphEncoder<T>* encoder,
                         const OptimizerOptions& optimizer, const TripleProgress& progress) {
  WeightFile file = weights_of(embeddings_of(model));
  const auto add_states = [&](const LearnedRows<T>& table, const std::string& name) {
    for (std::size_t i = 0; i < table.states.size(); ++i) {
      add_rows(state_name(optimizer, i, name), table, table.states[i], file);
    }
  };
  add_states(model.entities, "entities");
  add_states(model.relations, "relations");
  if (model.shared.rows > 0) add_states(model.shared, "shared");
  if (encoder != nullptr) {
    for (const auto& table : encoder->tables()) {
      add_rows(name_of(table), table.rows, table.rows.values, file);
      add_states(table.rows, name_of(table));
    }
  }
  const TrainPosition& at = progress.position;
  for (const auto& [key, number] : std::array<std::pair<const char*, std::uint64_t>, 5>{
           {{kEpoch, at.epoch},
            {kBatch, at.batch},
            {kStep, at.step},
            {kQueries, progress.queries},
            {kLossBits, std::bit_cast<std::uint64_t>(progress.loss_sum)}}}) {
    file.metadata.emplace_back(key, std::to_string(number));
  }
  return file;
}

template <class T>
Result<TripleProgress> restore_training(const WeightFile& file, const OptimizerOptions& optimizer,
                                        std::uint64_t batch_count, LearnedModel<T>& model,
                                        GraphEncoder<T>* encoder) {
  VECC_TRY(const TripleProgress progress, read_progress(file, batch_count));
  VECC_TRY(Embeddings e, read_embeddings(file, model.score.model, model.score.p));
  const std::size_t relation_dim = model.score.formula ? model.relations.width : e.dim;
  auto* const tables = std::get_if<EmbeddingTables<T>>(&e.tables);
  const bool has_entities =
      tables != nullptr && tables->entities.size() == model.entities.values.size() &&
      e.dim == model.entities.width && e.relation_dim == relation_dim &&
      e.relations == model.relations.rows && has_same_formula(e, model.score) &&
      tables->shared.size() == model.shared.values.size();
  if (!has_entities) return differ("checkpoint", "has other tables than this training");
  VECC_TRY(auto entity_states, read_states(file, optimizer, "entities", model.entities));
  VECC_TRY(auto relation_states, read_states(file, optimizer, "relations", model.relations));
  VECC_TRY(auto shared_states, read_states(file, optimizer, "shared", model.shared));
  if (encoder != nullptr) {
    VECC_TRY(auto of_encoder, read_encoder(file, optimizer, *encoder));
    VECC_TRY_VOID(encoder->set_tables(std::move(of_encoder)));
  }
  // In place: what reads shared parameters knows where they are.
  std::ranges::copy(tables->shared, model.shared.values.begin());
  model.shared.states = std::move(shared_states);
  model.entities.values = std::move(tables->entities);
  model.relations.values = relation_rows(model.score.model, *tables, e.relations, relation_dim);
  model.entities.states = std::move(entity_states);
  model.relations.states = std::move(relation_states);
  return progress;
}

#define VECC_TRAINER_FILE(T)                                                                   \
  template WeightFile save_training(const LearnedModel<T>&, const GraphEncoder<T>*,            \
                                    const OptimizerOptions&, const TripleProgress&);           \
  template Result<TripleProgress> restore_training(const WeightFile&, const OptimizerOptions&, \
                                                   std::uint64_t, LearnedModel<T>&,            \
                                                   GraphEncoder<T>*);
VECC_TRAINER_FILE(float)
VECC_TRAINER_FILE(double)
#undef VECC_TRAINER_FILE

}  // namespace vecc::kg
