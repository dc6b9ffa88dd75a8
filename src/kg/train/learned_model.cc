#include "src/kg/train/learned_model.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "src/kg/formulas/queries.h"
#include "src/kg/formulas/rows.h"
#include "src/kg/query_formula.h"
#include "src/kg/vector_sums.h"
#include "vecc/shape.h"

namespace vecc::kg {
namespace {

template <class T>
LearnedRows<T> initial_rows(std::uint32_t rows, Shape shape, std::size_t parts,
                            const TripleTrainOptions& options, JavaRandom& random) {
  LearnedRows<T> table;
  table.rows = rows;
  table.width = shape.size() * parts;
  table.is_complex = formulas::has_complex_numbers(options.model);
  table.values.resize(rows * table.width);
  table.states = initial_states<T>(table.values.size(), options.optimizer);
  std::vector<double> drawn(shape.size());
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t row = 0; row < rows; ++row) {
      draw_weight(options.initializer, shape, random, drawn);
      T* const to = table.values.data() + row * table.width + part * drawn.size();
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        to[k] = static_cast<T>(drawn[k] * options.initial_scale);
      }
    }
  }
  return table;
}

// Rows of a formula's parameters of one owner, drawn parameter by parameter.
template <class T>
LearnedRows<T> initial_formula_rows(std::uint32_t rows, const ScoreFormula& formula,
                                    ParameterOwner owner, const TripleTrainOptions& options,
                                    JavaRandom& random) {
  LearnedRows<T> table;
  table.width = formula.width_of(owner);
  table.rows = table.width > 0 ? rows : 0;
  table.values.resize(table.rows * table.width);
  table.states = initial_states<T>(table.values.size(), options.optimizer);
  for (const ScoreParameter& parameter : formula.parameters) {
    if (parameter.owner != owner) continue;
    std::vector<double> drawn(parameter.shape.size());
    for (std::size_t row = 0; row < table.rows; ++row) {
      draw_weight(options.initializer, parameter.shape, random, drawn);
      T* const to = table.values.data() + row * table.width + parameter.begin;
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        to[k] = static_cast<T>(drawn[k] * options.initial_scale);
      }
    }
  }
  return table;
}

// The normals behind the vectors become 1 long.
template <class T>
void make_unit_normals(LearnedRows<T>& table) {
  const std::size_t dim = table.width / 2;
  for (std::size_t i = 0; i < table.rows; ++i) {
    T* const w = table.values.data() + i * table.width + dim;
    const T size = std::sqrt(dot(w, w, dim));
    for (std::size_t k = 0; k < dim; ++k) w[k] /= size;
  }
}

// Behind vectors of dim numbers come matrices of which each is the identity.
template <class T>
void add_identities(LearnedRows<T>& table) {
  const std::size_t dim = table.width;
  const std::size_t width = dim + dim * dim;
  const auto widen = [&](std::vector<T>& values, T other, T diagonal) {
    std::vector<T> wide(table.rows * width, other);
    for (std::size_t i = 0; i < table.rows; ++i) {
      std::copy_n(values.data() + i * dim, dim, wide.data() + i * width);
      for (std::size_t k = 0; k < dim; ++k) wide[i * width + dim + k * dim + k] = diagonal;
    }
    values = std::move(wide);
  };
  widen(table.values, 0, 1);
  for (std::vector<T>& state : table.states) {
    const T initial = state.empty() ? T{0} : state.front();
    widen(state, initial, initial);
  }
  table.width = width;
}

// A relation's row by tables: which, and how many numbers.
template <class T>
std::vector<std::pair<std::vector<T> EmbeddingTables<T>::*, std::size_t>> parts_of_row(
    ScoreModel model, std::size_t dim) {
  const ScoreModelInfo& info = info_of(model);
  std::vector<std::pair<std::vector<T> EmbeddingTables<T>::*, std::size_t>> parts;
  if (model == ScoreModel::Formula) return {{&EmbeddingTables<T>::relations, dim}};
  if (!info.relations.empty()) parts.emplace_back(&EmbeddingTables<T>::relations, dim);
  if (!info.normals.empty()) parts.emplace_back(&EmbeddingTables<T>::normals, dim);
  if (!info.matrices.empty()) parts.emplace_back(&EmbeddingTables<T>::matrices, dim * dim);
  return parts;
}

// Squared modulus of number i.
template <class T>
T square_of(const LearnedRows<T>& table, const T* row, std::size_t i) {
  return formulas::square_of(
      formulas::Complex<T>{row[i], table.is_complex ? row[table.width / 2 + i] : T{0}});
}

}  // namespace

