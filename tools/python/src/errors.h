// Results and Python: bad input becomes vecc.Error, a signal KeyboardInterrupt. What runs without
// the interpreter's lock throws C++ exceptions, which are translated when it is taken again.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "vecc/error.h"

namespace vecc::python_package {

namespace nb = nanobind;

/// Becomes vecc.Error.
class ErrorsRaised : public std::exception {
 public:
  explicit ErrorsRaised(Errors errors) : errors_(std::move(errors)) {}
  [[nodiscard]] const char* what() const noexcept override { return "vecc.Error"; }
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  Errors errors_;
};

[[noreturn]] void raise_usage(const std::string& place, const std::string& message);

/// The value, or ErrorsRaised.
template <class T>
T take(Result<T> result) {
  if (!result) throw ErrorsRaised(result.error());
  return std::move(*result);
}
inline void take(const Result<void>& result) {
  if (!result) throw ErrorsRaised(result.error());
}

/// Runs `body` without the interpreter's lock: other Python threads go on. It must not touch
/// Python.
template <class Body>
auto without_lock(Body&& body) {
  const nb::gil_scoped_release released;
  return std::forward<Body>(body)();
}

/// From without the lock: lets Python's signal handlers run, and throws what they raise
/// (KeyboardInterrupt).
void check_signals();

/// How vecc.Error is raised.
void bind_errors();

}  // namespace vecc::python_package
