#include "optimizer/rewrite/row_classes.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/keep_least.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kNoClass = 0xFFFFFFFF;
constexpr std::uint32_t kRowsAhead = 16;  // rows: classes of rows that were gathered lie anywhere

// The elements of parameters that are read, of states, and of constants but units: no two rows of
// them are in one class.
std::uint64_t count_inputs(const Program& program) {
  std::uint64_t elements = 0;
  std::vector<bool> is_read(program.parameters().size());
  for (const Op& op : program.ops()) {
    const auto* fact = std::get_if<FactOp>(&op.attributes);
    if (op.kind() == OpKind::State || (fact != nullptr && !fact->unit)) elements += op.size();
    const auto* weight = std::get_if<WeightOp>(&op.attributes);
    if (weight == nullptr || is_read[weight->parameter]) continue;
    is_read[weight->parameter] = true;
    elements += op.size();
  }
  return elements;
}

}  // namespace

bool is_order_free(Combination combination, Shape member) {
  // In a segment, each member of softmax and sparsemax keeps its place.
  if (keeps_members(combination)) return true;
  switch (info(combination).order) {
    case CombinationOrder::Free: return true;
    case CombinationOrder::Ordered: return false;
    case CombinationOrder::FreeOnScalars: return member.is_scalar();
  }
  return false;
}

bool is_order_free(const Program& program, ValueId segment, DoubtfulValues& doubtful) {
  const Combination combination = std::get<SegmentOp>(program.op(segment).attributes).combination;
  const ValueId members = program.op(segment).operands[0];
  return is_order_free(combination, program.op(members).shape) &&
         !(selects(combination) && doubtful[members]);
}

class RowClasses::Builder {
 public:
  Builder(const Program& program, const SourceRows& sources, std::vector<std::uint32_t>& classes)
      : program_(program),
        sources_(sources),
        classes_(classes),
        doubtful_(program),
        parameter_(program.parameters().size(), kNoClass) {}

  void classify(ValueId id) {
    std::visit([&](const auto& op) { classify(op, id); }, program_.op(id).attributes);
  }

 private:
  // The classes of a segment's members, kept until those of another are read: many segments are
  // compared with one.
  class MemberList {
   public:
    template <class Members>
    void read(std::uint32_t segment, const Members& members) {
      if (segment == segment_) return;
      segment_ = segment;
      list_.clear();
      members(segment, list_);
      sorted_.clear();
    }
    // In any order, if `sorted`. Most lists that are equal are so as they stand.
    [[nodiscard]] bool equals(MemberList& other, bool sorted) {
      if (list_ == other.list_) return true;
      if (!sorted || list_.size() != other.list_.size()) return false;
      return in_order() == other.in_order();
    }

   private:
    [[nodiscard]] const std::vector<std::uint32_t>& in_order() {
      if (sorted_.empty()) {
        sorted_ = list_;
        std::ranges::sort(sorted_);
      }
      return sorted_;
    }

    std::uint32_t segment_ = kNoClass;
    std::vector<std::uint32_t> list_;
    std::vector<std::uint32_t> sorted_;
  };

  void classify(const FactOp& fact, ValueId id) {
    if (!fact.unit) return;
    const SourceRows::View rows = sources_.of(id);
    if (unit_ == kNoClass && fact.rows > 0) unit_ = rows[0];
    for_each_entry(fact.rows, [&](std::uint32_t row) { classes_[rows[row]] = unit_; });
  }

  void classify(const WeightOp& weight, ValueId id) {
    const SourceRows::View rows = sources_.of(id);
    if (program_.op(id).rows == 0) return;
    std::uint32_t& first = parameter_[weight.parameter];
    if (first == kNoClass) first = rows[0];
    for_each_entry(program_.op(id).rows,
                   [&](std::uint32_t row) { classes_[rows[row]] = first + row; });
  }

