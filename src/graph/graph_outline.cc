#include "src/graph/graph_outline.h"

#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vecc {
namespace {

constexpr std::uint32_t last_of(Split) {
  return static_cast<std::uint32_t>(Split::Test);
}
constexpr std::uint32_t last_of(Role) {
  return static_cast<std::uint32_t>(Role::Negative);
}
constexpr std::uint32_t last_of(VocabularyUse::Place) {
  return static_cast<std::uint32_t>(VocabularyUse::Place::Outputs);
}
constexpr std::uint32_t last_of(VocabularyUse::Axis) {
  return static_cast<std::uint32_t>(VocabularyUse::Axis::ValueColumn);
}

// Appends to three columns: 32-bit words, text, numbers. OutlineReader takes the same in the same
// order.
class OutlineWriter {
 public:
  void word(std::uint64_t value) { words_.push_back(static_cast<std::uint32_t>(value)); }
  void wide(std::uint64_t value) {
    word(value & 0xFFFFFFFF);
    word(value >> 32);
  }
  void text(std::string_view text) {
    wide(text.size());
    text_ += text;
  }
  void strings(const StringColumn& strings) {
    wide(strings.size());
    for (std::size_t i = 0; i < strings.size(); ++i) text(strings[i]);
  }
  void shape(Shape shape) {
    word(shape.is_scalar() ? 0 : shape.rows());
    word(shape.is_scalar() ? 0 : shape.cols());
  }
  void numbers(std::span<const double> values) { numbers_.append(values); }
  void numbers(const SharedNumbers& values) { numbers_.append(values); }
  std::uint32_t add_to(ColumnWriter& writer) {
    const std::uint32_t first = writer.add(std::span(words_));
    writer.add(std::string_view(text_));
    writer.add(numbers_.take());
    return first;
  }

 private:
  std::vector<std::uint32_t> words_;
  std::string text_;
  NumberColumn numbers_;
};

void write_table(const WeightTable& table, OutlineWriter& to) {
  to.text(table.name);
  to.shape(table.shape);
  to.word(table.count);
  to.wide(table.file_first_id);
  to.word(table.learnable ? 1 : 0);
  to.word(table.has_values ? 1 : 0);
  if (table.has_values) to.numbers(table.values);
  to.strings(table.row_names);
}

void write_sample(const Sample& sample, OutlineWriter& to) {
  to.word(sample.output);
  to.word(sample.group);
  to.word(std::bit_cast<std::uint32_t>(sample.weight));
  to.word(static_cast<std::uint32_t>(sample.split));
  to.word(static_cast<std::uint32_t>(sample.role));
  to.word(sample.has_target ? 1 : 0);
  if (sample.has_target) to.shape(sample.target_shape);
}

void write_vocabulary(const Vocabulary& vocabulary, OutlineWriter& to) {
  to.text(vocabulary.name);
  to.strings(vocabulary.names);
  to.wide(vocabulary.uses.size());
  for (const VocabularyUse& use : vocabulary.uses) {
    to.word(static_cast<std::uint32_t>(use.place));
    to.word(static_cast<std::uint32_t>(use.axis));
    to.text(use.table);
    to.wide(use.group);
    to.word(use.inner);
  }
}

// Takes what the columns hold, and nothing beyond: after the first thing that cannot be, `failed`,
// and everything is 0 or empty.
class OutlineReader {
 public:
  OutlineReader(const std::vector<std::uint32_t>& words, std::string_view text,
                SharedNumbers numbers)
      : words_(words), text_(text), numbers_(std::move(numbers)) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool is_at_end() const {
    return !failed_ && words_.empty() && text_.empty() && taken_ == numbers_.size();
  }
  void expect(bool holds) { failed_ = failed_ || !holds; }

