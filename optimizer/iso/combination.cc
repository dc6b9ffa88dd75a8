#include <algorithm>
#include <cmath>

#include "optimizer/iso/functions.h"
#include "optimizer/iso/reduction.h"
#include "optimizer/rewrite/row_classes.h"

namespace vecc::opt::iso {
namespace {

using Elements = std::span<const RowFingerprint>;

bool precedes(const Residues& a, const Residues& b) {
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

bool any_doubtful(Elements elements) {
  return std::ranges::any_of(elements, &RowFingerprint::doubtful);
}

void reduce(const Keys& keys, Combination combination, Elements elements, Shape result,
            std::span<Residues> y) {
  Reduction(keys, combination, result).reduce(elements, y);
}

// A selection among scalars is one among different scalars.
void select(const Keys& keys, Combination combination, Elements elements, Shape result,
            std::span<Residues> y) {
  if (!is_order_free(combination, result) || any_doubtful(elements)) {
    return reduce(keys, combination, elements, result, y);
  }
  Scratch scalars;
  for (const RowFingerprint& element : elements) scalars.push_back(element.parts[0]);
  std::ranges::sort(scalars, precedes);
  scalars.erase(std::unique(scalars.begin(), scalars.end()), scalars.end());
  Reduction reduction(keys, combination, result);
  for (const Residues& scalar : scalars) reduction.add({result, {&scalar, 1}});
  reduction.finish(y);
}

void share(const Keys& keys, Combination combination, Elements scalars, Shape result,
           std::span<Residues> y) {
  MultisetHash all(keys, static_cast<std::uint64_t>(combination));
  const bool doubtful = any_doubtful(scalars);
  for (const RowFingerprint& scalar : scalars) all.add(scalar.parts);
  Reduction column(keys, Combination::Concat, result);
  for (const RowFingerprint& scalar : scalars) {
    const Residues entry = fingerprint_share(keys, combination, scalar.parts[0], all, doubtful);
    column.add({Shape::scalar(), {&entry, 1}});
  }
  column.finish(y);
}

void multiply(const Keys& keys, Elements elements, std::span<Residues> y) {
  Shape shape = elements[0].shape;
  Scratch product(elements[0].parts.begin(), elements[0].parts.end());
  bool doubtful = elements[0].doubtful;
  for (const RowFingerprint& element : elements.subspan(1)) {
    const auto next_shape = times_shape(shape, element.shape);
    VECC_CHECK(next_shape.has_value(), "product of shapes that do not fit");
    Scratch next(keys.part_count(*next_shape));
    fingerprint_times(keys, {shape, product, doubtful}, element, next);
    doubtful = doubtful || element.doubtful;
    shape = *next_shape;
    product = std::move(next);
  }
  std::ranges::copy(product, y.begin());
}

KeyedHash combination_hash(const Keys& keys, Combination combination) {
  return keys.hash(HashTag::Combination, static_cast<std::uint64_t>(combination));
}

// Some function of the list.
void hash_list(KeyedHash hash, Elements elements, std::span<Residues> y) {
  hash.add(elements.size());
  for (const RowFingerprint& element : elements) {
    hash.add(element.shape.rows()).add(element.shape.cols()).add(element.parts);
  }
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = KeyedHash(hash).add(i).value();
}

// Every choice of one entry of each element, the last element's entry changing fastest.
void cross(const Keys& keys, Elements elements, Shape result, std::span<Residues> y) {
  if (!keys.is_narrow(result))
    return hash_list(combination_hash(keys, Combination::CrossSum), elements, y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = kZero;
    std::size_t rest = i;
    for (std::size_t k = elements.size(); k-- > 0;) {
      const std::size_t size = elements[k].shape.size();
      y[i] += elements[k].parts[rest % size];
      rest /= size;
    }
  }
}

}  // namespace

Residues fingerprint_share(const Keys& keys, Combination combination, const Residues& entry,
                           const MultisetHash& all, bool doubtful) {
  if (all.count() == 1 && !doubtful) return kOne;
  KeyedHash hash = keys.hash(HashTag::Combination, static_cast<std::uint64_t>(combination));
  return hash.add(all.count()).add(all.sum()).value_with(entry);
}

void fingerprint_combination(const Keys& keys, Combination combination,
                             std::span<const RowFingerprint> elements, Shape result,
                             std::span<Residues> y) {
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::ElProduct:
    case Combination::Count:
    case Combination::Concat: reduce(keys, combination, elements, result, y); return;
    case Combination::Max:
    case Combination::Min: select(keys, combination, elements, result, y); return;
    case Combination::Softmax:
    case Combination::Sparsemax: share(keys, combination, elements, result, y); return;
    case Combination::Product: multiply(keys, elements, y); return;
    case Combination::CrossSum: cross(keys, elements, result, y); return;
    case Combination::CosSim: hash_list(combination_hash(keys, combination), elements, y); return;
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination with a formula", __FILE__, __LINE__,
             std::string(info(combination).text));
}

void fingerprint_draw(const Keys& keys, Elements words, std::span<Residues> y) {
  hash_list(keys.hash(HashTag::Draw), words, y);
}

}  // namespace vecc::opt::iso
