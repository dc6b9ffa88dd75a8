// The importer: field by field from the source, each into columns, references at the end.
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <cstdio>
#include <cstring>

#include "src/graph_io/byte_source.h"
#include "src/graph_io/cycle.h"
#include "src/graph_io/decompress.h"
#include "src/graph_io/field_reader.h"
#include "src/graph_io/group_reader.h"
#include "src/graph_io/import_state.h"
#include "src/graph_io/resolve.h"
#include "src/graph_io/sample_reader.h"
#include "src/graph_io/vocabulary_reader.h"
#include "src/graph_io/weight_reader.h"
#include "src/graph_io/wire_format.h"
#include "src/support/list_threads.h"
#include "vecc/escape.h"
#include "vecc/graph_io.h"

namespace vecc::graph_io {
namespace {

constexpr std::string_view kStart("\x0dVECC", 5);  // the magic with its tag
// A neuron that something reads takes at least 4 bytes of the file, so a file with many more
// neurons (or weights) than bytes would only claim memory. Small files may say what they like.
constexpr std::uint64_t kFreeRows = std::uint64_t{1} << 20;

enum FieldNumber : std::uint32_t {
  kMagic = 1,
  kHeader = 2,
  kWeightTable = 3,
  kGroup = 4,
  kSamples = 5,
  kVocabulary = 6,
  kEnd = 15,
};

std::string_view name_of(std::uint32_t number) {
  switch (number) {
    case kMagic: return "magic";
    case kHeader: return "header";
    case kWeightTable: return "weight_table";
    case kGroup: return "group";
    case kSamples: return "samples";
    case kVocabulary: return "vocabulary";
    case kEnd: return "end";
    default: return "unknown";
  }
}

std::string place_of(const Field& field) {
  return "field " + std::to_string(field.number) + " (" + std::string(name_of(field.number)) +
         ") at byte " + std::to_string(field.offset);
}

Errors malformed(const Field& field, std::string message) {
  return Errors(ErrorCode::MalformedField, place_of(field), std::move(message));
}

// Whether a message or one inside it has fields that graph.proto does not know.
bool has_unknown_fields(const google::protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  const auto* type = message.GetDescriptor();
  for (int f = 0; f < type->field_count(); ++f) {
    const auto* field = type->field(f);
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (field->is_repeated()) {
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        if (has_unknown_fields(reflection->GetRepeatedMessage(message, field, i))) return true;
      }
    } else if (reflection->HasField(message, field) &&
               has_unknown_fields(reflection->GetMessage(message, field))) {
      return true;
    }
  }
  return false;
}

// A field's content as a message. An unknown field inside is refused, not skipped: it could change
// what the graph computes.
template <class Message>
Result<void> parse(const Field& field, Message& message, bool allow_unknown = false) {
  if (field.type != WireType::Bytes) {
    return malformed(field, "has wire type " + std::to_string(static_cast<int>(field.type)) +
                                ", expected 2 (length-delimited)");
  }
  if (!message.ParseFromArray(field.bytes.data(), static_cast<int>(field.bytes.size()))) {
    return malformed(field, "is no valid " + message.GetTypeName() + " message");
  }
  if (!allow_unknown && has_unknown_fields(message)) {
    return malformed(field, "has a field that graph.proto does not know");
  }
  return {};
}

class Importer {
 public:
  Importer(std::unique_ptr<ByteSource> source, const ImportOptions& options, TableSizes sizes)
      : fields_(std::move(source), options.limits.max_input_bytes, options.progress),
        state_(options.limits) {
    state_.table_sizes = std::move(sizes);
  }

  Result<NeuronGraph> run() {
    state_.graph.values.reserve(state_.table_sizes.facts);
    if (const Result<void> read = read_file(); !read) state_.errors.add(read.error());
    if (!state_.errors.empty() && !at_end_) return state_.errors.errors();
    if (wrong_checksum_) return checksum_errors();
    if (!check_row_claims()) return state_.errors.errors();
    resolve_references(state_);
    if (state_.errors.empty()) {
      check_counts();
      check_acyclic(state_.graph, state_.errors);
      check_vocabularies(state_);
    }
    if (!state_.errors.empty()) return state_.errors.errors();
    return std::move(state_.graph);
  }

 private:
  Result<void> read_file() {
    VECC_TRY_VOID(read_magic());
    VECC_TRY_VOID(read_header());
    while (!state_.stopped) {
      VECC_TRY(const std::optional<Field> field, fields_.next());
      if (!field) {
        return Errors(ErrorCode::FileTruncated, "byte " + std::to_string(fields_.offset()),
                      "the file ends without an End record");
      }
      if (field->number == kEnd) return read_end(*field);
      VECC_TRY_VOID(read_field(*field));
    }
    return {};
  }

  Result<void> read_magic() {
    VECC_TRY(const std::string_view start, fields_.peek(kStart.size()));
    if (start.empty()) {
      return Errors(ErrorCode::FileEmpty, "", "is empty, expected a graph");
    }
    if (!kStart.starts_with(start)) {
      std::string found;
      for (const char c : start) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x ",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        found += hex;
      }
      return Errors(ErrorCode::WrongMagic, "",
                    "starts with " + found + "and not with 0d 56 45 43 43, as a graph does");
    }
    VECC_TRY_VOID(fields_.next());
    return {};
  }

