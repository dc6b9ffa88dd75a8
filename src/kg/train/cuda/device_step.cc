#include "src/kg/train/cuda/device_step.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "src/kg/cuda/formula_unit.h"
#include "src/kg/cuda/parameter_rows.h"
#include "src/support/free_memory.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"

namespace vecc::kg {
namespace {

std::uint64_t number_bytes(const StepKinds& kinds) {
  return kinds.dtype == DType::F64 ? sizeof(double) : sizeof(float);
}

// transh's derivatives by normals: product tiles make whole sums.
std::uint64_t normal_splits(const StepKinds& kinds, const StepSizes& s) {
  return kinds.has_planes() && !kinds.has_product_tiles ? s.negative_splits : 1;
}

// Of weights, states and what a step makes; lists of triples are small beside them. (Without what
// lies between a user's kernels.)
std::uint64_t needed_bytes(const StepKinds& kinds, const StepSizes& s, std::uint32_t states) {
  const std::uint64_t weights = s.entities * s.dim + s.relations * s.relation_width;
  const std::uint64_t of_query = (kinds.has_planes() || kinds.has_spaces() ? 8 : 4) +
                                 (s.negative_splits - 1) + normal_splits(kinds, s) - 1;
  const std::uint64_t rows =
      of_query * s.queries + s.drawn() * (s.query_parts + (kinds.drops_entities ? 1 : 0));
  std::uint64_t pairs = s.queries * s.negatives * (kinds.has_planes() ? 2 : 1);
  if (kinds.has_spaces()) {
    pairs += s.groups() * s.negatives * (s.dim + 2) + s.space_parts() * s.drawn() * s.dim;
  }
  if (kinds.is_formula()) {
    pairs *= kinds.is_pairwise ? 2 : 1;
    pairs += s.shared_width * (1 + states) + s.queries * s.relation_width;
    pairs += (3 * s.queries + s.drawn()) * s.width;
    if (kinds.makes_answers) pairs += (s.queries + s.drawn()) * (s.width + s.dim);
  }
  const std::uint64_t numbers = weights * (1 + states) + rows * s.dim + pairs;
  return numbers * number_bytes(kinds) + 3 * (s.parts() + s.queries) * sizeof(device::Key) +
         s.triples * 4 * sizeof(std::uint32_t);
}

}  // namespace

Result<std::unique_ptr<DeviceStep>> DeviceStep::make(std::shared_ptr<cuda::Device> device,
                                                     std::span<const Triple> triples,
                                                     std::uint32_t entities,
                                                     std::uint32_t relations,
                                                     const TripleTrainOptions& options,
                                                     std::optional<ScoreFormula> formula) {
  std::optional<DeviceScore> score;
  if (formula) score = device_score(std::move(*formula));
  StepKinds kinds = step_kinds(options, score ? &*score : nullptr);
  kinds.use_tensor_cores(device->capability());
  std::optional<KnownTriples> known;
  QueryExamples examples;
  if (kinds.filters || kinds.labels) known.emplace(triples);
  if (kinds.labels) {
    examples = query_examples(*known, options.negatives.corruption);
    triples = examples.triples;
  }
  const StepSizes sizes =
      step_sizes(kinds, options, triples.size(), entities, relations, score ? &*score : nullptr);
  kinds.is_joint = sizes.is_joint;
  kinds.score_side = sizes.score_side;
  VECC_TRY(const StepGrids grids, step_grids(kinds, sizes));
  std::unique_ptr<DeviceStep> step(new DeviceStep(std::move(device), kinds, sizes));
  step->score_ = std::move(score);
  VECC_TRY_VOID(step->place_tables(options));
  step->arguments_.tail_queries = examples.tails;
  step->make_memory(triples, known ? &*known : nullptr, options);
  VECC_TRY_VOID(step->load_code());
  step->make_graph(*step->code_, grids);
  return step;
}

Result<void> DeviceStep::load_code() {
  std::vector<std::string> texts{step_text(kinds_)};
  if (score_) {
    const HoldMemory hold_zeros = [&](std::uint64_t count, std::uint64_t bytes) {
      return hold(count, bytes);
    };
    VECC_TRY(formula_,
             make_formula_step(*score_, kinds_, sizes_, device_->target(), arguments_, hold_zeros));
    for (const FormulaLaunch& launch : formula_->launches) texts.push_back(launch.text);
    arguments_.shared_parts = hold_values<device::SharedPart>(formula_->shared_parts);
    arguments_.shared_part_count = static_cast<std::uint32_t>(formula_->shared_parts.size());
  }
  VECC_TRY(formula_code_, cuda::load_device_code(device_, texts, {}, nullptr));
  code_ = formula_code_.front();
  for (std::size_t i = 1; i < formula_code_.size(); ++i) {
    formula_->launches[i - 1].bound.function = formula_code_[i]->function(kFormulaKernel);
  }
  return {};
}

// Tables are read and moved row by row, so kernels find them at the same addresses wherever they
// are. The first to leave are states, of which a step moves the fewest rows.
Result<void> DeviceStep::place_tables(const TripleTrainOptions& options) {
  const std::uint64_t number = number_bytes(kinds_);
  const std::uint32_t states = state_count(options.optimizer.optimizer);
  const std::uint64_t entities = sizes_.entities * sizes_.dim * number;
  const std::uint64_t relations = sizes_.relations * sizes_.relation_width * number;
  struct Part {
    std::uint64_t bytes;
    TablePlace& place;
  };
  const Part parts[] = {{states * entities, entity_places_.states},
                        {states * relations, relation_places_.states},
                        {entities, entity_places_.values},
                        {relations, relation_places_.values}};
  const std::uint64_t all = needed_bytes(kinds_, sizes_, states);
  std::uint64_t room = device_->free_bytes();
  if (options.device_bytes != 0) room = std::min(room, options.device_bytes);
  std::uint64_t on_host = 0;
  for (const Part& part : parts) {
    if (all - on_host <= room) break;
    if (part.bytes == 0) continue;
    part.place = TablePlace::Host;
    on_host += part.bytes;
  }
  if (all - on_host > room) {
    return Errors(ErrorCode::OutOfMemory, device_->name(),
                  "needs " + text_of_bytes(all - on_host) + " beside " + text_of_bytes(on_host) +
                      " of tables in the host's memory, it has " + text_of_bytes(room) +
                      "; a smaller --batch-size, --negatives or --dim needs less, --backend=cpu "
                      "uses the host's memory");
  }
  if (const std::uint64_t free = host_room().bytes; on_host > free) {
    return Errors(ErrorCode::OutOfMemory, device_->name(),
                  "needs " + text_of_bytes(on_host) +
                      " of the host's memory for tables that the GPU has no room for, free are " +
                      text_of_bytes(free) + "; a smaller --dim needs less");
  }
  if (on_host == 0) return {};
  log_warning(device_->name() + ": tables of " + text_of_bytes(on_host) +
              " in the host's memory, read over the bus; " + text_of_bytes(all - on_host) +
              " on the device");
  return {};
}

cuda::DeviceMemory DeviceStep::allocate(std::uint64_t count, std::uint64_t bytes,
                                        TablePlace place) {
  (place == TablePlace::Device ? bytes_ : host_bytes_) += count * bytes;
  return {device_, count * bytes, place};
}

std::uint64_t DeviceStep::hold(std::uint64_t count, std::uint64_t bytes) {
  held_.push_back(allocate(std::max<std::uint64_t>(count, 1), bytes));
  return held_.back().address();
}

template <class T>
std::uint64_t DeviceStep::hold_values(std::span<const T> values) {
  const std::uint64_t address = hold(values.size(), sizeof(T));
  held_.back().write(0, values.data(), values.size_bytes());
  return address;
}

DeviceStep::Table DeviceStep::make_table(std::uint64_t rows, std::uint64_t width,
                                         std::uint32_t states, const TablePlaces& places) {
  const std::uint64_t numbers = std::max<std::uint64_t>(rows * width, 1);
  Table table{allocate(numbers, number_bytes(kinds_), places.values), {}};
  for (std::uint32_t i = 0; i < states; ++i) {
    table.states.push_back(allocate(numbers, number_bytes(kinds_), places.states));
  }
  return table;
}

// What batches and negatives are drawn from.
void DeviceStep::hold_draws(std::span<const Triple> triples, const KnownTriples* known,
                            const NegativeOptions& options) {
  device::Arguments& a = arguments_;
  static_assert(sizeof(Triple) == 3 * sizeof(std::uint32_t));
  a.triples = hold_values(triples);
  if (kinds_.sides == device::Sides::Mixed) {
    a.chosen = hold(2 * sizes_.batch_size, sizeof(std::uint32_t));
  }
  if (options.corruption == Corruption::Bernoulli) {
    const auto relations = static_cast<std::uint32_t>(sizes_.relations);
    a.head_probability = hold_values<double>(head_probabilities(triples, relations));
  }
  if (kinds_.by_degree && options.count > 0) {
    a.degree_sums =
        hold_values(draw_by_degree(triples, static_cast<std::uint32_t>(sizes_.entities)).sums());
  }
  if (known == nullptr) return;
  a.known_heads = hold_values(known->rows(Side::Head));
  a.known_tails = hold_values(known->rows(Side::Tail));
  a.known_head_count = static_cast<std::uint32_t>(known->rows(Side::Head).size());
  a.known_tail_count = static_cast<std::uint32_t>(known->rows(Side::Tail).size());
}

void DeviceStep::make_memory(std::span<const Triple> triples, const KnownTriples* known,
                             const TripleTrainOptions& options) {
  const StepSizes& s = sizes_;
  const std::uint64_t number = number_bytes(kinds_);
  const std::uint32_t states = state_count(options.optimizer.optimizer);
  device::Arguments& a = arguments_;
  entities_ = make_table(s.entities, s.dim, states, entity_places_);
  relations_ = make_table(s.relations, s.relation_width, states, relation_places_);
  a.entities = entities_.values.address();
  a.relations = relations_.values.address();
  for (std::uint32_t i = 0; i < states; ++i) {
    a.entity_states[i] = entities_.states[i].address();
    a.relation_states[i] = relations_.states[i].address();
  }
  state_ = allocate(1, sizeof(device::EpochState));
  order_ = allocate(s.triples, sizeof(std::uint32_t));
  rates_ = allocate(s.batches, sizeof(device::StepRates));
  a.state = state_.address();
  a.order = order_.address();
  a.rates = rates_.address();
  hold_draws(triples, known, options.negatives);
  a.query_rows = hold(s.queries, sizeof(device::QueryRows));
  a.negatives = hold(s.drawn(), sizeof(std::uint32_t));
  if (kinds_.is_formula()) {
    make_formula_memory(states);
  } else if (kinds_.drops_entities) {
    a.dropped = hold(s.drawn() * s.dim, number);
  }
  a.queries = hold(s.queries * s.width, number);
  a.biases = hold(s.queries, number);
  a.scores = hold(s.queries * s.negatives, number);
  a.positives = hold(s.queries, number);
  a.by_bias = hold(s.queries, number);
  a.slopes = hold(s.queries, number);
  a.losses = hold(s.queries, sizeof(double));
  a.by_query = hold(s.negative_splits * s.queries * s.width, number);
  a.by_negative = hold(s.query_parts * s.drawn() * s.width, number);
  a.by_anchor = hold(s.queries * s.dim, number);
  if (kinds_.has_matrices()) {
    a.segments = hold(s.queries + 1, sizeof(std::uint32_t));
    a.runs = hold(s.runs() + 1, sizeof(std::uint32_t));
  }
  if (kinds_.model != ScoreModel::Rescal) {
    const std::uint64_t width = kinds_.has_spaces() ? s.dim : s.relation_width;
    a.by_relation = hold(s.queries * width, number);
  }
  if (kinds_.has_spaces()) {
    for (auto* rows : {&a.images, &a.differences, &a.by_image, &a.by_answer}) {
      *rows = hold(s.queries * s.dim, number);
    }
    a.negative_images = hold(s.groups() * s.negatives * s.dim, number);
    a.norms = hold(s.groups() * s.negatives, number);
    a.image_rows = hold(s.groups() * s.negatives, sizeof(std::uint32_t));
    a.by_negative_parts = hold(s.space_parts() * s.drawn() * s.dim, number);
    a.groups = hold(s.groups() + 1, sizeof(std::uint32_t));
    a.group_of = hold(s.queries, sizeof(std::uint32_t));
    a.segment_groups = hold(s.queries, sizeof(std::uint32_t));
  }
  if (kinds_.has_planes()) {
    a.normals = hold(s.queries * s.dim, number);
    a.by_normal = hold(normal_splits(kinds_, s) * s.queries * s.dim, number);
    a.along = hold(s.queries * s.negatives, number);
    a.positive_along = hold(s.queries, number);
  }
  set_numbers(options);
}

// Of a user's score beside what all scores have.
void DeviceStep::make_formula_memory(std::uint32_t states) {
  const StepSizes& s = sizes_;
  const std::uint64_t number = number_bytes(kinds_);
  device::Arguments& a = arguments_;
  shared_ = make_table(1, s.shared_width, states, {});
  a.shared = shared_.values.address();
  for (std::uint32_t i = 0; i < states; ++i) a.shared_states[i] = shared_.states[i].address();
  const auto begins = [&](ParameterOwner owner) {
    std::vector<std::uint32_t> places;
    for (const ScoreParameter& parameter : score_->formula.parameters) {
      if (parameter.owner == owner) places.push_back(parameter.begin);
    }
    places.push_back(score_->formula.width_of(owner));
    return places;
  };
  a.entity_parts = hold_values<std::uint32_t>(begins(ParameterOwner::Entity));
  a.relation_parts = hold_values<std::uint32_t>(begins(ParameterOwner::Relation));
  a.ranges = hold(2 * device::kRanges, sizeof(std::uint32_t));
  a.sum_ranges = hold_values<std::uint32_t>(std::array{0u, device::kSharedSums, 0u, 1u});
  a.slot_rows = hold(s.parts(), sizeof(std::uint32_t));
  a.relation_rows = hold(s.queries, sizeof(std::uint32_t));
  std::vector<device::RowSpan> rows(std::max(s.queries, s.drawn()));
  for (unsigned i = 0; i < rows.size(); ++i) rows[i] = {i, 1, i, i};
  a.row_spans = hold_values<device::RowSpan>(rows);
  a.sum_spans = hold(device::kRanges * device::kSumSpans, sizeof(device::RowSpan));
  if (kinds_.drops_entities) a.dropped = hold(s.parts() * s.dim, number);
  if (kinds_.drops_relations) a.dropped_relations = hold(s.queries * s.relation_width, number);
  if (kinds_.makes_answers) {
    a.answers = hold(s.queries * s.width, number);
    a.vectors = hold(s.drawn() * s.width, number);
    a.by_answer = hold(s.queries * s.width, number);
    a.by_answer_rows = hold(s.queries * s.dim, number);
    a.by_negative_rows = hold(s.drawn() * s.dim, number);
  }
  if (!kinds_.is_pairwise) return;
  a.query_spans = hold(s.queries, sizeof(device::RowSpan));
  a.negative_spans = hold(s.drawn(), sizeof(device::RowSpan));
  a.positive_scores = hold(s.queries, number);
  a.by_positive = hold(s.queries * s.width, number);
  a.columns = hold(s.drawn() * s.chunk, number);
}

void DeviceStep::set_numbers(const TripleTrainOptions& options) {
  const auto count = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  const StepSizes& s = sizes_;
  device::Arguments& a = arguments_;
  a.entity_keys.most = count(s.parts());
  a.relation_keys.most = count(s.queries);
  a.seed = options.seed;
  a.margin = options.loss.margin;
  a.adversarial = options.loss.adversarial;
  a.label_smoothing = options.loss.label_smoothing;
  a.l2 = options.regularizer.l2;
  a.n3 = options.regularizer.n3;
  a.constraints = options.regularizer.constraints;
  a.entity_share = dropout_share(options.dropout.entities);
  a.relation_share = dropout_share(options.dropout.relations);
  a.entity_scale = dropout_scale(a.entity_share);
  a.relation_scale = dropout_scale(a.relation_share);
  const OptimizerOptions optimizer = with_defaults(options.optimizer);
  a.epsilon = optimizer.epsilon.value_or(0);
  a.beta1 = optimizer.beta1.value_or(0);
  a.beta2 = optimizer.beta2.value_or(0);
  a.entity_count = count(s.entities);
  a.relation_count = count(s.relations);
  a.dim = count(s.dim);
  a.width = count(s.width);
  a.relation_width = count(s.relation_width);
  a.shared_width = count(s.shared_width);
  a.triple_count = count(s.triples);
  a.batch_size = count(s.batch_size);
  a.chunk = count(s.chunk);
  a.negative_count = count(s.negatives);
  a.most_queries = count(s.queries);
  a.most_chunks = count(s.chunks);
  a.query_parts = count(s.query_parts);
  a.negative_splits = count(s.negative_splits);
  a.split_negatives = count(s.split_negatives);
  a.space_parts = count(s.space_parts());
}

void DeviceStep::make_graph(const cuda::DeviceModule& code, const StepGrids& grids) {
  // Each list has two places for sorted keys: passes go from one to the other.
  StepKeys entities{hold(sizes_.parts(), sizeof(device::Key)), {}};
  StepKeys relations{hold(sizes_.queries, sizeof(device::Key)), {}};
  for (std::size_t i = 0; i < 2; ++i) {
    entities.sorted[i] = hold(sizes_.parts(), sizeof(device::Key));
    relations.sorted[i] = hold(sizes_.queries, sizeof(device::Key));
  }
  launches_ = std::make_unique<StepLaunches>(code, kinds_, grids, arguments_, entities, relations,
                                             formula_ ? &*formula_ : nullptr);
  graph_ = launches_->make_graph(device_);
}

template <class T>
void DeviceStep::write_table(const Table& table, const LearnedRows<T>& rows,
                             ParameterOwner owner) const {
  const auto write = [&](const cuda::DeviceMemory& to, const std::vector<T>& values) {
    if (values.empty()) return;
    if (!score_) return to.write(0, values.data(), values.size() * sizeof(T));
    const std::vector<T> moved =
        rows_by_parameter(values, score_->formula, owner, rows.rows, /*to_rows=*/false);
    to.write(0, moved.data(), moved.size() * sizeof(T));
  };
  write(table.values, rows.values);
  for (std::size_t i = 0; i < table.states.size(); ++i) write(table.states[i], rows.states[i]);
}

template <class T>
void DeviceStep::read_table(const Table& table, LearnedRows<T>& rows, ParameterOwner owner) const {
  const auto read = [&](const cuda::DeviceMemory& from, std::vector<T>& values) {
    if (values.empty()) return;
    from.read(0, values.data(), values.size() * sizeof(T));
    if (score_)
      values = rows_by_parameter(values, score_->formula, owner, rows.rows, /*to_rows=*/true);
  };
  read(table.values, rows.values);
  for (std::size_t i = 0; i < table.states.size(); ++i) read(table.states[i], rows.states[i]);
}

template <class T>
void DeviceStep::write(const LearnedModel<T>& model) const {
  write_table(entities_, model.entities, ParameterOwner::Entity);
  write_table(relations_, model.relations, ParameterOwner::Relation);
  if (score_) write_table(shared_, model.shared, ParameterOwner::Shared);
}

template <class T>
void DeviceStep::read(LearnedModel<T>& model) const {
  read_table(entities_, model.entities, ParameterOwner::Entity);
  read_table(relations_, model.relations, ParameterOwner::Relation);
  if (score_) read_table(shared_, model.shared, ParameterOwner::Shared);
}

RankModel DeviceStep::rank_model() const {
  RankModel model;
  model.dtype = kinds_.dtype;
  model.model = kinds_.model;
  model.p = kinds_.sum == TileKind::L2 ? 2 : 1;
  model.entities = sizes_.entities;
  model.relations = sizes_.relations;
  model.dim = model.relation_dim = static_cast<std::uint32_t>(sizes_.dim);
  model.score = score_;
  return model;
}

RankTables DeviceStep::rank_tables() const {
  RankTables tables;
  tables.entities = entities_.values.address();
  tables.relations = relations_.values.address();
  // A relation's row is its vector, then its normal or matrix; or a matrix alone.
  tables.normals = tables.matrices = tables.relations + sizes_.dim * number_bytes(kinds_);
  if (kinds_.model == ScoreModel::Rescal) tables.matrices = tables.relations;
  if (score_) tables.shared = shared_.values.address();
  tables.relation_stride = tables.matrix_stride = tables.normal_stride = sizes_.relation_width;
  return tables;
}

void DeviceStep::set_order(std::span<const std::uint32_t> order) const {
  order_.write(0, order.data(), order.size_bytes());
}

void DeviceStep::begin(const device::EpochState& state,
                       std::span<const device::StepRates> rates) const {
  rates_.write(0, rates.data(), rates.size_bytes());
  state_.write(0, &state, sizeof state);
}

device::EpochState DeviceStep::state() const {
  device::EpochState state{};
  state_.read(0, &state, sizeof state);
  return state;
}

template void DeviceStep::write(const LearnedModel<float>&) const;
template void DeviceStep::write(const LearnedModel<double>&) const;
template void DeviceStep::read(LearnedModel<float>&) const;
template void DeviceStep::read(LearnedModel<double>&) const;

}  // namespace vecc::kg
