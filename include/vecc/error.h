// Failures, of two kinds that are never mixed.
//
// Bad input is a value: a function that can meet it returns Result<T>, which holds either a T or
// an Errors: a list of diagnostics, each with the place, what was found and what was expected.
// A bug of vecc's own is VECC_CHECK: on in release builds, it throws InternalError, which no
// library code catches.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace vecc {

/// The exit code a program ends with; one per kind of failure.
enum class ExitCode : int {
  Ok = 0,
  Internal = 1,
  Usage = 2,
  BadInput = 3,
  Limit = 4,
  Device = 5,
  Numeric = 6,
  Interrupted = 130,
};

/// Stable error numbers, printed as [E012]: error_codes.def; docs/errors.md explains them.
enum class ErrorCode : std::uint16_t {
#define VECC_ERROR(enumerator, number, exit, title) enumerator = number,
#include "vecc/error_codes.def"
#undef VECC_ERROR
};

/// One message: `place: error: message [E012]`.
/// `place` says where: file, group, neuron, input (`graph.pb: group 3 "layer_1", neuron 345`).
/// Strings that come from a file are escaped before they get here (see escape.h).
struct Diagnostic {
  ErrorCode code;
  std::string place;
  std::string message;
};

/// The exit code that belongs to an error number.
[[nodiscard]] ExitCode exit_code_of(ErrorCode code);

/// A short title of an error number, as docs/errors.md lists it ("dangling reference").
[[nodiscard]] std::string_view title_of(ErrorCode code);

/// A non-empty list of diagnostics. `omitted` counts errors found beyond the limit.
class Errors {
 public:
  Errors();
  Errors(ErrorCode code, std::string place, std::string message);
  // In error.cc: every function that passes errors on has them, in every file.
  Errors(const Errors& other);
  Errors(Errors&& other) noexcept;
  Errors& operator=(const Errors& other);
  Errors& operator=(Errors&& other) noexcept;
  ~Errors();

  void add(ErrorCode code, std::string place, std::string message);
  void omit(std::uint64_t count) { omitted_ += count; }
  /// Puts `prefix` (a file name) before every place: `prefix: place`.
  [[nodiscard]] Errors in(std::string_view prefix) const;

  [[nodiscard]] bool empty() const { return diagnostics_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic>& list() const { return diagnostics_; }
  [[nodiscard]] std::uint64_t omitted() const { return omitted_; }
  /// The exit code of the first diagnostic.
  [[nodiscard]] ExitCode exit_code() const;
  /// One line a diagnostic, without a final newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Diagnostic> diagnostics_;
  std::uint64_t omitted_ = 0;
};

/// What `Result::value()` throws (InternalError) when the errors were not read: a bug of the
/// caller's.
[[noreturn]] void throw_unread_errors(const Errors& errors);

/// A T, or Errors: std::expected<T, Errors> of C++23, but that Errors convert to it.
template <class T>
class Result {
 public:
  using value_type = T;

  Result() = default;
  // NOLINTBEGIN(*-explicit-constructor, *-forwarding-reference-overload): `return value;` works.
  template <class U = T>
  requires(std::is_convertible_v<U, T> && !std::is_convertible_v<U, Errors> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : held_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Errors errors) : held_(std::in_place_index<1>, std::move(errors)) {}
  // NOLINTEND(*-explicit-constructor, *-forwarding-reference-overload)

  [[nodiscard]] bool has_value() const { return held_.index() == 0; }
  [[nodiscard]] explicit operator bool() const { return has_value(); }

  /// Throws InternalError if there is none.
  [[nodiscard]] const T& value() const& { return *checked().get(); }
  [[nodiscard]] T& value() & { return *checked().get(); }
  T value() && { return std::move(*checked().get()); }  // may be called for the throw alone
  /// Of a Result with a value. What a call returns gives its value away, so that a loop over
  /// `*call()` holds what it goes through.
  [[nodiscard]] const T& operator*() const& { return *get(); }
  [[nodiscard]] T& operator*() & { return *get(); }
  [[nodiscard]] T operator*() && { return std::move(*get()); }
  [[nodiscard]] const T* operator->() const { return get(); }
  [[nodiscard]] T* operator->() { return get(); }
  /// Of a Result without.
  [[nodiscard]] const Errors& error() const& { return *std::get_if<1>(&held_); }
  [[nodiscard]] Errors error() && { return std::move(*std::get_if<1>(&held_)); }

 private:
  [[nodiscard]] const T* get() const { return std::get_if<0>(&held_); }
  [[nodiscard]] T* get() { return std::get_if<0>(&held_); }
  [[nodiscard]] const Result& checked() const {
    if (!has_value()) throw_unread_errors(error());
    return *this;
  }
  [[nodiscard]] Result& checked() {
    if (!has_value()) throw_unread_errors(error());
    return *this;
  }

  std::variant<T, Errors> held_;
};

/// Nothing, or Errors.
template <>
class Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Errors errors) : errors_(std::move(errors)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return !errors_.has_value(); }
  [[nodiscard]] explicit operator bool() const { return has_value(); }
  /// Throws InternalError of errors.
  void value() const {
    if (errors_) throw_unread_errors(*errors_);
  }
  /// Of a Result without a value.
  [[nodiscard]] const Errors& error() const& { return *errors_; }
  [[nodiscard]] Errors error() && { return *std::move(errors_); }

 private:
  std::optional<Errors> errors_;
};

/// A bug of vecc's own, found by VECC_CHECK. Programs report it and exit with ExitCode::Internal.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* condition, const char* file, int line,
                             const std::string& message);

}  // namespace vecc

/// States what must hold by construction; `message` says which op or pass broke it.
#define VECC_CHECK(condition, message)                               \
  do {                                                               \
    if (!(condition)) [[unlikely]]                                   \
      ::vecc::fail_check(#condition, __FILE__, __LINE__, (message)); \
  } while (false)

/// `VECC_TRY(auto x, f())`: x = f()'s value, or returns f()'s errors from the enclosing function.
#define VECC_CONCAT_INNER(a, b) a##b
#define VECC_CONCAT(a, b) VECC_CONCAT_INNER(a, b)
#define VECC_TRY(declaration, ...) \
  VECC_TRY_IMPL(VECC_CONCAT(vecc_result_, __LINE__), declaration, __VA_ARGS__)
#define VECC_TRY_IMPL(result, declaration, ...) \
  auto result = (__VA_ARGS__);                  \
  if (!result) return result.error();           \
  declaration = std::move(*result)
/// `VECC_TRY_VOID(f())`: returns f()'s errors from the enclosing function, if any.
#define VECC_TRY_VOID(...)                                                          \
  do {                                                                              \
    if (auto vecc_result = (__VA_ARGS__); !vecc_result) return vecc_result.error(); \
  } while (false)
