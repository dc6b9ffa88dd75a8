#include "optimizer/passes/split_members.h"

#include <algorithm>
#include <utility>

#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// Sorts the members of one segment after the other to their operands.
class MemberSorter {
 public:
  MemberSorter(std::uint32_t segments, std::size_t most) : segments_(segments), most_(most) {}

  void begin_segment(std::uint32_t segment) {
    segment_ = segment;
    last_ = 0;
  }
  // False if there are too many operands.
  bool add(std::size_t operand, std::uint32_t row) {
    const std::size_t k = source_of(operand);
    if (k == most_) return false;
    if (k < last_) in_order_ = false;
    last_ = k;
    sources_[k].rows.push_back(row);
    ++sources_[k].lengths[segment_];
    return true;
  }
  // Whether every segment has members of all operands, those of one after the other.
  [[nodiscard]] bool is_ordered() const {
    return in_order_ && std::ranges::all_of(sources_, [](const SourceMembers& source) {
             return std::ranges::find(source.lengths, 0u) == source.lengths.end();
           });
  }
  [[nodiscard]] std::vector<SourceMembers>& sources() { return sources_; }

 private:
  std::size_t source_of(std::size_t operand) {
    if (last_ < sources_.size() && sources_[last_].operand == operand) return last_;
    const auto found = std::ranges::find(sources_, operand, &SourceMembers::operand);
    const auto k = static_cast<std::size_t>(found - sources_.begin());
    if (k == sources_.size() && k < most_) {
      sources_.push_back({operand, {}, std::vector<std::uint32_t>(segments_)});
    }
    return k;
  }

  std::uint32_t segments_;
  std::size_t most_;
  std::uint32_t segment_ = 0;
  std::size_t last_ = 0;  // the source of the member before in this segment
  bool in_order_ = true;
  std::vector<SourceMembers> sources_;
};

void sort_members(SourceMembers& members) {
  auto begin = members.rows.begin();
  for (const std::uint32_t length : members.lengths) {
    std::sort(begin, begin + length);
    begin += length;
  }
}

// Rows segment after segment, as member k of all segments after member k-1 of all.
std::vector<std::uint32_t> by_member(const std::vector<std::uint32_t>& rows, std::uint32_t length) {
  std::vector<std::uint32_t> result;
  result.reserve(rows.size());
  for (std::uint32_t k = 0; k < length; ++k) {
    for (std::size_t i = k; i < rows.size(); i += length) result.push_back(rows[i]);
  }
  return result;
}

}  // namespace

std::optional<std::vector<SourceMembers>> members_by_source(const Program& program,
                                                            const ConcatSegment& read,
                                                            ConcatParts& parts, std::size_t most,
                                                            bool ordered) {
  const Op& op = program.op(read.segment);
  const Segments& segments = std::get<SegmentOp>(op.attributes).segments;
  const std::uint32_t rows = program.op(op.operands[0]).rows;
  const ConcatBegins begins = parts.of(read.concat);
  ConcatCursor cursor(begins);
  MemberSorter sorter(op.rows, most);
  bool fits = true;
  for (std::uint32_t s = 0; s < op.rows && fits; ++s) {
    sorter.begin_segment(s);
    for_each_member(segments, rows, s, [&](std::uint32_t member) {
      if (!fits) return;
      const std::uint32_t row = read.gather ? (*read.gather)[member] : member;
      const std::size_t operand = cursor.operand_at(row);
      fits = sorter.add(operand, row - begins[operand]);
    });
  }
  const bool serves = fits && sorter.sources().size() > 1 && (!ordered || sorter.is_ordered());
  if (!serves) return std::nullopt;
  return std::move(sorter.sources());
}

SegmentPiece make_piece(const Program& program, ValueId source, SourceMembers members,
                        std::uint32_t dimension, bool may_sort) {
  SegmentPiece piece;
  piece.source = source;
  piece.segment_count = static_cast<std::uint32_t>(members.lengths.size());
  const Segments segments = segments_of_lengths(members.lengths);
  const std::uint32_t length = segments.members();  // 0: not fixed
  const auto take = [&](std::uint32_t d) {
    piece.rows = Index::compact(d == 1 ? by_member(members.rows, length) : members.rows);
    if (length != 1) piece.segments = length == 0 ? segments : Segments::fixed(length, d);
    return is_view(read_through(program, source, piece.rows).rows);
  };
  const std::uint32_t preferred = length > 1 ? dimension : 2;
  const auto take_either = [&] {
    return take(preferred) || (length > 1 && take(preferred == 1 ? 2 : 1));
  };
  if (take_either()) return piece;
  if (may_sort && length != 1) {
    const std::vector<std::uint32_t> unsorted = members.rows;
    sort_members(members);
    if (take_either()) return piece;
    members.rows = unsorted;
  }
  take(preferred);
  return piece;
}

}  // namespace vecc::opt
