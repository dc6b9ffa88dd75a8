// concat-gather: what is read from several values is one concat of distinct values and one gather.
//   1. A concat of one operand is that operand. Two concats of the same operands are one.
//   2. A concat that only another concat reads, once, becomes part of it.
//   3. In a concat that only gathers read,
//      - an operand that is a gather is replaced by what it reads, where that takes no more rows:
//        if the source has no more rows than all operands that are gathers of it (a computed one,
//        which may be stored where the concat has it, hardly more), or is an operand;
//      - an operand that stands there twice is held once;
//      - operands stand in order of (kind, id), unless a gather would lose its regular form; a
//        first operand that is a concat stays first (a buffer may grow there, see program.h).
//      - a weight of which at most 3/4 of the rows are read is replaced by a gather of those: a
//        backend copies what a concat holds of a weight (a table of all entities, for the few that
//        stand in some triples).
//      The gathers' indices follow.
//
//   %2 = gather %1 [0, 2, 1, 1] : f32[4, 3x1]     # %1 has 3 rows, %0 one
//   %3 = concat %2, %0 : f32[5, 3x1]
//   %4 = gather %3 [4, 0, 3, 0] : f32[4, 3x1]
//   =>
//   %3 = concat %0, %1 : f32[4, 3x1]
//   %4 = gather %3 [0, 1, 2, 1] : f32[4, 3x1]
//
// A concat with several readers, which a growing buffer is, is never taken into another one.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

// One sweep over a Program.
class ConcatSweep {
 public:
  ConcatSweep(const Program& program, PassContext& context)
      : program_(program), context_(context), rewriter_(program), readers_(program) {}

