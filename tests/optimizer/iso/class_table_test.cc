#include "optimizer/iso/class_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "src/support/list_threads.h"

namespace vecc::opt::iso {
namespace {

std::uint32_t insert_one(ClassTable& table, Residues fingerprint) {
  return table.insert({&fingerprint, 1});
}

TEST(ClassTable, rows_are_one_class_only_if_both_fields_agree) {
  ClassTable table(1);
  EXPECT_EQ(insert_one(table, {3, 4}), 0u);
  EXPECT_EQ(insert_one(table, {3, 5}), 1u);
  EXPECT_EQ(insert_one(table, {2, 4}), 2u);
  EXPECT_EQ(insert_one(table, {3, 4}), 0u);
}

TEST(ClassTable, counts_a_class_that_meets_an_earlier_one_in_the_first_field) {
  ClassTable table(1);
  for (std::uint64_t i = 0; i < 1000; ++i) insert_one(table, {i, 5000 + i});
  EXPECT_EQ(table.take_meetings(), 0u);
  insert_one(table, {7, 1});        // the first field's
  insert_one(table, {9999, 5007});  // the second field's
  insert_one(table, {8, 5008});     // both: no new class
  EXPECT_EQ(table.take_meetings(), 1u);
  EXPECT_EQ(table.take_meetings(), 0u);
}

TEST(ClassTable, finds_what_was_appended) {
  ClassTable table(2);
  const std::vector<Residues> fingerprint{{1, 2}, {3, 4}};
  EXPECT_EQ(table.append(fingerprint), 0u);
  EXPECT_EQ(table.insert(fingerprint), 0u);
}

TEST(ClassTable, inserts_the_same_in_batches_as_one_at_a_time) {
  constexpr std::uint32_t kRows = 100000;
  const auto residues = [](std::uint32_t i) { return Residues{i % 20011, i % 7}; };
  ClassTable one_at_a_time(1);
  ClassTable batches(1);
  batches.insert_all(
      kRows,
      [&](std::uint32_t i, std::span<Residues> fingerprint) {
        fingerprint[0] = residues(i);
        return i % 3 == 0;
      },
      [&](std::uint32_t i, std::uint32_t row_class) {
        ASSERT_EQ(row_class, insert_one(one_at_a_time, residues(i)));
      });
  EXPECT_EQ(batches.size(), one_at_a_time.size());
  EXPECT_TRUE(batches.doubtful(0));
  EXPECT_FALSE(batches.doubtful(1));
}

// Rows as iso-compress inserts them: many, few, few of many, then one at a time; fingerprints of
// which some are in one field those of an earlier row.
TEST(ClassTable, many_rows_at_once_are_the_same_as_one_at_a_time) {
  constexpr std::uint32_t kMany = 200000;
  const auto fingerprint_of = [](std::uint32_t i, std::span<Residues> parts) {
    const std::uint64_t value = i * std::uint64_t{7919} % 90001;
    parts[0] = {value, i % 50000 == 7 ? 1 : value + 1};
    parts[1] = {i % 40000 == 9 ? 5 : 3 * value, value};
    return value % 5 == 0;
  };
  const ListThreads threads(3);
  ClassTable one_at_a_time(2);
  ClassTable table(2);
  std::vector<Residues> parts(2);
  std::uint64_t expected = 0;
  std::uint64_t found = 0;
  std::uint32_t begin = 0;
  for (const std::uint32_t count :
       {kMany, 100u, 30u, 1u, 200u, 100u, 50u, kMany, 40000u, 1u, kMany * 2}) {
    std::vector<std::uint32_t> classes(count);
    table.insert_all_by_threads(
        count,
        [&](std::uint32_t i, std::span<Residues> to) { return fingerprint_of(begin + i, to); },
        [&](std::uint32_t i, std::uint32_t row_class) { classes[i] = row_class; });
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool doubtful = fingerprint_of(begin + i, parts);
      ASSERT_EQ(classes[i], one_at_a_time.insert(parts, doubtful)) << begin + i;
      ASSERT_EQ(table.doubtful(classes[i]), one_at_a_time.doubtful(classes[i]));
      ASSERT_TRUE(std::ranges::equal(table.parts(classes[i]), one_at_a_time.parts(classes[i])));
    }
    begin += count;
    found += table.take_meetings();
    expected += one_at_a_time.take_meetings();
    EXPECT_EQ(found, expected) << begin;
  }
  EXPECT_EQ(table.size(), one_at_a_time.size());
  EXPECT_GT(found, 0u);
}

}  // namespace
// More than are moved at once to where rows that are no class were: each 1000th is the one before.
TEST(ClassTable, classes_follow_each_other_where_few_of_many_rows_are_equal) {
  constexpr std::uint32_t kRows = 1200000;
  const auto class_of = [](std::uint32_t i) { return i - i / 1000; };
  for (const std::uint32_t count : {1u, 3u}) {
    const ListThreads threads(count);
    ClassTable table(1);
    std::vector<std::uint32_t> classes(kRows);
    table.insert_all_by_threads(
        kRows,
        [&](std::uint32_t i, std::span<Residues> parts) {
          parts[0] = {class_of(i) * std::uint64_t{0x9E3779B97F4A7C15}, 1};
          return class_of(i) % 3 == 0;
        },
        [&](std::uint32_t i, std::uint32_t row_class) { classes[i] = row_class; });
    ASSERT_EQ(table.size(), class_of(kRows - 1) + 1);
    for (std::uint32_t i = 0; i < kRows; ++i) {
      ASSERT_EQ(classes[i], class_of(i)) << i;
      ASSERT_EQ(table.parts(classes[i])[0].first, class_of(i) * std::uint64_t{0x9E3779B97F4A7C15});
      ASSERT_EQ(table.doubtful(classes[i]), class_of(i) % 3 == 0);
    }
  }
}

}  // namespace vecc::opt::iso
