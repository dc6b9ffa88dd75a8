#include "tests/support/found_duckdb.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace vecc::test {
namespace {

constexpr const char* kFind =
    "python3 -B \"$VECC_SOURCE_DIR/tests/peers/with_peers.py\" --needs=duckdb "
    "\"$VECC_SOURCE_DIR/tests/import_sql/find_duckdb.py\" 2> /dev/null";

}  // namespace

std::string use_duckdb() {
  if (const char* const own = std::getenv("VECC_DUCKDB"); own != nullptr) return own;
  std::string out;
  FILE* const pipe = popen(kFind, "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) out += line.data();
  if (pclose(pipe) != 0) return {};  // no Python has it
  out = out.substr(0, out.find('\n'));
  if (!out.empty()) setenv("VECC_DUCKDB", out.c_str(), 1);
  return out;
}

}  // namespace vecc::test
