// Which samples are for training, validation and test, where no column says so.
#pragma once

#include "tools/import/sql/samples.h"

namespace vecc::tools::sql {

/// By a hash of each sample's name: rows that come later change no other's split.
void split_by_hash(const SampleOptions& options, std::vector<RowSample>& samples);
/// The latest are the tests; samples of one time are in one split. All of them have a time.
void split_by_time(const SampleOptions& options, std::vector<RowSample>& samples);

}  // namespace vecc::tools::sql
