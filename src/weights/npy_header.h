// The header of a .npy file: a Python dictionary as text.
//
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <string_view>
#include <vector>

#include "vecc/weights.h"

namespace vecc::weights {

struct NpyHeader {
  ElementType type = ElementType::F64;
  bool big_endian = false;
  bool fortran_order = false;  ///< the first index runs fastest
  std::vector<std::uint64_t> shape;
};

/// Errors: BadWeightFile (no such dictionary), UnreadWeights (object arrays, structured and other
/// types), DuplicateName; their places are empty.
[[nodiscard]] Result<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace vecc::weights
