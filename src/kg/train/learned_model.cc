#include "src/kg/train/learned_model.h"

#include <span>
#include <utility>

#include "src/kg/formulas/rows.h"
#include "vecc/shape.h"

namespace vecc::kg {
namespace {

template <class T>
LearnedRows<T> initial_rows(std::uint32_t rows, Shape shape, std::size_t parts,
                            const TripleTrainOptions& options, JavaRandom& random) {
  LearnedRows<T> table;
  table.rows = rows;
  table.width = shape.size() * parts;
  table.is_complex = parts == 2;
  table.values.resize(rows * table.width);
  table.states.resize(state_count(options.optimizer.optimizer));
  const double initial = with_defaults(options.optimizer).initial_accumulator_value.value_or(0);
  for (std::vector<T>& state : table.states) {
    state.assign(table.values.size(), static_cast<T>(initial));
  }
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

// Squared modulus of number i.
template <class T>
T square_of(const LearnedRows<T>& table, const T* row, std::size_t i) {
  return formulas::square_of(
      formulas::Complex<T>{row[i], table.is_complex ? row[table.width / 2 + i] : T{0}});
}

}  // namespace

template <class T>
LearnedModel<T> initial_model(std::uint32_t entities, std::uint32_t relations,
                              const TripleTrainOptions& options) {
  const ScoreModelInfo& info = info_of(options.model);
  JavaRandom random(static_cast<std::int64_t>(options.seed));
  const Shape vector = Shape::column(options.dim);
  const Shape matrix = Shape(options.dim, options.dim);
  LearnedModel<T> model;
  model.score = {options.model, options.p};
  model.entities = initial_rows<T>(entities, vector, info.entities.size(), options, random);
  model.relations = info.matrices.empty()
                        ? initial_rows<T>(relations, vector, info.relations.size(), options, random)
                        : initial_rows<T>(relations, matrix, 1, options, random);
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
  e.relation_dim = e.dim;
  EmbeddingTables<T> tables;
  tables.entities = model.entities.values;
  (info_of(e.model).matrices.empty() ? tables.relations : tables.matrices) = model.relations.values;
  e.tables = std::move(tables);
  return e;
}

#define VECC_LEARNED_MODEL(T)                                                                      \
  template LearnedModel<T> initial_model(std::uint32_t, std::uint32_t, const TripleTrainOptions&); \
  template double penalty_of(const LearnedRows<T>&, std::uint32_t, const TripleRegularizer&);      \
  template void add_penalty_gradient(const LearnedRows<T>&, std::uint32_t,                         \
                                     const TripleRegularizer&, double, T*);                        \
  template Embeddings embeddings_of(const LearnedModel<T>&);
VECC_LEARNED_MODEL(float)
VECC_LEARNED_MODEL(double)
#undef VECC_LEARNED_MODEL

}  // namespace vecc::kg
