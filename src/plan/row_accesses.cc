#include "src/plan/row_accesses.h"

#include <map>
#include <utility>

namespace vecc {

PlanMemory::PlanMemory(const Plan& plan) : size_(plan.arena_elements) {
  std::map<std::pair<PlanBuffer::Kind, std::uint32_t>, std::uint64_t> outside;
  for (const PlanBuffer& buffer : plan.buffers) {
    switch (buffer.kind) {
      case PlanBuffer::Kind::Arena: begins_.push_back(buffer.offset); break;
      case PlanBuffer::Kind::Constant: begins_.push_back(kNowhere); break;
      case PlanBuffer::Kind::Parameter:
      case PlanBuffer::Kind::State: {
        const auto [found, is_new] = outside.try_emplace({buffer.kind, buffer.source}, size_);
        if (is_new) size_ += buffer.elements;
        begins_.push_back(found->second);
        break;
      }
    }
  }
}

}  // namespace vecc
