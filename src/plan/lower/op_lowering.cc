#include "src/plan/lower/op_lowering.h"

#include <vector>

namespace vecc {

KernelBuilder OpLowering::begin_rows(std::uint32_t rows, std::span<const RowRead> reads,
                                     EntryLoop loop, std::uint32_t moved) const {
  const GroupChoice choice =
      GroupChooser(options, grouping).choose({rows, reads, loop, stage, within, moved});
  if (choice.group == kNone) return builder(add_group(rows, choice), KernelSpace::Row);
  KernelBuilder kernel = builder(choice.group, choice.space);
  kernel.group().level = choice.level;
  if (choice.begins_phase) kernel.begin_members();
  return kernel;
}

KernelBuilder OpLowering::begin_new_rows(std::uint32_t rows, std::span<const RowRead> reads) const {
  return builder(add_group(rows, GroupChooser(options, grouping).choose_new(reads)),
                 KernelSpace::Row);
}

KernelBuilder OpLowering::begin_members(const RowRead& members, const Segments& segments,
                                        std::uint32_t rows, std::span<const RowRead> others) const {
  std::vector<RowRead> reads(others.begin(), others.end());
  reads.push_back(members);
  const std::uint32_t count = row_count(members);
  const GroupChoice choice =
      GroupChooser(options, grouping)
          .choose_of_members({count, reads, EntryLoop::WholeRows, stage}, members, segments);
  if (choice.group == kNone) return begin_new_members(count, segments, rows, reads);
  KernelBuilder kernel = builder(choice.group, KernelSpace::Member);
  KernelGroup& group = kernel.group();
  group.level = choice.level;
  if (choice.begins_phase) kernel.begin_members();
  if (choice.takes_segments) {
    group.become_members(segments, rows);
    for (const auto& [value, node] : group.values()) grouping.values.become_member(value);
  }
  return kernel;
}

KernelBuilder OpLowering::begin_new_members(std::uint32_t members, const Segments& segments,
                                            std::uint32_t rows,
                                            std::span<const RowRead> reads) const {
  const GroupChoice choice = GroupChooser(options, grouping).choose_new(reads);
  KernelBuilder kernel = builder(add_group(rows, choice), KernelSpace::Member);
  kernel.group().set_segments(segments, members);
  return kernel;
}

}  // namespace vecc
