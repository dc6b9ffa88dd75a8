// Errors of one import, up to a limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "vecc/error.h"

namespace vecc::graph_io {

/// Collects diagnostics; those beyond the limit (at least one is kept) are only counted.
class ErrorList {
 public:
  explicit ErrorList(std::uint64_t limit) : limit_(std::max<std::uint64_t>(limit, 1)) {}

  void add(ErrorCode code, std::string place, std::string message) {
    ++count_;
    if (full()) {
      errors_.omit(1);
    } else {
      errors_.add(code, std::move(place), std::move(message));
    }
  }
  /// Counts an error that full() said needs no text.
  void omit() {
    ++count_;
    errors_.omit(1);
  }
  /// Adds another's diagnostics.
  void add(const Errors& errors) {
    for (const Diagnostic& d : errors.list()) add(d.code, d.place, d.message);
    errors_.omit(errors.omitted());
    count_ += errors.omitted();
  }
  /// Whether further errors are only counted: building their text would be in vain.
  [[nodiscard]] bool full() const { return errors_.list().size() >= limit_; }
  /// Errors so far, those beyond the limit included.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  Errors errors_;
  std::uint64_t limit_;
  std::uint64_t count_ = 0;
};

}  // namespace vecc::graph_io
