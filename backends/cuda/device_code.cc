#include "backends/cuda/device_code.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "backends/cuda/nvrtc.h"
#include "backends/native/code_cache.h"
#include "backends/native/compiler_text.h"
#include "src/support/log.h"
#include "src/support/seconds_since.h"
#include "src/support/whole_file.h"

namespace vecc::cuda {
namespace {

// Another number for entries of another meaning: what kernels and their callers agree on that is
// not in the text.
constexpr std::string_view kCodeVersion = "vecc cuda code 1";

std::string key_begin(const DeviceCompiler& compiler, int architecture) {
  std::string begin(kCodeVersion);
  begin += "\nNVRTC " + std::to_string(compiler.major) + "." + std::to_string(compiler.minor) +
           "\nflags:";
  for (const std::string& flag : device_flags()) begin += " " + flag;
  return begin + "\n" + architecture_name(architecture) + "\n\n";
}

// Of a cache's file: the code stands first; what follows is not read.
std::optional<std::string> cached_code(const native::CodeCache& cache, const native::CodeKey& key) {
  const std::optional<std::string> path = cache.find(key);
  if (!path) return std::nullopt;
  auto bytes = read_whole_file(*path);
  if (!bytes) return std::nullopt;  // another process may just have removed it
  return std::move(*bytes);
}

class CodeCompilation {
 public:
  CodeCompilation(std::span<const std::string* const> texts, int architecture)
      : texts_(texts), architecture_(architecture), code_(texts.size()), seconds_(texts.size()) {}

  Result<std::vector<std::string>> run() {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < std::min(cores, texts_.size()); ++t) {
      threads.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (!errors_.empty()) return errors_;
    return std::move(code_);
  }
  // By text, of a run.
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

 private:
  void work() {
    for (std::size_t i = next_++; i < texts_.size(); i = next_++) {
      const auto begin = std::chrono::steady_clock::now();
      Result<std::string> code = compile_for_device(*texts_[i], architecture_);
      seconds_[i] = seconds_since(begin);
      const std::lock_guard lock(mutex_);
      if (code) {
        code_[i] = std::move(*code);
      } else {
        const Errors& errors = code.error();
        for (const Diagnostic& one : errors.list()) {
          errors_.add(one.code, one.place, one.message);
        }
      }
    }
  }

  std::span<const std::string* const> texts_;
  int architecture_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::vector<std::string> code_;
  std::vector<double> seconds_;
  Errors errors_;
};

// What executables of this process have loaded, while one of them has it.
class LoadedModules {
 public:
  std::shared_ptr<DeviceModule> find(const Device& device, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto found = modules_.find({&device, text});
    return found == modules_.end() ? nullptr : found->second.lock();
  }
  void add(const Device& device, const std::string& text,
           const std::shared_ptr<DeviceModule>& module) {
    const std::lock_guard lock(mutex_);
    std::erase_if(modules_, [](const auto& entry) { return entry.second.expired(); });
    modules_[{&device, text}] = module;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const Device*, std::string>, std::weak_ptr<DeviceModule>> modules_;
};

LoadedModules& loaded_modules() {
  static LoadedModules& modules = *new LoadedModules;  // outlives every executable
  return modules;
}

}  // namespace

DeviceModule::DeviceModule(std::shared_ptr<Device> device, const std::string& image)
    : device_(std::move(device)) {
  device_->check(device_->driver().module_load(&module_, image.data()), "loading kernels");
}

DeviceModule::~DeviceModule() {
  (void)device_->driver().module_unload(module_);  // at the end of the process it may be gone
}

CUfunction DeviceModule::function(const char* name) const {
  CUfunction function = nullptr;
  device_->check(device_->driver().module_function(&function, module_, name), "finding a kernel");
  return function;
}

Result<std::vector<std::string>> compile_device_code(std::span<const std::string> texts,
                                                     int architecture,
                                                     const DeviceCodeOptions& options,
                                                     DeviceCodeCounts* counts) {
  const auto begin = std::chrono::steady_clock::now();
  VECC_TRY(const DeviceCompiler compiler, find_device_compiler());
  native::CodeCache cache(options.cache_folder, options.cache_bytes, options.warn);
  const std::string before = key_begin(compiler, architecture);
  std::unordered_map<std::string_view, std::size_t> first;  // place of each text
  std::vector<std::string> code(texts.size());
  std::vector<std::size_t> missing;
  std::vector<const std::string*> missing_texts;
  DeviceCodeCounts count;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!first.try_emplace(texts[i], i).second) continue;
    if (auto found = cached_code(cache, native::CodeKey(before + texts[i]))) {
      code[i] = std::move(*found);
      ++count.cached;
    } else {
      missing.push_back(i);
      missing_texts.push_back(&texts[i]);
    }
  }
  CodeCompilation compilation(missing_texts, architecture);
  VECC_TRY(std::vector<std::string> made, compilation.run());
  for (std::size_t m = 0; m < missing.size(); ++m) {
    const native::CodeKey key(before + texts[missing[m]]);
    log_debug(fmt::format("cuda: {} compiled: {:.3f} s", key.hash(), compilation.seconds()[m]));
    (void)cache.store(key, made[m]);
    code[missing[m]] = std::move(made[m]);
    ++count.compiled;
  }
  if (!missing.empty()) cache.trim({});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (const std::size_t same = first[texts[i]]; same != i) code[i] = code[same];
  }
  count.seconds = seconds_since(begin);
  if (counts != nullptr) *counts = count;
  return code;
}

Result<std::vector<std::shared_ptr<DeviceModule>>> load_device_code(
    const std::shared_ptr<Device>& device, std::span<const std::string> texts,
    const DeviceCodeOptions& options, DeviceCodeCounts* counts) {
  std::vector<std::shared_ptr<DeviceModule>> modules;
  std::vector<std::string> missing;
  for (const std::string& text : texts) {
    modules.push_back(loaded_modules().find(*device, text));
    if (modules.back() == nullptr) missing.push_back(text);
  }
  if (missing.empty()) return modules;
  VECC_TRY(const std::vector<std::string> code,
           compile_device_code(missing, device->capability(), options, counts));
  std::size_t next = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (modules[i] != nullptr) continue;
    modules[i] = std::make_shared<DeviceModule>(device, code[next++]);
    loaded_modules().add(*device, texts[i], modules[i]);
  }
  return modules;
}

}  // namespace vecc::cuda
