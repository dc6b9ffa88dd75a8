// The scores of triples once more, as plain loops over columns.
#pragma once

#include <cmath>
#include <complex>
#include <string_view>
#include <vector>

#include "tests/import_models/knowledge_graph.h"

namespace vecc::test {

using Column = std::vector<double>;

inline double dot(const Column& a, const Column& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// M x, M row-major.
inline Column times(const Column& matrix, const Column& x) {
  Column product(matrix.size() / x.size());
  for (std::size_t i = 0; i < product.size(); ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) product[i] += matrix[i * x.size() + k] * x[k];
  }
  return product;
}

/// h + r - t.
inline Column difference(const Column& h, const Column& r, const Column& t) {
  Column result(r.size());
  for (std::size_t k = 0; k < r.size(); ++k) result[k] = h[k] + r[k] - t[k];
  return result;
}

inline Column project(const Column& x, const Column& w) {
  Column result(x);
  const double factor = dot(w, x) / dot(w, w);
  for (std::size_t k = 0; k < x.size(); ++k) result[k] -= factor * w[k];
  return result;
}

/// A triple's score by the weights of a grounded file.
class ScoreFormula {
 public:
  ScoreFormula(const NeuronGraph& graph, std::string_view model, std::uint32_t p)
      : model_(model), p_(p) {
    for (const WeightTable& table : graph.weight_tables) {
      tables_[table.name] = rows_of(graph, table.name);
    }
  }

  [[nodiscard]] double score(std::uint32_t h, std::uint32_t r, std::uint32_t t) const {
    if (model_ == "complex" || model_ == "rotate") return score_complex(h, r, t);
    const Column& head = row("e", h);
    const Column& tail = row("e", t);
    if (model_ == "rescal") return dot(head, times(row("M", r), tail));
    const Column& relation = row("r", r);
    if (model_ == "tucker") return dot(head, times(times(row("W", 0), relation), tail));
    if (model_ == "transe") return -norm(difference(head, relation, tail));
    if (model_ == "transh") {
      const Column& w = row("w", r);
      return -square(difference(project(head, w), relation, project(tail, w)));
    }
    if (model_ == "transr") {
      const Column& m = row("M", r);
      return -square(difference(times(m, head), relation, times(m, tail)));
    }
    double sum = 0;
    for (std::size_t k = 0; k < head.size(); ++k) {
      if (model_ == "transf") {
        sum += (head[k] + relation[k]) * tail[k] + head[k] * (tail[k] - relation[k]);
      } else {
        sum += head[k] * relation[k] * tail[k];
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] const Column& row(const std::string& table, std::uint32_t number) const {
    return tables_.at(table).at(number);
  }
  static double square(const Column& x) { return dot(x, x); }
  [[nodiscard]] double norm(const Column& x) const {
    if (p_ == 2) return std::sqrt(dot(x, x));
    double sum = 0;
    for (const double v : x) sum += std::abs(v);
    return sum;
  }
  [[nodiscard]] double score_complex(std::uint32_t h, std::uint32_t r, std::uint32_t t) const {
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < row("e_re", h).size(); ++k) {
      const auto value = [&](const char* real, const char* imaginary, std::uint32_t number) {
        return std::complex<double>(row(real, number)[k], row(imaginary, number)[k]);
      };
      const std::complex<double> head = value("e_re", "e_im", h);
      const std::complex<double> relation = value("r_re", "r_im", r);
      const std::complex<double> tail = value("e_re", "e_im", t);
      if (model_ == "rotate") {
        sum -= std::abs(head * relation / std::abs(relation) - tail);
      } else {
        sum += head * relation * std::conj(tail);
      }
    }
    return sum.real();
  }

  std::string model_;
  std::uint32_t p_;
  std::map<std::string, std::vector<Column>> tables_;
};

}  // namespace vecc::test
