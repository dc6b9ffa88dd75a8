// Laws of the text form over random programs.
#include <gmock/gmock.h>

#ifdef VECC_RAPIDCHECK
#include <rapidcheck.h>
#endif

#include <set>

#include "tests/program/program_difference.h"
#include "tests/program/random_program.h"
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

// The first law that `program` breaks, or empty.
std::string broken_law(const Program& program) {
  if (const auto verified = verify(program); !verified) return verified.error().text();
  const std::string text = print(program, full_options());
  const auto parsed = parse_program(text, "p.vecc");
  if (!parsed) return parsed.error().text() + "\n" + text;
  if (const auto d = program_difference(program, *parsed); !d.empty()) return d + "\n" + text;
  if (print(*parsed, full_options()) != text) return "prints another text\n" + text;

  PrintOptions options = full_options();
  options.long_arrays = LongArrays::SideFile;
  options.inline_limit = 3;
  std::string side;
  const std::string short_text = print(program, options, &side);
  const auto loaded = parse_program(short_text, "p.vecc", side);
  if (!loaded) return loaded.error().text() + "\n" + short_text;
  if (const auto d = program_difference(program, *loaded); !d.empty()) return d + "\n" + short_text;
  std::string side_again;
  if (print(*loaded, options, &side_again) != short_text) return "prints another text\n" + text;
  return side_again == side ? "" : "prints another side file\n" + short_text;
}

TEST(RoundTrip, random_programs_of_fixed_seeds) {
  std::set<OpKind> kinds;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomSource random(seed);
    const Program program = random_row_number_program(random, random.below(30));
    ASSERT_EQ(broken_law(program), "") << "seed " << seed;
    for (const Op& op : program.ops()) kinds.insert(op.kind());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<OpAttributes>) << "an op was never drawn";
}

TEST(RoundTrip, a_digest_text_is_the_same_for_the_same_program) {
  RandomSource random(1);
  const Program program = random_program(random, 50);
  const auto parsed = parse_program(print(program, full_options()), "p.vecc");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(print(*parsed), print(program));
}

#ifdef VECC_RAPIDCHECK
TEST(RoundTrip, random_programs) {
  EXPECT_TRUE(rc::check([] {
    RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
    const auto op_count = *rc::gen::inRange<std::uint32_t>(0, 40);
    const std::string law = broken_law(random_row_number_program(random, op_count));
    RC_ASSERT(law == "");
  }));
}

// Damaged text gives an error or a program, never a crash.
TEST(RoundTrip, damaged_texts) {
  EXPECT_TRUE(rc::check([] {
    RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
    std::string text = print(random_row_number_program(random, 10), full_options());
    for (std::uint32_t i = random.between(1, 4); i > 0; --i) {
      const std::size_t at = random.below(text.size());
      switch (random.below(3)) {
        case 0: text[at] = static_cast<char>(random.below(256)); break;
        case 1: text.erase(at, random.between(1, 5)); break;
        case 2: text.insert(at, text.substr(random.below(text.size()), 7)); break;
      }
      if (text.empty()) return;
    }
    const auto parsed = parse_program(text, "p.vecc");
    if (!parsed) {
      RC_ASSERT(parsed.error().text().starts_with("p.vecc:"));
      return;
    }
    const std::string again = print(*parsed, full_options());
    RC_ASSERT(print(*parse_program(again, "p.vecc"), full_options()) == again);
  }));
}
#endif

}  // namespace
}  // namespace vecc::test