  void classify(const LinearOp& linear, ValueId id) {
    const Op& op = program_.op(id);
    const auto row_of = [&](std::size_t k, const Lift& lift, std::uint32_t i) {
      const View read = of(op.operands[k]);
      const std::uint32_t rows = program_.op(op.operands[k]).rows;
      if (i + kRowsAhead < op.rows) read.prefetch(unlifted_row(lift, rows, i + kRowsAhead));
      return read[unlifted_row(lift, rows, i)];
    };
    if (!has_lifts(linear)) {
      // One weight for all rows is the usual case: no pairs to be looked up.
      for (const std::size_t k : {0, 1}) {
        if (is_one_class(op.operands[k])) return by_class(id, op.rows, of(op.operands[1 - k]));
      }
      for (const std::size_t k : {0, 1}) {
        if (is_ascending(of(op.operands[k]), op.rows)) return;
      }
    }
    by_pair(
        id, op.rows, [&](std::uint32_t i) { return row_of(0, linear.lift_left, i); },
        [&](std::uint32_t i) { return row_of(1, linear.lift_right, i); });
  }

  void classify(const TransformOp& transform, ValueId id) {
    const Op& op = program_.op(id);
    const View operand = of(op.operands[0]);
    const std::size_t width = word_count(transform.transformation.id);
    if (width == 0 || transform.words->size() == width) {
      by_class(id, op.rows, operand);
      return;
    }
    by_words(id, op.rows, width + 1, [&](std::uint32_t i, std::size_t k) {
      return k == width ? operand[i] : (*transform.words)[i * width + k];
    });
  }

  // Rows of operands that are read by all of them tell nothing apart.
  void classify(const MapOp&, ValueId id) {
    const Op& op = program_.op(id);
    std::vector<View> reads;
    std::vector<ValueId> read;
    for (const ValueId operand : op.operands) {
      if (program_.op(operand).rows != op.rows || std::ranges::count(read, operand) > 0) continue;
      read.push_back(operand);
      reads.push_back(of(operand));
    }
    const bool apart =
        std::ranges::any_of(reads, [&](const View& rows) { return is_ascending(rows, op.rows); });
    if (apart) return;
    if (reads.size() == 1) return by_class(id, op.rows, reads[0]);
    by_words(id, op.rows, reads.size(), [&](std::uint32_t i, std::size_t k) {
      if (i + kRowsAhead < op.rows) reads[k].prefetch(i + kRowsAhead);
      return reads[k][i];
    });
  }

  void classify(const VjpOp& vjp, ValueId id) {
    if (!is_row_wise(program_, program_.op(id))) return;
    const auto* transform = std::get_if<TransformOp>(&vjp.of);
    const std::size_t width = transform ? word_count(transform->transformation.id) : 0;
    if (width > 0 && transform->words->size() != width) return;
    classify(MapOp(), id);
  }

  void classify(const SegmentOp& segment, ValueId id) {
    const ValueId operand = program_.op(id).operands[0];
    const std::uint32_t rows = program_.op(operand).rows;
    const std::uint32_t segments = segment.segments.count(rows);
    const bool sorted = is_order_free(program_, id, doubtful_);
    const View member = of(operand);
    if (are_different(member, rows)) {  // so are segments of them, and shares
      if (!keeps_members(segment.combination)) join_empty(segment.segments, rows, id);
      return;
    }
    const auto members = [&](std::uint32_t s, std::vector<std::uint32_t>& list) {
      for_each_member(segment.segments, rows, s,
                      [&](std::uint32_t row) { list.push_back(member[row]); });
    };
    const std::vector<std::uint32_t> same = EqualRows::find(
        segments,
        [&](std::uint32_t s) {
          std::uint64_t hash = 0;
          for_each_member(segment.segments, rows, s, [&](std::uint32_t row) {
            hash = sorted ? hash + hash_of_pair(0, member[row])
                          : hash_of_pair(0, member[row]) + 3 * hash;
          });
          return hash * 0x9E3779B97F4A7C15ull;
        },
        [&, first = MemberList(), second = MemberList()](std::uint32_t one,
                                                         std::uint32_t other) mutable {
          first.read(one, members);
          second.read(other, members);
          return first.equals(second, sorted);
        });
    if (!keeps_members(segment.combination)) {
      return set_classes(id, same);
    }
    // A row is its segment's members and which of them it is.
    std::vector<std::uint32_t> owner = unset_list<std::uint32_t>(rows);
    for_each_entry(segments, [&](std::uint32_t s) {
      for_each_member(segment.segments, rows, s, [&](std::uint32_t row) { owner[row] = same[s]; });
    });
    by_pair(
        id, rows, [&](std::uint32_t i) { return owner[i]; },
        [&](std::uint32_t i) { return member[i]; });
  }

