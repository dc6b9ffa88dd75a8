// Reading and writing graph.pb (docs/format.md), field by field.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc {

/// Explicit limits of an import; exceeding one is an error with exit code 4.
struct ImportLimits {
  std::uint64_t max_input_bytes = 64ull << 30;  ///< uncompressed
  std::uint64_t max_neurons = 0xFFFFFFFEull;    ///< ids are 32 bits wide in memory
  std::uint64_t max_edges = 1ull << 36;
  std::uint64_t max_weights = 0xFFFFFFFEull;  ///< rows of all weight tables
  std::uint64_t max_value_size = 1ull << 24;  ///< elements of one value
  std::uint64_t max_errors = 20;              ///< reported; the rest are counted
};

struct ImportOptions {
  ImportLimits limits;
  /// Called now and then with the uncompressed bytes read so far; may be empty.
  std::function<void(std::uint64_t bytes)> progress;
  /// That check long columns; 0: as many as there are cores. The graph and errors are the same for
  /// any number.
  std::uint32_t threads = 0;
};

/// Reads, decompresses (gzip, zstd, by magic bytes), and validates a file. Places in the errors
/// begin with `path`.
[[nodiscard]] Result<NeuronGraph> read_graph(const std::string& path, const ImportOptions& = {});
/// The same from memory; `name` stands for the path in errors. The bytes are not copied whole.
[[nodiscard]] Result<NeuronGraph> read_graph_bytes(std::string_view bytes, std::string_view name,
                                                   const ImportOptions& = {});

enum class Compression : std::uint8_t { None, Gzip, Zstd };

/// How the bytes of a file are compressed.
struct Encoding {
  Encoding() = default;
  Encoding(Compression format) : compression(format) {}

  Compression compression = Compression::None;
  std::uint32_t level = 0;  ///< from 1 on; 0: 6 of gzip, 9 of zstd
  /// That compress beside the one that writes, 8 at most; 0: one a core. Of zstd where its library
  /// has threads, else none; the bytes are the same for any number.
  std::uint32_t threads = 1;
};

/// What is wrong with the level, with the levels that there are; empty: nothing.
[[nodiscard]] std::string find_level_problem(const Encoding& encoding);

/// Columns of one chunk of a group, as GraphWriter::group takes them. All spans may be empty;
/// those that are not have the length that graph.proto states.
struct GroupChunk {
  std::uint64_t group_id = 0;
  NeuronClass neuron_class = NeuronClass::Fact;
  std::string_view head_predicate;
  std::string_view rule_text;
  FactKind fact = FactKind::NotAFact;
  NeuronFunction function;
  bool has_shape = false;
  Shape shape;
  std::uint64_t first_id = 0;
  std::uint32_t count = 0;
  std::span<const std::uint32_t> fan_in;  ///< count, or 1: the same for all
  std::span<const std::uint64_t> inputs;  ///< sum of fan_in
  std::span<const WeightId> weights;      ///< like inputs, or count for a learnable fact
  std::span<const WeightId> offsets;      ///< count
  std::span<const std::uint32_t> words;   ///< count * word_count
  std::span<const double> values;         ///< count * shape.size()
  std::span<const std::string> names;     ///< count
};

struct SampleRecord {
  std::string_view id;
  std::uint64_t output = 0;
  std::uint32_t group = kNoGroup;
  float weight = 1;
  Split split = Split::Unspecified;
  Role role = Role::Unspecified;
  bool has_target = false;
  Shape target_shape;
  std::span<const double> target;
};

namespace graph_io {
struct PartsPass;
}  // namespace graph_io

/// Writes a graph as a stream of top-level fields: to a temporary file, synced and renamed by
/// finish(); without finish() nothing is left behind. Values are stored as float where every value
/// of a chunk is exactly a float, as double otherwise. Calls after a failed one do nothing;
/// finish() reports it (CannotWrite).
class GraphWriter {
 public:
  /// `vocabularies`: the file may have some, and is then for readers of schema version 2. Errors:
  /// CannotWrite; Usage (a level that the compression does not have).
  [[nodiscard]] static Result<GraphWriter> create(const std::string& path, const Encoding&,
                                                  std::string_view producer,
                                                  bool vocabularies = false);
  /// Of some fields of a graph in parts: see graph_io::write_graph_parts(), whose `pass` it is.
  GraphWriter(graph_io::PartsPass& pass, std::string_view producer, bool vocabularies);
  GraphWriter(GraphWriter&&) noexcept;
  GraphWriter& operator=(GraphWriter&&) noexcept;
  ~GraphWriter();

  /// `first` is the file's weight id; `values` empty: to be initialised.
  void weight_table(std::string_view name, WeightId first, std::uint32_t count, Shape shape,
                    bool learnable, std::span<const double> values,
                    std::span<const std::string> row_names = {});
  /// The same for a table of any size: `fill(values)` gives the next rows' values, first row first;
  /// empty: to be initialised. `row_names` may be null.
  using FillWeights = std::function<void(std::span<double> values)>;
  void stream_weight_table(std::string_view name, WeightId first, std::uint32_t count, Shape shape,
                           bool learnable, const FillWeights& fill, const StringColumn* row_names);
  /// A chunk; a group id that was written before continues that group.
  void group(const GroupChunk& chunk);
  void samples(std::span<const SampleRecord> records);
  /// Only in a file that was created for it; its uses may be written later.
  void vocabulary(const Vocabulary& vocabulary);
  [[nodiscard]] Result<void> finish();

 private:
  struct Impl;
  explicit GraphWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Writes `times` disjoint copies of a graph that share its weights (scale tests); sample ids and
/// names of copy k > 0 get the suffix `#k`. Errors: those of GraphWriter.
[[nodiscard]] Result<void> write_graph(const NeuronGraph& graph, const std::string& path,
                                       const Encoding& encoding, std::uint32_t times = 1);

}  // namespace vecc
