// The entities nearest to one: answers.h.
#include <algorithm>
#include <cmath>

#include "src/kg/answers.h"

namespace vecc::kg {
namespace {

template <class T>
double nearness_of(const T* a, const T* b, std::size_t dim, NearnessKind kind) {
  double product = 0;
  double squares_a = 0;
  double squares_b = 0;
  double distance = 0;
  for (std::size_t k = 0; k < dim; ++k) {
    const double x = a[k];
    const double y = b[k];
    product += x * y;
    squares_a += x * x;
    squares_b += y * y;
    distance += (x - y) * (x - y);
  }
  if (kind == NearnessKind::Euclidean) return std::sqrt(distance);
  const double lengths = std::sqrt(squares_a) * std::sqrt(squares_b);
  return lengths > 0 ? product / lengths : 0;
}

}  // namespace

std::string_view text_of(NearnessKind kind) {
  switch (kind) {
    case NearnessKind::Cosine: return "cosine";
    case NearnessKind::Euclidean: return "euclidean";
  }
  return "";
}

std::vector<Neighbour> nearest_entities(const Embeddings& embeddings, std::uint32_t entity,
                                        NearnessKind kind, std::uint32_t top) {
  std::vector<Neighbour> found;
  std::visit(
      [&](const auto& tables) {
        const std::size_t dim = embeddings.dim;
        const auto* const rows = tables.entities.data();
        for (std::uint32_t i = 0; i < embeddings.entities; ++i) {
          if (i == entity) continue;
          found.push_back({i, nearness_of(rows + entity * dim, rows + i * dim, dim, kind)});
        }
      },
      embeddings.tables);
  const auto end =
      found.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(top, found.size()));
  std::partial_sort(found.begin(), end, found.end(), [&](const Neighbour& a, const Neighbour& b) {
    if (a.nearness == b.nearness) return a.entity < b.entity;
    return kind == NearnessKind::Cosine ? a.nearness > b.nearness : a.nearness < b.nearness;
  });
  found.erase(end, found.end());
  return found;
}

}  // namespace vecc::kg
