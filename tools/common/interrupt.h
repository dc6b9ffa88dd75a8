// Ctrl-C: leave at once with code 130, a clean terminal, no half-written file, no temporary folder
// and no child that goes on.
#pragma once

namespace vecc::tools {

/// Ignores SIGPIPE and SIGXFSZ (a closed pipe shows as EPIPE, `ulimit -f` as EFBIG) and makes
/// SIGINT end the program with ExitCode::Interrupted, SIGTERM and SIGHUP alike with 128 + their
/// number. A signal that the parent had ignored (nohup) stays ignored.
void install_signal_handlers();

/// While one lives, the first such signal is only noted; the end of the last one then leaves.
/// Around what must not stop half way: writing and renaming a file. A second signal leaves at once.
class DeferInterrupt {
 public:
  DeferInterrupt();
  ~DeferInterrupt();
  DeferInterrupt(const DeferInterrupt&) = delete;
  DeferInterrupt& operator=(const DeferInterrupt&) = delete;
};

/// Whether a signal came while deferred.
[[nodiscard]] bool interrupt_pending();

/// Text (a literal) that an interrupted program still writes to stderr, to clear a progress line;
/// null for none.
void set_interrupt_text(const char* text);

}  // namespace vecc::tools
