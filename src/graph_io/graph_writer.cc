// GraphWriter: columns to chunks, chunks to fields, fields to a FileSink.
#include <google/protobuf/io/coded_stream.h>
#include <zlib.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>

#include "src/graph_io/file_sink.h"
#include "src/graph_io/graph_parts.h"
#include "src/graph_io/wire_format.h"
#include "src/graph_io/wire_messages.h"
#include "src/graph_io/wire_values.h"
#include "src/support/utf8.h"
#include "vecc/escape.h"
#include "vecc/graph_io.h"

namespace vecc {

struct GraphWriter::Impl {
  std::unique_ptr<graph_io::FileSink> sink;  // of a whole graph
  graph_io::PartsPass* pass = nullptr;       // of a graph in parts
  graph_io::FileSink* file = nullptr;        // of the field that is written
  std::string path;
  std::optional<Errors> failed;
  std::string buffer;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;
  std::uint64_t weights = 0;
  std::uint64_t samples = 0;
  boost::unordered_flat_set<std::uint64_t> groups;
  bool vocabularies = false;       // the file may have some
  std::optional<bool> sample_ids;  // whether samples have ids: all or none

  void fail(std::string message) {
    failed = Errors(ErrorCode::CannotWrite, escape_terminal(path), std::move(message));
  }
  bool check_text(std::string_view text) {
    if (failed) return false;
    // Protobuf's strings are UTF-8: a reader would refuse anything else.
    if (is_utf8(text)) return true;
    fail("a name is not UTF-8: \"" + escape_terminal(text) + "\"");
    return false;
  }
  bool check_texts(std::span<const std::string> texts) {
    return std::all_of(texts.begin(), texts.end(), [&](const auto& t) { return check_text(t); });
  }
  void write(std::string_view text) {
    if (failed) return;
    crc = static_cast<std::uint32_t>(
        crc32_z(crc, reinterpret_cast<const Bytef*>(text.data()), text.size()));
    bytes += text.size();
    if (const Result<void> written = file->write(text); !written) failed = written.error();
  }
  // Whether the next field is to be made and written; it has about so many bytes.
  bool begin_field(std::uint64_t about_bytes) {
    if (failed || pass == nullptr) return !failed;
    const Result<graph_io::FileSink*> next = pass->next_field(about_bytes);
    if (!next) failed = next.error();
    file = next ? *next : nullptr;
    return file != nullptr;
  }
  void write_field(std::uint32_t number, const google::protobuf::MessageLite& message) {
    if (failed) return;
    const std::uint64_t size = message.ByteSizeLong();
    if (size > graph_io::kMaxFieldBytes) {
      fail("a chunk has " + std::to_string(size) + " bytes, the format has at most " +
           std::to_string(graph_io::kMaxFieldBytes) + " in a field");
      return;
    }
    write(graph_io::field_head(number, static_cast<std::uint32_t>(size)));
    buffer.clear();
    if (!message.AppendToString(&buffer)) {
      fail("a chunk cannot be serialized");
      return;
    }
    write(buffer);
  }
  void write_header(std::string_view producer);
  void write_group_part(const GroupChunk& chunk, const graph_io::ChunkPart& part);
};

namespace {

std::uint32_t fan_in_of(const GroupChunk& chunk, std::uint64_t i) {
  if (chunk.fan_in.empty()) return 0;
  return chunk.fan_in.size() == 1 ? chunk.fan_in[0] : chunk.fan_in[i];
}

// What a neuron adds to a chunk, at most.
std::uint64_t bytes_of(const GroupChunk& chunk, std::uint64_t i) {
  const std::uint64_t name = chunk.names.empty() ? 0 : chunk.names[i].size() + 5;
  return 32 + name + 8 * graph_io::value_size(chunk) +
         std::uint64_t{fan_in_of(chunk, i)} * (8 + (chunk.weights.empty() ? 0 : 4));
}

// What a part of a chunk has in the file, where ids are narrow and values are floats.
std::uint64_t about_bytes(const GroupChunk& chunk, const graph_io::ChunkPart& part) {
  const auto of = [](const auto& column) { return std::uint64_t{column.empty() ? 0u : 4u}; };
  const bool is_fact = chunk.fact != FactKind::NotAFact;
  const std::uint64_t neuron = (chunk.fan_in.size() > 1 ? 1 : 0) + of(chunk.offsets) +
                               (is_fact ? of(chunk.weights) : 0) + 4 * graph_io::value_size(chunk) +
                               of(chunk.words);
  const std::uint64_t edge = 4 + of(chunk.weights);
  std::uint64_t bytes = 64 + part.count * neuron + part.edges * edge;
  for (const std::string& name : graph_io::part_of(chunk.names, part.begin, part.count)) {
    bytes += 2 + name.size();
  }
  return bytes;
}

void check_columns(const GroupChunk& chunk) {
  std::uint64_t edges = 0;
  for (std::uint64_t i = 0; i < chunk.count; ++i) edges += fan_in_of(chunk, i);
  const auto fits = [](std::size_t found, std::uint64_t expected) {
    return found == 0 || found == expected;
  };
  const bool fact = chunk.fact != FactKind::NotAFact;
  VECC_CHECK(chunk.count > 0, "a chunk holds a neuron");
  VECC_CHECK(fits(chunk.fan_in.size(), chunk.count) || chunk.fan_in.size() == 1, "fan_in");
  VECC_CHECK(fact ? chunk.inputs.empty() : !chunk.fan_in.empty(), "facts have no inputs");
  VECC_CHECK(chunk.inputs.size() == edges, "inputs are the sum of fan_in");
  VECC_CHECK(fits(chunk.weights.size(), fact ? chunk.count : edges), "weights");
  VECC_CHECK(fits(chunk.offsets.size(), chunk.count), "offsets");
  VECC_CHECK(chunk.values.size() == chunk.count * graph_io::value_size(chunk), "values");
  VECC_CHECK(fits(chunk.names.size(), chunk.count), "names");
  const std::uint64_t words = fact ? 0 : word_count(chunk.function.transformation.id);
  VECC_CHECK(chunk.words.size() == words * chunk.count, "words");
}

}  // namespace

void GraphWriter::Impl::write_header(std::string_view producer) {
  if (!check_text(producer) || !begin_field(producer.size())) return;
  std::uint8_t magic[5] = {1 << 3 | 5};
  google::protobuf::io::CodedOutputStream::WriteLittleEndian32ToArray(graph_io::kMagicValue,
                                                                      magic + 1);
  write({reinterpret_cast<const char*>(magic), sizeof magic});
  wire::Header header;
  header.set_schema_version(vocabularies ? graph_io::kVocabularySchemaVersion
                                         : graph_io::kSchemaVersion);
  header.set_producer(std::string(producer));
  write_field(2, header);
}

void GraphWriter::Impl::write_group_part(const GroupChunk& chunk, const graph_io::ChunkPart& part) {
  const bool is_new = groups.insert(chunk.group_id).second;
  if (begin_field(about_bytes(chunk, part)))
    write_field(4, graph_io::make_group(chunk, part, is_new));
  neurons += part.count;
  edges += part.edges;
}

GraphWriter::GraphWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GraphWriter::GraphWriter(GraphWriter&&) noexcept = default;
GraphWriter& GraphWriter::operator=(GraphWriter&&) noexcept = default;
GraphWriter::~GraphWriter() = default;

Result<GraphWriter> GraphWriter::create(const std::string& path, const Encoding& encoding,
                                        std::string_view producer, bool vocabularies) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->vocabularies = vocabularies;
  VECC_TRY(impl->sink, graph_io::FileSink::create(path, encoding));
  impl->file = impl->sink.get();
  impl->write_header(producer);
  return GraphWriter(std::move(impl));
}

