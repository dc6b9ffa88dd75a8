#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "src/weights/element_type.h"
#include "src/weights/safetensors_header.h"
#include "src/weights/table_rows.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/weight_source.h"
#include "vecc/weights.h"

namespace vecc {
namespace {

// Elements as a file has them: in its byte order, which is the machine's.
template <class T>
std::string_view bytes_of(std::span<const T> elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size_bytes()};
}

}  // namespace

std::vector<std::uint64_t> tensor_shape(const WeightTable& table) {
  if (table.shape.is_scalar()) return {table.count};
  return {table.count, table.shape.rows(), table.shape.cols()};
}

namespace {

class GraphWeights final : public WeightSource {
 public:
  GraphWeights(const NeuronGraph& graph, std::span<const std::string> without) {
    for (const WeightTable& table : graph.weight_tables) {
      if (std::ranges::find(without, table.name) != without.end()) continue;
      const bool single = table.values.are_floats();
      tables_.push_back(&table);
      tensors_.push_back(
          {table.name, single ? ElementType::F32 : ElementType::F64, tensor_shape(table)});
      if (table.row_names.size() == 0) continue;
      metadata_.emplace_back(weights::rows_key(table), weights::digest_of_rows(table.row_names));
    }
    for (MetadataEntry& entry : vocabulary_metadata(graph)) metadata_.push_back(std::move(entry));
  }
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override { return metadata_; }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return tensors_; }
  [[nodiscard]] Result<void> read(std::size_t tensor, const TakeBytes& take) const override {
    std::string_view left = tables_[tensor]->values.visit([](auto all) { return bytes_of(all); });
    while (!left.empty()) {
      VECC_TRY_VOID(take(left.substr(0, kPieceBytes)));
      left.remove_prefix(std::min(left.size(), kPieceBytes));
    }
    return {};
  }

 private:
  std::vector<const WeightTable*> tables_;
  std::vector<TensorHeader> tensors_;
  std::vector<MetadataEntry> metadata_;
};

}  // namespace

Result<std::unique_ptr<const WeightSource>> weight_source_of(const NeuronGraph& graph,
                                                             std::span<const std::string> without) {
  VECC_TRY_VOID(weights::check_values(graph));
  return std::unique_ptr<const WeightSource>(std::make_unique<GraphWeights>(graph, without));
}

Result<WeightFile> weights_of(const NeuronGraph& graph) {
  VECC_TRY(const auto source, weight_source_of(graph));
  return read_all(*source);
}

std::vector<MetadataEntry> vocabulary_metadata(const NeuronGraph& graph) {
  // The text becomes a string of the header, in which quotes are escaped.
  constexpr std::uint64_t kMaxBytes = weights::kMaxSafetensorsHeader / 4;
  std::string text = weights::text_of_vocabularies(weights::vocabularies_in_use(graph), kMaxBytes);
  if (text.empty()) return {};
  return {{std::string(weights::kVocabulariesKey), std::move(text)}};
}

}  // namespace vecc
