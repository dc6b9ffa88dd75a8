// Random numbers by name: the same key and words, the same residues; other words, others that look
// independent. One key for each field, so that what meets in one does not meet in the other.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "optimizer/iso/residues.h"
#include "vecc/shape.h"

namespace vecc::opt::iso {

/// What a hash is of: hashes of two kinds never meet.
enum class HashTag : std::uint8_t {
  Constant,
  Parameter,
  State,
  Position,        ///< an element's place in a wide value
  Entry,           ///< an element of a wide value
  Transformation,  ///< detail: which
  Combination,     ///< detail: which
  Member,          ///< of a multiset; detail: which combination
  Times,
  Transpose,
  Slice,
  Part,  ///< of a wide concat
  Contract,
  Vjp,
  Draw,
  StepDraw,    ///< rows of a `draw`
  ValueIndex,  ///< rows of an op whose index is a value, by the op
};

/// All bits of the result depend on all bits of `word`; one to one.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

/// A hash of a list of words and residues; take its value() at any time.
class KeyedHash {
 public:
  KeyedHash(std::uint64_t first_key, std::uint64_t second_key)
      : first_(first_key), second_(second_key) {}

  KeyedHash& add(std::uint64_t word) { return add(Residues{word, word}); }
  KeyedHash& add(const Residues& element) {
    first_ = mix(first_ ^ element.first);
    second_ = mix(second_ ^ element.second);
    return *this;
  }
  KeyedHash& add(std::span<const Residues> elements) {
    add(elements.size());
    for (const Residues& element : elements) add(element);
    return *this;
  }
  /// Of the list and one word or element more: half of what add() and value() take. A longer list
  /// of this tag that begins so must not go on with this value.
  [[nodiscard]] Residues value_with(std::uint64_t last) const {
    return value_with(Residues{last, last});
  }
  [[nodiscard]] Residues value_with(const Residues& last) const {
    return {FirstField::reduce(mix(first_ ^ last.first)),
            SecondField::reduce(mix(second_ ^ last.second))};
  }
  [[nodiscard]] Residues value() const {
    constexpr std::uint64_t kLast = 0x9E3779B97F4A7C15ull;
    return {FirstField::reduce(mix(first_ + kLast)), SecondField::reduce(mix(second_ + kLast))};
  }

 private:
  std::uint64_t first_;
  std::uint64_t second_;
};

/// The longest side of a narrow value, which has a fingerprint an element.
inline constexpr std::uint32_t kNarrowSide = 16;

/// The keys of one run, and which values are narrow in it.
class Keys {
 public:
  /// `narrow_side`: kNarrowSide, or less.
  explicit Keys(std::uint64_t seed, std::uint32_t narrow_side = kNarrowSide)
      : first_(mix(seed ^ 0x8AD05B2D1C7E4F63ull)),
        second_(mix(mix(seed) ^ 0x37C1A2E95F0D4B87ull)),
        constant_(hash(HashTag::Constant)),
        narrow_side_(narrow_side) {}

  [[nodiscard]] bool is_narrow(Shape shape) const {
    return shape.rows() <= narrow_side_ && shape.cols() <= narrow_side_;
  }
  /// Residues in the fingerprint of a row.
  [[nodiscard]] std::size_t part_count(Shape shape) const {
    return is_narrow(shape) ? shape.size() : 1;
  }

  [[nodiscard]] KeyedHash hash(HashTag tag, std::uint64_t detail = 0) const {
    return KeyedHash(first_, second_).add(static_cast<std::uint64_t>(tag) << 32 ^ detail);
  }
  /// 0 and 1 as they are, every other number by its bits: -0.0 is not 0, for 1 / x tells them
  /// apart.
  [[nodiscard]] Residues constant(double number) const {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    if (bits == 0) return kZero;
    if (number == 1) return kOne;
    return constant_.value_with(bits);
  }
  /// Of a parameter or state.
  [[nodiscard]] KeyedHash named(HashTag tag, std::string_view name) const;
  /// The factor of element i of a wide value.
  [[nodiscard]] Residues position(std::uint64_t i) const {
    return hash(HashTag::Position).add(i).value();
  }
  /// The fingerprint of a wide value whose `size` elements are all 1.
  [[nodiscard]] Residues ones(std::uint64_t size) const;

 private:
  std::uint64_t first_;
  std::uint64_t second_;
  KeyedHash constant_;
  std::uint32_t narrow_side_;
  // ones() of the size last asked for: a value's rows all have one size.
  mutable std::uint64_t ones_size_ = 0;
  mutable Residues ones_ = kZero;
};

/// A hash of members whose order does not matter: the sum of their hashes, of which no two
/// multisets have the same but by chance.
class MultisetHash {
 public:
  /// `detail`: what the members are members of.
  MultisetHash(const Keys& keys, std::uint64_t detail)
      : member_(keys.hash(HashTag::Member, detail)) {}

  void clear() {
    sum_ = kZero;
    count_ = 0;
  }
  void add(std::span<const Residues> member) {
    sum_ +=
        member.size() == 1 ? member_.value_with(member[0]) : KeyedHash(member_).add(member).value();
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Its sum, to be hashed with what else there is.
  [[nodiscard]] const Residues& sum() const { return sum_; }

 private:
  KeyedHash member_;
  Residues sum_ = kZero;
  std::uint64_t count_ = 0;
};

}  // namespace vecc::opt::iso
