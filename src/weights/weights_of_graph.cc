#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/weights/element_type.h"
#include "src/weights/safetensors_header.h"
#include "src/weights/table_rows.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/weights.h"

namespace vecc {
namespace {

/// The same bits after a way through float, -0 and most NaNs too.
bool is_exactly_float(double value) {
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return false;
  const auto back = static_cast<double>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value);
}

}  // namespace

std::vector<std::uint64_t> tensor_shape(const WeightTable& table) {
  if (table.shape.is_scalar()) return {table.count};
  return {table.count, table.shape.rows(), table.shape.cols()};
}

Result<WeightFile> weights_of(const NeuronGraph& graph) {
  VECC_TRY_VOID(weights::check_values(graph));
  WeightFile file;
  for (const WeightTable& table : graph.weight_tables) {
    const bool single = std::all_of(table.values.begin(), table.values.end(), is_exactly_float);
    file.tensors.push_back({table.name, single ? ElementType::F32 : ElementType::F64,
                            tensor_shape(table),
                            single ? weights::little_endian_bytes<float>(table.values)
                                   : weights::little_endian_bytes<double>(table.values)});
    if (table.row_names.size() == 0) continue;
    file.metadata.emplace_back(weights::rows_key(table), weights::digest_of_rows(table.row_names));
  }
  for (MetadataEntry& entry : vocabulary_metadata(graph)) file.metadata.push_back(std::move(entry));
  return file;
}

std::vector<MetadataEntry> vocabulary_metadata(const NeuronGraph& graph) {
  // The text becomes a string of the header, in which quotes are escaped.
  constexpr std::uint64_t kMaxBytes = weights::kMaxSafetensorsHeader / 4;
  std::string text = weights::text_of_vocabularies(weights::vocabularies_in_use(graph), kMaxBytes);
  if (text.empty()) return {};
  return {{std::string(weights::kVocabulariesKey), std::move(text)}};
}

}  // namespace vecc
