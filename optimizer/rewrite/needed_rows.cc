#include "optimizer/rewrite/needed_rows.h"

#include <algorithm>
#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <numeric>
#include <utility>

#include "optimizer/rewrite/keep_least.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/support/list_threads.h"
#include "src/support/mark_once.h"

namespace vecc::opt {
namespace {

// Rows of one value.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(std::vector<std::uint8_t> rows)
      : rows_(std::make_unique<std::vector<std::uint8_t>>(std::move(rows))) {}

  // each(i, add) calls add(row) for rows of a value that has `count`; for i = 0 .. entries-1, by
  // all threads.
  template <class Each>
  void add_each(std::size_t entries, std::uint32_t count, const Each& each) {
    if (all_) return;
    const bool was_none = rows_ == nullptr;
    if (was_none)
      rows_ = std::make_unique<std::vector<std::uint8_t>>(long_list<std::uint8_t>(count));
    std::atomic<bool> any{false};
    ListThreads::for_ranges(entries, [&](std::size_t begin, std::size_t end) {
      bool any_here = false;
      const auto add = [&](std::uint32_t row) {
        mark_once((*rows_)[row]);
        any_here = true;
      };
      for (; begin < end; ++begin) each(static_cast<std::uint32_t>(begin), add);
      if (any_here) any.store(true, std::memory_order_relaxed);
    });
    if (was_none && !any) rows_ = nullptr;
  }
  void add_all() {
    all_ = true;
    rows_ = nullptr;
  }
  // Notices that all rows are in the set.
  void settle() {
    if (rows_ && holds_for_all(rows_->size(), [&](std::size_t i) { return (*rows_)[i] != 0; })) {
      add_all();
    }
  }
  [[nodiscard]] bool all() const { return all_; }
  [[nodiscard]] bool none() const { return !all_ && !rows_; }
  [[nodiscard]] bool has(std::uint32_t row) const { return all_ || (rows_ && (*rows_)[row]); }

 private:
  bool all_ = false;
  std::unique_ptr<std::vector<std::uint8_t>> rows_;  // null: none
};

class Planner {
 public:
  Planner(const Program& program, const RowClasses* classes, double margin)
      : program_(program), classes_(classes), margin_(margin), needed_(program.ops().size()) {
    plan_.maps = RowMaps(program.ops().size());
  }

  RowPlan run() {
    for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
      RowSet needed = std::exchange(needed_[id], {});
      needed.settle();
      std::visit([&](const auto& op) { visit(op, id, needed); }, program_.op(id).attributes);
    }
    return std::move(plan_);
  }

 private:
  // each(i, need) calls need(row) for rows of `value`, for i = 0 .. entries-1.
  template <class Each>
  void need_each(ValueId value, std::size_t entries, const Each& each) {
    needed_[value].add_each(entries, program_.op(value).rows, each);
  }
  void need_all(ValueId value) { needed_[value].add_all(); }
  void need_operands(ValueId id) {
    for (const ValueId operand : program_.op(id).operands) need_all(operand);
  }

  // The same for the rows of `id` that are computed, after its map was chosen: each(row, need).
  template <class Each>
  void need_for_kept(ValueId id, ValueId value, const Each& each) {
    const RowMap& map = plan_.maps[id];
    need_each(value, map.rows(program_.op(id)), [&](std::uint32_t i, const auto& need) {
      each(map.identity ? i : map.kept[i], need);
    });
  }

  // The rows of an operand that has one for each row of `id`.
  void need_kept(ValueId id, ValueId operand) {
    if (plan_.maps[id].identity) return need_all(operand);
    need_for_kept(id, operand, [](std::uint32_t row, const auto& need) { need(row); });
  }

