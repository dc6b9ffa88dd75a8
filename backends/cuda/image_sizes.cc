// Of the images of batches, at most.
#include <bit>
#include <map>

#include "backends/cuda/batch_tables.h"

namespace vecc::cuda {
namespace {

namespace made = vecc_kernel;

std::uint64_t entry_bytes(const made::BatchArray& array) {
  return array.narrow != 0 ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
}

// By job, what one number of it takes: an entry in each array, but for those that are equal.
std::vector<std::uint64_t> bytes_of_numbers(const BatchDescription& of) {
  std::vector<std::uint64_t> bytes(of.jobs.size(), 0);
  for (const made::BatchArray& array : of.arrays) {
    if (array.before == made::kNoPlace) bytes[array.job] += entry_bytes(array);
  }
  for (const std::uint32_t job : of.rest_jobs) bytes[job] += sizeof(made::MadeZeros);
  return bytes;
}

}  // namespace

ImageSizes::ImageSizes(const BatchDescription& of, const BatchLayout& layout,
                       const WeightReach& reach)
    : reach_(reach), fixed_(layout.fixed + 3 * BatchLayout::kAlignment) {
  const std::vector<std::uint64_t> bytes = bytes_of_numbers(of);
  // What a number takes, by the one that its section begins with; a member may bring its row.
  std::map<std::uint64_t, std::uint64_t> sections{{0, 0}, {reach.numbers().whole(), 0}};
  std::map<std::uint64_t, std::uint64_t> whole;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    sections[of.jobs[j].first] += bytes[j];
    if (of.jobs[j].kind == made::kRowNumbers) whole[of.jobs[j].whole] = of.jobs[j].count * bytes[j];
  }
  for (const made::BatchArray& array : of.arrays) {
    if (array.kind == made::kOffsets) fixed_ += entry_bytes(array);  // the end
  }
  const WordSets& sets = reach.sets();
  for (std::uint64_t set = 0; set < sets.size(); ++set) {
    std::uint64_t of_set = 0;
    for (std::uint64_t i = sets.begins[set]; i < sets.begins[set + 1]; ++i) {
      const std::uint64_t first = sets.words[i] * std::uint64_t{64};
      const auto count = static_cast<std::uint64_t>(std::popcount(sets.bits[i]));
      of_set += count * std::prev(sections.upper_bound(first))->second;
      if (first < reach.numbers().whole()) continue;
      for (std::uint64_t bits = sets.bits[i]; bits != 0; bits &= bits - 1) {
        const auto found = whole.find(first + static_cast<std::uint64_t>(std::countr_zero(bits)));
        if (found == whole.end()) continue;
        fixed_ += found->second;  // of all rows, whichever sets bring them
        whole.erase(found);
      }
    }
    of_sets_.push_back(of_set);
  }
}

std::uint64_t ImageSizes::most(std::span<const Batch::Weights> weights) const {
  std::uint64_t bytes = fixed_ + of_sets_.front();
  for (std::size_t w = 0; w < weights.size(); ++w) {
    for (const std::uint32_t row : weights[w].rows) bytes += of_sets_[reach_.set_of(w, row)];
  }
  return bytes;
}

}  // namespace vecc::cuda
