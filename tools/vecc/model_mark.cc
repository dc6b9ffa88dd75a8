#include "model_mark.h"

#include <algorithm>
#include <fstream>

#include "src/weights/safetensors_header.h"

namespace vecc::tools {

bool looks_like_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(4096, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const bool is_ours =
      begin.size() > 8 && std::string_view(begin).substr(8).starts_with(weights::kChecksumMark);
  return is_ours && begin.find(kModelFormatKey) != std::string::npos;
}

}  // namespace vecc::tools