  // Chooses the kept rows among the needed ones: all of them, or the first of each class.
  void choose(ValueId id, const RowSet& needed, bool may_merge) {
    const bool merges = may_merge && classes_ != nullptr && program_.op(id).rows > 1 &&
                        !classes_->are_told_apart(id);
    if (needed.all() && !merges) return;
    std::vector<std::uint32_t> candidates = rows_of(needed, id);
    std::vector<std::uint32_t> firsts =
        merges ? first_of_classes(id, candidates) : std::vector<std::uint32_t>();
    keep(id, std::move(candidates), std::move(firsts));
  }

  // Keeps `firsts`, which have an equal row for each of `candidates`, if that pays.
  void keep(ValueId id, std::vector<std::uint32_t> candidates, std::vector<std::uint32_t> firsts) {
    plan_.unread += program_.op(id).rows - candidates.size();
    if (!pays(firsts.size(), candidates.size())) return set_map(id, std::move(candidates));
    plan_.merged += candidates.size() - firsts.size();
    set_map(id, std::move(firsts));
    place_by_class(id);
  }

  [[nodiscard]] bool pays(std::size_t kept, std::size_t needed) const {
    return kept > 0 && static_cast<double>(needed - kept) > margin_ * static_cast<double>(needed);
  }

  void need_places() {
    if (classes_ != nullptr && place_of_class_.empty()) {
      place_of_class_ = long_list(classes_->size(), kNoRow);
    }
  }

