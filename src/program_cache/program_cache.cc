#include "src/program_cache/program_cache.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/program/program_columns.h"
#include "src/support/cache_entries.h"
#include "src/support/cache_folder.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr std::string_view kEnding = ".columns";

// Columns of an entry. Of a forward Program: numbers of the report, an outline, arrays, the
// Program's text as the last one. Of a step: updates and whose they are, arrays, text.
constexpr std::uint64_t kReport = 0;
constexpr std::uint64_t kOutline = 1;
constexpr std::uint64_t kUpdates = 0;
constexpr std::uint64_t kUpdated = 1;

std::array<std::uint32_t*, 4> numbers_of(VectorizeReport& report) {
  return {&report.layers, &report.recursive_components, &report.levels, &report.merged_groups};
}

Errors bad_entry(std::uint64_t column) {
  return Errors(ErrorCode::WrongCounts, "column " + std::to_string(column),
                "is not that of such an entry");
}

Result<CachedForward> read_forward(const ColumnFile& file) {
  CachedForward forward;
  forward.bytes = file.bytes();
  const auto report = file.words(kReport);
  const auto numbers = numbers_of(forward.report);
  if (report == nullptr || report->size() != numbers.size()) return bad_entry(kReport);
  for (std::size_t i = 0; i < numbers.size(); ++i) *numbers[i] = (*report)[i];
  VECC_TRY(forward.outline, read_outline(file, kOutline));
  VECC_TRY(forward.program, read_program(file, file.size() - 1));
  if (forward.program.sample_count() == forward.outline.graph.samples.size()) return forward;
  return Errors(ErrorCode::WrongCounts, "the program", "has another number of samples");
}

Result<SavedStep> read_step(const ColumnFile& file) {
  SavedStep step;
  const auto updates = file.words(kUpdates);
  const auto updated = file.words(kUpdated);
  if (updates == nullptr || updated == nullptr) return bad_entry(kUpdates);
  step.updates = *updates;
  step.updated = *updated;
  VECC_TRY(step.program, read_program(file, file.size() - 1));
  return step;
}

std::string name_of(const std::string& key) {
  const Digest digest = digest_block(key);
  return digest.text() + std::string(kEnding);
}

}  // namespace

ProgramCache::ProgramCache(ProgramCacheOptions options) : options_(std::move(options)) {
  Result<void> usable;
  if (!options_.folder.empty()) {
    folder_ = options_.folder;
    usable = make_private_folder(folder_);
  } else if (Result<std::string> users = cache_folder("programs")) {
    folder_ = *users;
  } else {
    usable = users.error();
  }
  if (usable) return;
  const Diagnostic& why = usable.error().list().front();
  unusable_ = why.place + ": " + why.message;
}

void ProgramCache::warn(const std::string& text) const {
  if (options_.warn) options_.warn(text);
}

void ProgramCache::give_up(const std::string& why) {
  if (!is_told_) warn("the program is not kept for the next run: " + why);
  is_told_ = true;
  unusable_ = why;
}

std::string ProgramCache::path_of(const std::string& key) {
  const std::string name = name_of(key);
  used_.insert(name);
  return folder_ + "/" + name;
}

void ProgramCache::remove(const std::string& key, const Errors& why) {
  const std::string path = path_of(key);
  warn("a kept program cannot be used, and is made again: " + why.text());
  ::unlink(path.c_str());
}

std::optional<ColumnFile> ProgramCache::read(const std::string& key) {
  if (!unusable_.empty()) return std::nullopt;  // told when there is something to keep
  Result<std::optional<ColumnFile>> file = ColumnFile::read(path_of(key), key, options_.threads);
  if (file) return std::move(*file);
  remove(key, file.error());
  return std::nullopt;
}

std::optional<std::uint64_t> ProgramCache::write(
    const std::string& key, const std::function<bool(ColumnWriter&)>& add_columns) {
  if (!unusable_.empty()) {
    give_up(unusable_);
    return std::nullopt;
  }
  const std::string path = path_of(key);
  std::optional<ColumnWriter> writer = ColumnWriter::create(path, options_.max_bytes);
  if (writer && !add_columns(*writer)) return std::nullopt;
  if (!writer || !writer->commit(key)) {
    give_up(escape_terminal(path, 4096) + " cannot be written: " + std::strerror(errno));
    return std::nullopt;
  }
  trim_entries(folder_, std::array{kEnding}, options_.max_bytes, used_);
  return writer->bytes();
}

std::optional<CachedForward> ProgramCache::find_forward(const std::string& key) {
  const std::optional<ColumnFile> file = read(key);
  if (!file) return std::nullopt;
  Result<CachedForward> forward = read_forward(*file);
  if (forward) return std::move(*forward);
  remove(key, forward.error());
  return std::nullopt;
}

std::optional<std::uint64_t> ProgramCache::store_forward(
    const std::string& key, const NeuronGraph& graph, const GraphSizes& sizes,
    std::span<const WeightTable> tables, const Program& program, const VectorizeReport& report) {
  return write(key, [&](ColumnWriter& writer) {
    std::vector<std::uint32_t> words;
    VectorizeReport numbers = report;
    for (const std::uint32_t* const number : numbers_of(numbers)) words.push_back(*number);
    writer.add(std::span<const std::uint32_t>(words));
    write_outline(graph, sizes, tables, writer);
    ProgramColumns(writer).add_program(program);
    return graph.weight_count() <= most_weights(writer.bytes());
  });
}

std::optional<SavedStep> ProgramCache::find_step(const std::string& key) {
  const std::optional<ColumnFile> file = read(key);
  if (!file) return std::nullopt;
  Result<SavedStep> step = read_step(*file);
  if (step) return std::move(*step);
  remove(key, step.error());
  return std::nullopt;
}

std::optional<std::uint64_t> ProgramCache::store_step(const std::string& key,
                                                      const SavedStep& step) {
  return write(key, [&](ColumnWriter& writer) {
    writer.add(std::span<const std::uint32_t>(step.updates));
    writer.add(std::span<const std::uint32_t>(step.updated));
    ProgramColumns(writer).add_program(step.program);
    return true;
  });
}

std::optional<SavedStep> CachedSteps::find(const std::string& what) {
  std::optional<SavedStep> step = cache_.find_step(forward_key_ + what);
  if (step) ++found_;
  return step;
}

void CachedSteps::keep(const std::string& what, const SavedStep& step, double seconds) {
  if (seconds < cache_.options().min_seconds) return;
  (void)cache_.store_step(forward_key_ + what, step);
}

}  // namespace vecc
