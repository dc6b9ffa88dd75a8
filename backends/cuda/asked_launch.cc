#include "backends/cuda/asked_launch.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "vecc/escape.h"

namespace vecc::cuda {

Result<AskedLaunch> asked_launch(CudaLaunch launch) {
  if (launch != CudaLaunch::Auto) return AskedLaunch{launch, 0};
  const char* const variable = std::getenv("VECC_CUDA_LAUNCH");
  if (variable == nullptr || *variable == '\0') return AskedLaunch{};
  const std::string_view text = variable;
  const std::size_t colon = text.find(':');
  const auto named = parse_cuda_launch(text.substr(0, colon));
  if (named && colon == std::string_view::npos) return AskedLaunch{*named, 0};
  if (named && *named != CudaLaunch::Auto && *named != CudaLaunch::Graph) {
    std::uint32_t blocks = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + colon + 1, end, blocks);
    if (error == std::errc() && last == end && blocks > 0) return AskedLaunch{*named, blocks};
  }
  return Errors(ErrorCode::Usage, "VECC_CUDA_LAUNCH",
                "\"" + escape_terminal(text) +
                    "\", expected auto, graph, grid, cluster or parts, or grid:N, cluster:N, "
                    "parts:N with a number of blocks");
}

}  // namespace vecc::cuda
