// iso-compress: rows that compute the same function of the weights are computed once.
//
//   %2 = gather %1 [0, 1, 1, 0, 2] ; %3 = segment %2 [0, 2, 4, 5] sum : f32[3, 1]
//   %4 = transform %3 tanh : f32[3, 1]
//   =>
//   %2 = gather %1 [0, 1, 2] ; %3 = segment %2 [0, 2, 3] sum : f32[2, 1]
//   %4 = transform %3 tanh : f32[2, 1] ; %5 = gather %4 [0, 0, 1]
//
// The same function: equal fingerprints (optimizer/iso/row_fingerprint.h), whatever the weights
// are. It sees through the order of sums, sums of sums, averages of sums, distributed products; it
// compares rows of one value across all of its samples, and never looks at floats but to tell
// constants apart.
//
// Merged are rows of constants and of all that is computed: segments, transforms, maps, their
// row-wise vjps, gathers that a concat stores, and linears, but for these:
//   - a linear that only a segment reads keeps the members of the segments that stay, equal ones
//     too: merging them costs a gather (dedup-linear-pairs decides that);
//   - a linear with lifts stays: it reads its operands in place;
//   - of softmax and sparsemax, which keep a row a member, a whole segment goes if another one has
//     the same rows in any order.
// Rows of weights, states and weight gradients are never merged; nor are outputs, but what they
// read is, and gathered for them.
//
// Merging rows of equal value is right for whatever reads them, so Programs with derivatives and
// updates may be compressed as well: states are variables by name like weights.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/iso/fingerprint_classes.h"
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/pair_table.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_classes.h"
#include "optimizer/rewrite/row_map.h"
#include "optimizer/rewrite/unset_array.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/program/value_indices.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

using iso::FingerprintClasses;
using iso::ValueClasses;

// The first row of each class stands for all.
RowMap first_of_each(const ValueClasses& classes) {
  constexpr std::size_t kSparse = 8;  // classes a row from which on a table by class is too long
  if (is_ascending(classes.of_row, static_cast<std::uint32_t>(classes.of_row.size()))) return {};
  if (classes.numbered > 0) return RowMap::of_numbered(classes.of_row, classes.numbered);
  if (classes.table->size() <= kSparse * classes.of_row.size()) {
    return RowMap::of_classes(classes.of_row, classes.table->size());
  }
  PairTable dense;
  std::vector<std::uint32_t> numbers(classes.of_row.size());
  dense.number_all(
      static_cast<std::uint32_t>(numbers.size()),
      [&](std::uint32_t i) { return classes.of_row[i]; }, [](std::uint32_t) { return 0u; },
      [&](std::uint32_t i, std::uint32_t number) { numbers[i] = number; });
  return RowMap::of_classes(numbers, dense.size());
}

// The map by which row stands_for[i] is computed for row i.
RowMap standing_for(std::span<const std::uint32_t> stands_for) {
  const auto rows = static_cast<std::uint32_t>(stands_for.size());
  RowMap map;
  map.kept = entries_where(rows, [&](std::uint32_t row) { return stands_for[row] == row; });
  if (map.kept.size() == rows) return {};
  map.identity = false;
  UnsetArray<std::uint32_t> place(rows);  // of those that are kept
  ListThreads::for_ranges(map.kept.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) place[map.kept[begin]] = static_cast<std::uint32_t>(begin);
  });
  map.place = list_of(rows, [&](std::uint32_t row) { return place[stands_for[row]]; });
  return map;
}

// Of segments, not of rows: the first one of each multiset of rows is kept.
RowMap first_of_each_multiset(const Segments& segments, const ValueClasses& classes,
                              const iso::Keys& keys) {
  const auto rows = static_cast<std::uint32_t>(classes.of_row.size());
  iso::ClassTable multisets(1);
  std::vector<std::uint32_t> of_segment(segments.count(rows));
  multisets.insert_all_by_threads(
      static_cast<std::uint32_t>(of_segment.size()),
      [&](std::uint32_t s, std::span<iso::Residues> parts) {
        iso::MultisetHash members(keys, 0);
        for_each_member(segments, rows, s, [&](std::uint32_t row) {
          members.add(classes.table->parts(classes.of_row[row]));
        });
        parts[0] = members.sum();
        return false;
      },
      [&](std::uint32_t s, std::uint32_t multiset) { of_segment[s] = multiset; });
  return RowMap::of_numbered(of_segment, multisets.size());
}

// The first segment of each multiset of rows stands for all, member for equal member: of equal
// members of it, the last one does.
RowMap first_of_each_segment(const Segments& segments, const ValueClasses& classes,
                             const iso::Keys& keys) {
  const auto rows = static_cast<std::uint32_t>(classes.of_row.size());
  const RowMap first = first_of_each_multiset(segments, classes, keys);
  if (first.identity) return {};
  std::vector<std::uint32_t> stands_for(rows);
  ListThreads::for_ranges(first.place.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> members;  // of the first: class, row
    for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
      const std::uint32_t kept = first.kept[first.place[s]];
      if (kept == s) {
        for_each_member(segments, rows, s, [&](std::uint32_t row) { stands_for[row] = row; });
        continue;
      }
      members.clear();
      for_each_member(segments, rows, kept,
                      [&](std::uint32_t row) { members.emplace_back(classes.of_row[row], row); });
      std::ranges::sort(members);
      for_each_member(segments, rows, s, [&](std::uint32_t row) {
        const auto after = std::ranges::upper_bound(
            members, classes.of_row[row], {}, &std::pair<std::uint32_t, std::uint32_t>::first);
        stands_for[row] = std::prev(after)->second;
      });
    }
  });
  return standing_for(stands_for);
}

