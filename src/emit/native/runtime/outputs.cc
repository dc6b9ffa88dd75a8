#include "src/emit/native/runtime/outputs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/tables.h"
#include "src/support/value_text.h"

namespace vecc::emitted {
namespace {

// Where the pipe is closed, all is done.
void leave_unwritten() {
  if (errno == EPIPE) return;
  throw Failure(ExitCode::BadInput, "<stdout>",
                std::string("cannot be written: ") + std::strerror(errno));
}

std::vector<double> read(const OutputRow& row, const std::byte* buffer, bool is_double) {
  std::vector<double> values(row.rows == 0 ? 1 : row.rows * row.cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = is_double
                    ? reinterpret_cast<const double*>(buffer)[row.first + i]
                    : static_cast<double>(reinterpret_cast<const float*>(buffer)[row.first + i]);
  }
  return values;
}

}  // namespace

void print_outputs(const DataFile& data, ForwardPass& pass, std::FILE* file) {
  const auto lines = data.rows<char>("sample_lines");
  std::string_view rest(lines.data(), lines.size());
  const bool is_double = data.is_double();
  std::string text;
  for (const OutputRow& row : data.rows<OutputRow>("outputs")) {
    const std::size_t tab = rest.find('\t');
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text = rest.substr(0, tab);
    text += '\t';
    text +=
        text_of_value(static_cast<std::uint32_t>(row.rows), static_cast<std::uint32_t>(row.cols),
                      read(row, pass.values(row.buffer), is_double), !is_double);
    text += rest.substr(tab, end - tab);
    text += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) return leave_unwritten();
  }
  if (std::fflush(file) != 0) leave_unwritten();
}

}  // namespace vecc::emitted
