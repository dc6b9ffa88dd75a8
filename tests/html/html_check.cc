#include "html_check.h"

#include <algorithm>
#include <array>
#include <regex>

namespace vecc::test {
namespace {

constexpr std::array<std::string_view, 3> kVoidTags{"meta", "br", "hr"};

std::string around(std::string_view html, std::size_t at) {
  const std::size_t begin = at < 40 ? 0 : at - 40;
  return " at \"" + std::string(html.substr(begin, 100)) + "\"";
}

// Of what stands between tags, and of attributes' values.
bool references_are_whole(const std::string& text) {
  static const std::regex reference("&(amp|lt|gt|quot|#39);");
  return std::regex_replace(text, reference, "").find('&') == std::string::npos;
}

class Checker {
 public:
  explicit Checker(std::string_view html) : html_(html) {}

  std::string fault() {
    while (at_ < html_.size()) {
      const std::size_t tag = std::min(html_.find('<', at_), html_.size());
      const std::string text(html_.substr(at_, tag - at_));
      if (!in_style() && (!references_are_whole(text) || text.find('>') != std::string::npos)) {
        return "bad text" + around(html_, at_);
      }
      if (tag == html_.size()) break;
      at_ = tag;
      if (std::string fault = read_tag(); !fault.empty()) return fault + around(html_, tag);
    }
    return open_.empty() ? "" : "<" + open_.back() + "> is not closed";
  }

 private:
  [[nodiscard]] bool in_style() const { return !open_.empty() && open_.back() == "style"; }

  std::string read_tag() {
    static const std::regex tag(
        R"(^<(/?)([a-zA-Z][a-zA-Z0-9]*)((\s+[a-z][a-zA-Z-]*(='[^'<>]*')?)*)\s*(/?)>)");
    if (html_.substr(at_).starts_with("<!DOCTYPE html>")) {
      at_ += 15;
      return at_ == 15 ? "" : "a DOCTYPE that is not first";
    }
    std::size_t end = std::min(html_.find('>', at_), html_.size() - 1);
    std::match_results<std::string_view::const_iterator> match;
    const std::string_view text = html_.substr(at_, end + 1 - at_);
    if (!std::regex_match(text.begin(), text.end(), match, tag)) return "not a tag";
    if (!references_are_whole(match[3].str())) return "a bad attribute";
    at_ = end + 1;
    const std::string name = match[2].str();
    if (match[1].length() > 0) return close(name);
    if (match[6].length() == 0 && std::ranges::find(kVoidTags, name) == kVoidTags.end()) {
      open_.push_back(name);
    }
    return "";
  }

  std::string close(const std::string& name) {
    if (open_.empty() || open_.back() != name) return "</" + name + "> closes another tag";
    open_.pop_back();
    return "";
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
};

}  // namespace

std::string find_html_fault(std::string_view html) {
  return Checker(html).fault();
}

std::vector<std::string> attribute_values(std::string_view html, std::string_view name) {
  std::vector<std::string> values;
  const std::string key = " " + std::string(name) + "='";
  for (std::size_t at = html.find(key); at != std::string_view::npos; at = html.find(key, at + 1)) {
    const std::size_t begin = at + key.size();
    values.emplace_back(html.substr(begin, html.find('\'', begin) - begin));
  }
  return values;
}

std::size_t count_text(std::string_view html, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = html.find(part); at != std::string_view::npos;
       at = html.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace vecc::test
