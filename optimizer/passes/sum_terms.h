// What a sum adds up once the sums, constant factors and products below it are written out:
//
//   mean(2 sum(x, y), W mean(x, z))  =>  1 x + 1 y + 1/4 (W x) + 1/4 (W z)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/passes/term_writer.h"
#include "optimizer/rewrite/pair_numbers.h"
#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Distinct products that rows of a linear are sums of: by product its source row on each side.
struct ProductTable {
  ValueId linear = 0;
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
};

/// Terms of some rows of the sum after one another.
using TermList = std::vector<Term>;

/// How many there are so far.
struct TermCounts {
  std::uint64_t rows = 0;
  std::uint64_t terms = 0;
  std::vector<std::pair<ValueId, std::uint64_t>> products;  ///< distinct ones, by linear
  bool has_factors = false;
};

struct TermRows {
  std::vector<TermList> lists;         ///< all rows; those of each row in order
  std::vector<std::uint32_t> lengths;  ///< by row of the sum: how many terms
  std::vector<ProductTable> products;
  bool has_factors = false;      ///< whether a factor is not 1
  bool leaves_products = false;  ///< whether products stand that may be written out, too
  /// Ops of which every row that was met was written out, from the last to the first.
  std::vector<ValueId> opened;

  [[nodiscard]] std::uint64_t term_count() const;
  [[nodiscard]] TermCounts counts() const;
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
  /// `root` and of what it `reached`, or once the terms of its first rows do not pay. The same for
  /// any number of threads.
  [[nodiscard]] std::optional<TermRows> write_out(
      ValueId root, std::span<const ValueId> reached, bool through_products,
      const std::function<bool(const TermCounts&)>& pays);

 private:
  using Pieces = std::vector<std::span<const PairNumbers::Pair>>;

  // Rows that one thread writes out ahead of others.
  struct Writer {
    explicit Writer(const TermKinds& kinds) : terms(kinds) {}

    TermWriter terms;
    std::vector<std::uint32_t> tables;   // by its own table: that of all writers
    std::vector<std::uint32_t> lengths;  // by row: merged terms
    bool has_factors = false;
  };

  [[nodiscard]] std::uint64_t most_steps(ValueId root, std::span<const ValueId> reached) const;
  void forget_last_root();
  [[nodiscard]] std::size_t write_rows(ValueId root, std::uint32_t begin, bool through_products);
  [[nodiscard]] bool take_steps(std::size_t writers);
  [[nodiscard]] bool take_rows(std::size_t writers,
                               const std::function<bool(const TermCounts&)>& pays);
  void find_opened();
  std::uint32_t table_of(ValueId linear);
  [[nodiscard]] std::vector<PairNumbers::Numbered> number_products(std::size_t writers);
  static void merge_terms(Writer& writer, std::size_t number,
                          const std::vector<PairNumbers::Numbered>& products);
  void repeat_terms();

  const Program& program_;
  TermKinds kinds_;
  // Of the root at work.
  std::vector<Writer> writers_;  // one a thread
  std::uint64_t steps_left_ = 0;
  TermRows found_;
  std::vector<std::size_t> row_begins_;      // by list of terms: its first row
  std::map<ValueId, std::uint32_t> tables_;  // by linear
  std::vector<PairNumbers> numbers_;         // by table
  std::uint64_t written_ = 0;                // terms, before equal ones were one
  std::uint64_t terms_ = 0;                  // and then
};

}  // namespace vecc::opt
