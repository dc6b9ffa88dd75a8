#include "src/kg/embeddings_file.h"

#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/kg/formula_file.h"
#include "src/weights/safetensors_header.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/escape.h"

namespace vecc::kg {
namespace {

// Metadata of scores that have a name. (A formula's file has its text: formula_file.h.)
constexpr const char* kScoreName = "score.name";
constexpr const char* kScoreP = "score.p";

template <class T>
void add_tensor(std::string_view name, std::vector<std::uint64_t> shape, std::string data,
                WeightFile& file) {
  constexpr ElementType kType = std::is_same_v<T, float> ? ElementType::F32 : ElementType::F64;
  file.tensors.push_back({std::string(name), kType, std::move(shape), std::move(data)});
}

template <class T>
std::string bytes_of_row_part(const std::vector<T>& values, std::size_t width, std::size_t part,
                              std::size_t parts) {
  const std::size_t size = width / parts * sizeof(T);
  std::string bytes(values.size() / parts * sizeof(T), '\0');
  for (std::size_t row = 0; row * width < values.size(); ++row) {
    std::memcpy(bytes.data() + row * size, values.data() + row * width + part * (width / parts),
                size);
  }
  return bytes;
}

// Tables that stand side by side in `values` [count, width].
template <class T>
void add_vectors(const std::vector<std::string_view>& names, const std::vector<T>& values,
                 std::uint64_t count, std::uint64_t width, WeightFile& file) {
  for (std::size_t part = 0; part < names.size(); ++part) {
    add_tensor<T>(names[part], {count, width / names.size(), 1},
                  bytes_of_row_part(values, width, part, names.size()), file);
  }
}

Vocabulary vocabulary_of(const char* name, const StringColumn& names,
                         const std::vector<std::string_view>& tables) {
  Vocabulary vocabulary;
  vocabulary.name = name;
  vocabulary.names = names;
  for (const std::string_view table : tables) {
    vocabulary.uses.push_back(
        {VocabularyUse::Place::Weights, VocabularyUse::Axis::Entry, std::string(table), 0, 1});
  }
  return vocabulary;
}

void add_row_names(const Embeddings& e, const ScoreModelInfo& info, WeightFile& file) {
  std::vector<Vocabulary> vocabularies;
  if (e.entity_names.size() > 0) {
    vocabularies.push_back(vocabulary_of("entity", e.entity_names, info.entities));
  }
  if (e.relation_names.size() > 0) {
    std::vector<std::string_view> by_relation = info.relations;
    for (const std::string_view table : {info.matrices, info.normals}) {
      if (!table.empty()) by_relation.push_back(table);
    }
    vocabularies.push_back(vocabulary_of("relation", e.relation_names, by_relation));
  }
  // As vocabulary_metadata(): the text becomes a string of the header.
  std::string text =
      weights::text_of_vocabularies(vocabularies, weights::kMaxSafetensorsHeader / 4);
  if (!text.empty()) file.metadata.emplace_back(weights::kVocabulariesKey, std::move(text));
}

}  // namespace

WeightFile weights_of(const Embeddings& e) {
  ScoreModelInfo info = info_of(e.model);
  WeightFile file;
  if (e.formula) {
    info.entities = formula_tables(e.formula->formula(), ParameterOwner::Entity);
    info.relations = formula_tables(e.formula->formula(), ParameterOwner::Relation);
    add_formula_weights(e, file);
    add_row_names(e, info, file);
    return file;
  }
  std::visit(
      [&](const auto& tables) {
        using T = typename std::decay_t<decltype(tables.entities)>::value_type;
        add_vectors(info.entities, tables.entities, e.entities, e.dim, file);
        add_vectors(info.relations, tables.relations, e.relations, e.relation_dim, file);
        if (!info.matrices.empty()) {
          add_tensor<T>(info.matrices, {e.relations, e.relation_dim, e.dim},
                        bytes_of_row_part(tables.matrices, e.relation_dim * e.dim, 0, 1), file);
        }
        if (!info.normals.empty()) {
          add_tensor<T>(info.normals, {e.relations, e.dim, 1},
                        bytes_of_row_part(tables.normals, e.dim, 0, 1), file);
        }
      },
      e.tables);
  file.metadata.emplace_back(kScoreName, info.name);
  if (e.model == ScoreModel::TransE) file.metadata.emplace_back(kScoreP, std::to_string(e.p));
  add_row_names(e, info, file);
  return file;
}

Result<std::optional<StatedScore>> stated_score(const WeightFile& file) {
  if (names_formula(file)) return std::optional(StatedScore{ScoreModel::Formula});
  const std::string* const name = weights::find_entry(file, kScoreName);
  if (name == nullptr) return std::optional<StatedScore>();
  const auto model = parse_score_model(*name);
  if (!model || *model == ScoreModel::Formula) {
    return Errors(
        ErrorCode::WeightsDiffer, "metadata \"" + std::string(kScoreName) + "\"",
        "found \"" + escape_terminal(*name) + "\", expected one of " + list_score_models());
  }
  StatedScore stated{*model};
  const std::string* const p = weights::find_entry(file, kScoreP);
  if (p == nullptr) return std::optional(stated);
  if (*p != "1" && *p != "2") {
    return Errors(ErrorCode::WeightsDiffer, "metadata \"" + std::string(kScoreP) + "\"",
                  "found \"" + escape_terminal(*p) + "\", expected 1 or 2");
  }
  stated.p = *p == "1" ? 1 : 2;
  return std::optional(stated);
}

}  // namespace vecc::kg
