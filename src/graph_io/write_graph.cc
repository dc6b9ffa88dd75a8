// A NeuronGraph, or many copies of it, to a file.
//
// Copies are laid out range by range, not graph by graph: all copies of a range are one longer
// range, so that a graph written a thousand times has a thousand times the rows and not a thousand
// times the groups. Neuron `first + i` of copy k gets the id `first * times + k * count + i`, which
// keeps the order of ids within a copy (inputs before their readers stay so).
#include <algorithm>
#include <string>
#include <vector>

#include "vecc/escape.h"
#include "vecc/graph_io.h"

namespace vecc {
namespace {

constexpr std::uint64_t kBufferedNeurons = std::uint64_t{1} << 18;
constexpr std::uint64_t kBufferedWords = std::uint64_t{1} << 21;  // edges and values
constexpr std::size_t kBufferedSamples = 4096;

class CopyWriter {
 public:
  CopyWriter(const NeuronGraph& graph, std::uint32_t times, std::uint32_t group_count,
             GraphWriter& writer)
      : graph_(graph), times_(times), group_count_(group_count), writer_(writer) {}

  void write_range(const NeuronRange& range) {
    start_chunk(range);
    for (std::uint32_t copy = 0; copy < times_; ++copy) {
      for (std::uint32_t i = 0; i < range.count; ++i) {
        append_neuron(range, copy, i);
        if (chunk_.count >= kBufferedNeurons || buffered_words() >= kBufferedWords) flush();
      }
    }
    flush();
  }

  void write_samples() {
    std::vector<SampleRecord> records;
    std::vector<std::string> ids(kBufferedSamples);
    const auto write = [&] {
      writer_.samples(records);
      records.clear();
    };
    for (std::uint32_t copy = 0; copy < times_; ++copy) {
      for (std::size_t i = 0; i < graph_.samples.size(); ++i) {
        const Sample& sample = graph_.samples[i];
        SampleRecord record;
        if (graph_.sample_ids.size() > 0) {
          record.id = ids[records.size()] = name_of(graph_.sample_ids[i], copy);
        }
        record.output = id_of(sample.output, copy);
        record.group = sample_group(sample.group, copy);
        record.weight = sample.weight;
        record.split = sample.split;
        record.role = sample.role;
        record.has_target = sample.has_target;
        record.target_shape = sample.target_shape;
        if (sample.has_target) {
          record.target = std::span(graph_.target_values)
                              .subspan(sample.target_begin, sample.target_shape.size());
        }
        records.push_back(record);
        if (records.size() == kBufferedSamples) write();
      }
    }
    write();
  }

 private:
  static std::string name_of(std::string_view name, std::uint32_t copy) {
    std::string result(name);
    if (copy > 0) result += "#" + std::to_string(copy);
    return result;
  }

  std::uint64_t id_in(const NeuronRange& range, NeuronId neuron, std::uint32_t copy) const {
    // A graph written once keeps the ids of the file that it came from.
    if (times_ == 1) return range.file_first_id + (neuron - range.first);
    return std::uint64_t{range.first} * times_ + std::uint64_t{copy} * range.count +
           (neuron - range.first);
  }

  std::uint64_t id_of(NeuronId neuron, std::uint32_t copy) {
    // Inputs of consecutive neurons are mostly of one range.
    const NeuronRange& last = graph_.ranges[last_range_];
    if (neuron - last.first >= last.count) last_range_ = graph_.range_of(neuron);
    return id_in(graph_.ranges[last_range_], neuron, copy);
  }

  // Copies do not pair or rank with each other.
  std::uint32_t sample_group(std::uint32_t group, std::uint32_t copy) const {
    return group == kNoGroup ? kNoGroup : copy * group_count_ + group;
  }

  void start_chunk(const NeuronRange& range) {
    const NeuronGroup& group = graph_.groups[range.group];
    chunk_ = GroupChunk();
    chunk_.group_id = group.file_id;
    chunk_.neuron_class = group.neuron_class;
    chunk_.head_predicate = group.head_predicate;
    chunk_.rule_text = group.rule_text;
    chunk_.fact = range.fact;
    if (range.fact == FactKind::NotAFact) chunk_.function = graph_.functions[range.function];
    chunk_.has_shape = range.has_shape;
    chunk_.shape = range.shape;
    chunk_.first_id = id_in(range, range.first, 0);
  }

