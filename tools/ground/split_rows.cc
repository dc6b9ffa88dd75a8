#include "tools/ground/split_rows.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace vecc::tools::ground {
namespace {

constexpr std::size_t kRowsOfBlock = 1 << 12;
constexpr std::size_t kMostBlocks = 1 << 8;  // of a part that is not read yet

}  // namespace

SplitRows::SplitRows(Query query)
    : query_(std::move(query)),
      count_((std::uint64_t{query_.end} - query_.begin + query_.ids_a_part - 1) /
             query_.ids_a_part),
      parts_(query_.reads_all_first ? count_ : 2 * query_.statements.size()) {
  try {
    for (SqlStatement* const statement : query_.statements) {
      threads_.emplace_back([this, statement] { work(*statement); });
    }
  } catch (const std::system_error&) {  // those that there are do all
  }
}

SplitRows::~SplitRows() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  was_taken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SplitRows::work(SqlStatement& statement) {
  while (const auto k = claim()) {
    try {
      const bool is_whole = read(statement, *k);
      const Result<void> outcome = statement.check();
      if (!is_whole) return;
      close(*k, outcome, nullptr);
    } catch (...) {
      close(*k, {}, std::current_exception());
    }
  }
}

std::optional<std::uint64_t> SplitRows::claim() {
  std::unique_lock lock(mutex_);
  was_taken_.wait(lock, [&] { return ends_ || claimed_ == count_ || may_begin(claimed_); });
  if (ends_ || claimed_ == count_) return std::nullopt;
  return claimed_++;
}

// False: the rows are not wanted any more.
bool SplitRows::read(SqlStatement& statement, std::uint64_t k) {
  const std::uint64_t begin = query_.begin + k * query_.ids_a_part;
  const std::uint64_t end = std::min<std::uint64_t>(begin + query_.ids_a_part, query_.end);
  statement.bind(query_.parameter, static_cast<std::int64_t>(begin));
  statement.bind(query_.parameter + 1, static_cast<std::int64_t>(end));
  bool has_row = true;
  while (has_row) {
    Words block;
    block.reserve(kRowsOfBlock * query_.columns);
    for (std::size_t n = 0; n < kRowsOfBlock && (has_row = statement.step()); ++n) {
      for (std::size_t i = 0; i < query_.columns; ++i) {
        block.push_back(static_cast<std::uint32_t>(statement.column(static_cast<int>(i))));
      }
    }
    if (!block.empty() && !give(k, std::move(block))) return false;
  }
  return true;
}

bool SplitRows::give(std::uint64_t k, Words&& block) {
  std::unique_lock lock(mutex_);
  was_taken_.wait(lock, [&] {
    return ends_ || query_.reads_all_first || k == reading_ || part(k).blocks.size() < kMostBlocks;
  });
  if (ends_) return false;
  part(k).blocks.push_back(std::move(block));
  was_given_.notify_one();
  return true;
}

void SplitRows::close(std::uint64_t k, const Result<void>& outcome, std::exception_ptr thrown) {
  const std::lock_guard lock(mutex_);
  if (!outcome && !failure_) failure_ = outcome.error();
  if (thrown != nullptr) thrown_ = std::move(thrown);
  part(k).is_done = true;
  ++closed_;
  was_given_.notify_one();
}

Result<std::span<const std::uint32_t>> SplitRows::next() {
  std::unique_lock lock(mutex_);
  if (query_.reads_all_first) was_given_.wait(lock, [&] { return closed_ == count_; });
  while (reading_ < count_) {
    Part& here = part(reading_);
    was_given_.wait(lock, [&] {
      return failure_ || thrown_ != nullptr || here.is_done || !here.blocks.empty();
    });
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    if (failure_) return *failure_;
    if (!here.blocks.empty()) {
      block_ = std::move(here.blocks.front());
      here.blocks.pop_front();
      was_taken_.notify_all();
      return std::span<const std::uint32_t>(block_);
    }
    here.is_done = false;
    ++reading_;
    was_taken_.notify_all();
  }
  return std::span<const std::uint32_t>();
}

}  // namespace vecc::tools::ground
