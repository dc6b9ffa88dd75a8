#include "src/emit/common/emitted_files.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "src/weights/element_type.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

bool is_single(double value) {
  if (std::isnan(value)) return true;  // one NaN is as good as another
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return false;
  return static_cast<double>(static_cast<float>(value)) == value;
}

}  // namespace

WeightTensor tensor_of_numbers(std::string name, const SharedNumbers& values,
                               std::vector<std::uint64_t> shape) {
  const bool single = values.are_floats() ||
                      values.visit([](auto all) { return std::ranges::all_of(all, is_single); });
  return {std::move(name), single ? ElementType::F32 : ElementType::F64, std::move(shape),
          single ? weights::little_endian_bytes<float>(values)
                 : weights::little_endian_bytes<double>(values)};
}

Result<WeightFile> weights_of_program(const Program& program) {
  WeightFile file;
  Errors missing;
  for (const Parameter& parameter : program.parameters()) {
    if (!parameter.values) {
      missing.add(ErrorCode::MissingValues, "parameter \"" + escape_terminal(parameter.name) + "\"",
                  "has no values");
      continue;
    }
    std::vector<std::uint64_t> shape{parameter.rows};
    if (!parameter.shape.is_scalar()) {
      shape.insert(shape.end(), {parameter.shape.rows(), parameter.shape.cols()});
    }
    file.tensors.push_back(tensor_of_numbers(parameter.name, parameter.values, std::move(shape)));
  }
  if (!missing.empty()) return missing;
  return file;
}

WeightTensor sample_lines(const std::vector<EmittedSample>& samples, std::uint32_t sample_count) {
  std::string lines;
  for (std::uint32_t s = 0; s < sample_count; ++s) {
    if (s > 0) lines += '\n';
    lines += samples.empty() ? std::to_string(s) + "\t-" : samples[s].id + '\t' + samples[s].target;
  }
  const std::uint64_t size = lines.size();
  return {"sample_lines", ElementType::U8, {size}, std::move(lines)};
}

Result<AtomicFolder> open_emitted_folder(std::string_view language, std::vector<std::string> gaps,
                                         const std::string& directory) {
  Errors unsupported;
  for (std::string& gap : gaps) {
    unsupported.add(ErrorCode::BackendUnsupported, std::string(language), std::move(gap));
  }
  if (!unsupported.empty()) return unsupported;
  std::optional<AtomicFolder> folder = AtomicFolder::create(directory);
  if (!folder) return write_failure(directory, errno);
  return std::move(*folder);
}

Errors write_failure(const std::string& directory, int error) {
  return {ErrorCode::CannotWrite, escape_terminal(directory, 4096),
          std::string("cannot write: ") +
              (error == ENOTEMPTY ? "the folder is there and not empty" : std::strerror(error))};
}

}  // namespace vecc
