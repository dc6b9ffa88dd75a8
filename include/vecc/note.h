// What an op comes from, as text. Copies share it: a Program of millions of ops has a few of them.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace vecc {

class Note {
 public:
  Note() = default;
  // NOLINTBEGIN(google-explicit-constructor): a text is a note, a note a text.
  Note(std::string text) : text_(text.empty() ? nullptr : new Text(std::move(text))) {}
  Note(const char* text) : Note(std::string(text)) {}
  operator const std::string&() const { return text(); }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const std::string& text() const {
    static const std::string none;
    return text_ ? text_->text : none;
  }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  bool operator==(const Note& other) const { return text() == other.text(); }

 private:
  struct Text : boost::intrusive_ref_counter<Text, boost::thread_safe_counter> {
    explicit Text(std::string of) : text(std::move(of)) {}
    std::string text;
  };
  boost::intrusive_ptr<const Text> text_;
};

}  // namespace vecc
