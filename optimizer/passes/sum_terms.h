// What a sum adds up once the sums, constant factors and products below it are written out:
//
//   mean(2 sum(x, y), W mean(x, z))  =>  1 x + 1 y + 1/4 (W x) + 1/4 (W z)
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/rewrite/pair_table.h"
#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

/// `factor` times a row: the source row of that number (table 0), or product `row` of
/// products[table - 1].
struct Term {
  std::uint32_t table = 0;
  std::uint32_t row = 0;
  double factor = 1;
};

/// Distinct products that rows of a linear are sums of: by product its source row on each side.
struct ProductTable {
  ValueId linear = 0;
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
};

struct TermRows {
  std::vector<Term> terms;             ///< of one row of the sum after the other; each in order
  std::vector<std::uint32_t> lengths;  ///< by row of the sum: how many terms
  std::vector<ProductTable> products;
  bool has_factors = false;      ///< whether a factor is not 1
  bool leaves_products = false;  ///< whether products stand that may be written out, too
  /// Ops of which every row that was met was written out, from the last to the first.
  std::vector<ValueId> opened;
};

/// Writes out sums and means, products by constant scalars and, if wanted, other products of rows
/// that are such sums.
class SumTerms {
 public:
  /// `program` and its `sources` outlive this. `constant`: by value, what no weight reaches; it
  /// stays as it is.
  SumTerms(const Program& program, const SourceRows& sources, const std::vector<bool>& constant);

  /// Whether there is something to be written out below the sum or mean `root`.
  [[nodiscard]] bool is_nested(ValueId root, bool through_products) const;
  /// The segments and linears that writing out `root` may open, without `root`.
  [[nodiscard]] std::vector<ValueId> reach(ValueId root) const;
  /// The terms of each row of `root`, equal ones once, unless they are few and there are no
  /// factors but their numbers. None if that takes more than so many steps for each member of
  /// `root` and of what it `reached`, or once the terms of its first rows do not pay.
  [[nodiscard]] std::optional<TermRows> write_out(ValueId root, std::span<const ValueId> reached,
                                                  bool through_products,
                                                  const std::function<bool(const TermRows&)>& pays);

 private:
  enum class Kind : std::uint8_t { Other, Sum, Scaled, Product };
  struct State {
    Kind kind = Kind::Other;
    std::uint8_t scaled_side = 0;
    bool has_terms = false;           // some rows here are sums or have factors
    bool has_terms_in_reach = false;  // or are products of such rows
    bool opened = false;              // of the root at work
    bool left_as_it_is = false;
  };

  using FewTerms = boost::container::small_vector<Term, 4>;
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // left, right

  void classify(ValueId id, bool constant);
  void classify_linear(const Op& op, const LinearOp& linear, State& state) const;
  [[nodiscard]] bool is_factors(ValueId value) const;
  [[nodiscard]] double factor_of(std::uint32_t number) const;
  [[nodiscard]] std::uint64_t most_steps(ValueId root, std::span<const ValueId> reached) const;
  void forget_last_root();
  void write_row(std::uint32_t number, double factor, bool products, std::uint32_t depth);
  void write_sum(SourceRows::Source at, double factor, bool products, std::uint32_t depth);
  void write_scaled(SourceRows::Source at, double factor, bool products, std::uint32_t depth);
  void write_product(SourceRows::Source at, double factor, std::uint32_t depth);
  [[nodiscard]] FewTerms terms_of_side(const Op& op, std::size_t side, std::uint32_t number,
                                       std::uint32_t depth);
  std::uint32_t table_of(ValueId linear);
  void merge_batch();
  void number_products();
  void merge_terms(std::span<Term> terms);
  void repeat_terms();

  const Program& program_;
  const SourceRows& sources_;
  std::vector<State> states_;  // by value
  // Of the root at work.
  TermRows found_;
  std::vector<ValueId> met_;                 // ops of which rows were opened or left
  std::map<ValueId, std::uint32_t> tables_;  // by linear
  std::vector<PairTable> numbers_;           // by table
  // Of some of its rows: their terms, and where those of each end. Of a product `row` is the place
  // among its table's pairs until they are numbered, all at once.
  std::vector<Term> batch_;
  std::vector<std::size_t> batch_ends_;
  std::vector<Pairs> batch_pairs_;  // by table
  std::uint64_t steps_left_ = 0;
  std::uint64_t written_ = 0;  // terms before equal ones were one
};

}  // namespace vecc::opt
