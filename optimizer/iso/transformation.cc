#include <algorithm>
#include <bit>

#include "optimizer/iso/functions.h"

namespace vecc::opt::iso {
namespace {

// What a hash must know beside the elements: which function, and how many elements a wide value
// has.
KeyedHash function_hash(const Keys& keys, const TransformationSpec& spec, Shape x) {
  KeyedHash hash = keys.hash(HashTag::Transformation, static_cast<std::uint64_t>(spec.id));
  if (info(spec.id).parameters == FunctionParameters::Slope) {
    hash.add(std::bit_cast<std::uint64_t>(spec.slope));
  }
  return keys.is_narrow(x) ? hash : hash.add(x.size());
}

// A function of each element alone.
void hash_elements(const Keys& keys, const TransformationSpec& spec, RowFingerprint x,
                   std::span<Residues> y) {
  const KeyedHash hash = function_hash(keys, spec, x.shape);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = hash.value_with(x.parts[i]);
}

// A function of the whole row that treats all elements alike: each with the multiset of all.
void hash_whole(const Keys& keys, const TransformationSpec& spec, RowFingerprint x,
                std::span<Residues> y) {
  MultisetHash all(keys, static_cast<std::uint64_t>(spec.id));
  for (std::size_t i = 0; i < x.parts.size(); ++i) all.add(x.parts.subspan(i, 1));
  KeyedHash hash = function_hash(keys, spec, x.shape);
  hash.add(all.count()).add(all.sum());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = hash.value_with(x.parts[i]);
}

// Softmax and sparsemax of one element are 1.
void hash_shares(const Keys& keys, const TransformationSpec& spec, RowFingerprint x,
                 std::span<Residues> y) {
  if (x.shape.size() == 1 && !x.doubtful) {
    y[0] = kOne;
  } else {
    hash_whole(keys, spec, x, y);
  }
}

// The same elements in the same order, in another shape.
void reshape(const Keys& keys, RowFingerprint x, Shape result, std::span<Residues> y) {
  if (keys.is_narrow(x.shape) == keys.is_narrow(result)) {
    std::ranges::copy(x.parts, y.begin());
  } else if (keys.is_narrow(result)) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = fingerprint_entry(keys, x, j);
  } else {
    ProductSum sum;
    for (std::size_t i = 0; i < x.parts.size(); ++i) sum.add(keys.position(i), x.parts[i]);
    y[0] = sum.value();
  }
}

void slice(const Keys& keys, std::span<const std::uint32_t> words, RowFingerprint x, Shape result,
           std::span<Residues> y) {
  if (keys.is_narrow(result)) {
    const std::size_t cols = result.cols();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = words[0] + i / cols;
      y[i] = fingerprint_entry(keys, x, row * x.shape.cols() + words[2] + i % cols);
    }
  } else if (result.size() == x.shape.size() || is_zero(x.parts)) {
    y[0] = x.parts[0];
  } else {
    KeyedHash hash = keys.hash(HashTag::Slice);
    hash.add(x.shape.rows()).add(x.shape.cols()).add(words[0]).add(words[2]);
    y[0] = hash.add(result.rows()).add(result.cols()).add(x.parts).value();
  }
}

void broadcast(const Keys& keys, const Residues& scalar, Shape result, std::span<Residues> y) {
  std::ranges::fill(y, keys.is_narrow(result) ? scalar : scalar * keys.ones(result.size()));
}

void square(const Keys& keys, RowFingerprint x, Shape result, std::span<Residues> y) {
  const RowFingerprint both[] = {x, x};
  fingerprint_combination(keys, Combination::ElProduct, both, result, y);
}

// The same elements, elsewhere.
void move(const Keys& keys, FunctionForm form, std::span<const std::uint32_t> words,
          RowFingerprint x, Shape result, std::span<Residues> y) {
  switch (form) {
    case FunctionForm::Same: std::ranges::copy(x.parts, y.begin()); return;
    case FunctionForm::Transposed: return fingerprint_transpose(keys, x, y);
    case FunctionForm::Part: return slice(keys, words, x, result, y);
    case FunctionForm::Shape: return reshape(keys, x, result, y);
    case FunctionForm::Entry: y[0] = fingerprint_entry(keys, x, words[0]); return;
    case FunctionForm::Broadcast: return broadcast(keys, x.parts[0], result, y);
    case FunctionForm::Entries:
    case FunctionForm::Row:
    case FunctionForm::Column: break;
  }
  fail_check("a form that moves", __FILE__, __LINE__, "");
}

}  // namespace

void fingerprint_transformation(const Keys& keys, const TransformationSpec& spec,
                                std::span<const std::uint32_t> words, RowFingerprint x,
                                Shape result, std::span<Residues> y) {
  const TransformationInfo& about = info(spec.id);
  switch (about.fingerprint) {
    case FunctionFingerprint::Hashed:
      if (about.form == FunctionForm::Entries) return hash_elements(keys, spec, x, y);
      return hash_whole(keys, spec, x, y);
    case FunctionFingerprint::Shares: return hash_shares(keys, spec, x, y);
    case FunctionFingerprint::Complement: {
      if (x.doubtful) return hash_elements(keys, spec, x, y);
      const Residues one = keys.is_narrow(x.shape) ? kOne : keys.ones(x.shape.size());
      std::ranges::transform(x.parts, y.begin(), [&](const Residues& part) { return one - part; });
      return;
    }
    case FunctionFingerprint::Squared: return square(keys, x, result, y);
    case FunctionFingerprint::Moved: return move(keys, about.form, words, x, result, y);
  }
  fail_check("known fingerprint", __FILE__, __LINE__, std::string(about.text));
}

}  // namespace vecc::opt::iso
