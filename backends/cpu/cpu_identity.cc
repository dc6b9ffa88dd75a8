#include "backends/cpu/cpu_identity.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace vecc::cpu {
namespace {

// What stays the same from run to run, unlike the frequency; those of x86, then those of Arm.
constexpr std::array<std::string_view, 11> kFields = {
    "vendor_id", "cpu family", "model",           "model name",       "stepping",   "flags",
    "Features",  "CPU part",   "CPU implementer", "CPU architecture", "CPU variant"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

std::string read_identity() {
  std::string identity;
  utsname machine{};
  if (::uname(&machine) == 0) identity += machine.machine;
  std::ifstream file("/proc/cpuinfo");
  // The first core's lines; to read all of a hundred cores' takes longer than loading the code.
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::string_view all = line;
    const std::size_t colon = all.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trimmed(all.substr(0, colon));
    if (std::find(kFields.begin(), kFields.end(), name) == kFields.end()) continue;
    identity += "; " + std::string(name) + ": " + std::string(trimmed(all.substr(colon + 1)));
  }
  return identity;
}

}  // namespace

const std::string& cpu_identity() {
  static const std::string identity = read_identity();
  return identity;
}

}  // namespace vecc::cpu