  std::uint32_t word() {
    expect(!words_.empty());
    if (failed_) return 0;
    const std::uint32_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::uint64_t wide() {
    const std::uint64_t low = word();
    return low | std::uint64_t{word()} << 32;
  }
  bool flag() {
    const std::uint32_t value = word();
    expect(value <= 1);
    return value == 1;
  }
  template <class Enum>
  Enum choice() {
    const std::uint32_t value = word();
    expect(value <= last_of(Enum()));
    return failed_ ? Enum() : static_cast<Enum>(value);
  }
  // Of things that take at least one word each.
  std::uint64_t count() {
    const std::uint64_t count = wide();
    expect(count <= words_.size());
    return failed_ ? 0 : count;
  }
  std::string_view text() {
    const std::uint64_t size = wide();
    expect(size <= text_.size());
    if (failed_) return {};
    const std::string_view result = text_.substr(0, size);
    text_.remove_prefix(size);
    return result;
  }
  void strings(StringColumn& to) {
    for (std::uint64_t left = count(); left > 0 && !failed_; --left) to.push_back(text());
  }
  Shape shape() {
    const std::uint32_t rows = word();
    const std::uint32_t cols = word();
    expect((rows == 0) == (cols == 0));
    return failed_ || rows == 0 ? Shape::scalar() : Shape(rows, cols);
  }
  // `count` times as many as `each`.
  SharedNumbers numbers(std::uint64_t count, std::uint64_t each) {
    const std::size_t first = take(count, each);
    return failed_ ? SharedNumbers() : numbers_.part(first, count * each);
  }
  void append_numbers(std::uint64_t count, std::vector<double>& to) {
    const std::size_t first = take(count, 1);
    for (std::size_t i = 0; !failed_ && i < count; ++i) to.push_back(numbers_[first + i]);
  }

 private:
  // The first of as many numbers.
  std::size_t take(std::uint64_t count, std::uint64_t each) {
    expect(each == 0 || count <= (numbers_.size() - taken_) / each);
    const std::size_t first = taken_;
    if (!failed_) taken_ += count * each;
    return first;
  }

  std::span<const std::uint32_t> words_;
  std::string_view text_;
  SharedNumbers numbers_;
  std::size_t taken_ = 0;  // of the numbers
  bool failed_ = false;
};

// A table's ids go on where those of the one before it end.
void read_table(OutlineReader& from, std::uint64_t most, NeuronGraph& graph) {
  WeightTable table;
  table.name = from.text();
  table.shape = from.shape();
  table.count = from.word();
  table.file_first_id = from.wide();
  table.learnable = from.flag();
  table.has_values = from.flag();
  if (table.has_values) table.values = from.numbers(table.count, table.shape.size());
  from.strings(table.row_names);
  from.expect(table.row_names.size() == 0 || table.row_names.size() == table.count);
  const std::uint64_t first = graph.table_of_weight.size();
  from.expect(first + table.count < kNoWeight && first + table.count <= most);
  if (from.failed()) return;
  table.first = static_cast<WeightId>(first);
  graph.table_of_weight.resize(first + table.count,
                               static_cast<std::uint32_t>(graph.weight_tables.size()));
  graph.weight_tables.push_back(std::move(table));
}

void read_sample(OutlineReader& from, std::uint64_t neurons, NeuronGraph& graph) {
  Sample sample;
  sample.output = from.word();
  from.expect(sample.output < neurons);
  sample.group = from.word();
  sample.weight = std::bit_cast<float>(from.word());
  from.expect(std::isfinite(sample.weight));
  sample.split = from.choice<Split>();
  sample.role = from.choice<Role>();
  sample.has_target = from.flag();
  sample.target_begin = graph.target_values.size();
  if (sample.has_target) {
    sample.target_shape = from.shape();
    from.append_numbers(sample.target_shape.size(), graph.target_values);
  }
  graph.samples.push_back(sample);
}

void read_vocabulary(OutlineReader& from, NeuronGraph& graph) {
  Vocabulary& vocabulary = graph.vocabularies.emplace_back();
  vocabulary.name = from.text();
  from.strings(vocabulary.names);
  from.expect(vocabulary.names.size() > 0);
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    VocabularyUse& use = vocabulary.uses.emplace_back();
    use.place = from.choice<VocabularyUse::Place>();
    use.axis = from.choice<VocabularyUse::Axis>();
    use.table = from.text();
    use.group = from.wide();
    use.inner = from.word();
    from.expect(use.inner > 0);
  }
}

void read_all(OutlineReader& from, std::uint64_t most, GraphOutline& outline) {
  GraphSizes& sizes = outline.sizes;
  for (std::uint64_t* const size : {&sizes.neurons, &sizes.edges, &sizes.groups, &sizes.bytes}) {
    *size = from.wide();
  }
  NeuronGraph& graph = outline.graph;
  graph.producer = from.text();
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    read_table(from, most, graph);
  }
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    read_sample(from, sizes.neurons, graph);
  }
  from.strings(graph.sample_ids);
  from.expect(graph.sample_ids.size() == 0 || graph.sample_ids.size() == graph.samples.size());
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    read_vocabulary(from, graph);
  }
}

}  // namespace

GraphSizes sizes_of(const NeuronGraph& graph) {
  return {graph.neuron_count(), graph.edge_count(), graph.groups.size(), graph.bytes()};
}

void forget_neurons(NeuronGraph& graph) {
  NeuronGraph outline;
  outline.producer = std::move(graph.producer);
  outline.weight_tables = std::move(graph.weight_tables);
  outline.table_of_weight = std::move(graph.table_of_weight);
  outline.samples = std::move(graph.samples);
  outline.sample_ids = std::move(graph.sample_ids);
  outline.target_values = std::move(graph.target_values);
  outline.vocabularies = std::move(graph.vocabularies);
  graph = std::move(outline);
}

std::uint64_t most_weights(std::uint64_t file_bytes) {
  return (std::uint64_t{1} << 20) + 64 * file_bytes;
}

std::uint32_t write_outline(const NeuronGraph& graph, const GraphSizes& sizes,
                            std::span<const WeightTable> tables, ColumnWriter& writer) {
  OutlineWriter to;
  for (const std::uint64_t size : {sizes.neurons, sizes.edges, sizes.groups, sizes.bytes}) {
    to.wide(size);
  }
  to.text(graph.producer);
  to.wide(tables.size());
  for (const WeightTable& table : tables) write_table(table, to);
  to.wide(graph.samples.size());
  for (const Sample& sample : graph.samples) {
    write_sample(sample, to);
    if (!sample.has_target) continue;
    to.numbers(
        std::span(graph.target_values).subspan(sample.target_begin, sample.target_shape.size()));
  }
  to.strings(graph.sample_ids);
  to.wide(graph.vocabularies.size());
  for (const Vocabulary& vocabulary : graph.vocabularies) write_vocabulary(vocabulary, to);
  return to.add_to(writer);
}

Result<GraphOutline> read_outline(const ColumnFile& file, std::uint64_t first) {
  const auto words = file.words(first);
  const std::string* const text = file.text(first + 1);
  const auto numbers = file.numbers(first + 2);
  GraphOutline outline;
  bool is_one = words != nullptr && text != nullptr && numbers;
  if (is_one) {
    OutlineReader from(*words, *text, numbers);
    read_all(from, most_weights(file.bytes()), outline);
    is_one = from.is_at_end();
  }
  if (is_one) return outline;
  return Errors(ErrorCode::WrongCounts, "column " + std::to_string(first),
                "is no outline of a graph");
}

}  // namespace vecc
