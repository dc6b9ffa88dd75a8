// Schedules as text, in one line: the loop, then what is not as in a new KernelSchedule.
//
//   rows lanes=8 threads=256 slots=1x4 packs=2,1 phases=batches,steps arrays=1
#pragma once

#include <string>
#include <string_view>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/error.h"

namespace vecc {

[[nodiscard]] std::string text_of(const KernelSchedule& schedule);

/// The same back. Error: BadTable, with the word that is none; `place` is of the error.
[[nodiscard]] Result<KernelSchedule> parse_schedule(std::string_view text,
                                                    const std::string& place);

}  // namespace vecc
