// Terms of single rows of a sum (sum_terms.h), written out by one thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimizer/passes/constant_factors.h"
#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

/// What stands deeper is a term as it is: a chain of sums may be as long as a recursion.
inline constexpr std::uint32_t kDeepestTerm = 64;

/// `factor` times a row: the source row of that number (table 0), or a product of a table.
struct Term {
  std::uint32_t table = 0;
  std::uint32_t row = 0;
  double factor = 1;
};

/// What of a Program can be written out.
class TermKinds {
 public:
  enum class Kind : std::uint8_t { Other, Sum, Scaled, Product };
  struct Value {
    Kind kind = Kind::Other;
    std::uint8_t scaled_side = 0;
    bool has_terms = false;           // some rows here are sums or have factors
    bool has_terms_in_reach = false;  // or are products of such rows
  };

  /// `program` and its `sources` outlive this. `constant`: by value, what no weight reaches.
  TermKinds(const Program& program, const SourceRows& sources, const std::vector<bool>& constant);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const SourceRows& sources() const { return sources_; }
  [[nodiscard]] const Value& of(ValueId value) const { return values_[value]; }
  /// Of a row whose kind is Scaled: its constant.
  [[nodiscard]] double factor_of(std::uint32_t number) const { return factors_.at(number); }

 private:
  void classify(ValueId id, bool constant);
  void classify_linear(const Op& op, const LinearOp& linear, Value& value) const;

  const Program& program_;
  const SourceRows& sources_;
  ConstantFactors factors_;
  std::vector<Value> values_;
};

/// The segment as a sum or mean; null for others.
[[nodiscard]] const SegmentOp* as_sum(const Op& op);

/// Writes out rows one after another; what it has written is taken and cleared by the caller.
class TermWriter {
 public:
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // left, right

  explicit TermWriter(const TermKinds& kinds);

  /// Appends the terms of row `row` of the sum `root`, unless there are no steps left: then the
  /// terms are not all of them.
  void write(ValueId root, std::uint32_t row, bool through_products);
  /// Nothing written, and so many steps for the rows to come.
  void start(std::uint64_t steps);

  /// Of rows one after another. Of table t > 0, `row` is a place in pairs()[t - 1].
  [[nodiscard]] std::vector<Term>& terms() { return terms_; }
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  /// By row: where its terms end.
  [[nodiscard]] const std::vector<std::size_t>& ends() const { return ends_; }
  /// By table, in the order in which they were first met.
  [[nodiscard]] const std::vector<ValueId>& linears() const { return linears_; }
  [[nodiscard]] const std::vector<Pairs>& pairs() const { return pairs_; }
  [[nodiscard]] std::uint64_t steps_left() const { return steps_left_; }
  /// Since forget_met(): the values of which rows were written out or left, each once; whether one
  /// of this value was left as it is; whether one of a product that may be written out was.
  [[nodiscard]] const std::vector<ValueId>& met() const { return met_; }
  [[nodiscard]] bool was_left(ValueId value) const { return (flags_[value] & kLeft) != 0; }
  [[nodiscard]] bool leaves_products() const { return leaves_products_; }
  void forget_met();

 private:
  using FewTerms = boost::container::small_vector<Term, 4>;

  void write_row(std::uint32_t number, double factor, bool products, std::uint32_t depth);
  void write_sum(SourceRows::Source at, double factor, bool products, std::uint32_t depth);
  void write_scaled(SourceRows::Source at, double factor, bool products, std::uint32_t depth);
  void write_product(SourceRows::Source at, double factor, std::uint32_t depth);
  [[nodiscard]] FewTerms terms_of_side(const Op& op, std::size_t side, std::uint32_t number,
                                       std::uint32_t depth);
  [[nodiscard]] std::uint32_t side_row(const Op& op, std::size_t side, std::uint32_t row) const;
  std::uint32_t table_of(ValueId linear);
  void meet(ValueId value, std::uint8_t how) {
    if (flags_[value] == 0) met_.push_back(value);
    flags_[value] |= how;
  }

  static constexpr std::uint8_t kOpened = 1;
  static constexpr std::uint8_t kLeft = 2;

  const TermKinds& kinds_;
  const Program& program_;
  const SourceRows& sources_;
  std::vector<Term> terms_;
  std::vector<std::size_t> ends_;
  std::vector<ValueId> linears_;
  boost::unordered_flat_map<ValueId, std::uint32_t> tables_;  // by linear
  std::vector<Pairs> pairs_;
  std::uint64_t steps_left_ = 0;
  std::vector<std::uint8_t> flags_;  // by value; 0: not met
  std::vector<ValueId> met_;
  bool leaves_products_ = false;
};

}  // namespace vecc::opt
