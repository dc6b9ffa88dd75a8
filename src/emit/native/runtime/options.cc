#include "src/emit/native/runtime/options.h"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/tensor_file.h"

namespace vecc::emitted {
namespace {

// What the machine's own options follow.
constexpr const char* kHelp =
    R"(Runs the forward pass and prints a line a sample: id, value and target, separated by tabs.

Options:
  --weights=FILE   Other weights: the safetensors file of vecc --save-weights
  --facts=FILE     Other facts: a safetensors file as facts.safetensors, which is there if vecc
                   bound facts (--bind-facts)
  --repeat=N       Runs N times; the median and the least time go to stderr
  --data=FOLDER    Where data.safetensors lies, and weights.safetensors; without it: where this
                   executable is, or one folder up
)";
constexpr const char* kHelpEnd = R"(  --help           Prints this

Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 5 device or memory.
)";

[[noreturn]] void fail(const std::string& message) {
  throw Failure(ExitCode::Usage, "program", message);
}

std::uint64_t number(std::string_view name, std::string_view text, std::uint64_t least,
                     std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    fail(std::string(name) + " needs a number from " + std::to_string(least) + " to " +
         std::to_string(most) + ", not " + quote(text));
  }
  return value;
}

// Whether it is one of the machine's.
bool take_machine_option(MachineOptions& options, std::string_view name, const std::string& value) {
  for (const NumberOption<MachineOptions>& option : kMachineOptions) {
    if (option.name != name) continue;
    options.*option.value = number(name, value, option.least, option.most);
    return true;
  }
  return false;
}

void take(Options& options, std::string_view name, const std::string& value) {
  if (name == "--weights") {
    options.weights = value;
  } else if (name == "--facts") {
    options.facts = value;
  } else if (name == "--data") {
    options.data = value;
  } else if (name == "--repeat") {
    options.repeat = number(name, value, 1, 1'000'000'000);
  } else if (!take_machine_option(options.machine, name, value)) {
    fail("there is no option " + quote(name) + "; --help lists them");
  }
  if (value.empty()) fail(std::string(name) + " needs a value");
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      for (const char* text : {kHelp, kMachineHelp, kHelpEnd}) std::fputs(text, stdout);
      return std::nullopt;
    }
    const std::size_t equals = argument.find('=');
    if (equals != std::string_view::npos) {
      take(options, argument.substr(0, equals), std::string(argument.substr(equals + 1)));
    } else {
      const bool has_next = i + 1 < argc;
      take(options, argument, has_next ? argv[++i] : "");
    }
  }
  return options;
}

}  // namespace vecc::emitted