GraphWriter::GraphWriter(graph_io::PartsPass& pass, std::string_view producer, bool vocabularies)
    : impl_(std::make_unique<Impl>()) {
  impl_->pass = &pass;
  impl_->path = pass.name;
  impl_->vocabularies = vocabularies;
  impl_->write_header(producer);
}

namespace {

// Rows of a weight table that one field holds.
std::uint64_t rows_of_field(Shape shape) {
  return std::clamp(graph_io::kChunkBytes / (8 * shape.size()), std::uint64_t{1},
                    graph_io::kChunkRows);
}

wire::WeightTable make_weight_table(std::string_view name, WeightId first, std::uint64_t begin,
                                    std::uint64_t count, Shape shape, bool learnable) {
  wire::WeightTable wire;
  wire.set_name(std::string(name));
  wire.set_first_id(static_cast<std::uint32_t>(first + begin));
  wire.set_count(static_cast<std::uint32_t>(count));
  graph_io::set_shape(wire.mutable_shape(), shape);
  wire.set_fixed(!learnable);
  wire.set_continued(begin > 0);
  return wire;
}

}  // namespace

void GraphWriter::weight_table(std::string_view name, WeightId first, std::uint32_t count,
                               Shape shape, bool learnable, std::span<const double> values,
                               std::span<const std::string> row_names) {
  if (!impl_->check_text(name) || !impl_->check_texts(row_names)) return;
  VECC_CHECK(count > 0, "a weight table holds a weight");
  VECC_CHECK(values.empty() || values.size() == count * shape.size(), "weight values");
  VECC_CHECK(row_names.empty() || row_names.size() == count, "row names");
  const std::uint64_t rows = rows_of_field(shape);
  for (std::uint64_t begin = 0; begin < count; begin += rows) {
    const std::uint64_t part = std::min<std::uint64_t>(rows, count - begin);
    if (!impl_->begin_field(8 * (values.empty() ? 1 : part * shape.size()))) continue;
    wire::WeightTable wire = make_weight_table(name, first, begin, part, shape, learnable);
    graph_io::set_values(wire,
                         graph_io::part_of(values, begin * shape.size(), part * shape.size()));
    for (const std::string& row : graph_io::part_of(row_names, begin, part))
      wire.add_row_names(row);
    impl_->write_field(3, wire);
  }
  impl_->weights += count;
}

