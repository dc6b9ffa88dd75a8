// Which kernel an op joins. Every op that computes goes into exactly one group: one that makes an
// operand of it, row by row, if that does not have to wait for another group; one of the same level
// that loads what it reads; the group that makes a segment's members, whose loop the segment then
// goes around; else a new one. Ops are grouped in the Program's order, since what a kernel holds so
// far bounds what may join it; a choice reads what there is and changes nothing.
//
// Levels keep the groups free of cycles: a group reads only values of groups of a lower level. The
// level of a group that is not read outside yet may still rise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/plan/group/grouping.h"

namespace vecc {

/// How an op's loop over entries would run.
enum class EntryLoop : std::uint8_t {
  Any,           ///< anywhere
  Slow,          ///< a slow function of short rows: where all entries of all rows are one loop
  WholeRows,     ///< it sees whole rows: not where such a loop is
  SharedMatrix,  ///< a matrix that rows share: one of them a kernel, which runs blocks of rows
};

/// An op that needs a kernel.
struct GroupRequest {
  std::uint32_t rows = 0;  ///< of its loop
  std::span<const RowRead> reads;
  EntryLoop loop = EntryLoop::Any;
  std::uint32_t stage = 0;
  /// The only segments around whose members it may be computed; null: any.
  const Segments* within = nullptr;
  /// Of `reads` the one whose entries are read by what computes others (moved_read); kNone: none.
  std::uint32_t moved = kNone;
};

/// Of an op's reads the one whose entries are read in other places than they were computed in, if
/// it is long: a thread of a GPU, which computes a few of them, gets the others from memory in less
/// time than from the threads that have them. kNone if the rows are short.
[[nodiscard]] std::uint32_t moved_read(std::uint32_t read, Shape from, Shape to);

struct GroupChoice {
  GroupIndex group = kNone;  ///< kNone: a new one
  KernelSpace space = KernelSpace::Row;
  std::uint32_t level = 1;      ///< the group's, from then on
  bool begins_phase = false;    ///< of members
  bool takes_segments = false;  ///< the group's rows become members
};

/// Whether a loop of a group has what is read there as a node.
[[nodiscard]] bool has_node(const Grouping& grouping, GroupIndex group, KernelSpace space,
                            const RowRead& read);

class GroupChooser {
 public:
  GroupChooser(const PlanOptions& options, const Grouping& grouping)
      : options_(options), grouping_(grouping) {}

  /// For an op that is computed row by row (or member by member).
  [[nodiscard]] GroupChoice choose(const GroupRequest& request) const;
  /// For an op over segments: `members` is computed in the group, becomes its members, or is
  /// loaded.
  [[nodiscard]] GroupChoice choose_of_members(const GroupRequest& request, const RowRead& members,
                                              const Segments& segments) const;
  /// By itself.
  [[nodiscard]] GroupChoice choose_new(std::span<const RowRead> reads) const;

 private:
  /// For entries of rows that no group computes: one that loads some of them, too, if they are
  /// long, and would run at the same time; else a new one.
  [[nodiscard]] GroupChoice choose_beside(const GroupRequest& request) const;
  /// For members that no group computes: one that loads long rows of them, for the same segments.
  [[nodiscard]] std::optional<GroupChoice> choose_beside_members(const GroupRequest& request) const;
  /// Whether the group that `choice` names may take the op in; its level follows.
  [[nodiscard]] bool joins(GroupChoice& choice, const GroupRequest& request) const;
  [[nodiscard]] bool are_same(const Segments& a, const Segments& b) const;
  [[nodiscard]] bool begins_phase(const GroupChoice& choice, std::span<const RowRead> reads) const;
  [[nodiscard]] bool takes_segments(const KernelGroup& group, std::uint32_t stage) const;
  [[nodiscard]] bool leaves_threads_idle(const KernelGroup& group, const Segments& segments) const;
  [[nodiscard]] bool runs_in_blocks(const KernelGroup& group) const;

  const PlanOptions& options_;
  const Grouping& grouping_;
};

}  // namespace vecc