// The operand's rows that are members of segments that stay.
RowMap members_of(const SegmentOp& segment, const RowMap& kept_segments, std::uint32_t rows) {
  if (kept_segments.identity) return {};
  RowMap map;
  map.kept = keep_segments(segment, rows, kept_segments.kept).members;
  map.identity = map.kept.size() == rows;
  if (map.identity) return {};
  map.place.assign(rows, kNoRow);
  ListThreads::for_ranges(map.kept.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) {
      map.place[map.kept[begin]] = static_cast<std::uint32_t>(begin);
    }
  });
  return map;
}

class Compressor {
 public:
  Compressor(const Program& program, std::uint64_t seed, std::uint32_t narrow_side)
      : program_(program),
        readers_(program),
        classes_(program, seed, narrow_side),
        maps_(program.ops().size()) {}

  void run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const ValueClasses& classes = classes_.classify(id, /*tells_apart=*/!has_lifts(id));
      maps_.set_unless_identity(id, map_of(id, classes));
    }
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (only_a_segment_reads(id)) follow_segment(id);
    }
  }

  [[nodiscard]] const RowMaps& maps() const { return maps_; }
  [[nodiscard]] std::uint64_t meeting_in_first_field() const {
    return classes_.meeting_in_first_field();
  }
  [[nodiscard]] std::uint64_t merged() const {
    std::uint64_t rows = 0;
    for (ValueId id = 0; id < maps_.size(); ++id) {
      rows += program_.op(id).rows - maps_[id].rows(program_.op(id));
    }
    return rows;
  }

 private:
  [[nodiscard]] RowMap map_of(ValueId id, const ValueClasses& classes) const {
    const Op& op = program_.op(id);
    switch (op.kind()) {
      case OpKind::Fact:
      case OpKind::Transform:
      case OpKind::Map: return first_of_each(classes);
      case OpKind::Vjp: return is_row_wise(program_, op) ? first_of_each(classes) : RowMap();
      case OpKind::Gather: return is_stored(id) ? first_of_each(classes) : RowMap();
      case OpKind::Linear:
        return has_lifts(id) || only_a_segment_reads(id) ? RowMap() : first_of_each(classes);
      case OpKind::Segment: {
        const auto& segment = std::get<SegmentOp>(op.attributes);
        return keeps_members(segment.combination)
                   ? first_of_each_segment(segment.segments, classes, classes_.keys())
                   : first_of_each(classes);
      }
      case OpKind::Weight:
      case OpKind::Concat:
      case OpKind::Contract:
      case OpKind::Draw:
      case OpKind::Take:
      case OpKind::SumEqual:
      case OpKind::ScatterSum:
      case OpKind::State:
      case OpKind::Update:
      case OpKind::Output: return {};
    }
    return {};
  }

  [[nodiscard]] bool has_lifts(ValueId id) const {
    const auto* linear = std::get_if<LinearOp>(&program_.op(id).attributes);
    return linear != nullptr && vecc::has_lifts(*linear);
  }

  // Whether a concat holds the rows of a gather.
  [[nodiscard]] bool is_stored(ValueId gather) const {
    return std::ranges::any_of(readers_.of(gather), [&](ValueId reader) {
      return program_.op(reader).kind() == OpKind::Concat;
    });
  }

  [[nodiscard]] bool only_a_segment_reads(ValueId id) const {
    const auto* linear = std::get_if<LinearOp>(&program_.op(id).attributes);
    const ValueId reader = readers_.only(id);
    return linear != nullptr && !has_lifts(id) && reader != kNoValue &&
           program_.op(reader).kind() == OpKind::Segment;
  }

  void follow_segment(ValueId linear) {
    const ValueId reader = readers_.only(linear);
    const auto& segment = std::get<SegmentOp>(program_.op(reader).attributes);
    maps_.set_unless_identity(linear, members_of(segment, maps_[reader], program_.op(linear).rows));
  }

  const Program& program_;
  Readers readers_;
  FingerprintClasses classes_;
  RowMaps maps_;
};

// Whether a value has rows of which some may be left out.
bool has_rows_to_merge(const Program& program) {
  return std::ranges::any_of(program.ops(), [](const Op& op) {
    const OpKind kind = op.kind();
    const bool stays = kind == OpKind::Weight || kind == OpKind::State || kind == OpKind::Concat ||
                       kind == OpKind::Contract || kind == OpKind::Update ||
                       kind == OpKind::Output || has_value_index(op);
    return !stays && op.rows > 1;
  });
}

std::uint64_t count_elements(const Program& program) {
  std::uint64_t elements = 0;
  for (const Op& op : program.ops()) elements += std::uint64_t{op.rows} * op.shape.size();
  return elements;
}

// A fingerprint an element is 16 bytes for each, and a product of matrices has as many of its
// multiplications as the product itself. Where many rows are different that is too much for
// what it sees beyond a fingerprint a row: that W (x + y) is W x + W y.
std::uint32_t narrow_side(const Program& program, PassContext& context) {
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 24;
  if (count_elements(program) <= kMostElements) return iso::kNarrowSide;
  if (!SourceRows::fits(program)) return 1;
  const bool few = context.row_classes_of_few(program, kMostElements) != nullptr;
  return few ? iso::kNarrowSide : 1;
}

}  // namespace

bool iso_compress(Program& program, PassContext& context) {
  if (!has_rows_to_merge(program)) return false;
  Compressor compressor(program, context.seed(), narrow_side(program, context));
  compressor.run();
  const RowMaps& maps = compressor.maps();
  context.count("rows left out", compressor.merged());
  context.count("different rows that meet in the first field", compressor.meeting_in_first_field());
  context.leave_rows_told_apart();
  if (maps.all_identity()) return false;
  program = rebuild_rows(program, maps);
  return true;
}

}  // namespace vecc::opt
