// A line of Python in parts: text, and what gets its name only when all lines are known.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::python {

/// A value of the Program; from the number of ops on: a step of an expression.
using NameId = std::uint32_t;
using BufferId = std::uint32_t;

/// What an op's line makes or reads.
struct Name {
  NameId id = 0;
};
/// A tensor of data.safetensors.
struct Buffer {
  BufferId id = 0;
};
/// `a, b, c`: the elements of a list.
struct Pieces {
  std::vector<NameId> names;
};

struct Token {
  enum class Kind : std::uint8_t { Text, Name, Buffer, Pieces };
  Kind kind = Kind::Text;
  std::string text;
  std::uint32_t id = 0;        ///< Name, Buffer
  std::vector<NameId> pieces;  ///< Pieces

  bool operator==(const Token&) const = default;
};

class Code {
 public:
  Code() = default;
  /// One after another: texts, numbers, names, buffers, pieces, codes.
  template <class... Parts>
  explicit Code(Parts&&... parts) {
    (add(std::forward<Parts>(parts)), ...);
  }

  void add(const std::string& text);
  void add(const char* text) { add(std::string(text)); }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  void add(std::uint32_t number) { add(std::to_string(number)); }
  void add(Name name);
  void add(Buffer buffer);
  void add(Pieces pieces);
  void add(const Code& code);

  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] std::vector<Token>& tokens() { return tokens_; }
  /// About how long it will be.
  [[nodiscard]] std::size_t length() const;

 private:
  std::vector<Token> tokens_;
};

/// `result = code  # note`
struct Statement {
  NameId result = 0;
  Code code;
  std::string note;  ///< data: escape it
};

}  // namespace vecc::python
