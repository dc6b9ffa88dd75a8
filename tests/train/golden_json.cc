#include "tests/train/golden_json.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

namespace vecc::test {

std::string golden_path(const std::string& name) {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/../shared/golden/" + name + ".json.xz";
}

bool has_golden(const std::string& path) {
  if (std::filesystem::exists(path)) return true;
  const char* const ci = std::getenv("CI");
  EXPECT_FALSE(ci != nullptr && std::string_view(ci) == "true") << path << " is missing";
  return false;
}

nlohmann::json read_golden(const std::string& path) {
  const std::string command = "xz -dc '" + path + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char part[4096];
  while (const std::size_t got = fread(part, 1, sizeof part, pipe.get())) text.append(part, got);
  return nlohmann::json::parse(text);
}

}  // namespace vecc::test
