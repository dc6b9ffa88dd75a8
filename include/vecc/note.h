// What an op comes from, as text. Copies share it: a Program of millions of ops has a few of them.
#pragma once

#include <atomic>
#include <cstdint>
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
  Note(const Note& other) : text_(other.text_) {
    if (text_ != nullptr) text_->users.fetch_add(1, std::memory_order_relaxed);
  }
  Note(Note&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
  Note& operator=(Note other) noexcept {
    std::swap(text_, other.text_);
    return *this;
  }
  ~Note() {
    if (text_ == nullptr) return;
    if (text_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete text_;
  }

  [[nodiscard]] const std::string& text() const {
    static const std::string none;
    return text_ ? text_->text : none;
  }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  bool operator==(const Note& other) const { return text() == other.text(); }

 private:
  // A std::shared_ptr takes twice the space.
  struct Text {
    explicit Text(std::string of) : text(std::move(of)) {}
    std::string text;
    std::atomic<std::uint32_t> users = 1;
  };
  Text* text_ = nullptr;
};

}  // namespace vecc
