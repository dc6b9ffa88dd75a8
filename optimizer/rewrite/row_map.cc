#include "optimizer/rewrite/row_map.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <utility>

#include "optimizer/rewrite/keep_least.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/support/list_threads.h"

namespace vecc::opt {

RowMap RowMap::of_classes(std::span<const std::uint32_t> classes, std::uint32_t class_count) {
  const auto rows = static_cast<std::uint32_t>(classes.size());
  // By class: its first row.
  std::vector<std::uint32_t> number = long_list(class_count, kNoRow);
  ListThreads::for_ranges(rows, [&](std::size_t begin, std::size_t end) {
    keep_least_of_each(number, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                       [&](std::uint32_t row) { return classes[row]; });
  });
  RowMap map;
  map.kept = entries_where(rows, [&](std::uint32_t row) {
    return classes[row] != kNoRow && number[classes[row]] == row;
  });
  if (map.kept.size() == classes.size()) return {};
  map.identity = false;
  ListThreads::for_ranges(map.kept.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) {
      number[classes[map.kept[begin]]] = static_cast<std::uint32_t>(begin);
    }
  });
  map.place = list_of(rows, [&](std::uint32_t row) {
    return classes[row] == kNoRow ? kNoRow : number[classes[row]];
  });
  return map;
}

// What a range of rows has met before it is the largest class of the rows before: no table of
// classes is asked.
RowMap RowMap::of_numbered(std::span<const std::uint32_t> classes, std::uint32_t class_count) {
  if (class_count == classes.size()) return {};
  const std::size_t rows = classes.size();
  std::vector<std::uint32_t> met(ListThreads::ranges_of(rows) + 1);  // classes, before each range
  ListThreads::for_numbered_ranges(rows,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     std::uint32_t most = 0;
                                     for (; begin < end; ++begin)
                                       most = std::max(most, classes[begin] + 1);
                                     met[range + 1] = most;
                                   });
  for (std::size_t range = 1; range < met.size(); ++range) {
    met[range] = std::max(met[range], met[range - 1]);
  }
  VECC_CHECK(met.back() == class_count, "a class without a row");
  RowMap map;
  map.identity = false;
  map.kept = unset_list<std::uint32_t>(class_count);
  map.place = unset_list<std::uint32_t>(rows);
  ListThreads::for_numbered_ranges(rows,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     std::uint32_t next = met[range];
                                     for (; begin < end; ++begin) {
                                       map.place[begin] = classes[begin];
                                       if (classes[begin] == next)
                                         map.kept[next++] = static_cast<std::uint32_t>(begin);
                                     }
                                   });
  return map;
}

namespace {

// Where the rows of an old value are found in the new Program: row i is row place[i] of `now`.
struct Access {
  ValueId now = kNoValue;
  Index place;
};

class Rebuilder {
 public:
  Rebuilder(const Program& program, const RowMaps& maps)
      : program_(program), maps_(maps), rewriter_(program), access_(program.ops().size()) {}

