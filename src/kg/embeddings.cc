#include "src/kg/embeddings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/kg/formula_file.h"
#include "src/kg/tensor_values.h"
#include "src/weights/file_digest.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/escape.h"

namespace vecc::kg {
namespace {

using Names = std::vector<std::string_view>;

Errors differ(std::string place, std::string message) {
  return Errors(ErrorCode::WeightsDiffer, std::move(place), std::move(message));
}

// [n, 3, 1] -> [n, 3]: a column's second dimension says nothing, a single number's first neither.
std::vector<std::uint64_t> shape_of(const WeightTensor& tensor, std::size_t dimensions) {
  std::vector<std::uint64_t> shape = tensor.shape;
  while (shape.size() > dimensions && shape.back() == 1) shape.pop_back();
  if (!shape.empty()) shape.resize(std::max(shape.size(), dimensions), 1);
  return shape;
}

Result<StringColumn> names_in(const std::vector<Vocabulary>& vocabularies, std::string_view table,
                              std::uint32_t count) {
  for (const Vocabulary& vocabulary : vocabularies) {
    const bool numbers = std::ranges::any_of(vocabulary.uses, [&](const VocabularyUse& use) {
      return use.axis == VocabularyUse::Axis::Entry && use.table == table && use.inner == 1;
    });
    if (!numbers || vocabulary.names.size() == 0) continue;
    if (vocabulary.names.size() == count) return vocabulary.names;
    return Errors(ErrorCode::BadWeightFile,
                  "vocabulary \"" + escape_terminal(vocabulary.name) + "\"",
                  "has " + std::to_string(vocabulary.names.size()) + " names, but \"" +
                      std::string(table) + "\" " + std::to_string(count) + " rows");
  }
  return StringColumn();
}

// The names of the rows of these tables, where the file has some.
Result<void> read_row_names(const WeightFile& file, std::string_view by_entity,
                            std::string_view by_relation, Embeddings& e) {
  const std::string* const text = weights::find_entry(file, weights::kVocabulariesKey);
  if (text == nullptr) return {};
  const auto vocabularies = weights::parse_vocabularies(*text);
  if (!vocabularies) {
    return Errors(ErrorCode::BadWeightFile, "metadata \"vocabularies\"",
                  "is no list of vocabularies");
  }
  VECC_TRY(e.entity_names, names_in(*vocabularies, by_entity, e.entities));
  VECC_TRY(e.relation_names, names_in(*vocabularies, by_relation, e.relations));
  return {};
}

class EmbeddingReader {
 public:
  EmbeddingReader(const WeightFile& file, ScoreModel model) : file_(file), info_(info_of(model)) {}

  Result<Embeddings> read(std::uint32_t p) {
    if (p != 1 && p != 2) {
      return Errors(ErrorCode::Usage, "--p=" + std::to_string(p), "expected 1 or 2");
    }
    VECC_TRY_VOID(check_tensors());
    Embeddings result;
    result.model = info_.model;
    result.p = p;
    VECC_TRY(result.dim, measure(info_.entities, result.entities));
    if (info_.relations.empty()) {
      result.relation_dim = result.dim;
    } else {
      VECC_TRY(result.relation_dim, measure(info_.relations, result.relations));
    }
    VECC_TRY_VOID(check_relations(result));
    VECC_TRY_VOID(read_row_names(file_, info_.entities.front(),
                                 info_.relations.empty() ? info_.matrices : info_.relations.front(),
                                 result));
    const bool wide = std::ranges::any_of(
        all_names(), [&](std::string_view name) { return find(name)->type == ElementType::F64; });
    if (wide) {
      VECC_TRY(result.tables, read_tables<double>());
    } else {
      VECC_TRY(result.tables, read_tables<float>());
    }
    return result;
  }

 private:
  [[nodiscard]] const WeightTensor* find(std::string_view name) const {
    const auto found = std::ranges::find(file_.tensors, name, &WeightTensor::name);
    return found == file_.tensors.end() ? nullptr : &*found;
  }
  static Names names_of(const ScoreModelInfo& info) {
    Names names = info.entities;
    names.insert(names.end(), info.relations.begin(), info.relations.end());
    for (const std::string_view name : {info.matrices, info.normals}) {
      if (!name.empty()) names.push_back(name);
    }
    return names;
  }
  [[nodiscard]] Names all_names() const { return names_of(info_); }

  // That the tables are there, hold floats, and that no other model's are.
  [[nodiscard]] Result<void> check_tensors() const {
    Errors errors;
    const Names names = all_names();
    for (const std::string_view name : names) {
      const WeightTensor* tensor = find(name);
      if (tensor == nullptr) {
        errors.add(ErrorCode::WeightsDiffer, std::string(info_.name),
                   "the weights have no tensor \"" + std::string(name) + "\"");
      } else if (!is_float(tensor->type)) {
        errors.add(ErrorCode::WeightsDiffer, describe(*tensor),
                   "has " + std::string(text_of(tensor->type)) + ", expected floats");
      }
    }
    for (const ScoreModelInfo& other : score_models()) {
      for (const std::string_view name : names_of(other)) {
        const WeightTensor* tensor = find(name);
        if (tensor == nullptr || std::ranges::find(names, name) != names.end()) continue;
        errors.add(ErrorCode::WeightsDiffer, describe(*tensor),
                   std::string(info_.name) + " has no such table, but " + std::string(other.name) +
                       " has: which --model are these weights of?");
        return errors;
      }
    }
    if (!errors.empty()) return errors;
    return {};
  }

