#include "src/program/select_rows.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/support/list_threads.h"

namespace vecc {
namespace {

// Blocks of `width` elements, one a row.
template <class T>
std::vector<T> select_blocks(std::span<const T> blocks, std::size_t width, const Index& rows) {
  std::vector<T> result = unset_list<T>(width * rows.size());
  ListThreads::for_ranges(rows.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = rows[static_cast<std::uint32_t>(i)];
      std::copy_n(blocks.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                  result.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
  });
  return result;
}

}  // namespace

FactOp select_rows(const FactOp& fact, const Index& rows) {
  FactOp result = fact;
  result.rows = rows.size();
  if (fact.unit) return result;
  result.values = fact.values.visit([&](auto values) {
    return SharedNumbers::of(select_blocks(values, fact.shape.size(), rows));
  });
  return result;
}

TransformOp select_rows(const TransformOp& transform, const Index& rows) {
  TransformOp result = transform;
  const std::size_t width = word_count(transform.transformation.id);
  // One set of words is that of every row, even where there is only one row.
  if (width > 0 && transform.words->size() != width) {
    result.words = std::make_shared<const std::vector<std::uint32_t>>(
        select_blocks(std::span<const std::uint32_t>(*transform.words), width, rows));
  }
  return result;
}

bool is_row_wise(const Program& program, const Op& op) {
  const auto& vjp = std::get<VjpOp>(op.attributes);
  if (std::holds_alternative<TransformOp>(vjp.of)) return true;
  // g has a row for each of the map's.
  return std::holds_alternative<MapOp>(vjp.of) && op.rows == program.op(op.operands.back()).rows;
}

VjpOp select_rows(const VjpOp& vjp, const Index& rows) {
  VjpOp result = vjp;
  const auto* transform = std::get_if<TransformOp>(&vjp.of);
  if (transform) result.of = select_rows(*transform, rows);
  return result;
}

}  // namespace vecc