  std::vector<std::uint32_t> first_of_classes(ValueId id,
                                              const std::vector<std::uint32_t>& candidates) {
    need_places();
    const RowClasses::View classes = classes_->of(id);
    const auto count = static_cast<std::uint32_t>(candidates.size());
    const auto place_of = [&](std::uint32_t row) {
      return std::atomic_ref(place_of_class_[classes[row]]);
    };
    ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
      keep_least_of_each(place_of_class_, static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(end),
                         [&](std::uint32_t i) { return classes[candidates[i]]; });
    });
    std::vector<std::uint32_t> firsts = entries_where(count, [&](std::uint32_t i) {
      return place_of(candidates[i]).load(std::memory_order_relaxed) == i;
    });
    for_each_entry(static_cast<std::uint32_t>(firsts.size()),
                   [&](std::uint32_t n) { firsts[n] = candidates[firsts[n]]; });
    for_each_entry(static_cast<std::uint32_t>(firsts.size()), [&](std::uint32_t n) {
      place_of(firsts[n]).store(kNoRow, std::memory_order_relaxed);
    });
    return firsts;
  }

  // Calls body(i) for i = 0 .. count-1, by all threads.
  template <class Body>
  static void for_each_entry(std::uint32_t count, const Body& body) {
    ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) body(i);
    });
  }

  void set_map(ValueId id, std::vector<std::uint32_t> kept) {
    const std::uint32_t rows = program_.op(id).rows;
    if (kept.size() == rows) return;
    plan_.changes = true;
    RowMap map;
    map.identity = false;
    map.place = list_of(rows, [](std::uint32_t) { return kNoRow; });
    for_each_entry(static_cast<std::uint32_t>(kept.size()),
                   [&](std::uint32_t i) { map.place[kept[i]] = i; });
    map.kept = std::move(kept);
    plan_.maps.set(id, std::move(map));
  }

  // A row that is left out stands where the first kept row of its class does, if there is one.
  void place_by_class(ValueId id) {
    const RowClasses::View classes = classes_->of(id);
    if (plan_.maps[id].identity) return;
    RowMap& map = plan_.maps.changed(id);
    const auto kept = static_cast<std::uint32_t>(map.kept.size());  // of different classes
    for_each_entry(kept, [&](std::uint32_t i) { place_of_class_[classes[map.kept[i]]] = i; });
    for_each_entry(static_cast<std::uint32_t>(map.place.size()), [&](std::uint32_t row) {
      if (map.place[row] == kNoRow) map.place[row] = place_of_class_[classes[row]];
    });
    for_each_entry(kept, [&](std::uint32_t i) { place_of_class_[classes[map.kept[i]]] = kNoRow; });
  }

  [[nodiscard]] std::vector<std::uint32_t> rows_of(const RowSet& set, ValueId id) const {
    return entries_where(program_.op(id).rows, [&](std::uint32_t row) { return set.has(row); });
  }

  void visit(const OutputOp&, ValueId id, const RowSet&) { need_operands(id); }
  void visit(const UpdateOp&, ValueId id, const RowSet&) { need_operands(id); }
  // Whichever rows are read, all are made, of all rows of the operands.
  void need_whole(ValueId id, const RowSet& needed) {
    if (!needed.none()) need_operands(id);
  }
  void visit(const ContractOp&, ValueId id, const RowSet& needed) { need_whole(id, needed); }
  void visit(const DrawOp&, ValueId id, const RowSet& needed) { need_whole(id, needed); }
  void visit(const TakeOp&, ValueId id, const RowSet& needed) { need_whole(id, needed); }
  void visit(const SumEqualOp&, ValueId id, const RowSet& needed) { need_whole(id, needed); }
  void visit(const ScatterSumOp&, ValueId id, const RowSet& needed) { need_whole(id, needed); }
  void visit(const WeightOp&, ValueId, const RowSet&) {}
  void visit(const StateOp&, ValueId, const RowSet&) {}

  void visit(const FactOp&, ValueId id, const RowSet& needed) {
    if (!needed.none()) choose(id, needed, false);
  }

  void visit(const ConcatOp&, ValueId id, const RowSet& needed) {
    if (needed.none()) return;
    std::uint32_t begin = 0;
    bool leaves_out = false;
    for (const ValueId operand : program_.op(id).operands) {
      const std::uint32_t rows = program_.op(operand).rows;
      const bool is_gather = program_.op(operand).kind() == OpKind::Gather;
      RowSet& part = is_gather ? stored_[operand] : needed_[operand];
      if (needed.all() && rows > 0) {
        part.add_all();
        continue;
      }
      part.add_each(rows, rows, [&](std::uint32_t row, const auto& add) {
        if (needed.has(begin + row)) add(row);
      });
      leaves_out |= holds_for_all(rows, [&](std::size_t row) {
        return !needed.has(begin + static_cast<std::uint32_t>(row));
      });
      begin += rows;
    }
    if (leaves_out) set_map(id, rows_of(needed, id));
  }

  // What a concat stores of a gather is chosen; what others read of it is read through it.
  void visit(const GatherOp& gather, ValueId id, const RowSet& needed) {
    const ValueId operand = program_.op(id).operands[0];
    const auto found = stored_.find(id);
    if (found != stored_.end() && !found->second.none()) {
      const RowSet stored = std::move(found->second);
      stored_.erase(found);
      choose(id, stored, true);
      need_for_kept(id, operand,
                    [&](std::uint32_t row, const auto& need) { need(gather.index[row]); });
    }
    if (needed.none() || needed_[operand].all()) return;
    need_each(operand, gather.index.size(), [&](std::uint32_t row, const auto& need) {
      if (needed.has(row)) need(gather.index[row]);
    });
  }

  void visit(const LinearOp& linear, ValueId id, const RowSet& needed) {
    if (needed.none()) return;
    if (has_lifts(linear)) return need_operands(id);
    choose(id, needed, false);
    for (const ValueId operand : program_.op(id).operands) need_kept(id, operand);
  }

  void visit(const TransformOp&, ValueId id, const RowSet& needed) {
    if (needed.none()) return;
    choose(id, needed, true);
    need_kept(id, program_.op(id).operands[0]);
  }

  void visit(const MapOp&, ValueId id, const RowSet& needed) {
    if (needed.none()) return;
    choose(id, needed, true);
    for (const ValueId operand : program_.op(id).operands) {
      const bool is_broadcast = program_.op(operand).rows == 1;
      if (!is_broadcast) {
        need_kept(id, operand);
      } else if (program_.op(id).rows > 0) {
        need_all(operand);
      }
    }
  }

  void visit(const VjpOp&, ValueId id, const RowSet& needed) {
    if (needed.none()) return;
    if (!is_row_wise(program_, program_.op(id))) return need_operands(id);
    visit(MapOp(), id, needed);
  }

  void visit(const SegmentOp& segment, ValueId id, const RowSet& needed) {
    if (needed.none()) return;
    const ValueId operand = program_.op(id).operands[0];
    if (keeps_members(segment.combination)) {
      choose_whole_segments(segment, id, needed);
      return need_kept(id, operand);
    }
    choose(id, needed, true);
    if (plan_.maps[id].identity) return need_all(operand);
    const std::uint32_t rows = program_.op(operand).rows;
    need_for_kept(id, operand, [&](std::uint32_t s, const auto& need) {
      for_each_member(segment.segments, rows, s, need);
    });
  }

  // Of softmax and sparsemax: the segments with a needed row; of those with equal members, the
  // first. Equal segments have rows of the same classes, others share none: the least one tells.
  void choose_whole_segments(const SegmentOp& segment, ValueId id, const RowSet& needed) {
    need_places();
    const std::uint32_t rows = program_.op(id).rows;
    const std::uint32_t segments = segment.segments.count(rows);
    std::vector<std::uint8_t> is_needed = long_list<std::uint8_t>(segments);
    std::vector<std::uint32_t> least = long_list(segments, kNoRow);  // class of a needed one
    for_each_segment(segments, [&](std::uint32_t s) {
      for_each_member(segment.segments, rows, s, [&](std::uint32_t row) {
        if (needed.has(row)) is_needed[s] = 1;
        if (classes_) least[s] = std::min(least[s], classes_->of(id)[row]);
      });
      if (is_needed[s] == 0) least[s] = kNoRow;
      if (least[s] != kNoRow) keep_least(place_of_class_[least[s]], s);
    });
    std::vector<std::uint8_t> candidate = long_list<std::uint8_t>(rows);
    std::vector<std::uint8_t> first = long_list<std::uint8_t>(rows);
    for_each_segment(segments, [&](std::uint32_t s) {
      if (is_needed[s] == 0) return;
      // Without classes none is the first: nothing merges.
      const bool is_first = least[s] != kNoRow && place_of_class_[least[s]] == s;
      for_each_member(segment.segments, rows, s, [&](std::uint32_t row) {
        candidate[row] = 1;
        first[row] = is_first ? 1 : 0;
      });
    });
    for_each_segment(segments, [&](std::uint32_t s) {
      if (least[s] == kNoRow) return;
      std::atomic_ref(place_of_class_[least[s]]).store(kNoRow, std::memory_order_relaxed);
    });
    std::vector<std::uint32_t> candidates = rows_of(RowSet(std::move(candidate)), id);
    std::vector<std::uint32_t> firsts = rows_of(RowSet(std::move(first)), id);
    keep(id, std::move(candidates), std::move(firsts));
  }

  // Calls body(s) for 0 .. segments-1, by all threads.
  template <class Body>
  static void for_each_segment(std::uint32_t segments, const Body& body) {
    ListThreads::for_ranges(segments, [&](std::size_t begin, std::size_t end) {
      for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) body(s);
    });
  }

  const Program& program_;
  const RowClasses* classes_;
  double margin_;
  std::vector<RowSet> needed_;                         // by value, until it is visited
  boost::unordered_flat_map<ValueId, RowSet> stored_;  // by gather: what a concat holds of it
  RowPlan plan_;
  std::vector<std::uint32_t> place_of_class_;  // scratch: none yet, or kNoRow between uses
};

}  // namespace

RowPlan plan_needed_rows(const Program& program, const RowClasses* classes, double margin) {
  return Planner(program, classes, margin).run();
}

bool drop_unread_rows(Program& program) {
  const RowPlan plan = plan_needed_rows(program);
  if (!plan.changes) return false;
  program = rebuild_rows(program, plan.maps);
  return true;
}

}  // namespace vecc::opt
