#include "backends/cuda/batch_image.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "backends/cuda/batch_numbers.h"
#include "src/kernel/prelude/batch_tables.h"

namespace vecc::cuda {
namespace {

using vecc_kernel::MadeZeros;

class ImageWriter {
 public:
  /// `at`: where what has no fixed place begins, behind that of the steps before.
  ImageWriter(const BatchWriter& writer, const BatchRows& rows, BatchSlot& slot,
              const BatchSlot::Step& step, std::uint64_t at)
      : writer_(writer), rows_(rows), slot_(slot), step_(step), at_(at) {}

  void write_fixed(std::span<const LaunchPart> parts, std::span<const double> scalars) {
    const BatchLayout& layout = writer_.layout;
    std::memcpy(host() + step_.first, step_.bounds.data(), step_.bounds.size());
    for (std::size_t s = 0; s < scalars.size(); ++s) {
      put_number(step_.first + layout.scalars + s * BatchLayout::kAlignment, scalars[s]);
    }
    std::uint64_t end = layout.scalars + scalars.size() * BatchLayout::kAlignment;
    for (std::size_t n = 0; n < writer_.nodes.size(); ++n) {
      const NodePlace& place = layout.nodes[n];
      auto* const blocks = reinterpret_cast<BlockRows*>(host() + step_.first + place.blocks);
      writer_.cutter.cut(writer_.nodes[n].graph, rows_, parts, {blocks, place.block_count});
      end = place.blocks + place.block_count * sizeof(BlockRows);
    }
    std::memset(host() + step_.first + end, 0, layout.fixed - end);
  }

  // Where its Zeros begin, as kernels count them.
  [[nodiscard]] std::uint32_t begin_zeros() {
    const std::uint64_t number = (at_ - slot_.rest() + sizeof(MadeZeros) - 1) / sizeof(MadeZeros);
    clear_to(slot_.rest() + number * sizeof(MadeZeros));
    return static_cast<std::uint32_t>(number);
  }

  void write_zeros() {
    const std::uint64_t size = byte_size(writer_.dtype);
    for (const BatchRows::Zeros& zeros : rows_.zeros) {
      const CUdeviceptr begin =
          writer_.batch.is_compact ? writer_.values : writer_.buffers[zeros.buffer];
      append(MadeZeros{begin + zeros.first * size, zeros.count, zeros.value});
    }
  }

  void write_arrays() {
    const CUdeviceptr wide = append_array(std::span<const std::uint32_t>(rows_.wide));
    const CUdeviceptr narrow = append_array(std::span<const std::uint16_t>(rows_.narrow));
    for (const BatchRows::Run& run : rows_.runs) bind_run(run, wide, narrow);
    for (const BatchRows::Unstored& unstored : rows_.unstored) {
      put(step_.first + writer_.layout.bounds[unstored.launch].data(unstored.access),
          writer_.nowhere);
    }
    align();
  }

  [[nodiscard]] std::uint64_t end() const { return at_; }

 private:
  [[nodiscard]] std::byte* host() const { return slot_.host().data(); }
  template <class Value>
  void put(std::uint64_t at, const Value& value) {
    std::memcpy(host() + at, &value, sizeof value);
  }
  template <class Value>
  void append(const Value& value) {
    put(at_, value);
    at_ += sizeof value;
  }
  // What lies between is 0, so that images are equal where batches are.
  void align() { clear_to(BatchLayout::aligned(at_)); }
  void clear_to(std::uint64_t end) {
    std::memset(host() + at_, 0, end - at_);
    at_ = end;
  }
  void put_number(std::uint64_t at, double value) {
    std::memset(host() + at, 0, BatchLayout::kAlignment);
    writer_.dtype == DType::F64 ? put(at, value) : put(at, static_cast<float>(value));
  }
  // Where it will be on the device.
  template <class Entry>
  CUdeviceptr append_array(std::span<const Entry> entries) {
    align();
    const std::uint64_t begin = at_;
    if (!entries.empty()) std::memcpy(host() + begin, entries.data(), entries.size_bytes());
    at_ += entries.size_bytes();
    return slot_.address() + begin;
  }

  // What is not the step's own.
  void bind_run(const BatchRows::Run& run, CUdeviceptr wide, CUdeviceptr narrow) {
    const BatchLaunch& launch = writer_.batch.launches[run.launch];
    BoundPlace bound = writer_.layout.bounds[run.launch];
    bound.first += step_.first;
    const auto entries = [&](std::uint32_t place) {
      return launch.is_narrow ? narrow + place * sizeof(std::uint16_t)
                              : wide + place * sizeof(std::uint32_t);
    };
    if (run.order != kNone) put(bound.order(), entries(run.order));
    if (writer_.batch.is_compact) bind_places(run, bound);
    if (!launch.drops && !writer_.batch.is_compact) return;
    put(bound.rows(), run.rows);
    if (run.offsets != kNone) put(bound.offsets(), wide + run.offsets * sizeof(std::uint32_t));
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const std::uint32_t place = rows_.lists[run.lists + a];
      if (place != kNone) put(bound.list(a), entries(place));
    }
  }

  void bind_places(const BatchRows::Run& run, const BoundPlace& bound) {
    const BatchLaunch& launch = writer_.batch.launches[run.launch];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (!writer_.batch.made_buffers[launch.accesses[a].buffer]) continue;
      put(bound.data(a), writer_.values + rows_.places[run.places + a] * byte_size(writer_.dtype));
    }
  }

  const BatchWriter& writer_;
  const BatchRows& rows_;
  BatchSlot& slot_;
  const BatchSlot::Step& step_;
  std::uint64_t at_;
};

std::uint64_t bytes_with(const BatchLayout& layout, std::uint64_t zeros, std::uint64_t writes,
                         std::uint64_t wide, std::uint64_t narrow) {
  return layout.fixed + zeros * sizeof(MadeZeros) + writes * NumberWriter::kBytes +
         wide * sizeof(std::uint32_t) + narrow * sizeof(std::uint16_t) +
         3 * BatchLayout::kAlignment + sizeof(MadeZeros);
}

}  // namespace

std::uint64_t image_bytes(const BatchLayout& layout, const BatchRows& rows, std::uint64_t writes) {
  return bytes_with(layout, rows.zeros.size(), writes, rows.wide.size(), rows.narrow.size());
}
std::uint64_t image_capacity(const BatchLayout& layout, const BatchRows& rows,
                             std::uint64_t writes) {
  return bytes_with(layout, rows.zeros.capacity(), writes, rows.wide.capacity(),
                    rows.narrow.capacity());
}

BatchImage write_batches(const BatchWriter& writer, std::span<const ImageBatch> batches,
                         std::span<LaunchPart> parts, BatchSlot& slot) {
  BatchImage image;
  image.writes = slot.rest();
  for (std::size_t s = 0; s < batches.size(); ++s) {
    ImageWriter to(writer, batches[s].rows, slot, slot.steps()[s], image.writes);
    find_parts(batches[s].rows, parts, to.begin_zeros());
    to.write_fixed(parts, batches[s].scalars);
    to.write_zeros();
    to.write_arrays();
    image.writes = to.end();
  }
  NumberWriter numbers(writer.dtype, slot.host().data() + image.writes);
  for (std::size_t s = 0; s < batches.size(); ++s) {
    numbers.add_weights(batches[s].weights, slot.steps()[s]);
  }
  image.write_count = numbers.count();
  image.bytes = image.writes + numbers.count() * NumberWriter::kBytes;
  return image;
}

}  // namespace vecc::cuda
