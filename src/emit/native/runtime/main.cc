// The forward pass that vecc wrote as a program: reads its data and weights, runs, prints.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <vector>

#include "forward_pass.h"  // the language's own
#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/options.h"
#include "src/emit/native/runtime/outputs.h"
#include "src/emit/native/runtime/weights.h"

namespace vecc::emitted {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataFile = "data.safetensors";

/// Beside the executable, or above its build folder.
fs::path find_folder(const char* program) {
  std::error_code error;
  fs::path executable = fs::canonical("/proc/self/exe", error);
  if (error) executable = fs::canonical(program, error);
  const fs::path folder = executable.parent_path();
  for (const fs::path& candidate : {folder, folder.parent_path()}) {
    if (fs::exists(candidate / kDataFile, error)) return candidate;
  }
  throw Failure(ExitCode::BadInput, folder / kDataFile,
                "is not there, and not one folder up either; --data=FOLDER says where it is");
}

void run(ForwardPass& pass, std::uint64_t repeat) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (std::uint64_t i = 0; i < repeat; ++i) {
    const auto start = Clock::now();
    pass.run();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  if (times.size() == 1) return;
  std::sort(times.begin(), times.end());
  std::fprintf(stderr, "%zu runs: median %.1f us, least %.1f us\n", times.size(),
               times[times.size() / 2], times.front());
}

void run_program(int argc, char** argv) {
  const std::optional<Options> options = parse_options(argc, argv);
  if (!options) return;
  const fs::path folder = options->data.empty() ? find_folder(argv[0]) : fs::path(options->data);
  const DataFile data(folder / kDataFile);
  if (!options->facts.empty() && !has_facts(data)) {
    throw Failure(ExitCode::Usage, "program",
                  "--facts: no facts of this program are inputs; vecc --bind-facts makes some");
  }
  const auto path = [&](const std::string& given, const char* name) {
    return given.empty() ? (folder / name).string() : given;
  };
  const auto weights = read_weights(data, path(options->weights, "weights.safetensors"),
                                    path(options->facts, "facts.safetensors"));
  ForwardPass pass(data, weights, options->machine);
  run(pass, options->repeat);
  print_outputs(data, pass, stdout);
}

int leave(ExitCode code, const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  return static_cast<int>(code);
}

}  // namespace
}  // namespace vecc::emitted

int main(int argc, char** argv) {
  using namespace vecc::emitted;
  std::signal(SIGPIPE, SIG_IGN);
  try {
    run_program(argc, argv);
    return static_cast<int>(ExitCode::Ok);
  } catch (const Failure& failure) {
    for (const std::string& line : failure.lines) std::fprintf(stderr, "%s\n", line.c_str());
    return static_cast<int>(failure.code);
  } catch (const std::bad_alloc&) {
    return leave(ExitCode::Device, "program: error: no memory");
  } catch (const std::system_error& error) {
    return leave(ExitCode::Device, std::string("program: error: ") + error.what());
  } catch (const std::exception& error) {
    return leave(ExitCode::Internal, std::string("internal error: ") + error.what());
  }
}
