#include "tools/import/sql/text_features.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "tools/import/load/splitmix.h"

namespace vecc::tools::sql {
namespace {

constexpr std::size_t kGram = 3;

// FNV-1a. It decides what a trained weight means: it must not change.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return mix_bits(hash);
}

void add_gram(std::string_view gram, std::span<double> entries) {
  const std::uint64_t hash = hash_of(gram);
  entries[hash % entries.size()] += (hash >> 63) != 0 ? 1 : -1;
}

// Without the underlines at its ends a word would not tell prefixes from what stands within.
void add_word(std::string_view word, std::span<double> entries) {
  add_gram(word, entries);
  const std::string marked = "_" + std::string(word) + "_";
  for (std::size_t i = 0; i + kGram <= marked.size() && marked.size() > kGram; ++i) {
    add_gram(std::string_view(marked).substr(i, kGram), entries);
  }
}

// A letter in lower case, a digit, a byte of another script; 0: between words.
char letter_of(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return is_letter || static_cast<unsigned char>(c) >= 0x80 ? c : '\0';
}

}  // namespace

void add_text_features(std::string_view text, std::uint32_t entries, std::vector<double>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + entries, 0.0);
  const std::span<double> added(out.data() + begin, entries);
  std::string word;
  for (const char c : text) {
    const char letter = letter_of(c);
    if (letter != '\0') {
      word += letter;
    } else if (!word.empty()) {
      add_word(word, added);
      word.clear();
    }
  }
  if (!word.empty()) add_word(word, added);
  double squares = 0;
  for (const double x : added) squares += x * x;
  for (double& x : added) x /= squares > 0 ? std::sqrt(squares) : 1;
}

}  // namespace vecc::tools::sql
