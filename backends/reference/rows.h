// Rows of a Program's values, as the interpreter reads and writes them.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/function/evaluate.h"
#include "vecc/index.h"
#include "vecc/shape.h"

namespace vecc::reference {

/// The rows of one value in a storage's memory. A gather is never stored: its rows are its
/// operand's, read through the index. Rows may be absent where they are not needed; shape and
/// number are known all the same.
template <class Number>
class RowsOf {
 public:
  /// `first` is row 0's first element, null if absent; all `rows` stand one after another.
  RowsOf(Number* first, std::uint32_t rows, Shape shape)
      : first_(first), rows_(rows), shape_(shape) {}

  /// These rows read by a gather: row i is the row index[i].
  [[nodiscard]] RowsOf gathered(const Index& index) const {
    RowsOf result(*this);
    result.indices_.insert(result.indices_.begin(), &index);
    result.rows_ = index.size();
    return result;
  }

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] bool present() const { return first_ != nullptr; }
  /// Row i, or an empty span if absent.
  [[nodiscard]] std::span<Number> row(std::uint32_t i) const {
    if (first_ == nullptr) return {};
    for (const Index* index : indices_) i = (*index)[i];
    return {first_ + i * shape_.size(), shape_.size()};
  }
  [[nodiscard]] Element element(std::uint32_t i) const { return {shape_, row(i)}; }
  /// All rows; not of a gather.
  [[nodiscard]] std::span<Number> all() const {
    VECC_CHECK(indices_.empty(), "rows read through a gather do not stand one after another");
    if (first_ == nullptr) return {};
    return {first_, rows_ * shape_.size()};
  }
  /// Whether the rows stand one after another from `first` on.
  [[nodiscard]] bool stand_at(const Number* first) const {
    return indices_.empty() && first_ == first;
  }

 private:
  Number* first_;
  std::uint32_t rows_;
  Shape shape_;
  boost::container::small_vector<const Index*, 2> indices_;  // the outermost first
};
using Rows = RowsOf<const double>;
using MutableRows = RowsOf<double>;

/// `to` += `from`, of one length.
inline void add_row(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace vecc::reference
