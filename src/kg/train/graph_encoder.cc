#include "src/kg/train/graph_encoder.h"

#include <algorithm>
#include <utility>

#include "src/kg/train/parallel_tasks.h"
#include "vecc/cost.h"
#include "vecc/optimize.h"

namespace vecc::kg {
namespace {

// The stream of the tables' initial values is not that of the score's.
constexpr std::uint64_t kEncoderSeed = 0x656E636F64657200;

template <class T>
LearnedRows<T> initial_table(const EncoderTable& table, const TripleTrainOptions& options,
                             JavaRandom& random) {
  LearnedRows<T> rows;
  rows.rows = table.rows;
  rows.width = table.shape.size();
  const double scale = table.start == TableStart::Embeddings ? options.initial_scale : 1;
  if (table.start == TableStart::Embeddings || table.start == TableStart::Matrices) {
    std::vector<double> drawn(rows.width);
    rows.values.reserve(rows.rows * rows.width);
    for (std::uint32_t row = 0; row < rows.rows; ++row) {
      draw_weight(options.initializer, table.shape, random, drawn);
      for (const double number : drawn) rows.values.push_back(static_cast<T>(number * scale));
    }
  } else {
    rows.values.assign(rows.rows * rows.width, table.start == TableStart::Ones ? T{1} : T{0});
  }
  rows.states = initial_states<T>(rows.values.size(), options.optimizer);
  return rows;
}

Result<const Backend*> find_encoder_backend(const TripleTrainOptions& options) {
  const Backend* const backend = find_backend(options.encoder_backend);
  if (backend == nullptr) {
    return Errors(ErrorCode::Usage, "--backend",
                  "found " + options.encoder_backend + ", which is no backend");
  }
  VECC_TRY_VOID(backend->available(options.encoder_device));
  return backend;
}

// In a Program that passes have changed.
ParameterIndex find_parameter(const Program& program, std::string_view name) {
  const auto& all = program.parameters();
  const auto at = std::ranges::find(all, name, &Parameter::name);
  VECC_CHECK(at != all.end(), "a parameter that the optimizer dropped");
  return static_cast<ParameterIndex>(at - all.begin());
}

}  // namespace

template <class T>
Result<std::unique_ptr<GraphEncoder<T>>> GraphEncoder<T>::make(std::span<const Triple> triples,
                                                               std::uint32_t entities,
                                                               std::uint32_t relations,
                                                               std::uint32_t width,
                                                               const TripleTrainOptions& options) {
  const EncoderOptions& o = options.encoder;
  VECC_TRY(const Backend* const backend, find_encoder_backend(options));
  MessageGraph graph =
      make_message_graph(triples, entities, relations, o.inverse, edge_order_of(o.kind));
  EncoderProgram made = make_encoder_program(graph, o, width, options.dtype);
  auto encoder = std::make_unique<GraphEncoder>();
  JavaRandom random(static_cast<std::int64_t>(options.seed ^ kEncoderSeed));
  for (const EncoderTable& table : made.tables) {
    encoder->tables_.push_back({table.name, initial_table<T>(table, options, random)});
  }
  OptimizeOptions optimizing;
  optimizing.threads = options.threads;
  const bool on_gpu = options.encoder_device.kind == Device::Kind::Cuda;
  optimizing.cost = default_coefficients(on_gpu ? Runner::KernelsOnGpu : Runner::Cpu);
  VECC_TRY(Program program, optimize(std::move(made.program), optimizing));
  for (const Table& table : encoder->tables_) {
    encoder->parameters_.push_back(find_parameter(program, table.name));
    program.set_parameter_values(encoder->parameters_.back(),
                                 SharedNumbers::of(std::span<const T>(table.rows.values)));
  }
  ExecutionOptions execution;
  execution.device = options.encoder_device;
  execution.threads = options.threads;
  execution.gradients = true;
  VECC_TRY(encoder->executable_, backend->compile(program, execution));
  if (o.has_mask()) {
    const ParameterIndex values = find_parameter(program, kEdgeValues);
    EdgeMask mask(graph, relations, o, options.seed);
    encoder->masked_.emplace(Masked{std::move(graph), o.kind, std::move(mask), values});
  }
  return encoder;
}

template <class T>
Result<void> GraphEncoder<T>::set_edges(std::span<const std::uint8_t> keeps) {
  return executable_->set_parameter(masked_->values,
                                    edge_values(masked_->graph, masked_->kind, keeps));
}

template <class T>
Result<void> GraphEncoder<T>::encode(const TrainingBatch& batch, const BatchMaker& maker,
                                     std::span<T> entities) {
  if (masked_) VECC_TRY_VOID(set_edges(masked_->mask.draw(batch, maker)));
  return run(entities);
}

template <class T>
Result<void> GraphEncoder<T>::encode(std::span<T> entities) {
  if (masked_) {
    const std::vector<std::uint8_t> all(masked_->graph.edge_count(), 1);
    VECC_TRY_VOID(set_edges(all));
  }
  return run(entities);
}

template <class T>
Result<void> GraphEncoder<T>::run(std::span<T> entities) {
  VECC_TRY_VOID(executable_->run());
  return executable_->copy_outputs(entities);
}

template <class T>
Result<void> GraphEncoder<T>::step(std::span<const double> by_entities, const RowStep& step,
                                   ThreadTeam& team) {
  VECC_TRY_VOID(executable_->differentiate(by_entities));
  // All gradients are of the tables before the step.
  std::vector<std::vector<T>> gradients;
  for (const ParameterIndex parameter : parameters_) {
    VECC_TRY(const std::vector<double> gradient, executable_->gradient(parameter));
    gradients.emplace_back(gradient.begin(), gradient.end());
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    LearnedRows<T>& table = tables_[i].rows;
    run_tasks(team, table.rows, [&](std::size_t row) {
      step.move(table, static_cast<std::uint32_t>(row), gradients[i].data() + row * table.width);
    });
    VECC_TRY_VOID(push(i));
  }
  return {};
}

template <class T>
Result<void> GraphEncoder<T>::push(std::size_t table) {
  const std::vector<T>& values = tables_[table].rows.values;
  return executable_->set_parameter(parameters_[table],
                                    std::vector<double>(values.begin(), values.end()));
}

template <class T>
Result<void> GraphEncoder<T>::set_tables(std::vector<Table> tables) {
  tables_ = std::move(tables);
  for (std::size_t i = 0; i < tables_.size(); ++i) VECC_TRY_VOID(push(i));
  return {};
}

template <class T>
std::uint64_t GraphEncoder<T>::bytes() const {
  std::uint64_t bytes = executable_->bytes();
  for (const Table& table : tables_) {
    bytes += table.rows.values.size() * sizeof(T) * (1 + table.rows.states.size());
  }
  return bytes;
}

template class GraphEncoder<float>;
template class GraphEncoder<double>;

}  // namespace vecc::kg
