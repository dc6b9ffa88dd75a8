// Classes of rows that sum over many rows: segments and weight gradients.
#include "optimizer/iso/fingerprint_classes.h"
#include "optimizer/iso/reduction.h"
#include "optimizer/rewrite/row_classes.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/support/list_threads.h"

namespace vecc::opt::iso {

ValueClasses FingerprintClasses::classes(const SegmentOp& segment, ValueId id) {
  ValueClasses result = start(id);
  if (keeps_members(segment.combination)) {
    share_segments(segment, id, result);
  } else {
    reduce_segments(segment, id, result);
  }
  return result;
}

void FingerprintClasses::reduce_segments(const SegmentOp& segment, ValueId id,
                                         ValueClasses& result) {
  const ValueClasses& from = operand(id, 0);
  const Op& members = program_.op(program_.op(id).operands[0]);
  const std::vector<std::uint32_t> reduced = take_single_members(segment, id, result);
  // A selection in any order is one from a set: the first member of each class.
  const bool once =
      selects(segment.combination) && is_order_free(segment.combination, members.shape);
  if (once && mark_.size() < from.table->size()) mark_.resize(from.table->size(), kNoMark);
  auto reduce = [&, reduction = Reduction(keys_, segment.combination, program_.op(id).shape)](
                    std::uint32_t k, std::span<Residues> parts) mutable {
    reduction.start();
    for_each_member(segment.segments, members.rows, reduced[k], [&](std::uint32_t row) {
      const std::uint32_t member = from.of_row[row];
      if (once && mark_[member] == reduced[k]) return;
      if (once) mark_[member] = reduced[k];
      if (const std::uint32_t ahead = row + ClassTable::kAhead; ahead < members.rows) {
        from.table->prefetch(from.of_row[ahead]);
      }
      reduction.add({members.shape, from.table->parts(member), from.table->doubtful(member)});
    });
    return reduction.finish(parts);
  };
  const auto count = static_cast<std::uint32_t>(reduced.size());
  const auto keep = [&](std::uint32_t k, std::uint32_t row_class) {
    result.of_row[reduced[k]] = row_class;
  };
  if (once) {
    result.table->insert_all(count, reduce, keep);  // there is one mark a class, for one thread
    clear_marks(from);
  } else {
    result.table->insert_all_by_threads(count, reduce, keep);
  }
  if (result.table != from.table) result.numbered = result.table->size();
}

// Where most segments are their one member, rows have its class, in its table. Returns the segments
// that are to be reduced: the others, or all.
std::vector<std::uint32_t> FingerprintClasses::take_single_members(const SegmentOp& segment,
                                                                   ValueId id,
                                                                   ValueClasses& result) {
  const ValueClasses& from = operand(id, 0);
  const Op& op = program_.op(id);
  const Op& members = program_.op(op.operands[0]);
  const auto all = [&] { return list_of(op.rows, [](std::uint32_t s) { return s; }); };
  const bool passes = info(segment.combination).single == CombinationSingle::Skipped;
  if (!passes || members.shape != op.shape) {
    result.of_row = unset_list<std::uint32_t>(op.rows);
    return all();
  }
  std::vector<std::uint32_t> others = entries_where(
      op.rows, [&](std::uint32_t s) { return member_count(segment.segments, s) != 1; });
  if (others.size() > op.rows / 2) {
    result.of_row = unset_list<std::uint32_t>(op.rows);
    return all();
  }
  result.table = from.table;
  result.of_row = list_of(op.rows, [&](std::uint32_t s) {
    std::uint32_t row_class = 0;
    for_each_member(segment.segments, members.rows, s,
                    [&](std::uint32_t row) { row_class = from.of_row[row]; });
    return row_class;
  });
  return others;
}

// A member's shares, which depend on all members; of more than one entry on its place, too.
void FingerprintClasses::share_entries(const Keys& keys, Combination combination, Shape shape,
                                       std::span<const Residues> member, const MultisetHash& all,
                                       bool doubtful, std::span<Residues> share) {
  if (shape.is_scalar()) {
    share[0] = fingerprint_share(keys, combination, member[0], all, doubtful);
    return;
  }
  if (all.count() == 1 && !doubtful) {
    std::ranges::fill(share, keys.is_narrow(shape) ? kOne : keys.ones(shape.size()));
    return;
  }
  KeyedHash hash = keys.hash(HashTag::Combination, static_cast<std::uint64_t>(combination));
  hash.add(all.count()).add(all.sum()).add(member);
  for (std::size_t i = 0; i < share.size(); ++i) share[i] = hash.value_with(i);
}

void FingerprintClasses::share_segments(const SegmentOp& segment, ValueId id,
                                        ValueClasses& result) {
  const ValueClasses& from = operand(id, 0);
  const std::uint32_t rows = program_.op(id).rows;
  const MultisetHash none(keys_, static_cast<std::uint64_t>(segment.combination));
  std::vector<MultisetHash> members(segment.segments.count(rows), none);
  std::vector<std::uint8_t> doubtful(members.size());  // not packed: threads write it
  ListThreads::for_ranges(members.size(), [&](std::size_t begin, std::size_t end) {
    for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
      for_each_member(segment.segments, rows, s, [&](std::uint32_t row) {
        if (const std::uint32_t ahead = row + ClassTable::kAhead; ahead < rows) {
          from.table->prefetch(from.of_row[ahead]);
        }
        members[s].add(from.table->parts(from.of_row[row]));
        if (from.table->doubtful(from.of_row[row])) doubtful[s] = 1;
      });
    }
  });
  const std::vector<std::uint32_t> owner = owners_of(segment.segments, rows);
  result.of_row = unset_list<std::uint32_t>(rows);
  const auto share_of = [&, keys = keys_](std::uint32_t row, std::span<Residues> share) {
    const std::uint32_t s = owner[row];
    share_entries(keys, segment.combination, program_.op(id).shape,
                  from.table->parts(from.of_row[row]), members[s], doubtful[s] != 0, share);
    return doubtful[s] != 0;
  };
  if (!is_ascending(from.of_row, rows)) {
    result.table->insert_all_by_threads(
        rows, share_of,
        [&](std::uint32_t row, std::uint32_t row_class) { result.of_row[row] = row_class; });
    result.numbered = result.table->size();
    return;
  }
  // Shares are hashes of different members, but for members that are alone: their shares are 1.
  const auto is_whole = [&](std::uint32_t row) {
    return members[owner[row]].count() == 1 && doubtful[owner[row]] == 0;
  };
  const std::vector<std::uint32_t> whole = entries_where(rows, is_whole);
  std::vector<std::uint32_t> different =
      entries_where(rows, [&](std::uint32_t row) { return !is_whole(row); });
  if (!whole.empty()) different.push_back(whole.front());
  const auto count = static_cast<std::uint32_t>(different.size());
  const std::uint32_t begin = result.table->append_all(
      count, [&, own = share_of](std::uint32_t n, std::span<Residues> share) mutable {
        return own(different[n], share);
      });
  const auto set_classes = [&](std::size_t size, const auto& row_of, const auto& class_of) {
    ListThreads::for_ranges(size, [&](std::size_t n, std::size_t end) {
      for (; n < end; ++n) result.of_row[row_of[n]] = class_of(static_cast<std::uint32_t>(n));
    });
  };
  set_classes(count, different, [&](std::uint32_t n) { return begin + n; });
  set_classes(whole.size(), whole, [&](std::uint32_t) { return begin + count - 1; });
}

