// A small reader of HTML and SVG: enough to tell that a page is well formed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::test {

/// Empty if every tag that is opened is closed, in its order, every attribute is quoted, and every
/// & begins a reference; else what is wrong, with the text around it.
[[nodiscard]] std::string find_html_fault(std::string_view html);
/// The values of an attribute, in order: of `x` in "<rect x='3'/>" 3.
[[nodiscard]] std::vector<std::string> attribute_values(std::string_view html,
                                                        std::string_view name);
[[nodiscard]] std::size_t count_text(std::string_view html, std::string_view part);

}  // namespace vecc::test
