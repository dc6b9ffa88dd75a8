// Names of parameters as names of Python, and texts as its strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vecc::python {

/// One attribute a name, all different, none of them an attribute of a torch.nn.Module, a name of
/// the module's own or a keyword: letters, digits and underscores with at least one digit
/// (`w0`) or `_w` at the end (`embedding_w`).
[[nodiscard]] std::vector<std::string> attribute_names(const std::vector<std::string_view>& names);

/// A string literal: ASCII in quotes, whatever the bytes. What is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string string_literal(std::string_view text);

}  // namespace vecc::python
