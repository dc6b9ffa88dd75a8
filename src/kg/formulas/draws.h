// Random numbers that depend on nothing but the seed and what they are of: Philox 4x32-10 (Salmon,
// Moraes, Dror, Shaw 2011), keyed by the seed, the counter being position, stream and step.
#pragma once

#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/numbers.h"

namespace vecc::kg::formulas {

using DrawBits = unsigned long long;

/// 64 of the 128 bits. `position` is below 2^56.
VECC_KG_FN DrawBits draw_bits(DrawBits seed, DrawStream stream, DrawBits step, DrawBits position) {
  const DrawBits counter = position | DrawBits(stream) << 56;
  unsigned key[2] = {unsigned(seed), unsigned(seed >> 32)};
  unsigned words[4] = {unsigned(counter), unsigned(counter >> 32), unsigned(step),
                       unsigned(step >> 32)};
  for (int round = 0; round < 10; ++round) {
    const DrawBits a = DrawBits(words[0]) * 0xD2511F53u;
    const DrawBits b = DrawBits(words[2]) * 0xCD9E8D57u;
    words[0] = unsigned(b >> 32) ^ words[1] ^ key[0];
    words[1] = unsigned(b);
    words[2] = unsigned(a >> 32) ^ words[3] ^ key[1];
    words[3] = unsigned(a);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return words[0] | DrawBits(words[1]) << 32;
}

/// 0 .. count - 1, each with the probability 1 / count to 2^-64: the upper part of the 96 bits of
/// bits * count.
VECC_KG_FN unsigned draw_below(DrawBits bits, unsigned count) {
  const DrawBits lower = (bits & 0xFFFFFFFFu) * count >> 32;
  return unsigned(((bits >> 32) * count + lower) >> 32);
}

/// A multiple of 2^-53 in [0, 1).
VECC_KG_FN double draw_uniform(DrawBits bits) {
  return double(bits >> 11) * 0x1p-53;
}

/// Dropout: which draw is of number k of a row of `width`, if the row is what a step reads in
/// `slot`. A draw is of four numbers.
VECC_KG_FN DrawBits dropout_position(DrawBits slot, DrawBits width, DrawBits k) {
  return slot * ((width + 3) / 4) + k / 4;
}
/// Whether the draw leaves number k out: 16 of its bits are below `share`, with the probability
/// share / 2^16.
VECC_KG_FN bool is_dropped(DrawBits bits, DrawBits k, unsigned share) {
  return unsigned(bits >> (k % 4 * 16) & 0xFFFFu) < share;
}

/// Number i with the probability of its weight among all; sums: of the weights up to and with i.
VECC_KG_FN unsigned draw_weighted(DrawBits bits, const double* sums, unsigned count) {
  const double total = sums[count - 1];
  const double at = draw_uniform(bits) * total;
  // The first sum that is more; where the product was rounded up to the total, the first that is
  // the total: the last number with a weight.
  const bool is_end = !(at < total);
  unsigned begin = 0;
  unsigned end = count - 1;
  while (begin < end) {
    const unsigned middle = begin + (end - begin) / 2;
    if (is_end ? sums[middle] >= total : sums[middle] > at) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

}  // namespace vecc::kg::formulas