  /// The Program after the sweep; none if it is the same.
  std::optional<Program> run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const OpKind kind = program_.op(id).kind();
      if (kind == OpKind::Concat) {
        if (!is_inner(id)) rewrite_concat(id);
      } else if (kind == OpKind::Gather && moved_.contains(program_.op(id).operands[0])) {
        rewrite_gather(id);
      } else {
        rewriter_.copy(id);
      }
    }
    if (!changed_) return std::nullopt;
    return rewriter_.finish();
  }

 private:
  // A value that a concat holds, and which of its rows stand in for an operand.
  struct Part {
    ValueId value;  // new
    Index rows;
  };
  using Values = std::vector<ValueId>;

  // Rule 2: part of the concat that reads it.
  [[nodiscard]] bool is_inner(ValueId id) const {
    const ValueId reader = readers_.only(id);
    return reader != kNoValue && program_.op(reader).kind() == OpKind::Concat;
  }

  [[nodiscard]] bool only_gathers_read(ValueId id) const {
    const auto readers = readers_.of(id);
    return !readers.empty() && std::ranges::all_of(readers, [&](ValueId reader) {
      return program_.op(reader).kind() == OpKind::Gather;
    });
  }

  // The operands (new), with those of inner concats in their place.
  Values flat_operands(ValueId id) {
    Values flat;
    Values stack{id};
    while (!stack.empty()) {
      const ValueId next = stack.back();
      stack.pop_back();
      if (next != id && !(program_.op(next).kind() == OpKind::Concat && is_inner(next))) {
        flat.push_back(rewriter_.at(next));
        continue;
      }
      const Operands& operands = program_.op(next).operands;
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
      if (next != id) count("concats flattened", 1);
    }
    return flat;
  }

  void rewrite_concat(ValueId id) {
    const Values operands = flat_operands(id);
    if (only_gathers_read(id) && lay_out(id, operands)) return;
    rewriter_.replace(id, concat(operands, id));
  }

  // The concat of `operands` for old `id`, made once.
  ValueId concat(const Values& operands, ValueId id) {
    if (operands.size() == 1) {
      count("concats of one operand", 1);
      return operands[0];
    }
    const auto [entry, is_new] = concats_.try_emplace(operands, kNoValue);
    if (is_new) {
      entry->second = rewriter_.to().concat(operands, program_.op(id).note);
    } else {
      count("equal concats", 1);
    }
    return entry->second;
  }

  // Rule 3; false if the operands stay as they are.
  bool lay_out(ValueId id, const Values& operands) {
    const std::vector<Part> parts = read_sources(operands);
    Values held;
    boost::unordered_flat_map<ValueId, std::uint32_t> begin;  // only looked up
    hold_once(parts, held, begin);
    std::optional<Index> place;
    Values sorted = held;
    sort_operands(sorted);
    if (sorted != held) {
      place = placed(parts, begin, id);
      set_begins(sorted, begin);
      Index sorted_place = placed(parts, begin, id);
      if (keeps_regular(id, *place, sorted_place)) {
        count("concats sorted", 1);
        held = std::move(sorted);
        place = std::move(sorted_place);
      }
    }
    if (std::ranges::any_of(held, [&](ValueId value) { return is_weight(value); })) {
      if (!place) place = placed(parts, begin, id);
      hold_read_rows(id, held, *place);
    }
    if (held == operands) return false;
    if (!place) place = placed(parts, begin, id);
    changed_ = true;
    rewriter_.replace(id, concat(held, id));
    moved_.emplace(id, std::move(*place));
    return true;
  }

  // Rows that a concat may hold instead of so many that are gathered from them.
  [[nodiscard]] std::uint64_t most_rows(ValueId source, std::uint64_t gathered) {
    constexpr std::uint64_t kFewMore = 32;  // one for so many
    const bool is_input = rewriter_.to().op(source).operands.empty();
    return is_input ? gathered : gathered + gathered / kFewMore;
  }

  // The operands, gathers replaced by what they read where that takes no more rows.
  std::vector<Part> read_sources(const Values& operands) {
    struct Source {
      std::uint64_t gathered_rows = 0;
      bool is_operand = false;
    };
    boost::unordered_flat_map<ValueId, Source> sources;  // only looked up
    boost::unordered_flat_map<ValueId, GatheredRows> reads;
    for (const ValueId operand : operands) {
      const auto [entry, is_new] =
          reads.try_emplace(operand, read_through(rewriter_.to(), operand));
      if (!is_new) continue;
      Source& source = sources[entry->second.source];
      if (entry->second.source == operand) {
        source.is_operand = true;
      } else {
        source.gathered_rows += rewriter_.to().op(operand).rows;
      }
    }
    std::vector<Part> parts;
    for (const ValueId operand : operands) {
      const GatheredRows& read = reads.at(operand);
      const Source& source = sources.at(read.source);
      const std::uint32_t rows = rewriter_.to().op(read.source).rows;
      if (read.source != operand &&
          (source.is_operand || rows <= most_rows(read.source, source.gathered_rows))) {
        count("gathers composed", 1);
        parts.push_back({read.source, read.rows});
      } else {
        parts.push_back({operand, Index::slice(0, rewriter_.to().op(operand).rows)});
      }
    }
    return parts;
  }

  [[nodiscard]] bool is_weight(ValueId value) {
    return rewriter_.to().op(value).kind() == OpKind::Weight;
  }

  // By row of a concat that stands in the place of `id`: whether a gather reads it.
  [[nodiscard]] std::vector<std::uint8_t> find_read(ValueId id, const Index& place,
                                                    std::uint32_t rows) const {
    std::vector<std::uint8_t> read(rows);
    for (const ValueId reader : readers_.of(id)) {
      const Index& index = std::get<GatherOp>(program_.op(reader).attributes).index;
      for (std::uint32_t i = 0; i < index.size(); ++i) read[place[index[i]]] = 1;
    }
    return read;
  }

  // Puts gathers in the place of weights of which few rows are read; old rows, at `place` in a
  // concat of `held`, follow.
  void hold_read_rows(ValueId id, Values& held, Index& place) {
    std::uint32_t total = 0;
    for (const ValueId value : held) total += rewriter_.to().op(value).rows;
    const std::vector<std::uint8_t> read = find_read(id, place, total);
    std::vector<std::uint32_t> moved(total);  // of rows that are not held: any
    std::uint32_t begin = 0;
    std::uint32_t now = 0;
    bool any = false;
    for (ValueId& value : held) {
      const std::uint32_t rows = rewriter_.to().op(value).rows;
      std::vector<std::uint32_t> kept =
          entries_where(rows, [&](std::uint32_t row) { return read[begin + row] != 0; });
      const bool few = is_weight(value) && !kept.empty() &&
                       4 * std::uint64_t{kept.size()} <= 3 * std::uint64_t{rows};
      if (!few) kept = list_of(rows, [](std::uint32_t row) { return row; });
      for (const std::uint32_t row : kept) moved[begin + row] = now++;
      begin += rows;
      if (!few) continue;
      any = true;
      count("rows of weights not held", rows - kept.size());
      value = rewriter_.gather(value, Index::compact(std::move(kept)), program_.op(id).note);
    }
    if (!any) return;
    place = Index::compact(list_of(place.size(), [&](std::uint32_t i) { return moved[place[i]]; }));
  }

  void set_begins(const Values& held, boost::unordered_flat_map<ValueId, std::uint32_t>& begin) {
    std::uint32_t row = 0;
    for (const ValueId value : held) {
      begin[value] = row;
      row += rewriter_.to().op(value).rows;
    }
  }

  void hold_once(const std::vector<Part>& parts, Values& held,
                 boost::unordered_flat_map<ValueId, std::uint32_t>& begin) {
    for (const Part& part : parts) {
      if (begin.try_emplace(part.value, 0).second) held.push_back(part.value);
    }
    set_begins(held, begin);
  }

  // By (kind, id), but a first concat stays.
  void sort_operands(Values& held) {
    const auto kind = [&](ValueId value) { return rewriter_.to().op(value).kind(); };
    const auto first = held.begin() + (kind(held[0]) == OpKind::Concat ? 1 : 0);
    std::sort(first, held.end(), [&](ValueId a, ValueId b) {
      return std::tuple(kind(a), a) < std::tuple(kind(b), b);
    });
  }

  // Where each old row of concat `id` stands.
  Index placed(const std::vector<Part>& parts,
               const boost::unordered_flat_map<ValueId, std::uint32_t>& begin, ValueId id) const {
    std::vector<std::uint32_t> place;
    place.reserve(program_.op(id).rows);
    for (const Part& part : parts) {
      const std::uint32_t first = begin.at(part.value);
      for (std::uint32_t i = 0; i < part.rows.size(); ++i) place.push_back(first + part.rows[i]);
    }
    return Index::compact(std::move(place));
  }

  // Whether what reads concat `id` by a regular form through `place` does so through `other` too.
  [[nodiscard]] bool keeps_regular(ValueId id, const Index& place, const Index& other) const {
    return std::ranges::all_of(readers_.of(id), [&](ValueId reader) {
      const Index& rows = std::get<GatherOp>(program_.op(reader).attributes).index;
      return !is_regular(compose(place, rows)) || is_regular(compose(other, rows));
    });
  }

  void rewrite_gather(ValueId id) {
    const Op& op = program_.op(id);
    const ValueId concat = op.operands[0];
    const Index rows = compose(moved_.at(concat), std::get<GatherOp>(op.attributes).index);
    rewriter_.replace(id, rewriter_.gather(rewriter_.at(concat), rows, op.note));
  }

  // Something is done: counts it.
  void count(std::string_view what, std::uint64_t amount) {
    context_.count(what, amount);
    changed_ = true;
  }

  const Program& program_;
  PassContext& context_;
  Rewriter rewriter_;
  Readers readers_;
  std::map<Values, ValueId> concats_;                // operands -> concat, all new
  boost::unordered_flat_map<ValueId, Index> moved_;  // old concat -> where its rows stand now
  bool changed_ = false;
};

}  // namespace

bool concat_gather(Program& program, PassContext& context) {
  bool changed = false;
  // A gather that vanishes can make a concat inner, or the concats of two operands equal.
  while (std::optional<Program> next = ConcatSweep(program, context).run()) {
    program = std::move(*next);
    changed = true;
  }
  return changed;
}

}  // namespace vecc::opt
