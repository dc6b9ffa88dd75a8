#include "src/program/forward.h"

#include <algorithm>

#include "src/program/value_indices.h"

namespace vecc {

bool is_forward(const Program& program) {
  return std::ranges::none_of(program.ops(), [](const Op& op) {
    const OpKind kind = op.kind();
    return kind == OpKind::Contract || kind == OpKind::Vjp || kind == OpKind::State ||
           kind == OpKind::Update || has_value_index(op);
  });
}

}  // namespace vecc