  void append_neuron(const NeuronRange& range, std::uint32_t copy, std::uint32_t i) {
    const NeuronId neuron = range.first + i;
    const std::uint64_t begin = graph_.input_begin[neuron];
    const std::uint64_t end = graph_.input_begin[neuron + 1];
    ++chunk_.count;
    if (range.fact == FactKind::NotAFact) {
      fan_in_.push_back(static_cast<std::uint32_t>(end - begin));
    }
    for (std::uint64_t e = begin; e < end; ++e) inputs_.push_back(id_of(graph_.inputs[e], copy));
    const auto append = [](auto& column, const auto& from, std::uint64_t first,
                           std::uint64_t count) {
      const auto at = from.begin() + static_cast<std::ptrdiff_t>(first);
      column.insert(column.end(), at, at + static_cast<std::ptrdiff_t>(count));
    };
    if (range.weight_begin != kNoColumn) {
      const std::uint64_t first_edge = graph_.input_begin[range.first];
      const bool fact = range.fact == FactKind::Learnable;
      append(weights_, graph_.weights, range.weight_begin + (fact ? i : begin - first_edge),
             fact ? 1 : end - begin);
    }
    if (range.offset_begin != kNoColumn) offsets_.push_back(graph_.offsets[range.offset_begin + i]);
    if (range.word_begin != kNoColumn) {
      const std::uint64_t each = word_count(chunk_.function.transformation.id);
      append(words_, graph_.words, range.word_begin + each * i, each);
    }
    if (range.value_begin != kNoColumn) {
      graph_.values.row(range.value_begin + range.shape.size() * i)
          .visit(range.shape.size(),
                 [&](auto values) { values_.insert(values_.end(), values.begin(), values.end()); });
    }
    if (range.name_begin != kNoColumn) {
      names_.push_back(name_of(graph_.names[range.name_begin + i], copy));
    }
  }

  std::uint64_t buffered_words() const { return inputs_.size() + values_.size(); }

  void flush() {
    if (chunk_.count == 0) return;
    chunk_.fan_in = fan_in_;
    chunk_.inputs = inputs_;
    chunk_.weights = weights_;
    chunk_.offsets = offsets_;
    chunk_.words = words_;
    chunk_.values = values_;
    chunk_.names = names_;
    writer_.group(chunk_);
    chunk_.first_id += chunk_.count;
    chunk_.count = 0;
    fan_in_.clear();
    inputs_.clear();
    weights_.clear();
    offsets_.clear();
    words_.clear();
    values_.clear();
    names_.clear();
  }

  const NeuronGraph& graph_;
  std::uint32_t times_;
  std::uint32_t group_count_;  // of samples, in one copy
  GraphWriter& writer_;
  std::uint32_t last_range_ = 0;
  GroupChunk chunk_;
  std::vector<std::uint32_t> fan_in_;
  std::vector<std::uint64_t> inputs_;
  std::vector<WeightId> weights_;
  std::vector<WeightId> offsets_;
  std::vector<std::uint32_t> words_;
  std::vector<double> values_;
  std::vector<std::string> names_;
};

// Sample groups of one copy: the largest number + 1.
std::uint64_t count_sample_groups(const NeuronGraph& graph) {
  std::uint64_t count = 0;
  for (const Sample& sample : graph.samples) {
    if (sample.group != kNoGroup) count = std::max(count, std::uint64_t{sample.group} + 1);
  }
  return count;
}

}  // namespace

Result<void> write_graph(const NeuronGraph& graph, const std::string& path,
                         const Encoding& encoding, std::uint32_t times) {
  VECC_CHECK(times > 0, "at least one copy is written");
  const std::uint64_t groups = count_sample_groups(graph);
  if (groups * times > kNoGroup) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(path),
                  std::to_string(times) + " copies need " + std::to_string(groups * times) +
                      " sample groups, expected at most " + std::to_string(kNoGroup));
  }
  VECC_TRY(GraphWriter writer,
           GraphWriter::create(path, encoding, graph.producer, !graph.vocabularies.empty()));
  for (const WeightTable& table : graph.weight_tables) {
    std::vector<std::string> rows;
    rows.reserve(table.row_names.size());
    for (std::size_t i = 0; i < table.row_names.size(); ++i) rows.emplace_back(table.row_names[i]);
    writer.weight_table(table.name, table.first, table.count, table.shape, table.learnable,
                        table.values.doubles(), rows);
  }
  CopyWriter copies(graph, times, static_cast<std::uint32_t>(groups), writer);
  for (const NeuronRange& range : graph.ranges) copies.write_range(range);
  copies.write_samples();
  for (const Vocabulary& vocabulary : graph.vocabularies) writer.vocabulary(vocabulary);
  return writer.finish();
}

}  // namespace vecc
