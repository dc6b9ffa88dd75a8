#include "src/emit/cpp/runtime/forward_pass.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "src/emit/cpp/runtime/failure.h"
#include "src/emit/cpp/runtime/kernels.h"
#include "src/support/value_text.h"

namespace vecc::emitted {
namespace {

constexpr std::size_t kCacheLine = 64;

template <class T>
void write_values(const std::vector<double>& values, std::byte* memory) {
  auto* to = reinterpret_cast<T*>(memory);
  for (const double value : values) *to++ = static_cast<T>(value);
}

// Where nobody reads on, all is done.
void leave_unwritten() {
  if (errno == EPIPE) return;
  throw Failure(ExitCode::BadInput, "<stdout>",
                std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace

ForwardPass::ForwardPass(const DataFile& data, const std::vector<std::vector<double>>& weights,
                         std::uint64_t shared_work)
    : data_(data), is_double_(data.is_double()), element_bytes_(is_double_ ? 8 : 4) {
  bind_buffers(weights);
  bind_launches(shared_work);
}

// Zeros.
ForwardPass::Memory ForwardPass::make_memory(std::uint64_t elements) const {
  const std::size_t bytes = (elements * element_bytes_ + kCacheLine) / kCacheLine * kCacheLine;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kCacheLine, bytes)));
  if (!memory) throw std::bad_alloc();
  std::memset(memory.get(), 0, bytes);
  return memory;
}

void ForwardPass::bind_buffers(const std::vector<std::vector<double>>& weights) {
  const auto rows = data_.rows<BufferRow>("buffers");
  std::uint64_t arena = 0;
  for (const BufferRow& row : rows) {
    if (row.kind == BufferKind::Arena) arena = std::max(arena, row.first + row.elements);
  }
  memory_.push_back(make_memory(arena));
  std::byte* const first = memory_.front().get();
  // Launches load constants, they never store there.
  auto* const constants = const_cast<std::byte*>(data_.rows<std::byte>("constants").data());
  for (const BufferRow& row : rows) {
    switch (row.kind) {
      case BufferKind::Arena: buffers_.push_back(first + row.first * element_bytes_); break;
      case BufferKind::Constant: buffers_.push_back(constants + row.first * element_bytes_); break;
      case BufferKind::Weight:
        memory_.push_back(make_memory(row.elements));
        buffers_.push_back(memory_.back().get());
        (is_double_ ? write_values<double> : write_values<float>)(weights[row.first],
                                                                  buffers_.back());
        break;
    }
  }
}

const unsigned* ForwardPass::wide(std::uint64_t place) const {
  return place == kNoPlace ? nullptr : data_.rows<unsigned>("indices_32").data() + place;
}

const void* ForwardPass::list(std::uint64_t place, bool is_wide) const {
  if (place == kNoPlace || is_wide) return wide(place);
  return data_.rows<std::uint16_t>("indices_16").data() + place;
}

void ForwardPass::bind_accesses(const LaunchRow& row, std::size_t first) {
  const auto accesses = data_.rows<AccessRow>("accesses").subspan(first, row.access_count);
  for (const AccessRow& access : accesses) {
    arguments_.data.push_back(buffers_[access.buffer] + access.first * element_bytes_);
    arguments_.lists.push_back(list(access.list, row.is_wide == 1));
  }
}

void ForwardPass::bind_launches(std::uint64_t shared_work) {
  const auto rows = data_.rows<LaunchRow>("launches");
  const auto words = data_.rows<std::uint64_t>("words");
  // Launches point into these: they must not move.
  arguments_.data.reserve(data_.rows<AccessRow>("accesses").size());
  arguments_.lists.reserve(arguments_.data.capacity());
  for (const std::uint64_t place : words) arguments_.words.push_back(wide(place));
  std::vector<cpu::BoundLaunch> launches;
  std::size_t first_word = 0;
  for (const LaunchRow& row : rows) {
    const std::size_t first = arguments_.data.size();
    bind_accesses(row, first);
    const KernelCode& code = kernels()[row.kernel];
    cpu::BoundLaunch& launch = launches.emplace_back();
    launch.function = row.is_wide == 1 ? code.wide : code.narrow;
    launch.arguments = {arguments_.data.data() + first,       arguments_.lists.data() + first,
                        arguments_.words.data() + first_word, wide(row.offsets),
                        list(row.order, row.is_wide == 1),    static_cast<unsigned>(row.rows),
                        static_cast<unsigned>(row.members)};
    launch.work = row.work;
    launch.tile_count = row.tile_count;
    launch.tiles = wide(row.tiles);
    launch.tile_types = wide(row.tile_types);
    first_word += row.word_count;
  }
  launch_count_ = launches.size();
  walk_ = cpu::TileWalk(std::move(launches), shared_work);
}

std::vector<double> ForwardPass::read(const OutputRow& row) const {
  std::vector<double> values(row.rows == 0 ? 1 : row.rows * row.cols);
  const std::byte* const memory = buffers_[row.buffer] + row.first * element_bytes_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = is_double_ ? reinterpret_cast<const double*>(memory)[i]
                           : static_cast<double>(reinterpret_cast<const float*>(memory)[i]);
  }
  return values;
}

void ForwardPass::print(std::FILE* file) const {
  const auto lines = data_.rows<char>("sample_lines");
  std::string_view rest(lines.data(), lines.size());
  std::string text;
  for (const OutputRow& row : data_.rows<OutputRow>("outputs")) {
    const std::size_t tab = rest.find('\t');
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text = rest.substr(0, tab);
    text += '\t';
    text += text_of_value(static_cast<std::uint32_t>(row.rows),
                          static_cast<std::uint32_t>(row.cols), read(row), !is_double_);
    text += rest.substr(tab, end - tab);
    text += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) return leave_unwritten();
  }
  if (std::fflush(file) != 0) leave_unwritten();
}

}  // namespace vecc::emitted
