#include "optimizer/rewrite/pair_numbers.h"

#include <utility>

#include "optimizer/rewrite/equal_rows.h"
#include "src/support/list_threads.h"

namespace vecc::opt {

// By lower bits: the tables go by upper ones.
std::size_t PairNumbers::part_of(const Pair& pair) {
  return hash_of_pair(pair.first, pair.second) % kParts;
}

template <class Body>
void PairNumbers::for_pieces(std::size_t pairs, std::size_t pieces, const Body& body) {
  if (pairs >= kLong) return ListThreads::for_pieces(pieces, body);
  for (std::size_t piece = 0; piece < pieces; ++piece) body(piece);
}

// A stable counting sort by part: each piece counts its own pairs of one.
PairNumbers::Dealt PairNumbers::deal(std::span<const std::span<const Pair>> pieces,
                                     const Numbered& numbered, std::size_t count) {
  std::vector<std::array<std::size_t, kParts>> next(pieces.size());
  for_pieces(count, pieces.size(), [&](std::size_t p) {
    for (const Pair& pair : pieces[p]) ++next[p][part_of(pair)];
  });
  Dealt dealt;
  std::size_t place = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    dealt.begin[part] = place;
    for (auto& of_piece : next) place += std::exchange(of_piece[part], place);
  }
  dealt.begin[kParts] = count;
  dealt.entries = UnsetArray<Entry>(count);
  for_pieces(count, pieces.size(), [&](std::size_t p) {
    auto at = static_cast<std::uint32_t>(numbered.begins[p]);
    for (const Pair& pair : pieces[p])
      dealt.entries[next[p][part_of(pair)]++] = {pair.first, pair.second, at++};
  });
  return dealt;
}

PairNumbers::Numbered PairNumbers::number_all(std::span<const std::span<const Pair>> pieces) {
  Numbered numbered;
  std::size_t count = 0;
  for (const auto& piece : pieces) {
    numbered.begins.push_back(count);
    count += piece.size();
  }
  numbered.numbers = UnsetArray<std::uint32_t>(count);
  std::vector<std::uint8_t> is_new(count);
  {
    const Dealt dealt = deal(pieces, numbered, count);
    for_pieces(count, kParts, [&](std::size_t p) {
      const auto entries = dealt.entries.part(dealt.begin[p], dealt.begin[p + 1] - dealt.begin[p]);
      std::uint32_t known = parts_[p].table.size();
      parts_[p].table.number_all(
          static_cast<std::uint32_t>(entries.size()),
          [&](std::uint32_t i) { return entries[i].left; },
          [&](std::uint32_t i) { return entries[i].right; },
          [&](std::uint32_t i, std::uint32_t number) {
            numbered.numbers[entries[i].place] = number;
            if (number < known) return;
            is_new[entries[i].place] = 1;
            ++known;
          });
      parts_[p].number.resize(known);
    });
  }
  std::vector<std::uint32_t> fresh(pieces.size());  // then: the number of its next new pair
  const auto for_each_pair = [&](const auto& visit) {
    for_pieces(count, pieces.size(), [&](std::size_t p) {
      std::size_t at = numbered.begins[p];
      for (const Pair& pair : pieces[p]) visit(p, pair, at++);
    });
  };
  for_each_pair([&](std::size_t p, const Pair&, std::size_t at) { fresh[p] += is_new[at]; });
  std::uint32_t all = size();
  for (std::uint32_t& of_piece : fresh) {
    all += std::exchange(of_piece, all);
    numbered.sizes.push_back(all);
  }
  left_.resize(all);
  right_.resize(all);
  const auto number_of = [&](const Pair& pair, std::size_t at) -> std::uint32_t& {
    return parts_[part_of(pair)].number[numbered.numbers[at]];
  };
  for_each_pair([&](std::size_t p, const Pair& pair, std::size_t at) {
    if (is_new[at] == 0) return;
    const std::uint32_t number = number_of(pair, at) = fresh[p]++;
    left_[number] = pair.first;
    right_[number] = pair.second;
  });
  for_each_pair([&](std::size_t, const Pair& pair, std::size_t at) {
    numbered.numbers[at] = number_of(pair, at);
  });
  return numbered;
}

}  // namespace vecc::opt