template <class T>
LearnedModel<T> initial_model(std::uint32_t entities, std::uint32_t relations,
                              const TripleTrainOptions& options,
                              std::shared_ptr<const ScoreCode> formula) {
  const ScoreModelInfo& info = info_of(options.model);
  JavaRandom random(static_cast<std::int64_t>(options.seed));
  const Shape vector = Shape::column(options.dim);
  const Shape matrix = Shape(options.dim, options.dim);
  LearnedModel<T> model;
  model.score = {options.model, options.p, std::move(formula)};
  if (model.score.formula) {
    const ScoreFormula& text = model.score.formula->formula();
    const auto draw = [&](std::uint32_t rows, ParameterOwner owner) {
      return initial_formula_rows<T>(rows, text, owner, options, random);
    };
    model.entities = draw(entities, ParameterOwner::Entity);
    model.relations = draw(relations, ParameterOwner::Relation);
    model.shared = draw(1, ParameterOwner::Shared);
    return model;
  }
  model.entities = initial_rows<T>(entities, vector, info.entities.size(), options, random);
  if (options.model == ScoreModel::Rescal) {
    model.relations = initial_rows<T>(relations, matrix, 1, options, random);
    return model;
  }
  const std::size_t parts = info.relations.size() + (info.normals.empty() ? 0 : 1);
  model.relations = initial_rows<T>(relations, vector, parts, options, random);
  if (options.model == ScoreModel::TransH) make_unit_normals(model.relations);
  if (options.model == ScoreModel::TransR) add_identities(model.relations);
  return model;
}

template <class T>
double penalty_of(const LearnedRows<T>& table, std::uint32_t row,
                  const TripleRegularizer& regularizer) {
  double sum = 0;
  const T* const values = table.row(row);
  for (std::size_t i = 0; i < table.width / (table.is_complex ? 2 : 1); ++i) {
    sum += formulas::penalty_of_square(regularizer.l2, regularizer.n3,
                                       static_cast<double>(square_of(table, values, i)));
  }
  return sum;
}

template <class T>
void add_penalty_gradient(const LearnedRows<T>& table, std::uint32_t row,
                          const TripleRegularizer& regularizer, double scale, T* sum) {
  if (regularizer.l2 == 0 && regularizer.n3 == 0) return;
  const T* const values = table.row(row);
  const T l2 = static_cast<T>(2 * regularizer.l2 * scale);
  const T n3 = static_cast<T>(3 * regularizer.n3 * scale);
  const std::size_t parts = table.is_complex ? 2 : 1;
  const std::size_t numbers = table.width / parts;
  for (std::size_t i = 0; i < numbers; ++i) {
    const T factor = formulas::penalty_slope(l2, n3, square_of(table, values, i));
    for (std::size_t part = 0; part < parts; ++part) {
      sum[part * numbers + i] += factor * values[part * numbers + i];
    }
  }
}

template <class T>
Embeddings embeddings_of(const LearnedModel<T>& model) {
  Embeddings e;
  e.model = model.score.model;
  e.p = model.score.p;
  e.entities = model.entities.rows;
  e.relations = model.relations.rows;
  e.dim = static_cast<std::uint32_t>(model.entities.width);
  e.formula = model.score.formula;
  e.relation_dim = e.formula ? e.formula->formula().relation_width : e.dim;
  EmbeddingTables<T> tables;
  tables.entities = model.entities.values;
  tables.shared = model.shared.values;
  std::size_t first = 0;
  for (const auto& [table, count] : parts_of_row<T>(e.model, e.relation_dim)) {
    for (std::uint32_t i = 0; i < e.relations; ++i) {
      const T* const from = model.relations.row(i) + first;
      (tables.*table).insert((tables.*table).end(), from, from + count);
    }
    first += count;
  }
  e.tables = std::move(tables);
  return e;
}

template <class T>
std::vector<T> relation_rows(ScoreModel model, const EmbeddingTables<T>& tables,
                             std::uint32_t relations, std::size_t dim) {
  std::vector<T> rows;
  for (std::uint32_t i = 0; i < relations; ++i) {
    for (const auto& [table, count] : parts_of_row<T>(model, dim)) {
      const T* const from = (tables.*table).data() + i * count;
      rows.insert(rows.end(), from, from + count);
    }
  }
  return rows;
}

#define VECC_LEARNED_MODEL(T)                                                                     \
  template LearnedModel<T> initial_model(std::uint32_t, std::uint32_t, const TripleTrainOptions&, \
                                         std::shared_ptr<const ScoreCode>);                       \
  template double penalty_of(const LearnedRows<T>&, std::uint32_t, const TripleRegularizer&);     \
  template void add_penalty_gradient(const LearnedRows<T>&, std::uint32_t,                        \
                                     const TripleRegularizer&, double, T*);                       \
  template Embeddings embeddings_of(const LearnedModel<T>&);                                      \
  template std::vector<T> relation_rows(ScoreModel, const EmbeddingTables<T>&, std::uint32_t,     \
                                        std::size_t);
VECC_LEARNED_MODEL(float)
VECC_LEARNED_MODEL(double)
#undef VECC_LEARNED_MODEL

}  // namespace vecc::kg