  Result<void> read_header() {
    VECC_TRY(const std::optional<Field> field, fields_.next());
    if (!field) {
      return Errors(ErrorCode::FileTruncated, "byte " + std::to_string(fields_.offset()),
                    "the file ends without a header");
    }
    if (field->number != kHeader) return malformed(*field, "expected field 2 (header) here");
    wire::Header header;
    VECC_TRY_VOID(parse(*field, header, true));
    has_vocabularies_ = header.schema_version() == kVocabularySchemaVersion;
    if (header.schema_version() != kSchemaVersion && !has_vocabularies_) {
      return Errors(ErrorCode::UnknownSchema, "header",
                    "schema version " + std::to_string(header.schema_version()) + ", expected " +
                        std::to_string(kSchemaVersion) + " or " +
                        std::to_string(kVocabularySchemaVersion));
    }
    if (has_unknown_fields(header)) {
      return malformed(*field, "has a field that graph.proto does not know");
    }
    state_.graph.producer = header.producer();
    return {};
  }

  Result<void> read_field(const Field& field) {
    switch (field.number) {
      case kWeightTable: {
        wire::WeightTable table;
        VECC_TRY_VOID(parse(field, table));
        read_weight_table(table, state_);
        return {};
      }
      case kGroup: {
        wire::Group group;
        VECC_TRY_VOID(parse(field, group));
        read_group(group, state_);
        return {};
      }
      case kSamples: {
        wire::Samples samples;
        VECC_TRY_VOID(parse(field, samples));
        read_samples(samples, state_);
        return {};
      }
      case kVocabulary: {
        if (!has_vocabularies_) {
          return malformed(field, "in a file of schema version 1, expected version 2");
        }
        wire::Vocabulary vocabulary;
        VECC_TRY_VOID(parse(field, vocabulary));
        read_vocabulary(vocabulary, state_);
        return {};
      }
      case kMagic:
      case kHeader: return malformed(field, "occurs twice, expected once");
      default: return malformed(field, "expected a field of graph.proto");
    }
  }

  Result<void> read_end(const Field& field) {
    VECC_TRY_VOID(parse(field, end_));
    // The content of `field` is gone once the next one is read.
    computed_crc_ = field.crc_before;
    VECC_TRY(const std::string_view rest, fields_.peek(1));
    if (!rest.empty()) {
      return Errors(ErrorCode::MalformedField, "byte " + std::to_string(fields_.offset()),
                    "data after the End record");
    }
    at_end_ = true;
    wrong_checksum_ = end_.crc32() != computed_crc_;
    return {};
  }

  // A wrong checksum explains whatever else was found, so it comes first.
  Errors checksum_errors() const {
    char message[96];
    std::snprintf(message, sizeof message,
                  "the file's CRC-32 is %08x, but its End record says %08x",
                  static_cast<unsigned>(computed_crc_), static_cast<unsigned>(end_.crc32()));
    ErrorList list(state_.limits.max_errors);
    list.add(ErrorCode::WrongChecksum, "", message);
    list.add(state_.errors.errors());
    return list.errors();
  }

  // Numbers that cost no bytes in the file must not cost memory either.
  bool check_row_claims() {
    const std::uint64_t most = fields_.offset() + kFreeRows;
    const auto check = [&](ErrorCode code, std::uint64_t found, const char* what) {
      if (found <= most) return;
      state_.errors.add(code, "",
                        std::to_string(found) + " " + what + " in " +
                            std::to_string(fields_.offset()) + " bytes, the limit is " +
                            std::to_string(most));
    };
    const std::uint64_t before = state_.errors.count();
    check(ErrorCode::LimitNeurons, state_.neuron_count, "neurons");
    check(ErrorCode::LimitWeights, state_.weight_count, "weights");
    return state_.errors.count() == before;
  }

  void check_counts() {
    const auto check = [&](const char* what, std::uint64_t found, std::uint64_t claimed) {
      if (found == claimed) return;
      state_.errors.add(ErrorCode::WrongCounts, "end",
                        "says " + std::to_string(claimed) + " " + what + ", but the file has " +
                            std::to_string(found));
    };
    const NeuronGraph& graph = state_.graph;
    check("neurons", graph.neuron_count(), end_.neurons());
    check("edges", graph.edge_count(), end_.edges());
    check("weights", graph.weight_count(), end_.weights());
    check("samples", graph.samples.size(), end_.samples());
  }

  FieldReader fields_;
  ImportState state_;
  wire::End end_;
  std::uint32_t computed_crc_ = 0;
  bool at_end_ = false;
  bool wrong_checksum_ = false;
  bool has_vocabularies_ = false;  // may have some
};

Result<NeuronGraph> import(std::unique_ptr<ByteSource> source, const ImportOptions& options,
                           TableSizes sizes = {}) {
  const ListThreads threads(options.threads);
  VECC_TRY(std::unique_ptr<ByteSource> bytes, open_compressed(std::move(source)));
  // Protobuf would print about invalid UTF-8 by itself; the error says it.
  const google::protobuf::LogSilencer silencer;
  return Importer(std::move(bytes), options, std::move(sizes)).run();
}

}  // namespace

}  // namespace vecc::graph_io

namespace vecc {

Result<NeuronGraph> read_graph(const std::string& path, const ImportOptions& options) {
  const std::string place = escape_terminal(path);
  Result<std::unique_ptr<graph_io::ByteSource>> source = graph_io::open_file(path);
  if (!source) return source.error().in(place);
  Result<NeuronGraph> graph =
      graph_io::import(std::move(*source), options,
                       graph_io::find_table_sizes(path, options.limits.max_input_bytes));
  if (!graph) return graph.error().in(place);
  return graph;
}

Result<NeuronGraph> read_graph_bytes(std::string_view bytes, std::string_view name,
                                     const ImportOptions& options) {
  Result<NeuronGraph> graph = graph_io::import(graph_io::open_memory(bytes), options);
  if (!graph) return graph.error().in(escape_terminal(name));
  return graph;
}

}  // namespace vecc
