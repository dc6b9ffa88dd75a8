#include "src/batch/word_sets.h"

#include <algorithm>
#include <map>
#include <utility>

namespace vecc {
namespace {

// Calls visit(section, set, word of the set) for all words.
template <class Visit>
void for_each_word(const WordSets& sets, std::span<const NumberSection> sections, Visit&& visit) {
  for (std::uint64_t set = 0; set < sets.size(); ++set) {
    std::uint32_t section = 0;
    for (std::uint64_t i = sets.begins[set]; i < sets.begins[set + 1]; ++i) {
      const std::uint64_t number = std::uint64_t{sets.words[i]} * 64;
      while (number >= sections[section].first + sections[section].count) ++section;
      visit(section, set, i);
    }
  }
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

// By section, of its words in all sets.
std::vector<std::uint64_t> hash_sections(const WordSets& sets,
                                         std::span<const NumberSection> sections) {
  std::vector<std::uint64_t> hashes(sections.size(), 0);
  for_each_word(sets, sections, [&](std::uint32_t s, std::uint64_t set, std::uint64_t i) {
    const std::uint64_t word = sets.words[i] - sections[s].first / 64;
    hashes[s] = mix(mix(mix(hashes[s], set), word), sets.bits[i]);
  });
  return hashes;
}

bool is_equal(const WordSets& sets, const NumberSection& a, const NumberSection& b) {
  for (std::uint64_t set = 0; set < sets.size(); ++set) {
    const auto begin = sets.words.begin() + static_cast<std::ptrdiff_t>(sets.begins[set]);
    const auto end = sets.words.begin() + static_cast<std::ptrdiff_t>(sets.begins[set + 1]);
    const auto words_of = [&](const NumberSection& section) {
      return std::pair(std::lower_bound(begin, end, section.first / 64),
                       std::lower_bound(begin, end, (section.first + section.count + 63) / 64));
    };
    const auto [a_begin, a_end] = words_of(a);
    const auto [b_begin, b_end] = words_of(b);
    if (a_end - a_begin != b_end - b_begin) return false;
    const std::uint64_t apart = (b.first - a.first) / 64;
    for (auto x = a_begin, y = b_begin; x != a_end; ++x, ++y) {
      if (*x + apart != *y) return false;
      if (sets.bits[static_cast<std::size_t>(x - sets.words.begin())] !=
          sets.bits[static_cast<std::size_t>(y - sets.words.begin())]) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::uint64_t WordSets::bytes() const {
  return begins.size() * sizeof(std::uint64_t) +
         words.size() * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
}

std::vector<std::uint32_t> find_equal_sections(const WordSets& sets,
                                               std::span<const NumberSection> sections,
                                               const std::vector<bool>& is_own) {
  const std::vector<std::uint64_t> hashes = hash_sections(sets, sections);
  // Those that differ from all before them, by hash and count.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> firsts;
  std::vector<std::uint32_t> equal;
  for (std::uint32_t s = 0; s < sections.size(); ++s) {
    equal.push_back(s);
    if (is_own[s]) continue;
    std::vector<std::uint32_t>& alike = firsts[{hashes[s], sections[s].count}];
    const auto found = std::ranges::find_if(
        alike, [&](std::uint32_t first) { return is_equal(sets, sections[first], sections[s]); });
    if (found == alike.end()) {
      alike.push_back(s);
    } else {
      equal[s] = *found;
    }
  }
  return equal;
}

std::vector<std::uint64_t> drop_equal_sections(WordSets& sets,
                                               std::span<const NumberSection> sections,
                                               std::span<const std::uint32_t> equal) {
  std::vector<std::uint64_t> begins;
  std::uint64_t end = 0;
  for (std::uint32_t s = 0; s < sections.size(); ++s) {
    begins.push_back(equal[s] == s ? end : begins[equal[s]]);
    if (equal[s] == s) end += (sections[s].count + 63) / 64 * 64;
  }
  std::uint64_t kept = 0;
  std::vector<std::uint64_t> ends(sets.size(), 0);
  for_each_word(sets, sections, [&](std::uint32_t s, std::uint64_t set, std::uint64_t i) {
    if (equal[s] != s) return;
    const std::uint64_t word = sets.words[i] - sections[s].first / 64 + begins[s] / 64;
    sets.words[kept] = static_cast<std::uint32_t>(word);
    sets.bits[kept] = sets.bits[i];
    ends[set] = ++kept;
  });
  for (std::uint64_t set = 0; set < sets.size(); ++set) {
    sets.begins[set + 1] = std::max(ends[set], sets.begins[set]);
  }
  sets.words.resize(kept);
  sets.bits.resize(kept);
  begins.push_back(end);
  return begins;
}

}  // namespace vecc
