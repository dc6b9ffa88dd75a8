// A kernel while ops are added to it: nodes, what they load, and which values they make.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/plan/group/kernel_set.h"
#include "vecc/plan.h"

namespace vecc {

using GroupIndex = std::uint32_t;
using NodeIndex = std::uint32_t;

/// A node with nothing else set.
[[nodiscard]] KernelNode node_of(KernelNode::Kind kind, Shape shape,
                                 std::initializer_list<NodeIndex> operands = {});

/// What a load reads, or where a store goes: rows of a value, or of a temporary.
struct GroupAccess {
  KernelAccess access;
  ValueId value = 0;
  std::uint32_t first_row = 0;
  ArrayIndex list = kNone;
  bool operator==(const GroupAccess&) const = default;
};

/// A kernel, and where its nodes stand: what groups may share.
struct GroupKernel {
  Kernel kernel;
  std::vector<KernelSpace> spaces;    ///< by node
  std::vector<std::uint32_t> phases;  ///< by node
};

class KernelGroup {
 public:
  /// An empty one, whose kernel must not be asked for.
  KernelGroup() = default;
  KernelGroup(DType dtype, std::uint32_t rows, std::uint32_t stage);

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t stage() const { return stage_; }
  [[nodiscard]] bool has_segments() const { return segments_.has_value(); }
  [[nodiscard]] const std::optional<Segments>& segments() const { return segments_; }
  [[nodiscard]] std::uint32_t members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return kernel().nodes.size(); }
  [[nodiscard]] const Kernel& kernel() const { return whole().kernel; }
  [[nodiscard]] const std::vector<GroupAccess>& accesses() const { return accesses_; }
  /// Whether it stores any rows so far.
  [[nodiscard]] bool stores() const { return !kernel().stores.empty(); }

  [[nodiscard]] bool is_empty() const { return open_ == nullptr && shared_ == nullptr; }
  /// Shares the kernel with all groups that have an equal one, from `shared`, which outlives it:
  /// for groups that little is added to from here on. What is added opens the group again.
  void seal(KernelSet<GroupKernel>& shared);
  /// The kernel, no longer the group's: nothing may be asked about it or added any more.
  [[nodiscard]] Kernel take_kernel() { return std::move(open().kernel); }

  /// Rows become members of `segments`, `rows` of them; what was a row's is now a member's.
  void become_members(const Segments& segments, std::uint32_t rows);
  /// The same of a group that has nothing yet.
  void set_segments(const Segments& segments, std::uint32_t members);

  /// A node at the end of the last phase if that is of `space`, else of a new one. `alone`: in a
  /// phase that begins with it.
  NodeIndex add(KernelNode node, KernelSpace space, bool alone = false);
  /// A phase that the next node of this space stands in.
  void begin_phase(KernelSpace space, bool reversed = false);
  /// A load: one that is there and can be seen from the end, or a new one.
  NodeIndex load(const GroupAccess& access);
  NodeIndex constant(double value, KernelSpace space);
  /// Whether a node added now in `space` may read `node`.
  [[nodiscard]] bool is_visible(NodeIndex node, KernelSpace space) const;
  [[nodiscard]] KernelSpace space_of(NodeIndex node) const { return whole().spaces[node]; }
  [[nodiscard]] Shape shape_of(NodeIndex node) const { return kernel().nodes[node].shape; }
  /// `node`'s value goes to an access; right after the node itself.
  void store(NodeIndex node, GroupAccess access);
  /// The same of a row's value, behind all that is there.
  void store_last(NodeIndex node, GroupAccess access);
  /// It computes some of the op.
  void note_op(ValueId op);
  /// Of the Program, in its order.
  [[nodiscard]] const ShortList& ops() const { return ops_; }
  /// A node is this value.
  void add_value(ValueId value, NodeIndex node) { values_.emplace_back(value, node); }
  [[nodiscard]] const std::vector<std::pair<ValueId, NodeIndex>>& values() const { return values_; }
  /// The slot of words that differ from row to row.
  std::uint32_t add_words(ArrayIndex words);
  [[nodiscard]] const ShortList& words() const { return words_; }

  std::uint32_t level = 1;
  bool frozen = false;     ///< what it makes is read outside: its level is settled
  bool closed = false;     ///< no other op joins it: blocks of threads share its matrix
  bool is_recent = false;  ///< ops were added to it lately (KernelGroups)
  /// Rows come in the order of their types (RowMap::Tile); this list has them.
  ArrayIndex types = kNone;

 private:
  struct AccessHash {
    std::size_t operator()(const GroupAccess& access) const noexcept;
  };

  /// While ops are added.
  struct Open : GroupKernel {
    boost::unordered_flat_map<GroupAccess, NodeIndex, AccessHash> loads;  ///< the latest of each
    bool knows_loads = true;
  };

  [[nodiscard]] const GroupKernel& whole() const { return open_ ? *open_ : *shared_; }
  /// To add to.
  Open& open();
  void find_loads(Open& own) const;
  KernelStep add_store(NodeIndex node, GroupAccess access);

  std::uint32_t rows_ = 0;
  std::uint32_t stage_ = 0;
  std::uint32_t members_ = 0;  // of all segments together
  std::optional<Segments> segments_;
  std::unique_ptr<Open> open_;  // one of both
  const GroupKernel* shared_ = nullptr;
  std::vector<GroupAccess> accesses_;
  ShortList words_;
  ShortList ops_;
  std::vector<std::pair<ValueId, NodeIndex>> values_;
};

}  // namespace vecc
