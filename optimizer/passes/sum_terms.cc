#include "optimizer/passes/sum_terms.h"

#include <algorithm>
#include <atomic>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <utility>

#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

constexpr std::uint64_t kStepsPerMember = 16;
// What one thread writes ahead: rows, and terms after which it stops. The first few are fewer: they
// may tell that terms do not pay.
constexpr std::uint32_t kFirstRows = 1 << 8;
constexpr std::uint32_t kRowsOfWriter = 1 << 13;
constexpr std::size_t kTermsOfWriter = 1 << 17;
// The work of a term with a factor, in terms without.
constexpr double kFactorWork = 1.75;

std::uint64_t place_of(const Term& term) {
  return std::uint64_t{term.table} << 32 | term.row;
}

// Equal places stay in order. Most rows have few terms, for which no memory is asked for.
void sort_by_place(std::span<Term> terms) {
  constexpr std::size_t kFew = 32;
  if (terms.size() > kFew) {
    std::ranges::stable_sort(terms, {}, place_of);
    return;
  }
  for (auto next = terms.begin(); next != terms.end(); ++next) {
    const auto later = std::ranges::upper_bound(terms.begin(), next, place_of(*next), {}, place_of);
    std::rotate(later, next, next + 1);
  }
}

bool has_factors(const std::vector<TermList>& lists) {
  std::atomic<bool> found{false};
  ListThreads::for_pieces(lists.size(), [&](std::size_t k) {
    const auto is_factor = [](const Term& term) { return term.factor != 1; };
    if (std::ranges::any_of(lists[k], is_factor)) found.store(true, std::memory_order_relaxed);
  });
  return found.load(std::memory_order_relaxed);
}

}  // namespace

std::uint64_t TermRows::term_count() const {
  std::uint64_t count = 0;
  for (const TermList& list : lists) count += list.size();
  return count;
}

TermCounts TermRows::counts() const {
  TermCounts counts{lengths.size(), term_count(), {}, has_factors};
  for (const ProductTable& table : products) {
    counts.products.emplace_back(table.linear, table.left.size());
  }
  return counts;
}

SumTerms::SumTerms(const Program& program, const SourceRows& sources,
                   const std::vector<bool>& constant)
    : program_(program), kinds_(program, sources, constant) {}

bool SumTerms::is_nested(ValueId root, bool through_products) const {
  const TermKinds::Value& members = kinds_.of(program_.op(root).operands[0]);
  return kinds_.of(root).kind == TermKinds::Kind::Sum &&
         (through_products ? members.has_terms_in_reach : members.has_terms);
}

std::optional<TermRows> SumTerms::write_out(ValueId root, std::span<const ValueId> reached,
                                            bool through_products,
                                            const std::function<bool(const TermCounts&)>& pays) {
  forget_last_root();
  steps_left_ = most_steps(root, reached);
  const std::uint32_t rows = program_.op(root).rows;
  while (found_.lengths.size() < rows) {
    const std::size_t writers =
        write_rows(root, static_cast<std::uint32_t>(found_.lengths.size()), through_products);
    if (!take_steps(writers)) return {};
    const auto goes_on = [&](const TermCounts& counts) {
      return counts.rows == rows || pays(counts);
    };
    if (!take_rows(writers, goes_on)) return {};
  }
  for (std::size_t t = 0; t < numbers_.size(); ++t) {
    found_.products[t].left = std::move(numbers_[t].left());
    found_.products[t].right = std::move(numbers_[t].right());
  }
  if (!found_.has_factors &&
      static_cast<double>(written_) < kFactorWork * static_cast<double>(found_.term_count())) {
    repeat_terms();
  } else {
    found_.has_factors = has_factors(found_.lists);
  }
  find_opened();
  return std::move(found_);
}

