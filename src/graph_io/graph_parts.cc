#include "src/graph_io/graph_parts.h"

#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "src/graph_io/wire_messages.h"
#include "src/support/signals_blocked.h"
#include "src/support/split_work.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

constexpr std::uint64_t kMostPasses = 64;  // each goes through all neurons

/// The first field of each part: part k begins where k parts of equal size end, and has a field.
std::vector<std::uint64_t> first_fields(const std::vector<std::uint64_t>& bytes,
                                        std::uint64_t parts) {
  const std::uint64_t all = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  std::vector<std::uint64_t> first{0};
  std::uint64_t before = bytes[0];
  for (std::uint64_t field = 1; field < bytes.size() && first.size() < parts; ++field) {
    const std::uint64_t left = parts - first.size();
    const bool is_last_chance = bytes.size() - field == left;
    if (is_last_chance || before >= all / parts * first.size()) first.push_back(field);
    before += bytes[field];
  }
  return first;
}

}  // namespace

Result<FileSink*> PartsPass::next_field(std::uint64_t about_bytes) {
  const std::uint64_t field = fields++;
  if (bytes_of_fields != nullptr) bytes_of_fields->push_back(about_bytes);
  // The End record may follow in the last file.
  while (parts.size() > 1 && field >= parts.front().end) {
    VECC_TRY_VOID(parts.front().sink->end());
    parts = parts.subspan(1);
  }
  const bool is_here = !parts.empty() && field >= parts.front().begin && field < parts.front().end;
  return is_here ? parts.front().sink.get() : nullptr;
}

Result<void> write_graph_parts(const PartsOptions& options, const WriteGraph& write) {
  const auto run = [&](PartsPass& pass) {
    return write(GraphWriter(pass, options.producer, options.vocabularies));
  };
  const std::uint64_t count = options.paths.size();
  Encoding encoding = options.encoding;
  if (encoding.threads == 0) encoding.threads = std::max(1u, std::thread::hardware_concurrency());
  const auto pass_count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>({encoding.threads, count, kMostPasses}));
  encoding.threads /= pass_count;
  std::vector<GraphPart> parts(count);  // before all work: where one cannot be written, it shows
  for (std::uint64_t k = 0; k < count; ++k) {
    VECC_TRY(parts[k].sink, FileSink::create(options.paths[k], encoding));
  }
  std::vector<std::uint64_t> bytes_of_fields;
  PartsPass measured;
  measured.name = options.paths.front();
  measured.bytes_of_fields = &bytes_of_fields;
  VECC_TRY_VOID(run(measured));
  if (count > bytes_of_fields.size()) {
    return Errors(ErrorCode::Usage, escape_terminal(options.paths.front()),
                  std::to_string(count) + " parts: the graph has " +
                      std::to_string(bytes_of_fields.size()) +
                      " pieces, and a part holds at least one");
  }
  const std::vector<std::uint64_t> first = first_fields(bytes_of_fields, count);
  for (std::uint64_t k = 0; k < count; ++k) {
    parts[k].begin = first[k];
    parts[k].end = k + 1 < count ? first[k + 1] : bytes_of_fields.size();
  }
  std::vector<PartsPass> passes(pass_count, {options.paths.front(), {}, 0, nullptr, {}, 0, 0});
  std::vector<Result<void>> results(pass_count);
  split_work(pass_count, pass_count, [&](const auto& next) {
    while (const auto t = next()) {
      const std::uint64_t begin = *t * count / pass_count;
      const std::uint64_t end = (*t + 1) * count / pass_count;
      passes[*t].parts = std::span(parts).subspan(begin, end - begin);
      results[*t] = run(passes[*t]);
      if (results[*t] && end < count) results[*t] = parts[end - 1].sink->end();
    }
  });
  std::uint32_t crc = 0;
  for (std::uint32_t t = 0; t < pass_count; ++t) {
    if (!results[t]) return results[t];
    VECC_CHECK(passes[t].fields == bytes_of_fields.size(), "every pass has the same fields");
    crc = static_cast<std::uint32_t>(
        crc32_combine(crc, passes[t].crc, static_cast<z_off_t>(passes[t].bytes)));
  }
  measured.end.set_crc32(crc);
  const std::string record = measured.end.SerializeAsString();
  const std::string end = field_head(15, static_cast<std::uint32_t>(record.size())) + record;
  VECC_TRY_VOID(parts.back().sink->write(end));
  for (const GraphPart& part : parts) VECC_TRY_VOID(part.sink->seal());
  const SignalsBlocked renames;
  for (const GraphPart& part : parts) VECC_TRY_VOID(part.sink->commit());
  return {};
}

}  // namespace vecc::graph_io
