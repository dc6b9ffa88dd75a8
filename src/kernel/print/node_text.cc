#include "src/kernel/print/node_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace vecc {

std::string NodeText::entry(std::uint32_t number) const {
  if (size(number) == 1) return fmt::format("v{}", number);
  if (node(number).kind == KernelNode::Kind::Load) {
    if (!whole_ && moves_packs(node(number).access)) return fmt::format("h{}[j]", number);
    return fmt::format("v{}[i]", number);
  }
  if (whole_) return fmt::format("x{}[i]", number);
  if (node(number).kind == KernelNode::Kind::Reduce || is_in_array(number)) {
    return fmt::format("v{}{}", number, place());
  }
  return fmt::format("e{}", number);
}

std::string NodeText::pointer(std::uint32_t number) const {
  const char* row = whole_ && is_shared_out(number) ? "x" : "v";
  return (size(number) == 1 ? "&" : "") + std::string(row) + std::to_string(number);
}

bool NodeText::is_in_array(std::uint32_t number) const {
  return std::ranges::binary_search(schedule_.arrays, number);
}

bool NodeText::is_shared_out(std::uint32_t number) const {
  return size(number) > 1 && node(number).kind != KernelNode::Kind::Load;
}

std::string NodeText::row_of(std::uint32_t access, const std::string& counter) const {
  switch (kernel_.accesses[access].map) {
    case RowMap::Direct: return counter;
    case RowMap::List: return fmt::format("l{}[{}]", access, counter);
    case RowMap::One: return "0";
    case RowMap::Tile: return "type";
  }
  return counter;
}

std::string NodeText::row_pointer(std::uint32_t access, const std::string& counter,
                                  std::uint64_t entries) const {
  return fmt::format("d{} + size_t({}) * {}", access, row_of(access, counter), entries);
}

}  // namespace vecc
