#include "src/plan/kernel_group.h"

#include <algorithm>

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

std::size_t KernelGroup::KeyHash::operator()(const LoadKey& key) const noexcept {
  std::size_t hash = key.value;
  for (const std::uint64_t part :
       {std::uint64_t{key.first_row}, std::uint64_t{key.list},
        static_cast<std::uint64_t>(key.space) * 8 + static_cast<std::uint64_t>(key.map)}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
  }
  return hash ^ (hash >> 32);
}

void KernelGroup::set_segments(const Segments& segments, std::uint32_t members) {
  VECC_CHECK(!has_segments(), "segments once");
  segments_ = segments;
  members_ = members;
  kernel_.segments = !segments.is_fixed()        ? KernelSegments::Ragged
                     : segments.dimension() == 2 ? KernelSegments::Fixed
                                                 : KernelSegments::Strided;
  if (segments.is_fixed() && segments.members() <= kConstantMembers) {
    kernel_.members = segments.members();
  }
}

void KernelGroup::become_members(const Segments& segments, std::uint32_t rows) {
  set_segments(segments, rows_);
  rows_ = rows;
  for (KernelAccess& access : kernel_.accesses) access.space = KernelSpace::Member;
  for (GroupAccess& access : accesses_) access.access.space = KernelSpace::Member;
  for (KernelPhase& phase : kernel_.phases) phase.space = KernelSpace::Member;
  std::ranges::fill(spaces_, KernelSpace::Member);
  decltype(loads_) loads;
  for (const auto& [key, node] : loads_) {
    LoadKey moved = key;
    moved.space = KernelSpace::Member;
    loads.emplace(moved, node);
  }
  loads_ = std::move(loads);
}

void KernelGroup::begin_phase(KernelSpace space, bool reversed) {
  kernel_.phases.push_back({space, reversed, {}});
}

NodeIndex KernelGroup::add(KernelNode node, KernelSpace space, bool alone) {
  const bool reduces = makes_row(node.kind);
  const KernelSpace loop = reduces ? KernelSpace::Member : space;
  if (kernel_.phases.empty() || kernel_.phases.back().space != loop || alone) begin_phase(loop);
  const auto number = static_cast<NodeIndex>(kernel_.nodes.size());
  kernel_.nodes.push_back(std::move(node));
  kernel_.phases.back().steps.push_back({false, number});
  spaces_.push_back(reduces ? KernelSpace::Row : space);
  phases_.push_back(static_cast<std::uint32_t>(kernel_.phases.size() - 1));
  return number;
}

bool KernelGroup::is_visible(NodeIndex node, KernelSpace space) const {
  const auto last = static_cast<std::uint32_t>(kernel_.phases.size() - 1);
  const bool same_phase = phases_[node] == last && kernel_.phases[last].space == space;
  if (spaces_[node] == KernelSpace::Member) return space == KernelSpace::Member && same_phase;
  // What members make together is there after their phase.
  return !makes_row(kernel_.nodes[node].kind) || !same_phase;
}

NodeIndex KernelGroup::load(const LoadKey& key) {
  const auto found = loads_.find(key);
  if (found != loads_.end() && is_visible(found->second, key.space)) return found->second;
  KernelNode node;
  node.kind = KernelNode::Kind::Load;
  node.shape = key.shape;
  if (found != loads_.end()) {
    node.access = kernel_.nodes[found->second].access;
  } else {
    node.access = static_cast<std::uint32_t>(accesses_.size());
    GroupAccess access{{false, key.space, key.map, key.shape}, key.value, key.first_row, key.list};
    kernel_.accesses.push_back(access.access);
    accesses_.push_back(access);
  }
  const NodeIndex number = add(std::move(node), key.space);
  loads_.insert_or_assign(key, number);
  return number;
}

NodeIndex KernelGroup::constant(double value, KernelSpace space) {
  KernelNode node;
  node.kind = KernelNode::Kind::Constant;
  node.constant = value;
  return add(std::move(node), space);
}

KernelStep KernelGroup::add_store(NodeIndex node, GroupAccess access) {
  access.access.store = true;
  access.access.shape = shape_of(node);
  access.access.space = spaces_[node];
  const auto number = static_cast<std::uint32_t>(kernel_.stores.size());
  kernel_.stores.push_back({static_cast<std::uint32_t>(accesses_.size()), node});
  kernel_.accesses.push_back(access.access);
  accesses_.push_back(access);
  return {true, number};
}

void KernelGroup::store(NodeIndex node, GroupAccess access) {
  const KernelStep store = add_store(node, access);
  // After the node; what members reduce to, in the first row phase after theirs.
  const bool late = makes_row(kernel_.nodes[node].kind);
  std::uint32_t phase = phases_[node];
  if (late) {
    for (++phase; phase < kernel_.phases.size(); ++phase) {
      if (kernel_.phases[phase].space == KernelSpace::Row) break;
    }
    if (phase == kernel_.phases.size()) begin_phase(KernelSpace::Row);
  }
  auto& steps = kernel_.phases[phase].steps;
  const auto at = late ? steps.begin() : std::ranges::find_if(steps, [&](const KernelStep& step) {
                                           return !step.store && step.number == node;
                                         }) + 1;
  steps.insert(at, store);
}

void KernelGroup::store_last(NodeIndex node, GroupAccess access) {
  VECC_CHECK(spaces_[node] == KernelSpace::Row, "a row's value");
  const KernelStep store = add_store(node, access);
  if (kernel_.phases.back().space != KernelSpace::Row) begin_phase(KernelSpace::Row);
  kernel_.phases.back().steps.push_back(store);
}

std::uint32_t KernelGroup::add_words(ArrayIndex words) {
  words_.push_back(words);
  kernel_.word_slots = static_cast<std::uint32_t>(words_.size());
  return kernel_.word_slots - 1;
}

}  // namespace vecc
