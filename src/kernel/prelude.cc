// The texts are put together when the build is configured.
#include "src/kernel/prelude.h"

namespace vecc {

std::string_view kernel_prelude() {
  static constexpr std::string_view text =
#include "prelude_text.inc"
      ;
  return text;
}

std::string_view device_prelude() {
  static constexpr std::string_view text =
#include "device_prelude_text.inc"
      ;
  return text;
}

std::string_view tensor_core_prelude() {
  static constexpr std::string_view text =
#include "tensor_core_prelude_text.inc"
      ;
  return text;
}

std::string_view series_prelude() {
  static constexpr std::string_view text =
#include "series_prelude_text.inc"
      ;
  return text;
}

std::string_view batch_prelude() {
  static constexpr std::string_view text =
#include "batch_prelude_text.inc"
      ;
  return text;
}

std::string_view number_prelude() {
  static constexpr std::string_view text =
#include "number_prelude_text.inc"
      ;
  return text;
}

}  // namespace vecc
