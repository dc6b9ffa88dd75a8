// What backends without tensor cores refuse.
#pragma once

#include <string>

#include "vecc/backend.h"

namespace vecc {

/// Error: BackendUnsupported, of products that are not exact.
[[nodiscard]] inline Result<void> check_exact(const ExecutionOptions& options,
                                              const std::string& backend) {
  if (options.precision == MatmulPrecision::Exact) return {};
  return Errors(ErrorCode::BackendUnsupported, backend,
                "--matmul-precision=" + std::string(text_of(options.precision)) +
                    ": only the cuda backend has products in it");
}

}  // namespace vecc