ValueClasses FingerprintClasses::classes(const VjpOp& vjp, ValueId id) {
  if (std::holds_alternative<SegmentOp>(vjp.of)) return segment_classes(vjp, id);
  if (is_row_wise(program_, program_.op(id))) return row_wise_classes(vjp, id);
  // One sum over the rows of a map: equal to no other.
  KeyedHash sum = keys_.hash(HashTag::Vjp);
  return by_identity(sum.add(id), id);
}

// A member's row is a hash of all rows that its segment reads, in their order, and of its place.
ValueClasses FingerprintClasses::segment_classes(const VjpOp& vjp, ValueId id) {
  const auto& segment = std::get<SegmentOp>(vjp.of);
  const Segments& segments = segment.segments;
  const Op& op = program_.op(id);
  KeyedHash function = keys_.hash(HashTag::Vjp, static_cast<std::uint64_t>(segment.combination));
  for (const ValueId operand : op.operands) {
    function.add(keys_.part_count(program_.op(operand).shape));
  }
  // The segments' operand has a row a member; the result and g, where the function keeps its
  // members.
  const auto is_by_member = [keeps = keeps_members(segment.combination),
                             reads = reads_of(vjp).operands](std::size_t k) {
    return keeps || (reads && k == 0);
  };
  std::vector<KeyedHash> all(segments.count(op.rows), function);
  ListThreads::for_ranges(all.size(), [&](std::size_t begin, std::size_t end) {
    for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
      all[s].add(member_count(segments, s));
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        const ValueClasses& read = operand(id, k);
        const auto add = [&](std::uint32_t row) {
          for (const Residues& part : read.table->parts(read.of_row[row])) all[s].add(part);
        };
        if (is_by_member(k)) {
          for_each_member(segments, op.rows, s, add);
        } else {
          add(s);
        }
      }
    }
  });
  const std::vector<std::uint32_t> owner = owners_of(segments, op.rows);
  const auto place_of = [&](std::uint32_t row) {  // among its segment's members
    if (!segments.is_fixed()) return row - segments.offsets()[owner[row]];
    return segments.dimension() == 2 ? row % segments.members() : row / segments.count(op.rows);
  };
  const auto share_of = [&](std::uint32_t row, std::span<Residues> y) {
    KeyedHash member = all[owner[row]];
    member.add(place_of(row));
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = member.value_with(j);
    return true;
  };
  const auto tells_segments_apart = [&](ValueId read) {
    const ValueClasses& classes = *classes_[read];
    return !classes.repeats && is_ascending(classes.of_row, classes.of_row.size());
  };
  ValueClasses result = start(id);
  if (std::ranges::any_of(op.operands, tells_segments_apart)) {
    const std::uint32_t begin = result.table->append_all(op.rows, share_of);
    result.of_row = list_of(op.rows, [begin](std::uint32_t row) { return begin + row; });
    result.numbered = op.rows;
    return result;
  }
  result.of_row = unset_list<std::uint32_t>(op.rows);
  result.table->insert_all_by_threads(
      op.rows, share_of,
      [&](std::uint32_t row, std::uint32_t row_class) { result.of_row[row] = row_class; });
  result.numbered = result.table->size();
  return result;
}

