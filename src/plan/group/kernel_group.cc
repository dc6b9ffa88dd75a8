#include "src/plan/group/kernel_group.h"

#include <algorithm>
#include <utility>

namespace vecc {
namespace {

// A small number of members is a constant of the kernel, so that its loop unrolls.
constexpr std::uint32_t kConstantMembers = 4;

bool makes_row(KernelNode::Kind kind) {
  return kind == KernelNode::Kind::Reduce || kind == KernelNode::Kind::ReduceArg ||
         kind == KernelNode::Kind::Threshold;
}

}  // namespace

KernelNode node_of(KernelNode::Kind kind, Shape shape, std::initializer_list<NodeIndex> operands) {
  KernelNode node;
  node.kind = kind;
  node.shape = shape;
  node.operands.assign(operands.begin(), operands.end());
  return node;
}

std::size_t KernelGroup::AccessHash::operator()(const GroupAccess& access) const noexcept {
  std::size_t hash = access.value;
  for (const std::uint64_t word : {std::uint64_t{access.first_row}, std::uint64_t{access.list},
                                   static_cast<std::uint64_t>(access.access.space) * 8 +
                                       static_cast<std::uint64_t>(access.access.map)}) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  }
  return hash ^ (hash >> 32);
}

KernelGroup::KernelGroup(DType dtype, std::uint32_t rows, std::uint32_t stage)
    : rows_(rows), stage_(stage), open_(std::make_unique<Open>()) {
  open_->kernel.dtype = dtype;
}

void KernelGroup::seal(KernelSet<GroupKernel>& shared) {
  if (!open_) return;
  const auto own = [&]() -> GroupKernel { return std::move(*open_); };
  shared_ = &shared.find(open_->kernel, own);
  open_.reset();
  accesses_.shrink_to_fit();
  values_.shrink_to_fit();
}

KernelGroup::Open& KernelGroup::open() {
  if (!open_) open_ = std::make_unique<Open>(Open{*shared_, {}, /*knows_loads=*/false});
  return *open_;
}

void KernelGroup::find_loads(Open& own) const {
  if (std::exchange(own.knows_loads, true)) return;
  for (NodeIndex number = 0; number < own.kernel.nodes.size(); ++number) {
    const KernelNode& node = own.kernel.nodes[number];
    if (node.kind != KernelNode::Kind::Load) continue;
    own.loads.insert_or_assign(accesses_[node.access], number);
  }
}

void KernelGroup::set_segments(const Segments& segments, std::uint32_t members) {
  VECC_CHECK(!has_segments(), "a group gets segments a second time");
  Kernel& kernel = open().kernel;
  segments_ = segments;
  members_ = members;
  kernel.segments = !segments.is_fixed()        ? KernelSegments::Ragged
                    : segments.dimension() == 2 ? KernelSegments::Fixed
                                                : KernelSegments::Strided;
  if (segments.is_fixed() && segments.members() <= kConstantMembers) {
    kernel.members = segments.members();
  }
}

void KernelGroup::become_members(const Segments& segments, std::uint32_t rows) {
  set_segments(segments, rows_);
  rows_ = rows;
  Open& own = open();
  for (KernelAccess& access : own.kernel.accesses) access.space = KernelSpace::Member;
  for (GroupAccess& access : accesses_) access.access.space = KernelSpace::Member;
  for (KernelPhase& phase : own.kernel.phases) phase.space = KernelSpace::Member;
  std::ranges::fill(own.spaces, KernelSpace::Member);
  find_loads(own);
  decltype(own.loads) loads;
  for (const auto& [access, node] : own.loads) {
    GroupAccess moved = access;
    moved.access.space = KernelSpace::Member;
    loads.emplace(moved, node);
  }
  own.loads = std::move(loads);
}

void KernelGroup::begin_phase(KernelSpace space, bool reversed) {
  open().kernel.phases.push_back({space, reversed, {}});
}

