#include "tools/import/ground/grounder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

// A chunk goes to the file when it has so many neurons or edges: a few tens of MiB of columns.
constexpr std::size_t kChunkNeurons = 1 << 18;
constexpr std::size_t kChunkEdges = 1 << 20;
constexpr std::uint64_t kChunkValues = 1 << 20;
constexpr std::size_t kChunkSamples = 1 << 16;
constexpr std::uint64_t kProgressNeurons = 1 << 16;

}  // namespace

struct Grounder::State {
  // A sample whose texts and values are its own.
  struct StoredSample {
    std::string id;
    std::vector<double> target;
    SampleRecord record;
  };

  GrounderOptions options;
  GraphWriter writer;
  JavaRandom random;
  std::optional<Errors> failure;
  FileId next_neuron = 0;
  std::uint64_t edges = 0;
  std::uint64_t samples_written = 0;
  WeightId next_weight = 0;
  std::uint64_t next_group = 0;
  std::vector<StoredSample> samples;
  std::vector<Vocabulary> vocabularies;

  // The group that is open.
  const GroupSpec* spec = nullptr;
  NeuronRow row;
  std::size_t row_begin = 0;  // inputs of the chunk before the open neuron
  std::vector<std::uint32_t> fan_in;
  std::vector<WeightId> offsets;

  State(GrounderOptions o, GraphWriter w)
      : options(std::move(o)), writer(std::move(w)), random(options.seed) {}

  void fail(ErrorCode code, std::string message) {
    if (!failure) failure = Errors(code, escape_terminal(options.path), std::move(message));
  }
  void check_limit(ErrorCode code, std::uint64_t found, std::uint64_t limit, const char* what,
                   const char* option) {
    if (found <= limit) return;
    fail(code, "the grounded template has more than " + std::to_string(limit) + " " + what +
                   "; raise " + option + " or ground less");
  }
  void add_neurons(std::uint64_t count) {
    const std::uint64_t before = next_neuron / kProgressNeurons;
    next_neuron += count;
    check_limit(ErrorCode::LimitNeurons, next_neuron, options.limits.max_neurons, "neurons",
                "--max-neurons");
    if (options.progress && next_neuron / kProgressNeurons != before) options.progress(next_neuron);
  }
  void write_chunk();
  void write_samples();
  void add_use(std::string_view name, VocabularyUse use) {
    const auto found = std::ranges::find(vocabularies, name, &Vocabulary::name);
    if (found != vocabularies.end()) found->uses.push_back(std::move(use));
  }
  FileId write_facts(std::string_view head, Shape shape, std::uint64_t count, FactKind kind,
                     const std::function<void(std::uint64_t, GroupChunk&)>& describe);
};

void Grounder::State::write_chunk() {
  if (fan_in.empty() || failure) return;
  GroupChunk chunk;
  chunk.group_id = next_group;
  chunk.neuron_class = spec->neuron_class;
  chunk.head_predicate = spec->head;
  chunk.rule_text = spec->rule;
  chunk.function = spec->function;
  chunk.has_shape = spec->shape.has_value();
  chunk.shape = spec->shape.value_or(Shape{});
  chunk.count = static_cast<std::uint32_t>(fan_in.size());
  chunk.first_id = next_neuron - fan_in.size();
  const bool same = std::equal(fan_in.begin() + 1, fan_in.end(), fan_in.begin());
  chunk.fan_in = std::span(fan_in).first(same ? 1 : fan_in.size());
  chunk.inputs = row.inputs_;
  const auto present = [](WeightId w) { return w != kNoWeight; };
  if (std::any_of(row.weights_.begin(), row.weights_.end(), present)) chunk.weights = row.weights_;
  if (std::any_of(offsets.begin(), offsets.end(), present)) chunk.offsets = offsets;
  chunk.words = row.words_;
  writer.group(chunk);
  fan_in.clear();
  offsets.clear();
  row.inputs_.clear();
  row.weights_.clear();
  row.words_.clear();
  row_begin = 0;
}

void Grounder::State::write_samples() {
  std::vector<SampleRecord> records;
  records.reserve(samples.size());
  for (const StoredSample& sample : samples) {
    records.push_back(sample.record);
    records.back().id = sample.id;
    records.back().target = sample.target;
  }
  if (!failure) writer.samples(records);
  samples_written += samples.size();
  samples.clear();
}

