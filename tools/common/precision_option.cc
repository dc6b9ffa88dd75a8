#include "tools/common/precision_option.h"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "src/support/enum_names.h"

namespace vecc::tools {

void add_precision_option(CLI::App& app, std::function<void(MatmulPrecision)> take) {
  app.add_option_function<std::string>(
         "--matmul-precision",
         [take = std::move(take)](const std::string& text) {
           if (const auto precision = parse_matmul_precision(text)) take(*precision);
         },
         "How a GPU multiplies matrices of f32 numbers. exact: in f32; tf32x3: large ones on its "
         "tensor cores, each number as two of TF32, which leaves out 2^-20 of a product; tf32, "
         "bf16: products of 32 entries and more there, operands rounded to 10 or 7 bits behind the "
         "leading one, sums in f32. Needs --backend=cuda")
      ->check(CLI::IsMember(names_of<MatmulPrecision>()).description(""))
      ->type_name(names_text<MatmulPrecision>("|"))
      ->default_str("exact");
}

}  // namespace vecc::tools