NodeIndex KernelGroup::add(KernelNode node, KernelSpace space, bool alone) {
  const bool reduces = makes_row(node.kind);
  const KernelSpace loop = reduces ? KernelSpace::Member : space;
  Open& own = open();
  Kernel& kernel = own.kernel;
  if (kernel.phases.empty() || kernel.phases.back().space != loop || alone) begin_phase(loop);
  const auto number = static_cast<NodeIndex>(kernel.nodes.size());
  kernel.nodes.push_back(std::move(node));
  kernel.phases.back().steps.push_back({false, number});
  own.spaces.push_back(reduces ? KernelSpace::Row : space);
  own.phases.push_back(static_cast<std::uint32_t>(kernel.phases.size() - 1));
  return number;
}

bool KernelGroup::is_visible(NodeIndex node, KernelSpace space) const {
  const auto& [kernel, spaces, phases] = whole();
  const auto last = static_cast<std::uint32_t>(kernel.phases.size() - 1);
  const bool same_phase = phases[node] == last && kernel.phases[last].space == space;
  if (spaces[node] == KernelSpace::Member) return space == KernelSpace::Member && same_phase;
  // What members make together is there after their phase.
  return !makes_row(kernel.nodes[node].kind) || !same_phase;
}

NodeIndex KernelGroup::load(const GroupAccess& access) {
  Open& own = open();
  find_loads(own);
  const KernelSpace space = access.access.space;
  const auto found = own.loads.find(access);
  if (found != own.loads.end() && is_visible(found->second, space)) return found->second;
  KernelNode node = node_of(KernelNode::Kind::Load, access.access.shape);
  if (found != own.loads.end()) {
    node.access = own.kernel.nodes[found->second].access;
  } else {
    node.access = static_cast<std::uint32_t>(accesses_.size());
    own.kernel.accesses.push_back(access.access);
    accesses_.push_back(access);
  }
  const NodeIndex number = add(std::move(node), space);
  own.loads.insert_or_assign(access, number);
  return number;
}

NodeIndex KernelGroup::constant(double value, KernelSpace space) {
  KernelNode node = node_of(KernelNode::Kind::Constant, Shape::scalar());
  node.constant = value;
  return add(std::move(node), space);
}

KernelStep KernelGroup::add_store(NodeIndex node, GroupAccess access) {
  Kernel& kernel = open().kernel;
  access.access.store = true;
  access.access.shape = shape_of(node);
  access.access.space = space_of(node);
  const auto number = static_cast<std::uint32_t>(kernel.stores.size());
  kernel.stores.push_back({static_cast<std::uint32_t>(accesses_.size()), node});
  kernel.accesses.push_back(access.access);
  accesses_.push_back(access);
  return {true, number};
}

void KernelGroup::store(NodeIndex node, GroupAccess access) {
  const KernelStep store = add_store(node, access);
  // After the node; what members reduce to, in the first row phase after theirs.
  auto& [kernel, spaces, phases] = static_cast<GroupKernel&>(open());
  const bool late = makes_row(kernel.nodes[node].kind);
  std::uint32_t phase = phases[node];
  if (late) {
    for (++phase; phase < kernel.phases.size(); ++phase) {
      if (kernel.phases[phase].space == KernelSpace::Row) break;
    }
    if (phase == kernel.phases.size()) begin_phase(KernelSpace::Row);
  }
  auto& steps = kernel.phases[phase].steps;
  const auto at = late ? steps.begin() : std::ranges::find_if(steps, [&](const KernelStep& step) {
                                           return !step.store && step.number == node;
                                         }) + 1;
  steps.insert(at, store);
}

void KernelGroup::store_last(NodeIndex node, GroupAccess access) {
  VECC_CHECK(space_of(node) == KernelSpace::Row, "a member's value is stored behind all of a row");
  const KernelStep store = add_store(node, access);
  if (kernel().phases.back().space != KernelSpace::Row) begin_phase(KernelSpace::Row);
  open().kernel.phases.back().steps.push_back(store);
}

void KernelGroup::note_op(ValueId op) {
  if (ops_.empty() || ops_.back() != op) ops_.push_back(op);
}

std::uint32_t KernelGroup::add_words(ArrayIndex words) {
  words_.push_back(words);
  return open().kernel.word_slots++;
}

}  // namespace vecc
