// Builds the Program that a pass makes from another one, op by op in order.
//
//   Rewriter rewriter(program);
//   for (ValueId id = 0; id < program.ops().size(); ++id) {
//     if (is_ours(id)) rewriter.replace(id, rewriter.to().transform(rewriter.at(...), ...));
//     else rewriter.copy(id);
//   }
//   program = rewriter.finish();
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "vecc/program.h"

namespace vecc::opt {

inline constexpr ValueId kNoValue = std::numeric_limits<ValueId>::max();

/// Rows of a value that no gather makes.
struct GatheredRows {
  ValueId source = 0;
  Index rows;
};

/// The operands of an op, each through `now`.
template <class Now>
[[nodiscard]] Operands mapped(const Operands& operands, Now&& now) {
  Operands result(operands.size());
  for (std::size_t k = 0; k < operands.size(); ++k) result[k] = now(operands[k]);
  return result;
}

///
/// The new Program shares the old one's ops up to the first that is not copied, or that reads
/// something else: a pass that finds nothing to do makes none.
class Rewriter {
 public:
  /// The new Program has `from`'s dtype, parameters and samples, and no op yet. `from` must outlive
  /// the Rewriter and stay as it is.
  explicit Rewriter(const Program& from);

  [[nodiscard]] const Program& from() const { return from_; }
  [[nodiscard]] Program& to() { return to_; }
  /// The new value that stands for an old one; copy() or replace() must have made it.
  [[nodiscard]] ValueId at(ValueId old) const;
  [[nodiscard]] bool has(ValueId old) const { return now_[old] != kNoValue; }
  /// Readers of `old` read `now` from here on.
  void replace(ValueId old, ValueId now) { now_[old] = now; }
  /// The same op over the new operands.
  ValueId copy(ValueId old);
  /// An op with other attributes or operands and `old`'s note.
  ValueId add(OpAttributes attributes, Operands operands, ValueId old);
  /// Rows of a new value, read through the gather that makes it, if one does; the value itself
  /// where that is all its rows in order. Asking twice for the same gives the same op.
  ValueId gather(ValueId now, const Index& rows, const Note& note = {});

  /// The new Program without what nothing reads (drop_dead_ops).
  [[nodiscard]] Program finish();

 private:
  /// Whether the next op of the new Program may be the one of that number in the old one: all ops
  /// so far are.
  [[nodiscard]] bool shares_all() const { return shared_ == to_.ops().size(); }
  [[nodiscard]] bool is_next_gather(const GatheredRows& read, const Note& note) const;
  ValueId share();

  struct Gather {
    ValueId value;
    std::uint32_t next;  ///< the gather before it with the same key, or kNoValue
  };

  const Program& from_;
  Program to_;
  std::vector<ValueId> now_;
  std::size_t shared_ = 0;  // ops of to_ that are from_'s
  std::vector<Gather> gathers_;
  /// By a key of source and rows: the last entry of gathers_ with it.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> last_gather_;
};

/// A Program with `from`'s dtype, parameters and number of samples, and no op.
[[nodiscard]] Program empty_like(const Program& from);

/// Without ops that neither an output nor an update needs. Parameters stay: they are the model.
/// The same Program if there is none.
[[nodiscard]] Program drop_dead_ops(Program program);

/// Reads `rows` of `value` in `program`, through the gathers that make it.
[[nodiscard]] GatheredRows read_through(const Program& program, ValueId value, Index rows);
/// All rows of `value`.
[[nodiscard]] GatheredRows read_through(const Program& program, ValueId value);

}  // namespace vecc::opt
