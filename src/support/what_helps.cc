#include "src/support/what_helps.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vecc {

Errors say_what_helps(const Errors& errors, std::string_view way) {
  Errors result;
  for (const Diagnostic& d : errors.list()) {
    std::string message = d.message;
    if (result.empty() && d.code == ErrorCode::OutOfMemory) {
      message.insert(std::min(message.find('\n'), message.size()), "; " + std::string(way));
    }
    result.add(d.code, d.place, std::move(message));
  }
  result.omit(errors.omitted());
  return result;
}

}  // namespace vecc