  // How many numbers a row has in tables that stand side by side; `count` becomes their rows.
  Result<std::uint32_t> measure(const Names& names, std::uint32_t& count) const {
    std::uint64_t dim = 0;
    for (const std::string_view name : names) {
      const WeightTensor& tensor = *find(name);
      const auto shape = shape_of(tensor, 2);
      const auto first = shape_of(*find(names.front()), 2);
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() / 4;
      if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || shape[0] > kMost ||
          shape[1] > kMost) {
        return differ(describe(tensor), "has the shape " + text_of_shape(tensor.shape) +
                                            ", expected rows of vectors, such as [14541, 200, 1]");
      }
      if (shape != first) {
        return differ(describe(tensor), "has the shape " + text_of_shape(tensor.shape) +
                                            ", but \"" + std::string(names.front()) + "\" " +
                                            text_of_shape(find(names.front())->shape));
      }
      count = static_cast<std::uint32_t>(shape[0]);
      dim += shape[1];
    }
    return static_cast<std::uint32_t>(dim);
  }

  // That vectors, matrices and normals fit each other.
  Result<void> check_relations(Embeddings& e) const {
    if (!info_.matrices.empty()) {
      const WeightTensor& tensor = *find(info_.matrices);
      const auto shape = shape_of(tensor, 3);
      const std::uint64_t count = e.relations == 0 && !shape.empty() ? shape[0] : e.relations;
      if (count == 0 || count > std::numeric_limits<std::uint32_t>::max() ||
          shape != std::vector<std::uint64_t>{count, e.relation_dim, e.dim}) {
        return differ(describe(tensor), "has the shape " + text_of_shape(tensor.shape) +
                                            ", expected a matrix of " +
                                            std::to_string(e.relation_dim) + "x" +
                                            std::to_string(e.dim) + " for each relation");
      }
      e.relations = static_cast<std::uint32_t>(count);
    } else if (e.relation_dim != e.dim) {
      return differ(describe(*find(info_.relations.front())),
                    "has vectors of " + std::to_string(e.relation_dim) + ", the entities of " +
                        std::to_string(e.dim));
    }
    if (info_.normals.empty()) return {};
    const WeightTensor& normals = *find(info_.normals);
    if (shape_of(normals, 2) == std::vector<std::uint64_t>{e.relations, e.dim}) return {};
    return differ(describe(normals), "has the shape " + text_of_shape(normals.shape) +
                                         ", expected a vector of " + std::to_string(e.dim) +
                                         " for each of " + std::to_string(e.relations) +
                                         " relations");
  }

  template <class T>
  Result<EmbeddingTables<T>> read_tables() const {
    EmbeddingTables<T> tables;
    VECC_TRY(tables.entities, read_rows<T>(info_.entities));
    VECC_TRY(tables.relations, read_rows<T>(info_.relations));
    if (!info_.matrices.empty()) {
      VECC_TRY(tables.matrices, read_rows<T>({info_.matrices}));
    }
    if (!info_.normals.empty()) {
      VECC_TRY(tables.normals, read_rows<T>({info_.normals}));
    }
    return tables;
  }

  // Tables side by side, row by row.
  template <class T>
  Result<std::vector<T>> read_rows(const Names& names) const {
    std::vector<T> rows;
    for (std::size_t part = 0; part < names.size(); ++part) {
      const WeightTensor& tensor = *find(names[part]);
      const std::size_t width = tensor.element_count() / tensor.shape.front();
      VECC_TRY(const std::vector<double> values, finite_values_of(tensor, width));
      rows.resize(values.size() * names.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        rows[(i / width * names.size() + part) * width + i % width] = static_cast<T>(values[i]);
      }
    }
    return rows;
  }

  const WeightFile& file_;
  const ScoreModelInfo& info_;
};

}  // namespace

Result<Embeddings> read_embeddings(const WeightFile& file, ScoreModel model, std::uint32_t p) {
  if (model == ScoreModel::Formula) {
    VECC_TRY(Embeddings e, read_formula_embeddings(file));
    const ScoreFormula& formula = e.formula->formula();
    VECC_TRY_VOID(read_row_names(file, formula_tables(formula, ParameterOwner::Entity).front(),
                                 formula_tables(formula, ParameterOwner::Relation).front(), e));
    return e;
  }
  return EmbeddingReader(file, model).read(p);
}

}  // namespace vecc::kg
