#include "tools/common/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "src/support/quantity_text.h"
#include "tools/common/interrupt.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kMaxBar = 30;
constexpr std::size_t kMinBar = 5;
constexpr std::chrono::milliseconds kFirstDraw{1000};
constexpr std::chrono::milliseconds kRedraw{100};

std::string amount_text(std::uint64_t amount, ProgressUnit unit) {
  switch (unit) {
    case ProgressUnit::Bytes: return text_of_bytes(amount);
    case ProgressUnit::Rows: return text_of_count(amount, "row");
    case ProgressUnit::Neurons: return text_of_count(amount, "neuron");
    case ProgressUnit::Runs: return text_of_count(amount, "run");
    case ProgressUnit::Epochs: return text_of_count(amount, "epoch");
  }
  return {};
}

void write_stderr(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // progress is not worth more
}

}  // namespace

std::string progress_text(std::string_view stage, std::uint64_t done, std::uint64_t total,
                          ProgressUnit unit, double seconds, std::size_t width) {
  std::string tail;
  if (done > 0) tail += "  " + amount_text(done, unit);
  tail += fmt::format("  {:.1f} s", seconds);
  std::string line(stage);
  if (total > 0) {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    tail = fmt::format("  {:3.0f} %", part * 100) + tail;
    const std::size_t taken = stage.size() + tail.size() + 4;  // two spaces, two brackets
    if (width >= taken + kMinBar) {
      const std::size_t bar = std::min(kMaxBar, width - taken);
      const auto full = static_cast<std::size_t>(part * static_cast<double>(bar));
      line += "  [" + std::string(full, '#') + std::string(bar - full, '.') + "]";
    }
  }
  line += tail;
  if (line.size() > width) line.resize(width);
  return line;
}

ProgressLine::ProgressLine(std::string stage, Terminal terminal)
    : stage_(std::move(stage)), terminal_(terminal) {
  if (terminal_.interactive) ticker_ = std::thread([this] { tick(); });
}

ProgressLine::~ProgressLine() {
  if (!ticker_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_changed_.notify_all();
  ticker_.join();
  clear();
}

void ProgressLine::update(std::uint64_t done, std::uint64_t total, ProgressUnit unit) {
  done_.store(done, std::memory_order_relaxed);
  total_.store(total, std::memory_order_relaxed);
  unit_.store(unit, std::memory_order_relaxed);
}

void ProgressLine::say(std::string words) {
  const std::lock_guard lock(mutex_);
  words_ = std::move(words);
}

void ProgressLine::tick() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  auto wait = kFirstDraw;
  while (!stop_changed_.wait_for(lock, wait, [this] { return stop_; })) {
    draw(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    wait = kRedraw;
  }
}

void ProgressLine::draw(double seconds) {
  // One column stays free: a terminal wraps when the last one is written.
  const std::size_t width = std::max<std::size_t>(terminal_width(STDERR_FILENO), 2) - 1;
  std::string line = progress_text(stage_, done_.load(std::memory_order_relaxed),
                                   total_.load(std::memory_order_relaxed),
                                   unit_.load(std::memory_order_relaxed), seconds, width);
  if (!words_.empty()) line += "  " + words_;
  if (line.size() > width) line.resize(width);
  clear();
  drawn_ = line.size();
  set_interrupt_text(terminal_.escapes ? "\r\x1b[J" : "\n");
  write_stderr(line);
}

void ProgressLine::clear() {
  if (drawn_ == 0) return;
  set_interrupt_text(nullptr);
  const std::size_t width = std::max<std::size_t>(terminal_width(STDERR_FILENO), 1);
  if (terminal_.escapes) {
    // A terminal that became narrower has wrapped the old line: go up to where it began.
    const std::size_t wrapped = (drawn_ - 1) / width;
    write_stderr((wrapped > 0 ? fmt::format("\x1b[{}A", wrapped) : "") + "\r\x1b[J");
  } else {
    write_stderr("\r" + std::string(std::min(drawn_, width - 1), ' ') + "\r");
  }
  drawn_ = 0;
}

}  // namespace vecc::tools