// Rows of a weight's gradient are merged with no other, so row t is but a hash of the multiset of
// what is multiplied: products have as many numbers as the weight, and there is one for each pair
// of rows. A product with zero adds nothing.
ValueClasses FingerprintClasses::classes(const ContractOp& contract, ValueId id) {
  ValueClasses result = start(id);
  const std::vector<PairSum> sums = pair_sums(contract, id);
  Scratch row(result.table->part_count());
  for (const PairSum& pairs : sums) {
    const KeyedHash hash = keys_.hash(HashTag::Contract).add(pairs.sum);
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = pairs.sum.is_zero() ? kZero : KeyedHash(hash).add(k).value();
    }
    result.of_row.push_back(result.table->insert(row, pairs.doubtful));
  }
  return result;
}

// By type. Each thread adds up its share of the pairs: sums of residues are exact.
std::vector<FingerprintClasses::PairSum> FingerprintClasses::pair_sums(const ContractOp& contract,
                                                                       ValueId id) {
  const std::uint32_t pairs = contract.types.size();
  std::vector<PairSum> sums(contract.type_count);
  const std::size_t ranges = ListThreads::ranges_of(pairs);
  if (ranges == 1 || contract.type_count * ranges > pairs) {
    add_pairs(contract, id, 0, pairs, sums);
    return sums;
  }
  std::vector<std::vector<PairSum>> shares(ranges, sums);
  ListThreads::for_numbered_ranges(pairs,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     add_pairs(contract, id, static_cast<std::uint32_t>(begin),
                                               static_cast<std::uint32_t>(end), shares[range]);
                                   });
  for (const std::vector<PairSum>& share : shares) {
    for (std::size_t t = 0; t < sums.size(); ++t) {
      sums[t].sum += share[t].sum;
      sums[t].doubtful = sums[t].doubtful || share[t].doubtful;
    }
  }
  return sums;
}

void FingerprintClasses::add_pairs(const ContractOp& contract, ValueId id, std::uint32_t begin,
                                   std::uint32_t end, std::vector<PairSum>& sums) const {
  const KeyedHash pair = keys_.hash(HashTag::Contract);
  const std::vector<OperandRows> read = operand_rows(id);
  with_rows(contract.types, [&](const auto& types) {
    for (std::uint32_t e = begin; e < end; ++e) {
      read[0].prefetch_ahead(e);
      read[1].prefetch_ahead(e);
      const RowFingerprint g = read[0][e];
      const RowFingerprint x = read[1][e];
      if ((is_zero(g.parts) && !x.doubtful) || (is_zero(x.parts) && !g.doubtful)) continue;
      PairSum& pairs = sums[types(e)];
      KeyedHash hash = pair;
      for (const Residues& part : g.parts) hash.add(part);  // both have as many in every pair
      for (const Residues& part : x.parts) hash.add(part);
      pairs.sum += hash.value();
      pairs.doubtful = pairs.doubtful || g.doubtful || x.doubtful;
    }
  });
}

}  // namespace vecc::opt::iso
