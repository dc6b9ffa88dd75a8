// What an op comes from, as text. Copies share it: a Program of millions of ops has a few of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace vecc {

class Note {
 public:
  Note() = default;
  // NOLINTBEGIN(google-explicit-constructor): a text is a note, a note a text.
  Note(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  Note(const char* text) : Note(std::string(text)) {}
  operator const std::string&() const { return text(); }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const std::string& text() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  bool operator==(const Note& other) const { return text() == other.text(); }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace vecc
