#include "src/plan/group/kernel_set.h"

#include "src/support/hash128.h"

namespace vecc {
namespace {

std::uint64_t word_of(Shape shape) {
  return shape.is_scalar() ? 0 : std::uint64_t{shape.rows()} << 32 | shape.cols();
}

std::uint64_t word_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

void add(Hash128& hash, const KernelNode& node) {
  hash.add(word_of(static_cast<std::uint32_t>(node.kind), node.access));
  hash.add(word_of(node.shape));
  for (const std::uint32_t operand : node.operands) hash.add(std::uint64_t{operand});
  hash.add(word_of(static_cast<std::uint32_t>(node.transformation.id),
                   static_cast<std::uint32_t>(node.combination)));
  // 0.0 and -0.0 are equal.
  hash.add(node.constant == 0 ? 0.0 : node.constant);
}

}  // namespace

std::uint64_t hash_of(const Kernel& kernel) {
  Hash128 hash;
  hash.add(word_of(static_cast<std::uint32_t>(kernel.segments), kernel.members));
  for (const KernelAccess& access : kernel.accesses) {
    hash.add(word_of(access.shape));
    hash.add(
        word_of(static_cast<std::uint32_t>(access.map),
                4 * static_cast<std::uint32_t>(access.space) + 2u * access.store + access.aligned));
  }
  for (const KernelNode& node : kernel.nodes) add(hash, node);
  for (const KernelStore& store : kernel.stores) {
    hash.add(word_of(store.access, store.value));
    hash.add(std::uint64_t{store.first});
  }
  for (const KernelPhase& phase : kernel.phases) {
    hash.add(word_of(static_cast<std::uint32_t>(phase.space),
                     static_cast<std::uint32_t>(phase.steps.size())));
  }
  hash.add(std::uint64_t{kernel.reloads} * 4 + std::uint64_t{kernel.in_place} * 2 +
           std::uint64_t{kernel.ordered});
  return hash.low();
}

}  // namespace vecc
