#include "tools/ground/stored_atoms.h"

#include <algorithm>

namespace vecc::tools::ground {

void ColumnIndex::extend(const AtomTable& atoms, AtomIndex size) {
  std::vector<std::uint32_t> words(columns_.size());
  for (auto atom = static_cast<AtomIndex>(next_.size()); atom < size; ++atom) {
    const std::span<const std::uint32_t> row = atoms.row(atom);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = row[columns_[i]];
    AtomIndex& last =
        last_.place(hash_words(words), [&](AtomIndex other) { return has(atoms, other, words); });
    if (last == RowHash::kNone) {
      next_.push_back(atom);
    } else {
      next_.push_back(next_[last]);
      next_[last] = atom;
    }
    last = atom;
  }
}

AtomIndex ColumnIndex::last(const AtomTable& atoms, std::span<const std::uint32_t> words) const {
  return last_.find(hash_words(words), [&](AtomIndex atom) { return has(atoms, atom, words); });
}

// Equal hashes of a single word are equal words.
bool ColumnIndex::has(const AtomTable& atoms, AtomIndex atom,
                      std::span<const std::uint32_t> words) const {
  if (words.size() == 1) return true;
  const std::span<const std::uint32_t> row = atoms.row(atom);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (row[columns_[i]] != words[i]) return false;
  }
  return true;
}

std::size_t StoredAtoms::index_of(std::span<const std::uint32_t> columns) {
  for (std::size_t i = 0; i < indexes_.size(); ++i) {
    if (std::ranges::equal(indexes_[i].columns(), columns)) return i;
  }
  indexes_.emplace_back(std::vector<std::uint32_t>(columns.begin(), columns.end()));
  return indexes_.size() - 1;
}

const ColumnIndex& StoredAtoms::index(std::size_t number) {
  ColumnIndex& index = indexes_[number];
  index.extend(*atoms_, size_);
  return index;
}

}  // namespace vecc::tools::ground
