#include "src/kg/formula_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "src/kg/tensor_values.h"
#include "src/weights/file_digest.h"
#include "vecc/escape.h"

namespace vecc::kg {
namespace {

constexpr const char* kText = "score";
constexpr const char* kDim = "score.dim";
constexpr const char* kRelationDim = "score.relation_dim";
constexpr std::uint32_t kMostNumbers = 1u << 20;  // of a row

std::uint64_t row_count(const Embeddings& e, ParameterOwner owner) {
  return owner == ParameterOwner::Entity     ? e.entities
         : owner == ParameterOwner::Relation ? e.relations
                                             : 1;
}

// As other tables: [rows, d, 1], [rows, m, n], scalars [rows].
std::vector<std::uint64_t> tensor_shape_of(const ScoreParameter& parameter, std::uint64_t rows) {
  if (parameter.shape.is_scalar()) return {rows};
  return {rows, parameter.shape.rows(), parameter.shape.cols()};
}

template <class T>
std::vector<T>& table_of(EmbeddingTables<T>& tables, ParameterOwner owner) {
  switch (owner) {
    case ParameterOwner::Entity: return tables.entities;
    case ParameterOwner::Relation: return tables.relations;
    case ParameterOwner::Shared: break;
  }
  return tables.shared;
}
template <class T>
const std::vector<T>& table_of(const EmbeddingTables<T>& tables, ParameterOwner owner) {
  return table_of(const_cast<EmbeddingTables<T>&>(tables), owner);
}

Result<std::uint32_t> read_size(const WeightFile& file, const char* key) {
  const std::string* const text = weights::find_entry(file, key);
  std::uint32_t size = 0;
  if (text != nullptr) {
    const char* const end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, size);
    if (read.ec == std::errc() && read.ptr == end && size > 0 && size <= kMostNumbers) return size;
  }
  return Errors(ErrorCode::WeightsDiffer, "metadata \"" + std::string(key) + "\"",
                "is not there, or no size");
}

Errors table_error(std::string_view table, const std::string& message) {
  return Errors(ErrorCode::WeightsDiffer, "tensor \"" + escape_terminal(table) + "\"", message);
}

// A column may be [rows, size] in a file, and one number [rows].
std::vector<std::uint64_t> without_ones(std::vector<std::uint64_t> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

Result<const WeightTensor*> find_tensor(const WeightFile& file, std::string_view table) {
  const auto found = std::ranges::find(file.tensors, table, &WeightTensor::name);
  if (found == file.tensors.end()) return table_error(table, "is not there; the score reads it");
  return &*found;
}

// Numbers of a row of a table: [rows, size, 1], [rows, size]; of one number [rows].
Result<std::uint32_t> column_size(const WeightFile& file, std::string_view table) {
  VECC_TRY(const WeightTensor* const found, find_tensor(file, table));
  const std::vector<std::uint64_t> sides = without_ones(found->shape);
  if (sides.size() == 1) return 1;
  if (sides.size() == 2 && sides[1] > 0 && sides[1] <= kMostNumbers) {
    return static_cast<std::uint32_t>(sides[1]);
  }
  return table_error(table,
                     "has the shape " + text_of_shape(found->shape) + ", expected rows of columns");
}

void add_score(std::string_view text, const ScoreDims& dims, WeightFile& file) {
  file.metadata.emplace_back(kText, text);
  file.metadata.emplace_back(kDim, std::to_string(dims.dim));
  file.metadata.emplace_back(kRelationDim, std::to_string(dims.relation_dim));
}

Result<const WeightTensor*> find_table(const WeightFile& file, const ScoreParameter& parameter) {
  VECC_TRY(const WeightTensor* const found, find_tensor(file, parameter.name));
  if (!is_float(found->type)) {
    return table_error(parameter.name,
                       "has " + std::string(text_of(found->type)) + ", expected floats");
  }
  const std::uint64_t rows = found->shape.empty() ? 0 : found->shape.front();
  const auto expected = tensor_shape_of(parameter, std::max<std::uint64_t>(rows, 1));
  const bool fits = without_ones(found->shape) == without_ones(expected) && !found->shape.empty() &&
                    rows < std::numeric_limits<std::uint32_t>::max() &&
                    (parameter.owner != ParameterOwner::Shared || rows == 1);
  if (fits) return found;
  return table_error(parameter.name, "has the shape " + text_of_shape(found->shape) +
                                         ", expected rows of " + parameter.shape.text());
}

// Fills the parameter's part of each row.
template <class T>
Result<void> read_table(const WeightTensor& tensor, const ScoreParameter& parameter,
                        std::size_t width, std::vector<T>& rows) {
  const std::size_t size = parameter.shape.size();
  VECC_TRY(const std::vector<double> values, finite_values_of(tensor, size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows[i / size * width + parameter.begin + i % size] = static_cast<T>(values[i]);
  }
  return {};
}

template <class T>
Result<void> read_tables(const WeightFile& file, const ScoreFormula& formula, Embeddings& e) {
  EmbeddingTables<T> tables;
  for (const ScoreParameter& parameter : formula.parameters) {
    const std::size_t width = formula.width_of(parameter.owner);
    std::vector<T>& rows = table_of(tables, parameter.owner);
    rows.resize(row_count(e, parameter.owner) * width);
    VECC_TRY(const WeightTensor* const tensor, find_table(file, parameter));
    VECC_TRY_VOID(read_table(*tensor, parameter, width, rows));
  }
  e.tables = std::move(tables);
  return {};
}

// Also whether any table is of doubles.
Result<bool> count_rows(const WeightFile& file, const ScoreFormula& formula, Embeddings& e) {
  bool is_wide = false;
  for (const ScoreParameter& parameter : formula.parameters) {
    VECC_TRY(const WeightTensor* const tensor, find_table(file, parameter));
    is_wide |= tensor->type == ElementType::F64;
    if (parameter.owner == ParameterOwner::Shared) continue;
    std::uint32_t& count = parameter.owner == ParameterOwner::Entity ? e.entities : e.relations;
    const auto rows = static_cast<std::uint32_t>(tensor->shape.front());
    if (count != 0 && count != rows) {
      return table_error(parameter.name, "has " + std::to_string(rows) +
                                             " rows, the table before it " + std::to_string(count));
    }
    count = rows;
  }
  return is_wide;
}

}  // namespace

std::vector<std::string_view> formula_tables(const ScoreFormula& formula, ParameterOwner owner) {
  std::vector<std::string_view> names;
  for (const ScoreParameter& parameter : formula.parameters) {
    if (parameter.owner == owner) names.push_back(parameter.name);
  }
  return names;
}

void add_formula_weights(const Embeddings& e, WeightFile& file) {
  const ScoreFormula& formula = e.formula->formula();
  std::visit(
      [&](const auto& tables) {
        using T = typename std::decay_t<decltype(tables.entities)>::value_type;
        for (const ScoreParameter& parameter : formula.parameters) {
          const auto& rows = table_of(tables, parameter.owner);
          const std::size_t width = formula.width_of(parameter.owner);
          const std::size_t bytes = parameter.shape.size() * sizeof(T);
          const std::uint64_t count = row_count(e, parameter.owner);
          std::string data(count * bytes, '\0');
          for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(data.data() + i * bytes, rows.data() + i * width + parameter.begin, bytes);
          }
          file.tensors.push_back({parameter.name,
                                  sizeof(T) == 4 ? ElementType::F32 : ElementType::F64,
                                  tensor_shape_of(parameter, count), std::move(data)});
        }
      },
      e.tables);
  add_score(formula.text, formula.dims, file);
}

bool names_formula(const WeightFile& file) {
  return weights::find_entry(file, kText) != nullptr;
}

Result<void> name_tucker(WeightFile& file) {
  if (names_formula(file)) return {};
  ScoreDims dims;
  VECC_TRY(dims.dim, column_size(file, "e"));
  VECC_TRY(dims.relation_dim, column_size(file, "r"));
  add_score(tucker_text(), dims, file);
  return {};
}

Result<Embeddings> read_formula_embeddings(const WeightFile& file) {
  const std::string* const text = weights::find_entry(file, kText);
  if (text == nullptr) {
    return Errors(ErrorCode::WeightsDiffer, "metadata \"score\"",
                  "is not there: weights of a formula are those that vecc-kg train --score writes");
  }
  ScoreDims dims;
  VECC_TRY(dims.dim, read_size(file, kDim));
  VECC_TRY(dims.relation_dim, read_size(file, kRelationDim));
  VECC_TRY(ScoreFormula formula, parse_score_formula(*text, dims, "metadata \"score\""));
  Embeddings e;
  e.model = ScoreModel::Formula;
  e.dim = formula.entity_width;
  e.relation_dim = formula.relation_width;
  VECC_TRY(const bool is_wide, count_rows(file, formula, e));
  if (e.relations == 0) {
    return Errors(ErrorCode::WeightsDiffer, "metadata \"score\"", "reads nothing of relations");
  }
  VECC_TRY_VOID(is_wide ? read_tables<double>(file, formula, e)
                        : read_tables<float>(file, formula, e));
  VECC_TRY(e.formula, ScoreCode::load(std::move(formula), is_wide ? DType::F64 : DType::F32, {}));
  return e;
}

}  // namespace vecc::kg