  // Read through by SourceRows, or equal to no other row.
  void classify(const ConcatOp&, ValueId) {}
  void classify(const GatherOp&, ValueId) {}
  void classify(const ContractOp&, ValueId) {}
  void classify(const DrawOp&, ValueId) {}
  void classify(const TakeOp&, ValueId) {}
  void classify(const SumEqualOp&, ValueId) {}
  void classify(const ScatterSumOp&, ValueId) {}
  void classify(const StateOp&, ValueId) {}
  void classify(const UpdateOp&, ValueId) {}
  void classify(const OutputOp&, ValueId) {}

  [[nodiscard]] View of(ValueId value) const { return {sources_.of(value), classes_}; }

  // Whether no two rows are in one class. Of few rows it is not found out: a bit for each row of
  // the Program would take longer to clear than their hashes take.
  [[nodiscard]] bool are_different(const View& rows, std::uint32_t count) const {
    constexpr std::uint32_t kWord = 64;
    if (is_ascending(rows, count)) return true;
    if (count < sources_.size() / kWord) return false;
    std::vector<std::uint64_t> seen = long_list<std::uint64_t>(sources_.size() / kWord + 1);
    return holds_for_all(count, [&](std::size_t i) {
      const std::uint32_t number = rows[static_cast<std::uint32_t>(i)];
      const std::uint64_t bit = std::uint64_t{1} << (number % kWord);
      const std::atomic_ref word(seen[number / kWord]);
      if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
      return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
    });
  }

  // Segments without a member are equal.
  void join_empty(const Segments& segments, std::uint32_t rows, ValueId id) {
    const std::vector<std::uint32_t> empty = entries_where(
        segments.count(rows), [&](std::uint32_t s) { return member_count(segments, s) == 0; });
    const SourceRows::View mine = sources_.of(id);
    for (const std::uint32_t s : empty) classes_[mine[s]] = mine[empty.front()];
  }

  [[nodiscard]] bool is_one_class(ValueId value) const {
    const View classes = of(value);
    return holds_for_all(program_.op(value).rows, [&](std::size_t i) {
      return classes[static_cast<std::uint32_t>(i)] == classes[0];
    });
  }

  // Row i is equal to the first row with its operand's class.
  void by_class(ValueId id, std::uint32_t rows, const View& operand) {
    if (is_ascending(operand, rows)) return;
    if (first_.empty()) first_ = long_list(sources_.size(), kNoClass);
    const SourceRows::View mine = sources_.of(id);
    ListThreads::for_ranges(rows, [&](std::size_t begin, std::size_t end) {
      keep_least_of_each(first_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                         [&](std::uint32_t i) { return operand[i]; });
    });
    for_each_entry(rows, [&](std::uint32_t i) { classes_[mine[i]] = mine[first_[operand[i]]]; });
    for_each_entry(rows, [&](std::uint32_t i) {  // each is written once, by the first row
      const std::atomic_ref first(first_[operand[i]]);
      if (first.load(std::memory_order_relaxed) == i) {
        first.store(kNoClass, std::memory_order_relaxed);
      }
    });
  }

