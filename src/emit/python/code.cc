#include "src/emit/python/code.h"

namespace vecc::python {

void Code::add(const std::string& text) {
  if (text.empty()) return;
  if (!tokens_.empty() && tokens_.back().kind == Token::Kind::Text) {
    tokens_.back().text += text;
  } else {
    tokens_.push_back({Token::Kind::Text, text, 0, {}});
  }
}

void Code::add(Name name) {
  tokens_.push_back({Token::Kind::Name, {}, name.id, {}});
}

void Code::add(Buffer buffer) {
  tokens_.push_back({Token::Kind::Buffer, {}, buffer.id, {}});
}

void Code::add(Pieces pieces) {
  tokens_.push_back({Token::Kind::Pieces, {}, 0, std::move(pieces.names)});
}

void Code::add(const Code& code) {
  for (const Token& token : code.tokens()) {
    if (token.kind == Token::Kind::Text) {
      add(token.text);
    } else {
      tokens_.push_back(token);
    }
  }
}

std::size_t Code::length() const {
  constexpr std::size_t kName = 12;
  std::size_t length = 0;
  for (const Token& token : tokens_) {
    length += token.kind == Token::Kind::Text ? token.text.size() : kName;
  }
  return length;
}

}  // namespace vecc::python
