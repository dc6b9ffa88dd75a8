// Fingerprints of rows: two rows that have the same one compute the same function of the learnable
// weights, whatever those are.
//
// A row is read as a polynomial. Its variables are the elements of parameters and states, every
// constant but 0 and 1 (so that 1 + 4 and 2 + 2 do not meet), and one for each (non-linear
// function, arguments). Sums, products, averages and moves of elements are exact; the fingerprint
// is the polynomial's value where every variable is a random number, modulo two primes
// (residues.h), each with its own random numbers. Two different polynomials agree at a random point
// of a field of 2^61 with a probability below degree / 2^61 (Schwartz, Zippel), in both fields
// below degree^2 / 2^122: of n rows any two, wrongly, below n^2 degree^2 / 2^123. The degree is the
// number of weights on a path, and doubles where two computed values are multiplied. A coefficient
// that is not 0 is 0 in both fields only if it is a multiple of both primes: more than 2^121 equal
// members in one sum. No float is ever added, so neither rounding nor saturation has a say.
//
// That is true of numbers, up to rounding (sums are re-associated). Rows that may be infinite or
// NaN are marked as doubtful: 0 times such a row is not 0, 1 - x does not cancel against it, and
// NaN makes a selection depend on the order of its members.
//
// Narrow values (no side longer than 16, or than 1 in a Program too large for that: Keys) have a
// fingerprint an element. Wide ones have one for the whole, the sum of r_i * x_i over their
// elements x_i with random r_i by place: whatever is linear (sums, averages, scaling) is exact in
// it as well. Products by a wide matrix and functions of a wide value are hashes of their
// arguments' fingerprints, a variable of its own: linear in the edges, and two equal products have
// equal hashes; it only does not see W (x + y) = W x + W y.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "optimizer/iso/residues.h"
#include "vecc/shape.h"

namespace vecc::opt::iso {

/// A row's fingerprint, with the shape that says how to read it: Keys::part_count(shape) parts,
/// row-major.
struct RowFingerprint {
  Shape shape;
  std::span<const Residues> parts;
  /// Some element may be infinite or NaN though all weights are numbers: a constant is, or a
  /// function has a pole (log, inverse) or overflows (exp).
  bool doubtful = false;
};

[[nodiscard]] inline bool is_zero(std::span<const Residues> parts) {
  return std::ranges::all_of(parts, [](const Residues& part) { return part.is_zero(); });
}
[[nodiscard]] inline bool has_zero(std::span<const Residues> parts) {
  return std::ranges::any_of(parts, [](const Residues& part) { return part.is_zero(); });
}

}  // namespace vecc::opt::iso