void GraphWriter::stream_weight_table(std::string_view name, WeightId first, std::uint32_t count,
                                      Shape shape, bool learnable, const FillWeights& fill,
                                      const StringColumn* row_names) {
  if (!impl_->check_text(name)) return;
  VECC_CHECK(count > 0, "a weight table holds a weight");
  VECC_CHECK(row_names == nullptr || row_names->size() == count, "row names");
  const std::uint64_t rows = rows_of_field(shape);
  std::vector<double> values;
  for (std::uint64_t begin = 0; begin < count; begin += rows) {
    const std::uint64_t part = std::min<std::uint64_t>(rows, count - begin);
    values.resize(fill ? part * shape.size() : 0);
    if (fill) fill(values);  // of another part, too: the values behind it follow
    if (!impl_->begin_field(8 * (1 + values.size()))) continue;
    wire::WeightTable wire = make_weight_table(name, first, begin, part, shape, learnable);
    graph_io::set_values(wire, std::span<const double>(values));
    for (std::uint64_t row = begin; row_names != nullptr && row < begin + part; ++row) {
      if (!impl_->check_text((*row_names)[row])) return;
      wire.add_row_names(std::string((*row_names)[row]));
    }
    impl_->write_field(3, wire);
  }
  impl_->weights += count;
}

void GraphWriter::group(const GroupChunk& chunk) {
  if (!impl_->check_text(chunk.head_predicate) || !impl_->check_text(chunk.rule_text) ||
      !impl_->check_texts(chunk.names)) {
    return;
  }
  check_columns(chunk);
  graph_io::ChunkPart part;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < chunk.count; ++i) {
    const std::uint64_t more = bytes_of(chunk, i);
    if (part.count > 0 &&
        (part.count == graph_io::kChunkRows || bytes + more > graph_io::kChunkBytes)) {
      impl_->write_group_part(chunk, part);
      part = {i, 0, part.first_edge + part.edges, 0};
      bytes = 0;
    }
    ++part.count;
    part.edges += fan_in_of(chunk, i);
    bytes += more;
  }
  impl_->write_group_part(chunk, part);
}

void GraphWriter::samples(std::span<const SampleRecord> records) {
  if (records.empty()) return;
  if (!impl_->sample_ids) {
    impl_->sample_ids = std::any_of(records.begin(), records.end(),
                                    [](const SampleRecord& r) { return !r.id.empty(); });
  }
  std::size_t begin = 0;
  std::uint64_t bytes = 0;
  const auto write_from = [&](std::size_t end) {
    if (!impl_->begin_field(bytes - 50 * (end - begin))) return;  // most columns are not there
    impl_->write_field(
        5, graph_io::make_samples(records.subspan(begin, end - begin), *impl_->sample_ids));
  };
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!impl_->check_text(records[i].id)) return;
    const SampleRecord& r = records[i];
    VECC_CHECK(r.target.size() == (r.has_target ? r.target_shape.size() : 0), "target values");
    const std::uint64_t more = 64 + r.id.size() + 8 * r.target.size();
    if (i > begin && (i - begin == graph_io::kChunkRows || bytes + more > graph_io::kChunkBytes)) {
      write_from(i);
      begin = i;
      bytes = 0;
    }
    bytes += more;
  }
  write_from(records.size());
  impl_->samples += records.size();
}

void GraphWriter::vocabulary(const Vocabulary& vocabulary) {
  VECC_CHECK(impl_->vocabularies, "the file was created for vocabularies");
  const StringColumn& names = vocabulary.names;
  if (!impl_->check_text(vocabulary.name)) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!impl_->check_text(names[i])) return;
  }
  std::size_t begin = 0;
  do {
    wire::Vocabulary wire = graph_io::make_vocabulary(vocabulary, begin);
    begin += static_cast<std::size_t>(wire.names_size());
    if (impl_->begin_field(wire.ByteSizeLong())) impl_->write_field(6, wire);
  } while (begin < names.size());
}

Result<void> GraphWriter::finish() {
  wire::End end;
  end.set_neurons(impl_->neurons);
  end.set_edges(impl_->edges);
  end.set_weights(impl_->weights);
  end.set_samples(impl_->samples);
  if (impl_->pass != nullptr) {
    impl_->pass->end = end;
    impl_->pass->crc = impl_->crc;
    impl_->pass->bytes = impl_->bytes;
    return impl_->failed ? Result<void>(*impl_->failed) : Result<void>();
  }
  end.set_crc32(impl_->crc);
  impl_->write_field(15, end);
  if (impl_->failed) return *impl_->failed;
  return impl_->sink->commit();
}

}  // namespace vecc