  // Calls body(i) for i = 0 .. count-1, by all threads.
  template <class Body>
  static void for_each_entry(std::uint32_t count, const Body& body) {
    ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) body(i);
    });
  }

  // Row i is equal to the first row with the pair (left(i), right(i)).
  template <class Left, class Right>
  void by_pair(ValueId id, std::uint32_t rows, const Left& left, const Right& right) {
    set_classes(id, EqualRows::find_pairs(rows, left, right));
  }

  // Row i is equal to the first row with the same word(i, 0) .. word(i, width - 1).
  template <class Word>
  void by_words(ValueId id, std::uint32_t rows, std::size_t width, const Word& word) {
    set_classes(id, EqualRows::find_words(rows, width, word));
  }

  void set_classes(ValueId id, const std::vector<std::uint32_t>& first) {
    const SourceRows::View mine = sources_.of(id);
    for_each_entry(static_cast<std::uint32_t>(first.size()),
                   [&](std::uint32_t i) { classes_[mine[i]] = mine[first[i]]; });
  }

  const Program& program_;
  const SourceRows& sources_;
  std::vector<std::uint32_t>& classes_;
  DoubtfulValues doubtful_;
  std::uint32_t unit_ = kNoClass;         // of all units
  std::vector<std::uint32_t> parameter_;  // by parameter: the class of its first row
  std::vector<std::uint32_t>
      first_;  // by class; none yet, or scratch of by_class, kNoClass between uses
};

RowClasses::RowClasses(SourceRows sources)
    : sources_(std::move(sources)),
      classes_(list_of(sources_.size(), [](std::uint32_t number) { return number; })) {}

namespace {

// By value, where those that make new rows are told apart: whether something asks for its classes.
std::vector<bool> asked_for(const Program& program) {
  std::vector<bool> asked(program.ops().size());
  for (auto id = static_cast<ValueId>(asked.size()); id-- > 0;) {
    const OpKind kind = program.op(id).kind();
    const bool passes_on = kind == OpKind::Gather || kind == OpKind::Linear;
    const bool asks = kind == OpKind::Segment || kind == OpKind::Concat || (passes_on && asked[id]);
    if (!asks) continue;
    for (const ValueId operand : program.op(id).operands) asked[operand] = true;
  }
  return asked;
}

}  // namespace

bool makes_new_rows(const Program& program, ValueId value) {
  const Op& op = program.op(value);
  switch (op.kind()) {
    case OpKind::Transform:
    case OpKind::Map: return true;
    case OpKind::Vjp: return is_row_wise(program, op);
    case OpKind::Segment: return !keeps_members(std::get<SegmentOp>(op.attributes).combination);
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Linear:
    case OpKind::Contract:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum:
    case OpKind::State:
    case OpKind::Update:
    case OpKind::Output: return false;
  }
  return false;
}

RowClasses::RowClasses(const Program& program, bool told_apart) : RowClasses(SourceRows(program)) {
  Builder builder(program, sources_, classes_);
  const auto count = static_cast<ValueId>(program.ops().size());
  if (!told_apart) {
    for (ValueId id = 0; id < count; ++id) builder.classify(id);
    return;
  }
  for (ValueId id = 0; id < count; ++id) told_apart_.push_back(makes_new_rows(program, id));
  const std::vector<bool> asked = asked_for(program);
  for (ValueId id = 0; id < count; ++id) {
    const bool is_asked = program.op(id).kind() != OpKind::Linear || asked[id];
    if (is_asked && !told_apart_[id]) builder.classify(id);
  }
}

std::optional<RowClasses> RowClasses::of_few(const Program& program, std::uint64_t most) {
  if (count_inputs(program) > most) return std::nullopt;
  RowClasses result{SourceRows(program)};
  Builder builder(program, result.sources_, result.classes_);
  std::uint64_t elements = 0;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    builder.classify(id);
    const Op& op = program.op(id);
    const OpKind kind = op.kind();
    if (kind == OpKind::Gather || kind == OpKind::Concat || kind == OpKind::Output) continue;
    const SourceRows::View rows = result.sources_.of(id);
    elements += op.shape.size() * total_of(op.rows, [&](std::uint32_t i) {
                  return result.classes_[rows[i]] == rows[i] ? 1u : 0u;
                });
    if (elements > most) return std::nullopt;
  }
  return result;
}

}  // namespace vecc::opt
