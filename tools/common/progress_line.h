// A progress bar on stderr, for people: drawn only when a stage takes longer than a second and
// stderr is a terminal; redrawn in place, fitted to the terminal's width at every redraw, and
// cleared at the end. With NO_COLOR it uses no escape sequence at all.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "tools/common/terminal.h"

namespace vecc::tools {

enum class ProgressUnit : std::uint8_t { Bytes, Rows, Neurons, Runs, Epochs };

/// What a progress line says, at most `width` columns: `import  [####....]  45 %  12.0 MB  2.3 s`.
/// `total` 0: unknown, no bar. A narrow terminal gets a shorter bar, then none, then a cut text.
[[nodiscard]] std::string progress_text(std::string_view stage, std::uint64_t done,
                                        std::uint64_t total, ProgressUnit unit, double seconds,
                                        std::size_t width);

class ProgressLine {
 public:
  ProgressLine(std::string stage, Terminal terminal);
  /// Clears the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// From any thread; `total` 0 if unknown.
  void update(std::uint64_t done, std::uint64_t total, ProgressUnit unit);
  /// Words at the end of the line (a loss). From any thread.
  void say(std::string words);

 private:
  void tick();
  void draw(double seconds);
  void clear();

  std::string stage_;
  Terminal terminal_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> total_{0};
  std::atomic<ProgressUnit> unit_{ProgressUnit::Bytes};
  std::size_t drawn_ = 0;  // columns of the line that stands there
  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;
  std::string words_;   // under mutex_
  std::thread ticker_;  // draws, so that a stage that reports nothing shows life as well
};

}  // namespace vecc::tools
