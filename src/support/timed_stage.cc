#include "src/support/timed_stage.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "src/support/free_memory.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"

namespace vecc {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

TimedStage::Use TimedStage::now() {
  rusage used{};
  (void)::getrusage(RUSAGE_SELF, &used);
  return {std::chrono::steady_clock::now(), seconds_of(used.ru_utime), seconds_of(used.ru_stime),
          used.ru_minflt};
}

TimedStage::TimedStage(std::string_view name) : is_logged_(logs_debug()) {
  if (!is_logged_) return;
  name_ = name;
  begin_ = now();
}

TimedStage::~TimedStage() {
  if (!is_logged_) return;
  const Use end = now();
  const std::chrono::duration<double> clock = end.clock - begin_.clock;
  log_debug(fmt::format(
      "{}: {:.3f} s, of cores {:.3f} + {:.3f} s, {} page faults; {} held, {} at most", name_,
      clock.count(), end.user - begin_.user, end.system - begin_.system, end.faults - begin_.faults,
      text_of_bytes(process_memory().resident), text_of_bytes(process_peak().resident)));
}

}  // namespace vecc
