#include "tests/agreement/test_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace vecc::test {
namespace fs = std::filesystem;
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path source_folder() {
  const std::string given = environment("VECC_SOURCE_DIR");
  return given.empty() ? fs::path(".") : fs::path(given);
}

}  // namespace

std::string datasets_folder() {
  return (source_folder() / "datasets").string();
}

std::string golden_folder() {
  const std::string given = environment("VECC_GOLDEN_DIR");
  return given.empty() ? (fs::path(environment("VECC_BINARY_DIR")) / "golden").string() : given;
}

std::vector<GoldenFile> list_golden_files() {
  std::vector<GoldenFile> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(golden_folder(), none)) {
    fs::path path = entry.path();
    if (path.extension() != ".pb") continue;
    files.push_back({path.stem().string(), path.string(), "", ""});
    files.back().expected = path.replace_extension(".expected").string();
    files.back().gradients = path.replace_extension(".gradients").string();
  }
  std::ranges::sort(files, {}, &GoldenFile::name);
  return files;
}

std::size_t count_dumps() {
  const fs::path folder = source_folder() / ".." / "shared" / "golden";
  std::size_t count = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    // The others are dumps of NeuraLogic's trainers and initialisers.
    count += name.ends_with(".json.xz") && !name.starts_with("train-") &&
             !name.starts_with("initializers");
  }
  return count;
}

bool files_are_required() {
  return environment("CI") == "true";
}

}  // namespace vecc::test
