// The rows of one query by several threads, in the order in which one would find them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tools/ground/sql_database.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// A join finds its rows by those of its first table. So ranges of that table's ids are queries of
/// their own, whose rows one behind the other are those of the whole. Threads take range after
/// range; what runs ahead of the reader is bounded.
class SplitRows {
 public:
  struct Query {
    /// One a thread, each of a database of its own.
    std::vector<SqlStatement*> statements;
    int parameter = 1;  ///< it and the next one are a range of ids
    std::size_t columns = 0;
    AtomIndex begin = 0;  ///< ids of the first table
    AtomIndex end = 0;
    AtomIndex ids_a_part = 1;
    /// What the rows are used for changes the tables: all are read before next() gives the first.
    bool reads_all_first = false;
  };

  explicit SplitRows(Query query);
  SplitRows(const SplitRows&) = delete;
  SplitRows& operator=(const SplitRows&) = delete;
  ~SplitRows();

  /// False: the system gives no thread.
  [[nodiscard]] bool has_threads() const { return !threads_.empty(); }
  /// The words of the next rows, until the next call; none after the last. Error: OutOfMemory.
  [[nodiscard]] Result<std::span<const std::uint32_t>> next();

 private:
  using Words = std::vector<std::uint32_t>;
  /// A range of ids. `Part`s are used again and again: part k is parts_[k % parts_.size()].
  struct Part {
    std::deque<Words> blocks;
    bool is_done = false;
  };

  [[nodiscard]] bool may_begin(std::uint64_t k) const {
    return query_.reads_all_first || k < reading_ + parts_.size();
  }
  [[nodiscard]] Part& part(std::uint64_t k) { return parts_[k % parts_.size()]; }
  void work(SqlStatement& statement);
  [[nodiscard]] std::optional<std::uint64_t> claim();
  [[nodiscard]] bool read(SqlStatement& statement, std::uint64_t k);
  [[nodiscard]] bool give(std::uint64_t k, Words&& block);
  void close(std::uint64_t k, const Result<void>& outcome, std::exception_ptr thrown);

  Query query_;
  std::uint64_t count_;  // of parts
  std::mutex mutex_;     // of all below
  std::condition_variable was_given_;
  std::condition_variable was_taken_;
  std::vector<Part> parts_;
  std::uint64_t claimed_ = 0;
  std::uint64_t closed_ = 0;
  std::uint64_t reading_ = 0;
  bool ends_ = false;
  std::optional<Errors> failure_;
  std::exception_ptr thrown_;
  Words block_;  // that was given last
  std::vector<std::thread> threads_;
};

}  // namespace vecc::tools::ground