FileId Grounder::State::write_facts(
    std::string_view head, Shape shape, std::uint64_t count, FactKind kind,
    const std::function<void(std::uint64_t, GroupChunk&)>& describe) {
  const FileId first = next_neuron;
  const std::uint64_t step =
      std::clamp<std::uint64_t>(kChunkValues / shape.size(), 1, kChunkNeurons);
  for (std::uint64_t begin = 0; begin < count && !failure; begin += step) {
    GroupChunk chunk;
    chunk.group_id = next_group;
    chunk.neuron_class = NeuronClass::Fact;
    chunk.fact = kind;
    chunk.head_predicate = head;
    chunk.has_shape = kind == FactKind::Constant;
    chunk.shape = shape;
    chunk.count = static_cast<std::uint32_t>(std::min(step, count - begin));
    chunk.first_id = next_neuron;
    describe(begin, chunk);
    add_neurons(chunk.count);
    writer.group(chunk);
  }
  ++next_group;
  return first;
}

Grounder::Grounder(GrounderOptions options, GraphWriter writer)
    : state_(std::make_unique<State>(std::move(options), std::move(writer))) {}
Grounder::Grounder(Grounder&&) noexcept = default;
Grounder& Grounder::operator=(Grounder&&) noexcept = default;
Grounder::~Grounder() = default;

Result<Grounder> Grounder::create(GrounderOptions options) {
  VECC_TRY(GraphWriter writer, GraphWriter::create(options.path, options.encoding, options.producer,
                                                   /*vocabularies=*/true));
  return Grounder(std::move(options), std::move(writer));
}

WeightId Grounder::weights(std::string_view name, Shape shape, std::uint32_t count,
                           const StringColumn* row_names) {
  State& s = *state_;
  const WeightId first = s.next_weight;
  s.check_limit(ErrorCode::LimitWeights, std::uint64_t{first} + count, s.options.limits.max_weights,
                "weights", "--max-weights");
  if (s.failure) return first;
  GraphWriter::FillWeights fill;
  if (s.options.initializer) {
    fill = [&s, shape](std::span<double> values) {
      for (std::size_t at = 0; at < values.size(); at += shape.size()) {
        draw_weight(*s.options.initializer, shape, s.random, values.subspan(at, shape.size()));
      }
    };
  }
  s.writer.stream_weight_table(name, first, count, shape, true, fill, row_names);
  s.next_weight += count;
  return first;
}

WeightId Grounder::given_weights(std::string_view name, Shape shape, std::uint32_t count,
                                 const std::function<bool(std::uint32_t, std::span<double>)>& fill,
                                 const StringColumn* row_names) {
  State& s = *state_;
  const WeightId first = s.next_weight;
  s.check_limit(ErrorCode::LimitWeights, std::uint64_t{first} + count, s.options.limits.max_weights,
                "weights", "--max-weights");
  if (s.failure) return first;
  std::uint32_t next = 0;
  const auto fill_some = [&](std::span<double> values) {
    for (std::size_t at = 0; at < values.size(); at += shape.size(), ++next) {
      const std::span<double> row = values.subspan(at, shape.size());
      if (fill(next, row)) continue;
      std::ranges::fill(row, 0.0);
      if (s.options.initializer) draw_weight(*s.options.initializer, shape, s.random, row);
    }
  };
  s.writer.stream_weight_table(name, first, count, shape, true, fill_some, row_names);
  s.next_weight += count;
  return first;
}

WeightId Grounder::fixed_weight(std::string_view name, Shape shape,
                                std::span<const double> values) {
  const WeightId first = state_->next_weight++;
  state_->writer.weight_table(name, first, 1, shape, false, values);
  return first;
}

FileId Grounder::unit_facts(std::string_view head, std::uint64_t count) {
  return state_->write_facts(head, Shape{}, count, FactKind::Unit,
                             [](std::uint64_t, GroupChunk&) {});
}