// Each writer goes on from where the one before it ends, if that writes all its rows: one of long
// rows writes fewer, and the rows after them are written again. Returns how many writers did.
std::size_t SumTerms::write_rows(ValueId root, std::uint32_t begin, bool through_products) {
  const std::uint32_t rows = program_.op(root).rows;
  const std::size_t most = ListThreads::ranges_of(rows);
  while (writers_.size() < most) writers_.emplace_back(kinds_);
  std::vector<std::uint32_t> first{begin};  // by writer
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t list = std::min<std::size_t>(found_.lists.size() + k, 31);
    const std::uint64_t size =
        std::min<std::uint64_t>(std::uint64_t{kFirstRows} << list, kRowsOfWriter);
    first.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(first[k] + size, rows)));
  }
  ListThreads::for_pieces(most, [&](std::size_t k) {
    TermWriter& writer = writers_[k].terms;
    writer.start(steps_left_);
    for (std::uint32_t row = first[k]; row < first[k + 1] && writer.terms().size() < kTermsOfWriter;
         ++row) {
      if (writer.steps_left() == 0) break;
      writer.write(root, row, through_products);
    }
  });
  std::size_t written = 1;
  while (written < most && first[written] < rows &&
         writers_[written - 1].terms.ends().size() == first[written] - first[written - 1]) {
    ++written;
  }
  return written;
}

// False if the rows of these writers take more steps than are left.
bool SumTerms::take_steps(std::size_t writers) {
  const std::uint64_t all = steps_left_;
  for (std::size_t k = 0; k < writers; ++k) {
    const std::uint64_t used = all - writers_[k].terms.steps_left();
    if (used >= steps_left_) return false;
    steps_left_ -= used;
  }
  return true;
}

// Adds the terms of these writers' rows; false once terms do not pay.
bool SumTerms::take_rows(std::size_t writers, const std::function<bool(const TermCounts&)>& pays) {
  const std::vector<PairNumbers::Numbered> products = number_products(writers);
  ListThreads::for_pieces(writers, [&](std::size_t k) { merge_terms(writers_[k], k, products); });
  // Asked for here: what a thread asks for comes from memory that others do not use again.
  std::vector<TermList> lists(writers);
  for (std::size_t k = 0; k < writers; ++k) lists[k].reserve(writers_[k].terms.terms().size());
  ListThreads::for_pieces(writers, [&](std::size_t k) {
    const TermList& merged = writers_[k].terms.terms();
    lists[k].assign(merged.begin(), merged.end());
  });
  for (std::size_t k = 0; k < writers; ++k) {
    Writer& writer = writers_[k];
    written_ += writer.terms.ends().back();
    terms_ += lists[k].size();
    found_.leaves_products = found_.leaves_products || writer.terms.leaves_products();
    found_.has_factors = found_.has_factors || writer.has_factors;
    row_begins_.push_back(found_.lengths.size());
    found_.lengths.insert(found_.lengths.end(), writer.lengths.begin(), writer.lengths.end());
    found_.lists.push_back(std::move(lists[k]));
    TermCounts counts{found_.lengths.size(), terms_, {}, found_.has_factors};
    for (std::size_t t = 0; t < products.size(); ++t) {
      if (products[t].sizes[k] == 0) continue;
      counts.products.emplace_back(found_.products[t].linear, products[t].sizes[k]);
    }
    if (!pays(counts)) return false;
  }
  return true;
}

// Of all values that were met, those of which no row was left as it is.
void SumTerms::find_opened() {
  std::vector<ValueId> met;
  for (const Writer& writer : writers_) {
    met.insert(met.end(), writer.terms.met().begin(), writer.terms.met().end());
  }
  std::ranges::sort(met, std::ranges::greater());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  for (const ValueId id : met) {
    const auto left = [&](const Writer& writer) { return writer.terms.was_left(id); };
    if (std::ranges::none_of(writers_, left)) found_.opened.push_back(id);
  }
}

void SumTerms::forget_last_root() {
  for (Writer& writer : writers_) writer.terms.forget_met();
  found_ = {};
  tables_.clear();
  numbers_.clear();
  row_begins_.clear();
  written_ = terms_ = 0;
}

// Level by level, as deep as rows are written out.
std::vector<ValueId> SumTerms::reach(ValueId root) const {
  std::vector<ValueId> reached;
  boost::unordered_flat_set<ValueId> seen;
  std::vector<ValueId> level{root};
  for (std::uint32_t depth = 0; depth <= kDeepestTerm && !level.empty(); ++depth) {
    std::vector<ValueId> below;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!seen.insert(level[i]).second) continue;
      const Op& op = program_.op(level[i]);
      const bool only_moves = op.kind() == OpKind::Gather || op.kind() == OpKind::Concat;
      const bool goes_on = op.kind() == OpKind::Segment || op.kind() == OpKind::Linear;
      if (goes_on && level[i] != root) reached.push_back(level[i]);
      if (only_moves) level.insert(level.end(), op.operands.begin(), op.operands.end());
      if (goes_on) below.insert(below.end(), op.operands.begin(), op.operands.end());
    }
    level = std::move(below);
  }
  return reached;
}

