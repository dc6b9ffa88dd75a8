#include "optimizer/passes/sum_terms.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <utility>

#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

constexpr std::uint64_t kStepsPerMember = 16;
// Terms whose products are numbered at once: their places in a table are fetched ahead.
constexpr std::size_t kBatch = 1 << 14;
// What one thread writes ahead: rows, and terms after which it stops.
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

}  // namespace

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
                                            const std::function<bool(const TermRows&)>& pays) {
  forget_last_root();
  steps_left_ = most_steps(root, reached);
  const std::uint32_t rows = program_.op(root).rows;
  for (std::uint32_t row = 0; row < rows;) {
    const std::uint64_t steps = steps_left_;
    const std::uint32_t writers = write_rows(root, row, through_products);
    for (std::uint32_t k = 0; k < writers; ++k) {
      const std::uint64_t used = steps - writers_[k].steps_left();
      if (used >= steps_left_) return {};
      steps_left_ -= used;
      if (!take_rows(writers_[k], pays)) return {};
      row += static_cast<std::uint32_t>(writers_[k].ends().size());
    }
  }
  merge_batch();
  if (!found_.has_factors) {
    if (static_cast<double>(written_) < kFactorWork * static_cast<double>(found_.terms.size())) {
      repeat_terms();
    }
    found_.has_factors =
        std::ranges::any_of(found_.terms, [](const Term& term) { return term.factor != 1; });
  }
  find_opened();
  return std::move(found_);
}

// Each writer goes on from where the one before it ends, if that writes all its rows: one of long
// rows writes fewer, and the rows after them are written again. Returns how many writers did.
std::uint32_t SumTerms::write_rows(ValueId root, std::uint32_t begin, bool through_products) {
  const std::uint32_t rows = program_.op(root).rows;
  const std::size_t most = ListThreads::ranges_of(rows);
  while (writers_.size() < most) writers_.emplace_back(kinds_);
  const auto first_of = [&](std::uint64_t k) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(begin + k * kRowsOfWriter, rows));
  };
  ListThreads::for_pieces(most, [&](std::size_t k) {
    TermWriter& writer = writers_[k];
    writer.start(steps_left_);
    const std::uint32_t end = most == 1 ? rows : first_of(k + 1);
    for (std::uint32_t row = first_of(k); row < end && writer.terms().size() < kTermsOfWriter;
         ++row) {
      if (writer.steps_left() == 0) break;
      writer.write(root, row, through_products);
    }
  });
  std::uint32_t written = 1;
  while (written < most && first_of(written) < rows &&
         writers_[written - 1].ends().size() == kRowsOfWriter) {
    ++written;
  }
  return written;
}

// Adds the terms of a writer's rows to the batch; false once terms do not pay.
bool SumTerms::take_rows(const TermWriter& writer,
                         const std::function<bool(const TermRows&)>& pays) {
  std::vector<std::uint32_t> table;  // by the writer's
  for (const ValueId linear : writer.linears()) table.push_back(table_of(linear));
  found_.leaves_products = found_.leaves_products || writer.leaves_products();
  std::size_t next = 0;
  for (const std::size_t end : writer.ends()) {
    for (; next < end; ++next) {
      Term term = writer.terms()[next];
      if (term.table > 0) {
        const auto& pair = writer.pairs()[term.table - 1][term.row];
        term.table = table[term.table - 1];
        term.row = static_cast<std::uint32_t>(batch_pairs_[term.table - 1].size());
        batch_pairs_[term.table - 1].push_back(pair);
      }
      batch_.push_back(term);
    }
    batch_ends_.push_back(batch_.size());
    if (batch_.size() < kBatch) continue;
    merge_batch();
    if (!pays(found_)) return false;
  }
  return true;
}

// Of all values that were met, those of which no row was left as it is.
void SumTerms::find_opened() {
  std::vector<ValueId> met;
  for (const TermWriter& writer : writers_) {
    met.insert(met.end(), writer.met().begin(), writer.met().end());
  }
  std::ranges::sort(met, std::ranges::greater());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  for (const ValueId id : met) {
    const auto left = [&](const TermWriter& writer) { return writer.was_left(id); };
    if (std::ranges::none_of(writers_, left)) found_.opened.push_back(id);
  }
}

void SumTerms::forget_last_root() {
  for (TermWriter& writer : writers_) writer.forget_met();
  found_ = {};
  tables_.clear();
  numbers_.clear();
  batch_.clear();
  batch_ends_.clear();
  batch_pairs_.clear();
  written_ = 0;
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
    batch_pairs_.emplace_back();
  }
  return place->second;
}

void SumTerms::merge_batch() {
  number_products();
  std::size_t begin = 0;
  for (const std::size_t end : batch_ends_) {
    merge_terms(std::span(batch_).subspan(begin, end - begin));
    begin = end;
  }
  batch_.clear();
  batch_ends_.clear();
}

void SumTerms::number_products() {
  std::vector<std::vector<std::uint32_t>> numbers(batch_pairs_.size());
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    Pairs& pairs = batch_pairs_[t];
    ProductTable& made = found_.products[t];
    numbers[t].resize(pairs.size());
    numbers_[t].number_all(
        static_cast<std::uint32_t>(pairs.size()), [&](std::uint32_t i) { return pairs[i].first; },
        [&](std::uint32_t i) { return pairs[i].second; },
        [&](std::uint32_t i, std::uint32_t number) {
          numbers[t][i] = number;
          if (number < made.left.size()) return;
          made.left.push_back(pairs[i].first);
          made.right.push_back(pairs[i].second);
        });
    pairs.clear();
  }
  for (Term& term : batch_) {
    if (term.table > 0) term.row = numbers[term.table - 1][term.row];
  }
}

// The terms of one row: equal ones become one.
void SumTerms::merge_terms(std::span<Term> terms) {
  written_ += terms.size();
  found_.has_factors =
      found_.has_factors || std::ranges::any_of(terms, [](const Term& t) { return t.factor != 1; });
  sort_by_place(terms);
  const std::size_t begin = found_.terms.size();
  for (const Term& term : terms) {
    if (found_.terms.size() > begin && place_of(found_.terms.back()) == place_of(term)) {
      found_.terms.back().factor += term.factor;
    } else {
      found_.terms.push_back(term);
    }
  }
  found_.lengths.push_back(static_cast<std::uint32_t>(found_.terms.size() - begin));
}

// Terms as often as they are added instead of once with their number.
void SumTerms::repeat_terms() {
  std::vector<Term> repeated;
  repeated.reserve(written_);
  std::size_t next = 0;
  for (std::uint32_t& length : found_.lengths) {
    const std::size_t begin = repeated.size();
    for (const std::size_t end = next + length; next < end; ++next) {
      const Term& term = found_.terms[next];
      repeated.insert(repeated.end(), static_cast<std::size_t>(term.factor),
                      {term.table, term.row, 1});
    }
    length = static_cast<std::uint32_t>(repeated.size() - begin);
  }
  found_.terms = std::move(repeated);
}

}  // namespace vecc::opt
