#include "tools/ground/stored_atoms.h"

#include <algorithm>
#include <numeric>

namespace vecc::tools::ground {

void ColumnIndex::extend(const AtomTable& atoms, AtomIndex size) {
  const AtomIndex known = this->size();
  if (known == 0 && size > 0) sort(atoms, size);
  std::vector<std::uint32_t> words(columns_.size());
  for (AtomIndex atom = std::max(known, sorted_); atom < size; ++atom) {
    read_words(atoms, atom, words);
    add_to_ring(atoms, atom, words);
  }
  size_.store(std::max(known, size), std::memory_order_release);
}

// By counting: the atoms of a key stay in their order.
void ColumnIndex::sort(const AtomTable& atoms, AtomIndex size) {
  const std::vector<std::uint32_t> key_of_atom = number_keys(atoms, size);
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  sorted_ = size;
  if (std::ranges::is_sorted(key_of_atom)) return;
  stride_ = atoms.row(0).size() + 1;
  entries_.resize(size * stride_);
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (AtomIndex atom = 0; atom < size; ++atom) {
    std::uint32_t* const entry = entries_.data() + next[key_of_atom[atom]]++ * stride_;
    *entry = atom;
    std::ranges::copy(atoms.row(atom), entry + 1);
  }
}

// By atom: the number of its key. How many atoms a key has is left in `begin_` behind its place.
std::vector<std::uint32_t> ColumnIndex::number_keys(const AtomTable& atoms, AtomIndex size) {
  std::vector<std::uint32_t> keys(size);
  if (columns_.size() == 1) {
    for (AtomIndex atom = 0; atom < size; ++atom) keys[atom] = atoms.row(atom)[columns_[0]];
    // Constants are counted from 0: where most of them are here, a table of all needs no hash.
    const std::uint64_t words = std::uint64_t{*std::ranges::max_element(keys)} + 1;
    is_key_word_ = words <= 4 * std::uint64_t{size} + 1024;
    if (is_key_word_) begin_.assign(words + 1, 0);
  }
  std::vector<std::uint32_t> words(columns_.size());
  for (AtomIndex atom = 0; atom < size; ++atom) {
    if (!is_key_word_) {
      read_words(atoms, atom, words);
      std::uint32_t& key = keys_.place(
          hash_words(words), [&](std::uint32_t other) { return has(atoms, first_[other], words); });
      if (key == RowHash::kNone) {
        key = static_cast<std::uint32_t>(first_.size());
        first_.push_back(atom);
      }
      keys[atom] = key;
      begin_.resize(first_.size() + 1, 0);
    }
    ++begin_[keys[atom] + std::size_t{1}];
  }
  return keys;
}

void ColumnIndex::add_to_ring(const AtomTable& atoms, AtomIndex atom,
                              std::span<const std::uint32_t> words) {
  AtomIndex& last =
      last_.place(hash_words(words), [&](AtomIndex other) { return has(atoms, other, words); });
  if (last == kNone) {
    next_.push_back(atom);
  } else {
    next_.push_back(next_[last - sorted_]);
    next_[last - sorted_] = atom;
  }
  last = atom;
}

void ColumnIndex::read_words(const AtomTable& atoms, AtomIndex atom,
                             std::span<std::uint32_t> words) const {
  const std::span<const std::uint32_t> row = atoms.row(atom);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = row[columns_[i]];
}

ColumnIndex::Key ColumnIndex::find(const AtomTable& atoms,
                                   std::span<const std::uint32_t> words) const {
  Key out;
  if (const std::uint32_t key = key_of(atoms, words); key != kNone) {
    out.begin = begin_[key];
    out.end = begin_[key + std::size_t{1}];
  }
  if (!next_.empty()) {
    out.last =
        last_.find(hash_words(words), [&](AtomIndex atom) { return has(atoms, atom, words); });
  }
  return out;
}

std::uint32_t ColumnIndex::key_of(const AtomTable& atoms,
                                  std::span<const std::uint32_t> words) const {
  if (is_key_word_) return words[0] + std::size_t{1} < begin_.size() ? words[0] : kNone;
  return keys_.find(hash_words(words),
                    [&](std::uint32_t key) { return has(atoms, first_[key], words); });
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

void AtomWalk::scan(AtomIndex begin, AtomIndex end) {
  index_ = nullptr;
  entry_ = nullptr;
  place_ = end_ = 0;
  is_done_ = begin >= end;
  at_ = begin;
  last_ = end - 1;
}

void AtomWalk::look_up(const ColumnIndex& index, std::span<const std::uint32_t> words) {
  const ColumnIndex::Key key = index.find(*atoms_, words);
  index_ = &index;
  entry_ = nullptr;
  place_ = key.begin;
  end_ = key.end;
  last_ = key.last;
  is_in_ring_ = false;
  is_done_ = false;
  if (place_ != end_) {
    stand_at_place();
  } else if (last_ != ColumnIndex::kNone) {
    stand_in_ring();
  } else {
    end();
  }
}

// Atoms of a ring lie all over memory: the row, and what follows it, come while SQL works.
void AtomWalk::stand_in_ring() {
  entry_ = nullptr;
  at_ = index_->next(is_in_ring_ ? at_ : last_);
  is_in_ring_ = true;
  atoms_->prefetch(at_);
  if (at_ != last_) index_->prefetch(at_);
}

std::size_t StoredAtoms::index_of(std::span<const std::uint32_t> columns) {
  for (std::size_t i = 0; i < indexes_.size(); ++i) {
    if (std::ranges::equal(indexes_[i].columns(), columns)) return i;
  }
  indexes_.emplace_back(std::vector<std::uint32_t>(columns.begin(), columns.end()));
  return indexes_.size() - 1;
}

void StoredAtoms::index_rows() const {
  const std::lock_guard lock(growing_);
  atoms_->index_rows();
  has_all_rows_.store(true, std::memory_order_release);
}

void StoredAtoms::extend(ColumnIndex& index) {
  const std::lock_guard lock(growing_);
  if (index.size() < size_) index.extend(*atoms_, size_);
}

}  // namespace vecc::tools::ground
