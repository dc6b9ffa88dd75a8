// Weights on disk (docs/weights.md): safetensors read and written, NumPy's .npz and .npy read, and
// both matched with a graph's weight tables by name. Nothing a file says is trusted.
//
// A table of `count` weights is the tensor [count, rows, cols], scalars [count]: weight i of the
// table is tensor[i], row-major.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/shape.h"

namespace vecc {

enum class ElementType : std::uint8_t {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool,
};
/// As safetensors writes it: `F32`, `BOOL`.
[[nodiscard]] std::string_view text_of(ElementType type);
/// Bytes of one element.
[[nodiscard]] std::uint64_t size_of(ElementType type);
[[nodiscard]] bool is_float(ElementType type);

/// Bits stay as they are in the file, so that NaN payloads survive.
struct WeightTensor {
  std::string name;  ///< unique in its file, UTF-8; data: escape it for every sink
  ElementType type = ElementType::F64;
  std::vector<std::uint64_t> shape;  ///< empty: one element
  std::string data;                  ///< the elements in C order, little-endian

  [[nodiscard]] std::uint64_t element_count() const { return data.size() / size_of(type); }
  bool operator==(const WeightTensor&) const = default;
};
/// The elements as numbers: exact but for integers beyond 2^53.
[[nodiscard]] std::vector<double> values_of(const WeightTensor& tensor);
/// The same; those of F32, and of F64 that are not all floats, stay where the tensor has them.
[[nodiscard]] SharedNumbers numbers_of(WeightTensor tensor);
/// `[12, 3, 1]`
[[nodiscard]] std::string text_of_shape(const std::vector<std::uint64_t>& shape);

using MetadataEntry = std::pair<std::string, std::string>;

struct WeightFile {
  /// safetensors' `__metadata__`, without the file's own `vecc.crc32`
  std::vector<MetadataEntry> metadata;
  std::vector<WeightTensor> tensors;  ///< in the order of their data
};

/// More is an error with exit code 4.
struct WeightLimits {
  std::uint64_t max_bytes = 64ull << 30;  ///< of the file, and of its tensors unpacked
};

/// Reads safetensors, .npz or .npy (whose tensor has the file's name without `.npy`), told apart by
/// their first bytes. Places in the errors begin with `path`. Errors: FileUnreadable, FileEmpty,
/// FileTruncated, BadWeightFile, UnreadWeights (object arrays, pickles, structured types),
/// DuplicateName, BadCompression, WrongChecksum (of an archive's entry; of a safetensors file that
/// states its CRC-32, as write_weights() does), LimitBytes.
[[nodiscard]] Result<WeightFile> read_weights(const std::string& path, const WeightLimits& = {});
/// The same from memory; `name` stands for the path.
[[nodiscard]] Result<WeightFile> read_weights_bytes(std::string_view bytes, std::string_view name,
                                                    const WeightLimits& = {});

/// Writes safetensors to a temporary file, synced and renamed: after a failure an old file is as it
/// was. Its metadata begin with vecc.crc32, the CRC-32 of all its bytes (docs/weights.md). Wider
/// elements come first, so that all are aligned; else the order is kept. Errors, with `path` as
/// place: CannotWrite; DuplicateName; UnreadWeights for a name that safetensors cannot hold.
[[nodiscard]] Result<void> write_weights(const WeightFile& file, const std::string& path);
/// The same to memory.
[[nodiscard]] Result<std::string> safetensors_bytes(const WeightFile& file);

/// The tensor's shape of a table.
[[nodiscard]] std::vector<std::uint64_t> tensor_shape(const WeightTable& table);

/// All tables of a graph, fixed ones too: F32 where every value of the table is exactly a float,
/// else F64. A table with row names has their CRC-32 in the metadata, and the vocabularies that
/// number something are there. Error: MissingValues for each table without values.
[[nodiscard]] Result<WeightFile> weights_of(const NeuronGraph& graph);

/// The entry of a weight file's metadata that has a graph's vocabularies, if it has any: those that
/// number something, and the rows' names of tables.
[[nodiscard]] std::vector<MetadataEntry> vocabulary_metadata(const NeuronGraph& graph);

/// Whether the numbers of two graphs of one template mean the same, so that both can have the same
/// weights. Errors: WeightsDiffer for each vocabulary that differs.
[[nodiscard]] Result<void> check_same_vocabularies(const NeuronGraph& trained,
                                                   const NeuronGraph& other);

enum class LoadMode : std::uint8_t {
  Strict,  ///< every learnable table is in the file, every tensor in the graph
  ByName,  ///< what is in both
};
struct LoadReport {
  std::uint64_t loaded = 0;                ///< tables in the file, fixed ones too
  std::vector<std::uint32_t> not_in_file;  ///< learnable tables
  std::vector<std::string> unused;         ///< tensors of the file
  std::vector<std::string> mapped;         ///< vocabularies with other numbers in the file
};
/// Gives the graph's learnable tables the file's values: all, or none after an error. A fixed
/// table's values are part of the graph's structure: a file may lack them, but not differ. Where
/// both have vocabularies, rows and columns of the file are taken by name: the graph may have fewer
/// names, or another order. Errors, up to `max_errors`: WeightsDiffer for every table and tensor
/// that does not fit (missing and unused ones with Strict only), every vocabulary with names that
/// the file's lacks, and rows of other names; NotFinite; BadWeightFile.
[[nodiscard]] Result<LoadReport> load_weights(NeuronGraph& graph, WeightFile file, LoadMode mode,
                                              std::uint64_t max_errors = 20);

}  // namespace vecc