  Program run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      access_[id] =
          std::visit([&](const auto& op) { return rebuild(op, id); }, program_.op(id).attributes);
    }
    return rewriter_.finish();
  }

 private:
  // The rows of an old value, stored in this order.
  ValueId read(ValueId old, const Index& rows) {
    const Access& access = access_[old];
    return rewriter_.gather(access.now, compose(access.place, rows), program_.op(old).note);
  }
  ValueId read_all(ValueId old) { return read(old, Index::slice(0, program_.op(old).rows)); }

  [[nodiscard]] Index kept_rows(ValueId id) const {
    const RowMap& map = maps_[id];
    if (map.identity) return Index::slice(0, program_.op(id).rows);
    const auto row_of = [&map](std::uint32_t row) { return map.kept[row]; };
    return Index::compact(list_of(static_cast<std::uint32_t>(map.kept.size()), row_of));
  }

  // A new value that holds the kept rows of an old one.
  Access made(ValueId now, ValueId id) const {
    const RowMap& map = maps_[id];
    if (map.identity) return {now, Index::slice(0, program_.op(id).rows)};
    const auto place_of = [&map](std::uint32_t row) {
      return map.place[row] == kNoRow ? 0 : map.place[row];  // unread
    };
    return {now, Index::list(list_of(static_cast<std::uint32_t>(map.place.size()), place_of))};
  }

  Access copy_over(ValueId id) {
    VECC_CHECK(maps_[id].identity, "rows left out of an op that needs them all");
    Operands operands =
        mapped(program_.op(id).operands, [&](ValueId operand) { return read_all(operand); });
    return made(rewriter_.add(program_.op(id).attributes, std::move(operands), id), id);
  }

  Access rebuild(const FactOp& fact, ValueId id) {
    if (maps_[id].identity) return copy_over(id);
    return made(rewriter_.add(select_rows(fact, kept_rows(id)), {}, id), id);
  }

  Access rebuild(const WeightOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const StateOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const ContractOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const DrawOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const TakeOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const SumEqualOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const ScatterSumOp&, ValueId id) { return copy_over(id); }
  Access rebuild(const OutputOp&, ValueId id) { return copy_over(id); }

  // The target is a place, not rows to read.
  Access rebuild(const UpdateOp& update, ValueId id) {
    const Operands& old = program_.op(id).operands;
    Operands operands{access_[old[0]].now};
    for (std::size_t k = 1; k < old.size(); ++k) operands.push_back(read_all(old[k]));
    return made(rewriter_.add(update, std::move(operands), id), id);
  }

  Access rebuild(const GatherOp& gather, ValueId id) {
    const Access& from = access_[program_.op(id).operands[0]];
    return {from.now, compose(from.place, gather.index)};
  }

  // Where the kept row that stands for each old one is found, if the old ones are at `place`.
  [[nodiscard]] static Index standing_for(const RowMap& map, const Index& place) {
    const auto row_of = [&](std::uint32_t row) {
      return map.place[row] == kNoRow ? 0 : place[map.kept[map.place[row]]];
    };
    return Index::compact(list_of(static_cast<std::uint32_t>(map.place.size()), row_of));
  }

  // What a concat holds of an operand: a gather's own rows where its source has more.
  Access part_of_concat(ValueId operand) {
    const Op& op = program_.op(operand);
    if (op.kind() != OpKind::Gather) return access_[operand];
    const RowMap& map = maps_[operand];
    const Access& source = access_[operand];
    if (rewriter_.to().op(source.now).rows <= map.rows(op)) {
      return map.identity ? source : Access{source.now, standing_for(map, source.place)};
    }
    return made(read(operand, kept_rows(operand)), operand);
  }

  // Whether rows begin .. begin + count of a concat are all left out.
  [[nodiscard]] bool is_left_out(ValueId concat, std::size_t begin, std::uint32_t count) const {
    if (maps_[concat].identity) return false;
    const auto rows = std::span(maps_[concat].place).subspan(begin, count);
    return std::ranges::all_of(rows, [](std::uint32_t row) { return row == kNoRow; });
  }

  // `rows`, each with `first` added.
  static void append(std::vector<std::uint32_t>& list, const Index& rows, std::uint32_t first) {
    const std::size_t begin = list.size();
    list.resize(begin + rows.size());
    with_rows(rows, [&](auto row_at) {
      ListThreads::for_ranges(rows.size(), [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) list[begin + i] = first + row_at(static_cast<std::uint32_t>(i));
      });
    });
  }

  Access rebuild(const ConcatOp&, ValueId id) {
    std::vector<ValueId> parts;
    boost::unordered_flat_map<ValueId, std::uint32_t> begin;  // of a part: its first row
    std::vector<std::uint32_t> place;
    std::uint64_t rows = 0;
    place.reserve(program_.op(id).rows);
    for (const ValueId operand : program_.op(id).operands) {
      if (is_left_out(id, place.size(), program_.op(operand).rows)) {
        place.resize(place.size() + program_.op(operand).rows);  // unread
        continue;
      }
      const Access part = part_of_concat(operand);
      const auto [first, is_new] = begin.try_emplace(part.now, static_cast<std::uint32_t>(rows));
      if (is_new) {
        parts.push_back(part.now);
        rows += rewriter_.to().op(part.now).rows;
      }
      append(place, part.place, first->second);
    }
    const ValueId now = rewriter_.to().concat(parts, note(id));
    return {now, Index::compact(std::move(place))};
  }

  Access rebuild(const LinearOp& linear, ValueId id) {
    const auto& operands = program_.op(id).operands;
    if (maps_[id].identity) return copy_over(id);
    const Index kept = kept_rows(id);
    const auto side = [&](std::size_t k, const Lift& lift) {
      return read(operands[k], unlifted_rows(lift, program_.op(operands[k]).rows, kept));
    };
    LinearOp plain = linear;
    plain.lift_left = plain.lift_right = Lift();
    const ValueId left = side(0, linear.lift_left);
    return made(rewriter_.add(plain, {left, side(1, linear.lift_right)}, id), id);
  }

  Access rebuild(const SegmentOp& segment, ValueId id) {
    if (maps_[id].identity) return copy_over(id);
    const ValueId operand = program_.op(id).operands[0];
    KeptSegments kept = keep_segments(segment, program_.op(operand).rows, maps_[id].kept);
    const ValueId members = read(operand, Index::compact(std::move(kept.members)));
    return made(rewriter_.add(SegmentOp{kept.segments, segment.combination}, {members}, id), id);
  }

  Access rebuild(const TransformOp& transform, ValueId id) {
    const Index kept = kept_rows(id);
    const ValueId operand = read(program_.op(id).operands[0], kept);
    return made(rewriter_.add(select_rows(transform, kept), {operand}, id), id);
  }

  Access rebuild(const MapOp& map, ValueId id) {
    const Index kept = kept_rows(id);
    Operands operands = mapped(program_.op(id).operands, [&](ValueId operand) {
      return program_.op(operand).rows == 1 ? read_all(operand) : read(operand, kept);
    });
    return made(rewriter_.add(map, std::move(operands), id), id);
  }

  Access rebuild(const VjpOp& vjp, ValueId id) {
    if (maps_[id].identity) return copy_over(id);
    const Index kept = kept_rows(id);
    Operands operands = mapped(program_.op(id).operands, [&](ValueId operand) {
      return program_.op(operand).rows == 1 ? read_all(operand) : read(operand, kept);
    });
    return made(rewriter_.add(select_rows(vjp, kept), std::move(operands), id), id);
  }

  [[nodiscard]] const Note& note(ValueId id) const { return program_.op(id).note; }

  const Program& program_;
  const RowMaps& maps_;
  Rewriter rewriter_;
  std::vector<Access> access_;  // by old value
};

}  // namespace

Program rebuild_rows(const Program& program, const RowMaps& maps) {
  VECC_CHECK(maps.size() == program.ops().size(), "one row map a value");
  return Rebuilder(program, maps).run();
}

Program compose_gathers(const Program& program) {
  return rebuild_rows(program, RowMaps(program.ops().size()));
}

}  // namespace vecc::opt
