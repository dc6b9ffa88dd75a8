// Indexes of atoms: every key's atoms in ascending order, sorted ones and those that came later.
#include <gtest/gtest.h>

#include <random>

#include "tools/ground/stored_atoms.h"

namespace vecc::tools::ground {
namespace {

using Row = std::vector<std::uint32_t>;

std::vector<AtomIndex> walk(const AtomTable& atoms, const ColumnIndex& index, const Row& key) {
  std::vector<AtomIndex> out;
  AtomWalk walk(atoms);
  for (walk.look_up(index, key); !walk.is_done(); walk.next()) {
    out.push_back(walk.atom());
    for (std::size_t i = 0; i < atoms.row(walk.atom()).size(); ++i) {
      EXPECT_EQ(walk.word(i), atoms.row(walk.atom())[i]);
    }
  }
  return out;
}

std::vector<AtomIndex> search(const AtomTable& atoms, AtomIndex size, const Row& columns,
                              const Row& key) {
  std::vector<AtomIndex> out;
  for (AtomIndex atom = 0; atom < size; ++atom) {
    bool fits = true;
    for (std::size_t i = 0; i < key.size(); ++i) fits &= atoms.row(atom)[columns[i]] == key[i];
    if (fits) out.push_back(atom);
  }
  return out;
}

// A table of two arguments that grows in three steps; `draw(i)` is a word of row i.
template <class Draw>
void check_index(const Row& columns, std::uint32_t examples, Draw draw) {
  AtomTable atoms(2);
  ColumnIndex index(columns);
  std::vector<Row> keys;
  std::mt19937 random(7);
  for (const AtomIndex size : {100u, 150u, 151u}) {
    while (atoms.size() < size) {
      const AtomIndex i = atoms.size();
      const Row row{static_cast<std::uint32_t>(random() % examples), draw(i), draw(i)};
      atoms.append(row);
      keys.emplace_back();
      for (const std::uint32_t c : columns) keys.back().push_back(row[c]);
    }
    index.extend(atoms, size);
    EXPECT_EQ(index.size(), size);
    keys.push_back(Row(columns.size(), 4'000'000'000));  // no atom has it
    for (const Row& key : keys) {
      EXPECT_EQ(walk(atoms, index, key), search(atoms, size, columns, key));
    }
  }
}

TEST(ColumnIndex, WordsOfOneColumn) {
  std::mt19937 random(1);
  check_index({1}, 1, [&](AtomIndex) { return static_cast<std::uint32_t>(random() % 20); });
  check_index({2}, 1, [&](AtomIndex) { return static_cast<std::uint32_t>(random() % 90); });
}

TEST(ColumnIndex, WordsFarApart) {
  std::mt19937 random(2);
  check_index({1}, 1,
              [&](AtomIndex) { return static_cast<std::uint32_t>(random() % 20 * 150'000'000); });
}

TEST(ColumnIndex, KeysInTheOrderOfAtoms) {
  check_index({1}, 1, [](AtomIndex i) { return i / 3; });
  check_index({0, 1}, 1, [](AtomIndex i) { return i / 3; });
}

TEST(ColumnIndex, SeveralColumns) {
  std::mt19937 random(3);
  const auto draw = [&](AtomIndex) { return static_cast<std::uint32_t>(random() % 5); };
  check_index({0, 1}, 4, draw);
  check_index({0, 2}, 4, draw);
  check_index({1, 2}, 4, draw);
}

TEST(ColumnIndex, NothingBeforeThereAreAtoms) {
  const AtomTable atoms(2);
  ColumnIndex index({1});
  index.extend(atoms, 0);
  EXPECT_TRUE(walk(atoms, index, {3}).empty());
}

// A single argument of the only example is its own hash; with other examples it is compared.
TEST(AtomTable, FindsRowsOfOneArgument) {
  AtomTable atoms(1);
  EXPECT_EQ(atoms.add(Row{0, 7}), std::pair(AtomIndex{0}, true));
  EXPECT_EQ(atoms.add(Row{0, 7}), std::pair(AtomIndex{0}, false));
  EXPECT_EQ(atoms.find(Row{1, 7}), AtomTable::kNotAnAtom);
  EXPECT_EQ(atoms.add(Row{1, 7}), std::pair(AtomIndex{1}, true));
  EXPECT_EQ(atoms.find(Row{0, hash_words(Row{1, 7})}), AtomTable::kNotAnAtom);
  EXPECT_EQ(atoms.find(Row{0, 7}), 0u);
  EXPECT_EQ(atoms.find(Row{1, 7}), 1u);
}

}  // namespace
}  // namespace vecc::tools::ground
