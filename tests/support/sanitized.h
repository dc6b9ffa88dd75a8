// Whether this is compiled with a sanitizer: everything takes longer, and memory is its own.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VECC_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VECC_IS_SANITIZED 1
#endif
#endif

namespace vecc::test {

#if defined(VECC_IS_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace vecc::test