std::uint64_t SumTerms::most_steps(ValueId root, std::span<const ValueId> reached) const {
  const auto members_of = [&](ValueId id) -> std::uint64_t {
    const Op& op = program_.op(id);
    return op.kind() == OpKind::Segment ? program_.op(op.operands[0]).rows : 0;
  };
  std::uint64_t members = members_of(root);
  for (const ValueId id : reached) members += members_of(id);
  return kStepsPerMember * members;
}

std::uint32_t SumTerms::table_of(ValueId linear) {
  const auto next = static_cast<std::uint32_t>(found_.products.size() + 1);
  const auto [place, is_new] = tables_.try_emplace(linear, next);
  if (is_new) {
    found_.products.push_back({linear, {}, {}});
    numbers_.emplace_back();
  }
  return place->second;
}

// By table: the numbers of the writers' products.
std::vector<PairNumbers::Numbered> SumTerms::number_products(std::size_t writers) {
  std::vector<Pieces> pieces;  // by table, by writer
  for (std::size_t k = 0; k < writers; ++k) {
    Writer& writer = writers_[k];
    writer.tables.clear();
    for (std::size_t t = 0; t < writer.terms.linears().size(); ++t) {
      const std::uint32_t table = table_of(writer.terms.linears()[t]);
      writer.tables.push_back(table);
      pieces.resize(numbers_.size(), Pieces(writers));
      pieces[table - 1][k] = writer.terms.pairs()[t];
    }
  }
  pieces.resize(numbers_.size(), Pieces(writers));
  std::vector<PairNumbers::Numbered> numbered;
  for (std::size_t t = 0; t < pieces.size(); ++t) {
    numbered.push_back(numbers_[t].number_all(pieces[t]));
  }
  return numbered;
}

// Of writer `number`: equal terms of each of its rows become one.
void SumTerms::merge_terms(Writer& writer, std::size_t number,
                           const std::vector<PairNumbers::Numbered>& products) {
  TermList& terms = writer.terms.terms();
  for (Term& term : terms) {
    if (term.table == 0) continue;
    term.table = writer.tables[term.table - 1];
    const PairNumbers::Numbered& of_table = products[term.table - 1];
    term.row = of_table.numbers[of_table.begins[number] + term.row];
  }
  writer.has_factors = std::ranges::any_of(terms, [](const Term& t) { return t.factor != 1; });
  writer.lengths.clear();
  std::size_t begin = 0;
  std::size_t merged = 0;
  for (const std::size_t end : writer.terms.ends()) {
    sort_by_place(std::span(terms).subspan(begin, end - begin));
    const std::size_t first = merged;
    for (; begin < end; ++begin) {
      if (merged > first && place_of(terms[merged - 1]) == place_of(terms[begin])) {
        terms[merged - 1].factor += terms[begin].factor;
      } else {
        terms[merged++] = terms[begin];
      }
    }
    writer.lengths.push_back(static_cast<std::uint32_t>(merged - first));
  }
  terms.resize(merged);
}

// Terms as often as they are added instead of once with their number.
void SumTerms::repeat_terms() {
  ListThreads::for_pieces(found_.lists.size(), [&](std::size_t k) {
    const bool is_last = k + 1 == found_.lists.size();
    const std::size_t rows = is_last ? found_.lengths.size() : row_begins_[k + 1];
    TermList repeated;
    std::size_t next = 0;
    for (std::size_t row = row_begins_[k]; row < rows; ++row) {
      const std::size_t begin = repeated.size();
      for (const std::size_t end = next + found_.lengths[row]; next < end; ++next) {
        const Term& term = found_.lists[k][next];
        repeated.insert(repeated.end(), static_cast<std::size_t>(term.factor),
                        {term.table, term.row, 1});
      }
      found_.lengths[row] = static_cast<std::uint32_t>(repeated.size() - begin);
    }
    found_.lists[k] = std::move(repeated);
  });
}

}  // namespace vecc::opt
