// Sections of many sets that are equal are found, and kept once.
#include "src/batch/word_sets.h"

#include <gtest/gtest.h>

#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kSets = 20;

// Numbers of a set of a section, less where it begins.
std::vector<std::uint64_t> numbers_of(const WordSets& sets, std::uint64_t set, std::uint64_t first,
                                      std::uint64_t count) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = sets.begins[set]; i < sets.begins[set + 1]; ++i) {
    for (std::uint64_t bit = 0; bit < 64; ++bit) {
      const std::uint64_t number = std::uint64_t{sets.words[i]} * 64 + bit;
      if ((sets.bits[i] >> bit & 1) == 0 || number < first || number >= first + count) continue;
      numbers.push_back(number - first);
    }
  }
  return numbers;
}

// Sections of 200 numbers each but for the last, of 100: `contents` says which are alike.
struct Made {
  WordSets sets;
  std::vector<NumberSection> sections;
};

Made make_sets(const std::vector<std::uint64_t>& contents) {
  Made made;
  for (std::uint64_t s = 0; s < contents.size(); ++s) {
    made.sections.push_back({s * 256, s + 1 == contents.size() ? 100u : 200u});
  }
  for (std::uint64_t set = 0; set < kSets; ++set) {
    for (std::uint64_t s = 0; s < contents.size(); ++s) {
      RandomSource random(contents[s] * 1000 + set);
      for (std::uint64_t word = 0; word < 2; ++word) {
        std::uint64_t bits = 0;
        for (int i = 0; i < 3; ++i) bits |= std::uint64_t{1} << random.below(36);
        if (random.below(3) == 0) continue;
        made.sets.words.push_back(static_cast<std::uint32_t>(s * 4 + word));
        made.sets.bits.push_back(bits);
      }
    }
    made.sets.begins.push_back(made.sets.words.size());
  }
  return made;
}

TEST(WordSets, sections_with_equal_numbers_are_found) {
  const Made made = make_sets({1, 2, 1, 3, 2, 1, 1});
  const std::vector<bool> is_own{false, false, false, false, false, true, false};
  // The last has as many numbers as no other, the one before is its own.
  const std::vector<std::uint32_t> expected{0, 1, 0, 3, 1, 5, 6};
  EXPECT_EQ(find_equal_sections(made.sets, made.sections, is_own), expected);
}

TEST(WordSets, one_number_of_one_set_makes_sections_differ) {
  Made made = make_sets({1, 1, 2});
  const std::vector<bool> is_own(3, false);
  EXPECT_EQ(find_equal_sections(made.sets, made.sections, is_own)[1], 0u);
  for (std::size_t i = made.sets.words.size(); i-- > 0;) {
    if (made.sets.words[i] / 4 != 1) continue;
    made.sets.bits[i] ^= std::uint64_t{1} << 40;
    break;
  }
  EXPECT_EQ(find_equal_sections(made.sets, made.sections, is_own)[1], 1u);
}

TEST(WordSets, equal_sections_are_kept_once) {
  const Made before = make_sets({1, 2, 1, 3, 2, 4});
  WordSets sets = before.sets;
  const auto equal = find_equal_sections(sets, before.sections, std::vector<bool>(6, false));
  const std::vector<std::uint64_t> begins = drop_equal_sections(sets, before.sections, equal);
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{0, 256, 0, 512, 256, 768, 896}));
  EXPECT_LT(sets.bytes(), before.sets.bytes());
  ASSERT_EQ(sets.size(), kSets);
  for (std::uint64_t set = 0; set < kSets; ++set) {
    for (std::size_t s = 0; s < before.sections.size(); ++s) {
      const auto& [first, count] = before.sections[s];
      EXPECT_EQ(numbers_of(sets, set, begins[s], count),
                numbers_of(before.sets, set, first, count));
    }
  }
}

}  // namespace
}  // namespace vecc::test