FileId Grounder::constant_facts(std::string_view head, Shape shape, std::uint64_t count,
                                const std::function<void(std::uint64_t, std::span<double>)>& fill) {
  std::vector<double> values;
  return state_->write_facts(
      head, shape, count, FactKind::Constant, [&](std::uint64_t begin, GroupChunk& chunk) {
        values.assign(chunk.count * shape.size(), 0.0);
        for (std::uint32_t i = 0; i < chunk.count; ++i) {
          fill(begin + i, std::span(values).subspan(i * shape.size(), shape.size()));
        }
        chunk.values = values;
      });
}

FileId Grounder::learnable_facts(std::string_view head, WeightId first_weight,
                                 std::uint64_t count) {
  return learnable_facts(head, count, [first_weight](std::uint64_t i) {
    return static_cast<WeightId>(first_weight + i);
  });
}

FileId Grounder::learnable_facts(std::string_view head, std::uint64_t count,
                                 const std::function<WeightId(std::uint64_t)>& weight_of) {
  std::vector<WeightId> ids;
  return state_->write_facts(head, Shape{}, count, FactKind::Learnable,
                             [&](std::uint64_t begin, GroupChunk& chunk) {
                               ids.resize(chunk.count);
                               for (std::uint32_t i = 0; i < chunk.count; ++i) {
                                 ids[i] = weight_of(begin + i);
                               }
                               chunk.weights = ids;
                             });
}

void Grounder::continue_group() {
  --state_->next_group;
}

FileId Grounder::begin_group(const GroupSpec& spec) {
  state_->spec = &spec;
  return state_->next_neuron;
}

NeuronRow& Grounder::row() {
  return state_->row;
}

void Grounder::end_neuron() {
  State& s = *state_;
  const std::size_t edges = s.row.inputs_.size() - s.row_begin;
  s.fan_in.push_back(static_cast<std::uint32_t>(edges));
  s.offsets.push_back(std::exchange(s.row.offset_, kNoWeight));
  s.row_begin = s.row.inputs_.size();
  s.edges += edges;
  s.check_limit(ErrorCode::LimitEdges, s.edges, s.options.limits.max_edges, "edges", "--max-edges");
  s.add_neurons(1);
  if (s.fan_in.size() >= kChunkNeurons || s.row_begin >= kChunkEdges) s.write_chunk();
}

void Grounder::end_group() {
  state_->write_chunk();
  ++state_->next_group;
  state_->spec = nullptr;
}

void Grounder::sample(const SampleRecord& record) {
  State& s = *state_;
  s.samples.push_back(
      {std::string(record.id), {record.target.begin(), record.target.end()}, record});
  if (s.samples.size() >= kChunkSamples) s.write_samples();
}

void Grounder::vocabulary(std::string_view name, StringColumn names) {
  if (names.size() == 0) return;
  state_->vocabularies.push_back({std::string(name), std::move(names), {}});
}

void Grounder::number_weights(std::string_view vocabulary, std::string_view table,
                              VocabularyUse::Axis axis, std::uint32_t inner) {
  state_->add_use(vocabulary, {VocabularyUse::Place::Weights, axis, std::string(table), 0, inner});
}

void Grounder::number_facts(std::string_view vocabulary, VocabularyUse::Axis axis) {
  state_->add_use(vocabulary, {VocabularyUse::Place::Facts, axis, {}, state_->next_group - 1, 1});
}

void Grounder::number_outputs(std::string_view vocabulary) {
  state_->add_use(vocabulary, {VocabularyUse::Place::Outputs, {}, {}, 0, 1});
}

std::uint64_t Grounder::neuron_count() const {
  return state_->next_neuron;
}
std::uint64_t Grounder::edge_count() const {
  return state_->edges;
}
std::uint64_t Grounder::sample_count() const {
  return state_->samples_written + state_->samples.size();
}
const ImportLimits& Grounder::limits() const {
  return state_->options.limits;
}
bool Grounder::is_repeated() const {
  return state_->options.is_repeated;
}
bool Grounder::failed() const {
  return state_->failure.has_value();
}

Result<void> Grounder::finish() {
  if (!state_->samples.empty()) state_->write_samples();
  if (state_->failure) return *state_->failure;
  for (const Vocabulary& vocabulary : state_->vocabularies) state_->writer.vocabulary(vocabulary);
  return state_->writer.finish();
}

}  // namespace vecc::tools
