#include "src/kernel/group_product.h"

#include <fmt/format.h>

namespace vecc {

std::string group_product_text(std::uint32_t columns) {
  const std::uint32_t sums = columns / 2;
  std::string registers;
  std::string operands;
  for (std::uint32_t n = 0; n < sums; ++n) {
    const char* const comma = n == 0 ? "" : ", ";
    registers += fmt::format("{}%{}", comma, n);
    operands += fmt::format("{}\"+f\"(sums[{}])", comma, n);
  }
  return fmt::format(R"(#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
namespace vecc_kernel {{
template <unsigned kColumns>
struct GroupProduct;
template <>
struct GroupProduct<{0}> {{
  template <bool kAdds>
  static __device__ __forceinline__ void run(const unsigned* rows, unsigned long long columns,
                                             float* sums) {{
    asm volatile(
        "{{\n.reg .pred adds;\nsetp.ne.b32 adds, %{6}, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n{0}k8.f32.tf32.tf32 "
        "{{{7}}}, {{%{1}, %{2}, %{3}, %{4}}}, %{5}, adds, 1, 1;\n}}\n"
        : {8}
        : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "l"(columns),
          "n"(int(kAdds)));
  }}
}};
}}  // namespace vecc_kernel
#endif
)",
                     columns, sums, sums + 1, sums + 2, sums + 3, sums + 4, sums + 5, registers,
                     operands);
}

}  // namespace vecc
